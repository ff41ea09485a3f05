/** The option table: every setting of the program is one row, from which parsing, help and documentation derive. */
import { LOG_LEVELS } from "../log.js";
import { PRIORITIES } from "../tasks/task.js";
import { TOOLSETS } from "../tools/tool.js";
import type { Option, SettingOf } from "./option-kinds.js";

const STATUS_VALUES = ["To Do", "In Progress", "Blocked", "Done"] as const;

export const OPTIONS = {
  vault: {
    flag: "--vault",
    kind: "text",
    placeholder: "folder",
    environment: ["OBSIDIAN_VAULT_PATH", "VAULT_PATH"],
    help: "The vault to work with; the first argument says the same.",
    usedBy: "all",
  },
  couchdbUrl: {
    flag: "--couchdb-url",
    kind: "text",
    placeholder: "url",
    environment: ["COUCHDB_BASE_URL"],
    help: "The CouchDB server of a vault that LiveSync keeps there, in place of a folder; see docs/livesync.md.",
    usedBy: "all",
  },
  couchdbDatabase: {
    flag: "--couchdb-database",
    kind: "text",
    placeholder: "name",
    environment: ["COUCHDB_DATABASE_NAME"],
    help: "Its database.",
    usedBy: "all",
  },
  couchdbUser: {
    flag: "--couchdb-user",
    kind: "text",
    placeholder: "name",
    environment: ["COUCHDB_USER"],
    help: "Its user.",
    usedBy: "all",
  },
  couchdbPassword: {
    flag: "--couchdb-password-file",
    kind: "secret",
    environment: ["COUCHDB_PASSWORD", "COUCHDB_PASSWORD_FILE"],
    help: "A file with that user's password.",
    usedBy: "all",
  },
  vaultPassphrase: {
    flag: "--vault-passphrase-file",
    kind: "secret",
    environment: ["VAULT_PASSPHRASE", "VAULT_PASSPHRASE_FILE"],
    help: "A file with LiveSync's passphrase for end-to-end encryption.",
    usedBy: "all",
  },
  usePathObfuscation: {
    flag: "--use-path-obfuscation",
    kind: "switch",
    environment: ["USE_PATH_OBFUSCATION"],
    help: "Write nothing to a database whose names are readable. Whether they are hidden is found out without this.",
    usedBy: "all",
  },
  setupUri: {
    flag: "--livesync-setup-uri-file",
    kind: "secret",
    environment: ["LIVESYNC_SETUP_URI", "LIVESYNC_SETUP_URI_FILE"],
    help: "A file with LiveSync's Setup URI, which says all of the above.",
    usedBy: "all",
  },
  setupPassphrase: {
    flag: "--livesync-setup-passphrase-file",
    kind: "secret",
    environment: ["LIVESYNC_SETUP_PASSPHRASE", "LIVESYNC_SETUP_PASSPHRASE_FILE"],
    help: "A file with the passphrase of the Setup URI.",
    usedBy: "all",
  },
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
  toolErrors: {
    flag: "--tool-errors",
    kind: "choice",
    values: ["result", "jsonrpc"],
    fallback: "result",
    help: "How a tool's failure is answered: as a result with isError, or as a JSON-RPC error.",
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
  http: {
    flag: "--http",
    kind: "address",
    help: "Serve over HTTP (/mcp and /bridge/v1) instead of stdio. Default: 127.0.0.1:3000, or what BIND_ADDR and PORT say.",
    usedBy: ["server", "doctor"],
  },
  bindAddress: {
    flag: "--bind-addr",
    kind: "text",
    placeholder: "host:port",
    environment: ["BIND_ADDR"],
    help: "Where --http listens when it names no address itself.",
    usedBy: ["server", "doctor"],
  },
  port: {
    flag: "--port",
    kind: "text",
    placeholder: "port",
    environment: ["PORT"],
    help: "The port in place of that of --bind-addr.",
    usedBy: ["server", "doctor"],
  },
  token: {
    flag: "--token",
    kind: "text",
    placeholder: "token",
    environment: ["AUTH_TOKEN"],
    help: "What HTTP callers must show (Authorization: Bearer). On the command line every user of the machine can see it: better set the variable, or name a file.",
    usedBy: ["server", "doctor"],
  },
  tokenFile: {
    flag: "--token-file",
    kind: "text",
    placeholder: "file",
    environment: ["AUTH_TOKEN_FILE"],
    help: "A file with that token.",
    usedBy: ["server", "doctor"],
  },
  tokensFile: {
    flag: "--tokens-file",
    kind: "text",
    placeholder: "file",
    environment: ["AUTH_TOKENS_FILE"],
    help: "A JSON file of named tokens, each with its scopes; see docs/http.md.",
    usedBy: ["server", "doctor"],
  },
  allowHost: {
    flag: "--allow-host",
    kind: "texts",
    placeholder: "name",
    environment: ["ALLOWED_HOSTS"],
    help: "Answer HTTP requests to this host name too; loopback names always are. Repeatable, or separated by commas.",
    usedBy: ["server", "doctor"],
  },
  allowOrigin: {
    flag: "--allow-origin",
    kind: "texts",
    placeholder: "origin",
    environment: ["ALLOWED_ORIGINS"],
    help: "Let web pages of this origin call, such as https://notes.example; loopback and Obsidian's may. Repeatable, or separated by commas.",
    usedBy: ["server", "doctor"],
  },
  insecureNoAuth: {
    flag: "--insecure-no-auth",
    kind: "switch",
    help: "Listen on other than loopback addresses without a token: anybody who can reach the port can change the vault.",
    usedBy: ["server", "doctor"],
  },
  rateLimit: {
    flag: "--rate-limit",
    kind: "text",
    placeholder: "number|off",
    environment: ["RATE_LIMIT_PER_MINUTE"],
    help: "HTTP requests a caller may make in a minute. Default: 60, and off on loopback.",
    usedBy: ["server", "doctor"],
  },
  rateBurst: {
    flag: "--rate-burst",
    kind: "text",
    placeholder: "number",
    environment: ["RATE_LIMIT_BURST"],
    help: "How many of them at once. Default: 10.",
    usedBy: ["server", "doctor"],
  },
  legacySse: {
    flag: "--legacy-sse",
    kind: "switch",
    help: "Serve the deprecated HTTP+SSE transport too (GET /sse, POST /messages).",
    usedBy: ["server"],
  },
  healthCheck: {
    flag: "--health-check",
    kind: "switch",
    help: "Ask the server that runs at this address whether it is alive, and exit with 0 if so; for containers.",
    usedBy: ["server"],
  },
  area: { flag: "--area", kind: "text", placeholder: "area", help: "The task's area.", usedBy: ["add", "search"] },
  status: {
    flag: "--status",
    kind: "choice",
    values: STATUS_VALUES,
    help: "The task's status.",
    usedBy: ["add", "search"],
  },
  priority: { flag: "--priority", kind: "choice", values: PRIORITIES, help: "The task's priority.", usedBy: ["add"] },
  due: { flag: "--due", kind: "text", placeholder: "YYYY-MM-DD", help: "The day the task is due.", usedBy: ["add"] },
  project: {
    flag: "--project",
    kind: "texts",
    placeholder: "project",
    help: "A project the task belongs to. Repeatable.",
    usedBy: ["add"],
  },
  tag: { flag: "--tag", kind: "texts", placeholder: "tag", help: "A tag. Repeatable.", usedBy: ["add", "search"] },
  description: {
    flag: "--description",
    kind: "text",
    placeholder: "text",
    help: "What the task's note says below its title.",
    usedBy: ["add"],
  },
  limit: {
    flag: "--limit",
    kind: "count",
    most: 100,
    help: "How many results are shown, 1 to 100.",
    usedBy: ["search"],
  },
  archived: { flag: "--archived", kind: "switch", help: "Find archived tasks too.", usedBy: ["search"] },
  json: {
    flag: "--json",
    kind: "switch",
    help: 'Print the structured result as JSON; a failure as {"error": ...}.',
    usedBy: ["scan", "search", "add", "done", "show", "undo", "doctor"],
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
    usedBy: ["scan", "search", "add", "done", "show", "undo", "doctor"],
  },
  help: { flag: "--help", short: "-h", kind: "switch", help: "Print this help.", usedBy: "all" },
  version: { flag: "--version", short: "-V", kind: "switch", help: "Print the version.", usedBy: "all" },
} as const satisfies Record<string, Option>;

export type OptionName = keyof typeof OPTIONS;

/** What the command line and the environment say, one value for each row. */
export type Settings = { readonly [Name in OptionName]: SettingOf<(typeof OPTIONS)[Name]> };

/** All rows by name, in the order of the help text. */
export function optionRows(): readonly (readonly [name: OptionName, option: Option])[] {
  return Object.entries(OPTIONS) as [OptionName, Option][];
}

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
