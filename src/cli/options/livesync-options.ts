/** The rows of the option table about a vault that LiveSync keeps in CouchDB (docs/livesync.md). */
import type { Option } from "./option-kinds.js";

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
