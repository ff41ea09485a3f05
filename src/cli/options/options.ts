/** The option table: every setting of the program is one row, from which parsing, help and documentation derive. */
import { INLINE_TASKS } from "../../tasks/task.js";
import { TOOLSETS } from "../../tools/toolset.js";
import type { CommandName } from "../commands.js";
import { CALENDAR_OPTIONS } from "./calendar-options.js";
import { COMMAND_OPTIONS } from "./command-options.js";
import { HTTP_OPTIONS } from "./http-options.js";
import { LIVESYNC_OPTIONS } from "./livesync-options.js";
import { LOG_OPTIONS } from "./log-options.js";
import type { Option, SettingOf } from "./option-kinds.js";
import { SETUP_OPTIONS } from "../setup/setup-options.js";

/** The commands that ask a vault and print what they find or did. */
const WITH_RESULT = [
  "scan",
  "today",
  "week",
  "list",
  "search",
  "add",
  "done",
  "set",
  "show",
  "find",
  "read",
  "undo",
  "base",
  "doctor",
] as const satisfies readonly CommandName[];

export const OPTIONS = {
  vault: {
    flag: "--vault",
    kind: "text",
    placeholder: "folder",
    environment: ["OBSIDIAN_VAULT_PATH", "VAULT_PATH"],
    help: "The vault to work with; the first argument says the same.",
    usedBy: "all",
  },
  ...LIVESYNC_OPTIONS,
  vaultId: {
    flag: "--vault-id",
    kind: "text",
    placeholder: "id",
    environment: ["VAULT_ID"],
    help: "What mcp-obsidian:// URIs call the vault. Default: the name of its folder or database.",
    usedBy: "all",
  },
  allowVault: {
    flag: "--allow-vault",
    kind: "texts",
    placeholder: "folder",
    help: "Let scan_vault open this folder and those below it, and no others but the vault itself. Repeatable.",
    usedBy: ["server"],
  },
  readOnly: {
    flag: "--read-only",
    kind: "switch",
    help: "Refuse everything that would change the vault.",
    usedBy: "all",
  },
  allowHidden: {
    flag: "--allow-hidden",
    kind: "switch",
    help: "Let tools read and write hidden files (names with a dot in front); below .obsidian nothing is ever written.",
    usedBy: ["server"],
  },
  toolsets: {
    flag: "--toolsets",
    kind: "choices",
    values: TOOLSETS,
    help: "Offer only the tools of these sets.",
    usedBy: ["server"],
  },
  timeZone: {
    flag: "--time-zone",
    kind: "text",
    placeholder: "zone",
    help: "IANA time zone that decides which day it is, such as Europe/Berlin. Default: the system's.",
    usedBy: "all",
  },
  inlineTasks: {
    flag: "--inline-tasks",
    kind: "choice",
    values: INLINE_TASKS,
    fallback: "auto",
    help: "Which checkboxes count as tasks: auto is marked where the Tasks plugin is on, else off.",
    usedBy: "all",
  },
  globalFilter: {
    flag: "--global-filter",
    kind: "text",
    placeholder: "text",
    help: "What a checkbox must hold to be a task, such as #task. Default: as the Tasks plugin is set.",
    usedBy: "all",
  },
  toolErrors: {
    flag: "--tool-errors",
    kind: "choice",
    values: ["result", "jsonrpc"],
    fallback: "result",
    help: "How a tool's failure is answered: as a result with isError, or as a JSON-RPC error.",
    usedBy: ["server"],
  },
  apps: {
    flag: "--apps",
    kind: "choice",
    values: ["auto", "on", "off"],
    fallback: "auto",
    help: "To whom the tasks app is offered that draws results in the conversation: auto to assistants that show such apps, on to all, off to none.",
    usedBy: ["server"],
  },
  maxFileSize: {
    flag: "--max-file-size",
    kind: "size",
    environment: ["MAX_FILE_SIZE"],
    fallback: 10 * 1024 * 1024,
    help: "The largest note that is read or written, in bytes or with k, M or G.",
    usedBy: "all",
  },
  cacheFolder: {
    flag: "--cache-folder",
    kind: "text",
    placeholder: "folder",
    help: "Where the vault's index is kept between runs. Default: the system's cache folder.",
    usedBy: "all",
  },
  noCache: {
    flag: "--no-cache",
    kind: "switch",
    help: "Keep no index between runs.",
    usedBy: "all",
  },
  stateFolder: {
    flag: "--state-folder",
    kind: "text",
    placeholder: "folder",
    help: "Where the undo journal is kept. Default: the system's folder for such data.",
    usedBy: "all",
  },
  noUndo: {
    flag: "--no-undo",
    kind: "switch",
    help: "Keep no undo journal: no texts outside the vault, and nothing can be undone.",
    usedBy: "all",
  },
  undoLimit: {
    flag: "--undo-limit",
    kind: "count",
    most: 10_000,
    environment: ["UNDO_STACK_LIMIT"],
    help: "How many changes of a file can be undone. Default: 100.",
    usedBy: "all",
  },
  undoSize: {
    flag: "--undo-size",
    kind: "size",
    environment: ["UNDO_MAX_SIZE"],
    fallback: 100 * 1024 * 1024,
    help: "How large a vault's undo journal may grow, the oldest changes going first.",
    usedBy: "all",
  },
  ...LOG_OPTIONS,
  ...HTTP_OPTIONS,
  ...COMMAND_OPTIONS,
  ...CALENDAR_OPTIONS,
  ...SETUP_OPTIONS,
  json: {
    flag: "--json",
    kind: "switch",
    help: 'Print the structured result as JSON; a failure as {"error": ...}.',
    usedBy: [...WITH_RESULT, "calendar"],
  },
  noColor: {
    flag: "--no-color",
    kind: "switch",
    environment: [
      { name: "NO_COLOR", note: "any value but an empty one", read: (text) => (text === "" ? undefined : "true") },
    ],
    help: "Plain text on a terminal too.",
    usedBy: "all",
  },
  progress: {
    flag: "--progress",
    kind: "switch",
    help: "Tell on stderr how far long work is, even when that is no terminal.",
    usedBy: WITH_RESULT,
  },
  help: { flag: "--help", short: "-h", kind: "switch", help: "Print this help.", usedBy: "all" },
  version: { flag: "--version", short: "-V", kind: "switch", help: "Print the version.", usedBy: "all" },
} as const satisfies Record<string, Option>;

export type OptionName = keyof typeof OPTIONS;

/** What the command line and the environment say, one value for each row, and where those that were given stand. */
export type Settings = { readonly [Name in OptionName]: SettingOf<(typeof OPTIONS)[Name]> } & {
  /** The flag or variable of each value that was given. */
  readonly sources: Readonly<Partial<Record<OptionName, string>>>;
};

/** What is blamed for a value: the flag or variable it came from. */
export function sourceOf(name: OptionName, { sources }: Pick<Settings, "sources">): string {
  return sources[name] ?? OPTIONS[name].flag;
}

/** All rows by name, in the order of the help text. */
export function optionRows(): readonly (readonly [name: OptionName, option: Option])[] {
  return Object.entries(OPTIONS) as [OptionName, Option][];
}
