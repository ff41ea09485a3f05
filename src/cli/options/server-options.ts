/** The options of LiveSync, the log and HTTP. */
import { address, choice, optionTable, secret, text, texts, toggle } from "./option-kinds.js";
import { LOG_LEVELS } from "../../log.js";

export const LIVESYNC_OPTIONS = optionTable({
  couchdbUrl: text(
    "url",
    "The CouchDB server of a vault that LiveSync keeps there, in place of a folder; see docs/livesync.md.",
    { environment: ["COUCHDB_BASE_URL"] },
  ),
  couchdbDatabase: text("name", "Its database.", { environment: ["COUCHDB_DATABASE_NAME"] }),
  couchdbUser: text("name", "Its user.", { environment: ["COUCHDB_USER"] }),
  couchdbPassword: secret("A file with that user's password.", {
    environment: ["COUCHDB_PASSWORD", "COUCHDB_PASSWORD_FILE"],
  }),
  vaultPassphrase: secret("A file with LiveSync's passphrase for end-to-end encryption.", {
    environment: ["VAULT_PASSPHRASE", "VAULT_PASSPHRASE_FILE"],
  }),
  usePathObfuscation: toggle(
    "Write nothing to a database whose names are readable. Whether they are hidden is found out without this.",
    { environment: ["USE_PATH_OBFUSCATION"] },
  ),
  livesyncSetupUri: secret("A file with LiveSync's Setup URI, which says all of the above.", {
    environment: ["LIVESYNC_SETUP_URI", "LIVESYNC_SETUP_URI_FILE"],
  }),
  livesyncSetupPassphrase: secret("A file with the passphrase of the Setup URI.", {
    environment: ["LIVESYNC_SETUP_PASSPHRASE", "LIVESYNC_SETUP_PASSPHRASE_FILE"],
  }),
  acceptRebuilt: toggle(
    "Write to the database again after LiveSync has locked or rebuilt it; first check in Obsidian that its notes are right.",
    { usedBy: ["doctor"] },
  ),
});

