/** The rows of the option table about the log, and how variables of other programs name its level. */
import { LOG_LEVELS } from "../../log.js";
import type { Option } from "./option-kinds.js";

export const LOG_OPTIONS = {
  logLevel: {
    flag: "--log-level",
    kind: "choice",
    values: LOG_LEVELS,
    fallback: "warn",
    environment: [
      { name: "LOG_LEVEL", note: "also `trace` and `warning`", read: readLogLevel },
      { name: "RUST_LOG", note: "the level before the first comma; anything else is ignored", read: readRustLog },
      { name: "DEBUG", note: "`true` or `1` means debug; anything else is ignored", read: readDebug },
    ],
    help: "How much is logged on stderr; titles and queries only at debug, note texts never.",
    usedBy: "all",
  },
  logFormat: {
    flag: "--log-format",
    kind: "choice",
    values: ["text", "json"],
    fallback: "text",
    environment: ["LOG_FORMAT"],
    help: "Log lines for people, or one JSON object a line.",
    usedBy: "all",
  },
} as const satisfies Record<string, Option>;

function readLogLevel(text: string): string {
  const level = text.trim().toLowerCase();
  if (level === "trace") return "debug";
  return level === "warning" ? "warn" : level;
}

function readRustLog(text: string): string | undefined {
  const level = readLogLevel(text.split(",")[0] ?? "");
  return (LOG_LEVELS as readonly string[]).includes(level) ? level : undefined;
}

function readDebug(text: string): string | undefined {
  return /^(true|1)$/i.test(text.trim()) ? "debug" : undefined;
}
