/** The rows of the option table about connecting clients (docs/clients.md). */
import type { Option } from "../options/option-kinds.js";

export const SETUP_OPTIONS = {
  client: {
    flag: "--client",
    kind: "texts",
    placeholder: "name",
    help: "A client to connect, such as claude-desktop or vscode, installed or not. Repeatable. Default: all that are installed.",
    usedBy: ["setup"],
  },
  print: {
    flag: "--print",
    kind: "switch",
    help: "Show what would be written, and write nothing.",
    usedBy: ["setup"],
  },
  remove: {
    flag: "--remove",
    kind: "switch",
    help: "Take out of the configurations what setup has put in.",
    usedBy: ["setup"],
  },
  yes: {
    flag: "--yes",
    kind: "switch",
    help: "Write without asking; needed where there is no terminal.",
    usedBy: ["setup"],
  },
} as const satisfies Record<string, Option>;
