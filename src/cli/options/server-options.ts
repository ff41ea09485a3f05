/** The rows of the option table about a vault that LiveSync keeps in CouchDB (docs/livesync.md). */
import type { Option } from "./option-kinds.js";
import { LOG_LEVELS } from "../../log.js";

export const LIVESYNC_OPTIONS = {
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
} as const satisfies Record<string, Option>;

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

export const HTTP_OPTIONS = {
  http: {
    flag: "--http",
    kind: "address",
    help: "Serve over HTTP (a page for browsers, /mcp and /bridge/v1) instead of stdio. Default: 127.0.0.1:3000, or what BIND_ADDR and PORT say.",
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
    help: "The port in place of that of --bind-addr; of board, in place of 3000 or the next that is free.",
    usedBy: ["server", "board", "sign-in", "doctor"],
  },
  token: {
    flag: "--token",
    kind: "text",
    placeholder: "token",
    environment: ["AUTH_TOKEN"],
    help: "What HTTP callers must show (Authorization: Bearer). On the command line every user of the machine can see it: better set the variable, or name a file.",
    usedBy: ["server", "board", "sign-in", "doctor"],
  },
  tokenFile: {
    flag: "--token-file",
    kind: "text",
    placeholder: "file",
    environment: ["AUTH_TOKEN_FILE"],
    help: "A file with that token.",
    usedBy: ["server", "board", "sign-in", "doctor"],
  },
  tokensFile: {
    flag: "--tokens-file",
    kind: "text",
    placeholder: "file",
    environment: ["AUTH_TOKENS_FILE"],
    help: "A JSON file of named tokens, each with its scopes; see docs/http.md.",
    usedBy: ["server", "sign-in", "doctor"],
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
  publicUrl: {
    flag: "--public-url",
    kind: "text",
    placeholder: "url",
    environment: ["PUBLIC_URL"],
    help: "How the server is reached from elsewhere, such as https://notes.example behind a proxy: its page may call, and links name it.",
    usedBy: ["server", "calendar", "sign-in", "doctor"],
  },
  noWeb: {
    flag: "--no-web",
    kind: "switch",
    help: "Serve no page for browsers.",
    usedBy: ["server"],
  },
  noOpen: {
    flag: "--no-open",
    kind: "switch",
    help: "Print the board's link without opening it.",
    usedBy: ["board"],
  },
  insecureNoAuth: {
    flag: "--insecure-no-auth",
    kind: "switch",
    help: "Serve others than this machine without a token: anybody who can reach the port can change the vault.",
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
  signIn: {
    flag: "--sign-in",
    kind: "switch",
    environment: ["SIGN_IN"],
    help: "Let programs elsewhere, such as claude.ai and ChatGPT, connect by OAuth: a person agrees in the browser. Needs --http, --public-url and a token; see docs/sign-in.md.",
    usedBy: ["server"],
  },
  redirectScheme: {
    flag: "--redirect-scheme",
    kind: "texts",
    placeholder: "scheme",
    environment: ["REDIRECT_SCHEMES"],
    help: "An app's address scheme that may receive sign-in codes, in addition to those of known programs. Repeatable, or separated by commas.",
    usedBy: ["server"],
  },
  noClientDocuments: {
    flag: "--no-client-documents",
    kind: "switch",
    help: "Fetch no descriptions of programs that sign in, for networks that let nothing out.",
    usedBy: ["server"],
  },
  signInDatabase: {
    flag: "--sign-in-database",
    kind: "text",
    placeholder: "url",
    environment: ["SIGN_IN_DATABASE"],
    help: "A CouchDB database of its own for connections, shared by several servers. Default: files in the state folder.",
    usedBy: ["server", "sign-in", "tokens"],
  },
  signInKey: {
    flag: "--sign-in-key-file",
    kind: "text",
    placeholder: "file",
    environment: ["SIGN_IN_KEY_FILE"],
    help: "A file with the 32 random bytes, as 64 hexadecimal digits, that these servers share.",
    usedBy: ["server", "sign-in", "tokens"],
  },
  trustedProxy: {
    flag: "--trusted-proxy",
    kind: "texts",
    placeholder: "address",
    environment: ["TRUSTED_PROXIES"],
    help: "A proxy's address or range (10.0.0.0/8) whose X-Forwarded-For counts for rate limits, and for nothing else. Repeatable, or separated by commas.",
    usedBy: ["server"],
  },
  issuer: {
    flag: "--issuer",
    kind: "text",
    placeholder: "url",
    environment: ["ISSUER"],
    help: "Accept access tokens of this identity provider in place of --sign-in; rows of the tokens file say who may do what. See docs/organisations.md.",
    usedBy: ["server"],
  },
  audience: {
    flag: "--audience",
    kind: "texts",
    placeholder: "text",
    environment: ["AUDIENCE"],
    help: "Audiences of the issuer's tokens in addition to the --public-url. Repeatable, or separated by commas.",
    usedBy: ["server"],
  },
  issuerAliases: {
    flag: "--issuer-aliases",
    kind: "switch",
    help: "Lead /authorize, /token and /register to the issuer's, for programs that guess these paths.",
    usedBy: ["server"],
  },
  person: {
    flag: "--person",
    kind: "text",
    placeholder: "name",
    help: "Whom the link logs in: the name of a token with the scope sign-in. Default: the owner.",
    usedBy: ["sign-in"],
  },
  all: {
    flag: "--all",
    kind: "switch",
    help: "Revoke every connection.",
    usedBy: ["tokens"],
  },
  healthCheck: {
    flag: "--health-check",
    kind: "switch",
    help: "Ask the server that runs at this address whether it is alive, and exit with 0 if so; for containers.",
    usedBy: ["server"],
  },
} as const satisfies Record<string, Option>;
