/** The rows of the option table about LiveSync, the log and HTTP. */
import { optionTable } from "./option-kinds.js";
import { LOG_LEVELS } from "../../log.js";

export const LIVESYNC_OPTIONS = optionTable({
  couchdbUrl: {
    kind: "text",
    placeholder: "url",
    environment: ["COUCHDB_BASE_URL"],
    help: "The CouchDB server of a vault that LiveSync keeps there, in place of a folder; see docs/livesync.md.",
  },
  couchdbDatabase: {
    kind: "text",
    placeholder: "name",
    environment: ["COUCHDB_DATABASE_NAME"],
    help: "Its database.",
  },
  couchdbUser: {
    kind: "text",
    placeholder: "name",
    environment: ["COUCHDB_USER"],
    help: "Its user.",
  },
  couchdbPassword: {
    kind: "secret",
    environment: ["COUCHDB_PASSWORD", "COUCHDB_PASSWORD_FILE"],
    help: "A file with that user's password.",
  },
  vaultPassphrase: {
    kind: "secret",
    environment: ["VAULT_PASSPHRASE", "VAULT_PASSPHRASE_FILE"],
    help: "A file with LiveSync's passphrase for end-to-end encryption.",
  },
  usePathObfuscation: {
    kind: "switch",
    environment: ["USE_PATH_OBFUSCATION"],
    help: "Write nothing to a database whose names are readable. Whether they are hidden is found out without this.",
  },
  livesyncSetupUri: {
    kind: "secret",
    environment: ["LIVESYNC_SETUP_URI", "LIVESYNC_SETUP_URI_FILE"],
    help: "A file with LiveSync's Setup URI, which says all of the above.",
  },
  livesyncSetupPassphrase: {
    kind: "secret",
    environment: ["LIVESYNC_SETUP_PASSPHRASE", "LIVESYNC_SETUP_PASSPHRASE_FILE"],
    help: "A file with the passphrase of the Setup URI.",
  },
  acceptRebuilt: {
    kind: "switch",
    help: "Write to the database again after LiveSync has locked or rebuilt it; first check in Obsidian that its notes are right.",
    usedBy: ["doctor"],
  },
});

export const LOG_OPTIONS = optionTable({
  logLevel: {
    kind: "choice",
    values: LOG_LEVELS,
    fallback: "warn",
    environment: [
      { name: "LOG_LEVEL", note: "also `trace` and `warning`", read: readLogLevel },
      { name: "RUST_LOG", note: "the level before the first comma; anything else is ignored", read: readRustLog },
      { name: "DEBUG", note: "`true` or `1` means debug; anything else is ignored", read: readDebug },
    ],
    help: "How much is logged on stderr; titles and queries only at debug, note texts never.",
  },
  logFormat: {
    kind: "choice",
    values: ["text", "json"],
    fallback: "text",
    environment: ["LOG_FORMAT"],
    help: "Log lines for people, or one JSON object a line.",
  },
});

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

