import { describe, expect, it } from "vitest";
import { VaultError } from "../../errors.js";
import { readCommandLine } from "./arguments.js";
import { optionRows } from "./options.js";

const noFolders = () => false;
const read = (
  argv: string,
  environment: Record<string, string> = {},
  isFolder: (word: string) => boolean = noFolders,
) => readCommandLine(argv.split(" ").filter(Boolean), environment, isFolder);

function refusal(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof VaultError && error.code === "INVALID_ARGUMENT") return `${error.message} ${error.hint ?? ""}`;
    throw error;
  }
  throw new Error("was accepted");
}

describe("the option table", () => {
  it("spells every flag and environment name once, and explains each", () => {
    const rows = optionRows().map(([, option]) => option);
    const flags = rows.flatMap(({ flag, short }) => (short === undefined ? [flag] : [flag, short]));
    const names = rows.flatMap(({ environment = [] }) =>
      environment.map((name) => (typeof name === "string" ? name : name.name)),
    );
    expect(new Set(flags).size).toBe(flags.length);
    expect(new Set(names).size).toBe(names.length);
    for (const { flag, help } of rows) {
      expect(flag).toMatch(/^--[a-z]+(-[a-z]+)*$/);
      expect(help).toMatch(/^[A-Z].*\.$/);
    }
  });
});