export const LOG_OPTIONS = optionTable({
  logLevel: choice(LOG_LEVELS, "How much is logged on stderr; titles and queries only at debug, note texts never.", {
    fallback: "warn",
    environment: [
      { name: "LOG_LEVEL", note: "also `trace` and `warning`", read: readLogLevel },
      { name: "RUST_LOG", note: "the level before the first comma; anything else is ignored", read: readRustLog },
      { name: "DEBUG", note: "`true` or `1` means debug; anything else is ignored", read: readDebug },
    ],
  }),
  logFormat: choice(["text", "json"], "Log lines for people, or one JSON object a line.", {
    fallback: "text",
    environment: ["LOG_FORMAT"],
  }),
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
  http: address(
    "Serve over HTTP (a page for browsers, /mcp and /bridge/v1) instead of stdio. Default: 127.0.0.1:3000, or what BIND_ADDR and PORT say.",
    { usedBy: ["server", "doctor"] },
  ),
  bindAddr: text("host:port", "Where --http listens when it names no address itself.", {
    usedBy: ["server", "doctor"],
    environment: ["BIND_ADDR"],
  }),
  port: text("port", "The port in place of that of --bind-addr; of board, in place of 3000 or the next that is free.", {
    usedBy: ["server", "board", "calendar", "sign-in", "doctor"],
    environment: ["PORT"],
  }),
  token: text(
    "token",
    "What HTTP callers must show (Authorization: Bearer). On the command line every user of the machine can see it: better set the variable, or name a file.",
    { usedBy: ["server", "board", "sign-in", "doctor"], environment: ["AUTH_TOKEN"] },
  ),
  tokenFile: text("file", "A file with that token.", {
    usedBy: ["server", "board", "sign-in", "doctor"],
    environment: ["AUTH_TOKEN_FILE"],
  }),
  tokensFile: text("file", "A JSON file of named tokens, each with its scopes; see docs/http.md.", {
    usedBy: ["server", "sign-in", "doctor"],
    environment: ["AUTH_TOKENS_FILE"],
  }),
  allowHost: texts(
    "name",
    "Answer HTTP requests to this host name too; loopback names always are. Repeatable, or separated by commas.",
    { usedBy: ["server", "doctor"], environment: ["ALLOWED_HOSTS"] },
  ),
  allowOrigin: texts(
    "origin",
    "Let web pages of this origin call, such as https://notes.example; loopback and Obsidian's may. Repeatable, or separated by commas.",
    { usedBy: ["server", "doctor"], environment: ["ALLOWED_ORIGINS"] },
  ),
  publicUrl: text(
    "url",
    "How the server is reached from elsewhere, such as https://notes.example behind a proxy: its page may call, and links name it.",
    { usedBy: ["server", "calendar", "sign-in", "doctor"], environment: ["PUBLIC_URL"] },
  ),
  noWeb: toggle("Serve no page for browsers.", { usedBy: ["server"] }),
  noOpen: toggle("Print the board's link without opening it.", { usedBy: ["board"] }),
  insecureNoAuth: toggle(
    "Serve others than this machine without a token: anybody who can reach the port can change the vault.",
    { usedBy: ["server", "doctor"] },
  ),
  rateLimit: text("number|off", "HTTP requests a caller may make in a minute. Default: 60, and off on loopback.", {
    usedBy: ["server", "doctor"],
    environment: ["RATE_LIMIT_PER_MINUTE"],
  }),
  rateBurst: text("number", "How many of them at once. Default: 10.", {
    usedBy: ["server", "doctor"],
    environment: ["RATE_LIMIT_BURST"],
  }),
  legacySse: toggle("Serve the deprecated HTTP+SSE transport too (GET /sse, POST /messages).", { usedBy: ["server"] }),
  signIn: toggle(
    "Let programs elsewhere, such as claude.ai and ChatGPT, connect by OAuth: a person agrees in the browser. Needs --http, --public-url and a token; see docs/sign-in.md.",
    { usedBy: ["server"], environment: ["SIGN_IN"] },
  ),
  tunnel: text(
    "command",
    "With --http and --sign-in: run this tunnel program, without a shell, as long as the server runs, and serve at the one https address that it prints; see docs/phone.md.",
    { usedBy: ["server"] },
  ),
  redirectScheme: texts(
    "scheme",
    "An app's address scheme that may receive sign-in codes, in addition to those of known programs. Repeatable, or separated by commas.",
    { usedBy: ["server"], environment: ["REDIRECT_SCHEMES"] },
  ),
  noClientDocuments: toggle("Fetch no descriptions of programs that sign in, for networks that let nothing out.", {
    usedBy: ["server"],
  }),
  signInDatabase: text(
    "url",
    "A CouchDB database of its own for connections, shared by several servers. Default: files in the state folder.",
    { usedBy: ["server", "sign-in", "tokens"], environment: ["SIGN_IN_DATABASE"] },
  ),
  signInKeyFile: text("file", "A file with the 32 random bytes, as 64 hexadecimal digits, that these servers share.", {
    usedBy: ["server", "sign-in", "tokens"],
    environment: ["SIGN_IN_KEY_FILE"],
  }),
  trustedProxy: texts(
    "address",
    "A proxy's address or range (10.0.0.0/8) whose X-Forwarded-For counts for rate limits, and for nothing else. Repeatable, or separated by commas.",
    { usedBy: ["server"], environment: ["TRUSTED_PROXIES"] },
  ),
  issuer: text(
    "url",
    "Accept access tokens of this identity provider in place of --sign-in; rows of the tokens file say who may do what. See docs/organisations.md.",
    { usedBy: ["server"], environment: ["ISSUER"] },
  ),
  audience: texts(
    "text",
    "Audiences of the issuer's tokens in addition to the --public-url. Repeatable, or separated by commas.",
    { usedBy: ["server"], environment: ["AUDIENCE"] },
  ),
  issuerAliases: toggle("Lead /authorize, /token and /register to the issuer's, for programs that guess these paths.", {
    usedBy: ["server"],
  }),
  person: text("name", "Whom the link logs in: the name of a token with the scope sign-in. Default: the owner.", {
    usedBy: ["sign-in"],
  }),
  all: toggle("Revoke every connection.", { usedBy: ["tokens"] }),
  healthCheck: toggle(
    "Ask the server that runs at this address whether it is alive, and exit with 0 if so; for containers.",
    { usedBy: ["server"] },
  ),
});