export const HTTP_OPTIONS = optionTable({
  http: {
    kind: "address",
    help: "Serve over HTTP (a page for browsers, /mcp and /bridge/v1) instead of stdio. Default: 127.0.0.1:3000, or what BIND_ADDR and PORT say.",
    usedBy: ["server", "doctor"],
  },
  bindAddr: {
    kind: "text",
    placeholder: "host:port",
    environment: ["BIND_ADDR"],
    help: "Where --http listens when it names no address itself.",
    usedBy: ["server", "doctor"],
  },
  port: {
    kind: "text",
    placeholder: "port",
    environment: ["PORT"],
    help: "The port in place of that of --bind-addr; of board, in place of 3000 or the next that is free.",
    usedBy: ["server", "board", "sign-in", "doctor"],
  },
  token: {
    kind: "text",
    placeholder: "token",
    environment: ["AUTH_TOKEN"],
    help: "What HTTP callers must show (Authorization: Bearer). On the command line every user of the machine can see it: better set the variable, or name a file.",
    usedBy: ["server", "board", "sign-in", "doctor"],
  },
  tokenFile: {
    kind: "text",
    placeholder: "file",
    environment: ["AUTH_TOKEN_FILE"],
    help: "A file with that token.",
    usedBy: ["server", "board", "sign-in", "doctor"],
  },
  tokensFile: {
    kind: "text",
    placeholder: "file",
    environment: ["AUTH_TOKENS_FILE"],
    help: "A JSON file of named tokens, each with its scopes; see docs/http.md.",
    usedBy: ["server", "sign-in", "doctor"],
  },
  allowHost: {
    kind: "texts",
    placeholder: "name",
    environment: ["ALLOWED_HOSTS"],
    help: "Answer HTTP requests to this host name too; loopback names always are. Repeatable, or separated by commas.",
    usedBy: ["server", "doctor"],
  },
  allowOrigin: {
    kind: "texts",
    placeholder: "origin",
    environment: ["ALLOWED_ORIGINS"],
    help: "Let web pages of this origin call, such as https://notes.example; loopback and Obsidian's may. Repeatable, or separated by commas.",
    usedBy: ["server", "doctor"],
  },
  publicUrl: {
    kind: "text",
    placeholder: "url",
    environment: ["PUBLIC_URL"],
    help: "How the server is reached from elsewhere, such as https://notes.example behind a proxy: its page may call, and links name it.",
    usedBy: ["server", "calendar", "sign-in", "doctor"],
  },
  noWeb: {
    kind: "switch",
    help: "Serve no page for browsers.",
    usedBy: ["server"],
  },
  noOpen: {
    kind: "switch",
    help: "Print the board's link without opening it.",
    usedBy: ["board"],
  },
  insecureNoAuth: {
    kind: "switch",
    help: "Serve others than this machine without a token: anybody who can reach the port can change the vault.",
    usedBy: ["server", "doctor"],
  },
  rateLimit: {
    kind: "text",
    placeholder: "number|off",
    environment: ["RATE_LIMIT_PER_MINUTE"],
    help: "HTTP requests a caller may make in a minute. Default: 60, and off on loopback.",
    usedBy: ["server", "doctor"],
  },
  rateBurst: {
    kind: "text",
    placeholder: "number",
    environment: ["RATE_LIMIT_BURST"],
    help: "How many of them at once. Default: 10.",
    usedBy: ["server", "doctor"],
  },
  legacySse: {
    kind: "switch",
    help: "Serve the deprecated HTTP+SSE transport too (GET /sse, POST /messages).",
    usedBy: ["server"],
  },
  signIn: {
    kind: "switch",
    environment: ["SIGN_IN"],
    help: "Let programs elsewhere, such as claude.ai and ChatGPT, connect by OAuth: a person agrees in the browser. Needs --http, --public-url and a token; see docs/sign-in.md.",
    usedBy: ["server"],
  },
  tunnel: {
    kind: "text",
    placeholder: "command",
    help: "With --http and --sign-in: run this tunnel program, without a shell, as long as the server runs, and serve at the one https address that it prints; see docs/phone.md.",
    usedBy: ["server"],
  },
  redirectScheme: {
    kind: "texts",
    placeholder: "scheme",
    environment: ["REDIRECT_SCHEMES"],
    help: "An app's address scheme that may receive sign-in codes, in addition to those of known programs. Repeatable, or separated by commas.",
    usedBy: ["server"],
  },
  noClientDocuments: {
    kind: "switch",
    help: "Fetch no descriptions of programs that sign in, for networks that let nothing out.",
    usedBy: ["server"],
  },
  signInDatabase: {
    kind: "text",
    placeholder: "url",
    environment: ["SIGN_IN_DATABASE"],
    help: "A CouchDB database of its own for connections, shared by several servers. Default: files in the state folder.",
    usedBy: ["server", "sign-in", "tokens"],
  },
  signInKeyFile: {
    kind: "text",
    placeholder: "file",
    environment: ["SIGN_IN_KEY_FILE"],
    help: "A file with the 32 random bytes, as 64 hexadecimal digits, that these servers share.",
    usedBy: ["server", "sign-in", "tokens"],
  },
  trustedProxy: {
    kind: "texts",
    placeholder: "address",
    environment: ["TRUSTED_PROXIES"],
    help: "A proxy's address or range (10.0.0.0/8) whose X-Forwarded-For counts for rate limits, and for nothing else. Repeatable, or separated by commas.",
    usedBy: ["server"],
  },
  issuer: {
    kind: "text",
    placeholder: "url",
    environment: ["ISSUER"],
    help: "Accept access tokens of this identity provider in place of --sign-in; rows of the tokens file say who may do what. See docs/organisations.md.",
    usedBy: ["server"],
  },
  audience: {
    kind: "texts",
    placeholder: "text",
    environment: ["AUDIENCE"],
    help: "Audiences of the issuer's tokens in addition to the --public-url. Repeatable, or separated by commas.",
    usedBy: ["server"],
  },
  issuerAliases: {
    kind: "switch",
    help: "Lead /authorize, /token and /register to the issuer's, for programs that guess these paths.",
    usedBy: ["server"],
  },
  person: {
    kind: "text",
    placeholder: "name",
    help: "Whom the link logs in: the name of a token with the scope sign-in. Default: the owner.",
    usedBy: ["sign-in"],
  },
  all: {
    kind: "switch",
    help: "Revoke every connection.",
    usedBy: ["tokens"],
  },
  healthCheck: {
    kind: "switch",
    help: "Ask the server that runs at this address whether it is alive, and exit with 0 if so; for containers.",
    usedBy: ["server"],
  },
});