describe("readArguments", () => {
  it("has a value for every option when nothing is given", () => {
    const { settings, command, words } = read("");
    expect(command).toBeUndefined();
    expect(words).toBe("");
    expect(settings).toMatchObject({
      vault: undefined,
      allowVault: [],
      readOnly: false,
      toolsets: undefined,
      toolErrors: "result",
      maxFileSize: 10_485_760,
      logLevel: "warn",
      logFormat: "text",
      json: false,
    });
    expect(Object.keys(settings)).toEqual([...optionRows().map(([name]) => name), "sources"]);
    expect(settings.sources).toEqual({});
  });

  it("knows where each value that was given stands", () => {
    const { settings } = read("list --limit=3", { VAULT_PATH: "c", MAX_FILE_SIZE: "1k" });
    expect(settings.sources).toEqual({ vault: "VAULT_PATH", limit: "--limit", maxFileSize: "MAX_FILE_SIZE" });
  });

  it.each([
    ["--vault a", { vault: "a" }],
    ["--vault=a=b", { vault: "a=b" }],
    ["/my/vault", { vault: "/my/vault" }],
    ["./scan", { vault: "./scan" }],
    ["-- -my-vault-", { vault: "-my-vault-" }],
    ["--allow-vault a --allow-vault=b", { allowVault: ["a", "b"] }],
    ["--read-only", { readOnly: true }],
    ["--read-only=false", { readOnly: false }],
    ["--toolsets tasks,Tasks", { toolsets: ["tasks"] }],
    ["--tool-errors JSONRPC", { toolErrors: "jsonrpc" }],
    ["--max-file-size 512k", { maxFileSize: 524_288 }],
    ["--max-file-size 1MiB", { maxFileSize: 1_048_576 }],
    ["-h", { help: true }],
    ["-V", { version: true }],
  ])("reads %s", (argv, expected) => expect(read(argv).settings).toMatchObject(expected));

  it.each([
    [{ OBSIDIAN_VAULT_PATH: "a", VAULT_PATH: "b" }, { vault: "a" }],
    [{ OBSIDIAN_VAULT_PATH: "", VAULT_PATH: "b" }, { vault: "b" }],
    [{ MAX_FILE_SIZE: "1000" }, { maxFileSize: 1000 }],
    [{ LOG_LEVEL: "WARNING" }, { logLevel: "warn" }],
    [{ RUST_LOG: "debug,hyper=info" }, { logLevel: "debug" }],
    [{ RUST_LOG: "hyper=info" }, { logLevel: "warn" }],
    [{ DEBUG: "true" }, { logLevel: "debug" }],
    [{ DEBUG: "express:*" }, { logLevel: "warn" }],
    [{ LOG_LEVEL: "error", DEBUG: "true" }, { logLevel: "error" }],
    [{ TOOLSETS: "tasks" }, { toolsets: ["tasks"] }],
    [{ TOOLSETS: "" }, { toolsets: undefined }],
    [{ NO_COLOR: "0" }, { noColor: true }],
    [{ NO_COLOR: "" }, { noColor: false }],
  ])("reads the environment %o", (environment, expected) =>
    expect(read("", environment).settings).toMatchObject(expected),
  );

  it("lets a flag and the first argument win over the environment", () => {
    const environment = { VAULT_PATH: "b", MAX_FILE_SIZE: "1" };
    expect(read("./a --max-file-size 2", environment).settings).toMatchObject({ vault: "./a", maxFileSize: 2 });
  });

  it.each([
    ["scan my-vault", "scan", "", "my-vault"],
    ["scan --vault v", "scan", "", "v"],
    ["search quarterly report --vault v", "search", "quarterly report", "v"],
    ["done --vault v task-1-abc", "done", "task-1-abc", "v"],
    ["doctor", "doctor", "", undefined],
  ])("reads the command line %s", (argv, command, words, vault) => {
    const found = read(argv);
    expect([found.command, found.words, found.settings.vault]).toEqual([command, words, vault]);
  });

  it.each([
    ["--vualt a", "Unknown option --vualt. Did you mean --vault?"],
    ["--readonly", "Did you mean --read-only?"],
    ["--frobnicate", "Unknown option --frobnicate. See --help"],
    ["-x", "Unknown option -x."],
    ["read -dash", "write -- before words that begin with a dash."],
    ["--vault", "--vault needs a value."],
    ["--vault --read-only", "--vault needs a value. Write --vault=<value> where it begins with a dash."],
    ["--vault=", "--vault is empty."],
    ["--vault a --vault b", "--vault is given twice."],
    ["./a --vault b", "both given"],
    ["view --csv --json", "--csv and --json are both given. Give one of them."],
    ["./a b", "Unexpected argument b."],
    ["frobnicate", 'There is no command and no folder "frobnicate".'],
    ["scan a b", "Unexpected argument b."],
    ["serach", "Unknown command serach. Did you mean search?"],
    ["serach --json roof --limit 5", "Unknown command serach. Did you mean search?"],
    ["--toolsets tasks,everything", '--toolsets is "everything", which is none of core, all, tasks, notes, files.'],
    ["--toolsets=", "--toolsets is"],
    ["--log-level loud", '--log-level is "loud"'],
    ["--read-only=perhaps", "neither true nor false"],
    ["--max-file-size big", "which is no size"],
    ["--max-file-size 0", "which is no size"],
    ["search x --limit 0", "no whole number from 1 to 100"],
    ["search x --limit 1.5", "no whole number from 1 to 100"],
    ["search x --limit 101", "no whole number from 1 to 100"],
    ["--area Work", "--area is no option of the server; it belongs to add, search, list, calendar."],
    ["scan --area Work", "--area is no option of scan"],
    ["search", "search needs a query. Write: search <query>"],
    ["set", "set needs a task. Write: set <task field=value ...>"],
    ["--sign-in", "--sign-in needs --http. Add --http."],
    ["./v --port 3001", "--port needs --http."],
    ["--tunnel x", "--tunnel needs --http."],
    ["add --area Home", "add needs a title. Write: add <title>"],
    ["./v --couchdb-user me", "--couchdb-user is for a vault in CouchDB, and none is named. Add --couchdb-url,"],
    ["scan --couchdb-password-file p", "--couchdb-password-file is for a vault in CouchDB"],
    ["doctor --vault-passphrase-file p", "--vault-passphrase-file is for a vault in CouchDB"],
    ["setup --use-path-obfuscation", "--use-path-obfuscation is for a vault in CouchDB"],
    ["doctor --accept-rebuilt", "--accept-rebuilt is for a vault in CouchDB"],
    ["--livesync-setup-passphrase-file p", "--livesync-setup-passphrase-file needs a Setup URI."],
    [
      "--couchdb-url http://c --couchdb-database d --livesync-setup-passphrase-file p",
      "needs a Setup URI. Add --livesync-setup-uri-file.",
    ],
  ])("refuses %s", (argv, expected) => expect(refusal(() => read(argv))).toContain(expected));

  it("takes a flag of HTTP where it counts, and a variable that does nothing here", () => {
    expect(read("--http --port 3001 --sign-in").settings).toMatchObject({ port: "3001", signIn: true });
    expect(read("--health-check --port 3001").settings.port).toBe("3001");
    expect(read("board --port 3001").settings.port).toBe("3001");
    expect(read("", { PORT: "3001", SIGN_IN: "1", COUCHDB_USER: "me" }).settings.signIn).toBe(true);
  });

  it.each([[""], ["scan", ""], ["board", ""], ["setup", ""]])(
    "refuses an empty vault as what it is: %j, %j",
    (...argv) =>
      expect(refusal(() => readCommandLine(argv, {}, () => false))).toContain("The vault is given as an empty text."),
  );

  it.each(["undo", "list", "find", "history", "base"])(
    "refuses %s with an unset variable, not with another default",
    (command) =>
      expect(refusal(() => readCommandLine([command, ""], {}, () => false))).toContain(
        `${command} is given an empty text. Leave it out, or write: ${command} [`,
      ),
  );

  it.each([
    [{ LOG_LEVEL: "loud" }, 'LOG_LEVEL is "loud"'],
    [{ MAX_FILE_SIZE: "huge" }, 'MAX_FILE_SIZE is "huge"'],
    [{ LOG_FORMAT: "xml" }, 'LOG_FORMAT is "xml"'],
  ])("refuses the environment %o", (environment, expected) => {
    expect(refusal(() => read("", environment))).toContain(expected);
  });

  it("takes an existing folder for a vault even when it looks like a mistyped command", () => {
    expect(read("scans", {}, (word) => word === "scans").settings.vault).toBe("scans");
  });

  it("shows help even where something is missing", () => {
    expect(read("add --help")).toMatchObject({ command: "add", settings: { help: true } });
  });

  it("takes the word help for --help, unless a vault is called so", () => {
    expect(read("help")).toMatchObject({ command: undefined, settings: { help: true, vault: undefined } });
    expect(read("help add")).toMatchObject({ command: "add", settings: { help: true } });
    expect(read("help", {}, (word) => word === "help").settings).toMatchObject({ help: false, vault: "help" });
  });
});
