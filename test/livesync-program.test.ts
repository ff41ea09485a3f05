/**
 * The program over a database that its environment names: answers, failures that the process outlives, no secret anywhere. Calls, and one
 * command, go through a process; other commands through its source in this process (with `LONG=1` all by processes).
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLivesyncVault } from "../src/library.js";
import { builtProgram } from "./kit/built-program.js";
import { Child, jsonLines, type Ended } from "./kit/child.js";
import { dumpedDatabase, newDatabase } from "./kit/couch-server.js";
import { LONG } from "./kit/fuzz.js";
import { readSetupSample } from "./kit/livesync-corpus.js";
import { runHere } from "./kit/run-here.js";

let program: string;
let database: Awaited<ReturnType<typeof dumpedDatabase>>;
let folder: string;
beforeAll(async () => {
  program = await builtProgram();
  database = await dumpedDatabase("e2ee-v2-obfuscated");
  folder = mkdtempSync(join(tmpdir(), "livesync-program-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.remove();
});

const FLAGS = (): string[] => ["--cache-folder", join(folder, "cache"), "--state-folder", join(folder, "state")];
const environment = (more: Record<string, string> = {}): Record<string, string> => ({
  COUCHDB_BASE_URL: database.url,
  COUCHDB_DATABASE_NAME: database.name,
  ...(database.user === undefined ? {} : { COUCHDB_USER: database.user }),
  ...(database.password === undefined ? {} : { COUCHDB_PASSWORD: database.password }),
  VAULT_PASSPHRASE: database.expected.passphrase ?? "",
  ...more,
});

async function call(environmentOf: Record<string, string>, name: string, args: object, ...more: string[]) {
  const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
  const child = new Child([program, ...FLAGS(), ...more], environmentOf);
  const { code, stdout, stderr } = await child.end(JSON.stringify(request));
  const [answer] = jsonLines(stdout) as { result: { isError?: boolean; content: { text: string }[] } }[];
  return { code, stderr, isError: answer?.result.isError ?? false, text: answer?.result.content[0]?.text ?? "" };
}

function command(words: readonly string[], environmentOf = environment(), flags = FLAGS()): Promise<Ended> {
  const line = [program, ...flags, ...words];
  return LONG ? new Child(line, environmentOf).end() : runHere(line, environmentOf);
}

describe("a spawned process", () => {
  it("reads the vault, cold and from what the first one kept", async () => {
    for (let round = 0; round < 2; round++) {
      const read = await call(environment(), "view", { path: "Welcome.md" });
      expect(read).toMatchObject({ code: 0, isError: false });
      expect(read.text).toContain("1:");
      expect((await call(environment(), "scan_vault", {})).isError).toBe(false);
    }
  });

  it("writes to it", async () => {
    const created = await call(environment(), "create", { path: "Made here.md", file_text: "one\n" });
    expect(created.isError).toBe(false);
    expect((await call(environment(), "view", { path: "Made here.md" })).text).toContain("one");
  });

  it("gives a calendar, whose links to Obsidian are left out", async () => {
    const task = { title: "Water the plants", area: "Home", dueDate: "tomorrow" };
    expect((await call(environment(), "create_task", task)).isError).toBe(false);
    const printed = await command(["calendar", "print", "--area", "Home"]);
    expect(printed.code).toBe(0);
    expect(printed.stdout).toContain("SUMMARY:Water the plants\r\n");
    expect(printed.stdout).not.toContain("obsidian://");
    const linked = await command(["calendar", "link", "Plants"]);
    expect(linked.code).toBe(0);
    const links = await command(["calendar", "links", "--json"]);
    expect(JSON.parse(links.stdout)).toEqual({ links: [{ name: "Plants", shows: {} }] });
  });

  it("takes secrets from files", async () => {
    const file = join(folder, "passphrase");
    writeFileSync(file, `${database.expected.passphrase}\n`);
    const { VAULT_PASSPHRASE: _, ...others } = environment({ VAULT_PASSPHRASE_FILE: file });
    expect((await call(others, "view", { path: "Welcome.md" })).isError).toBe(false);
  });

  it.each([
    ["a wrong passphrase", { VAULT_PASSPHRASE: "s3cret-wrong" }, /cannot be decrypted/],
    ["no such database", { COUCHDB_DATABASE_NAME: "none-of-this-name" }, /no database of that name/],
    ["no server", { COUCHDB_BASE_URL: "http://someone:s3cret@127.0.0.1:64999" }, /cannot be reached/],
    ["no URL", { COUCHDB_BASE_URL: "someone:s3cret@host" }, /none that begins with http/],
    [
      "a file besides",
      { VAULT_PASSPHRASE: "", VAULT_PASSPHRASE_FILE: "/no/such/file" },
      /VAULT_PASSPHRASE\) cannot be read/,
    ],
  ])("answers %s by the tool, naming the cause and no secret", async (_, more, words) => {
    const { code, isError, text, stderr } = await call(environment(more), "view", { path: "Welcome.md" });
    expect({ code, isError }).toEqual({ code: 0, isError: true });
    expect(text).toMatch(words);
    expect(text + stderr).not.toMatch(/s3cret|correct horse/);
  });

  it.each([
    ["a wrong passphrase", { VAULT_PASSPHRASE: "s3cret-wrong" }, 2],
    ["no such database", { COUCHDB_DATABASE_NAME: "none-of-this-name" }, 2],
    ["no server", { COUCHDB_BASE_URL: "http://127.0.0.1:64999" }, 7],
  ])("ends a command with %s so that a script knows whether to try again", async (_, more, code) => {
    const ended = await command(["scan"], environment(more));
    expect(ended.code, ended.stderr).toBe(code);
  });

  it("is configured by a Setup URI alone", async () => {
    const { uri, setupPassphrase, expected } = readSetupSample();
    const setup = { LIVESYNC_SETUP_URI: uri, LIVESYNC_SETUP_PASSPHRASE: setupPassphrase };
    const failed = await call(setup, "view", { path: "Welcome.md" });
    expect(failed.isError).toBe(true);
    // The sample's server is nowhere.
    expect(failed.text).toMatch(/cannot be reached|did not answer|connection/);
    expect(failed.text).not.toContain(expected.couchDB_PASSWORD);
    const both = await call({ ...setup, ...environment() }, "view", { path: "Welcome.md" });
    expect(both.isError).toBe(false);
  });
});

it("the library opens it, and is told what is wrong by its calls", async () => {
  const { url, name, user, password, expected } = database;
  const configuration = { url, database: name, user, password, passphrase: expected.passphrase ?? "" };
  const vault = await openLivesyncVault(configuration);
  expect(vault.name).toBe(`livesync:${name}`);
  expect(await vault.call("view", { path: "Welcome.md" })).toMatchObject({ ok: true });
  await vault.close();
  const closed = await openLivesyncVault({ ...configuration, passphrase: "wrong" });
  expect(await closed.call("view", { path: "Welcome.md" })).toMatchObject({
    ok: false,
    error: { code: "UNAVAILABLE" },
  });
  await closed.close();
});

describe("the command line", () => {
  it("doctor says what the database is, and no secret", async () => {
    const child = new Child([program, "doctor", ...FLAGS()], environment());
    const { stdout } = await child.end("");
    expect(stdout).toMatch(
      new RegExp(`✅ database: ${database.name} on .*: \\d+ files, encrypted \\(v2\\), names hidden|ℹ️ `),
    );
    expect(stdout).not.toContain("correct horse");
  });

  it("doctor accepts a database that was locked, and other processes write again", async () => {
    const locked = await newDatabase();
    const milestone = "_local/obsydian_livesync_milestone";
    const { COUCHDB_DATABASE_NAME: _, VAULT_PASSPHRASE: __, ...others } = environment();
    const named = { ...others, COUCHDB_DATABASE_NAME: locked.name };
    const doctor = (...more: string[]) => command(["doctor", ...more], named);
    // What is remembered of a database is no journal.
    const write = (path: string) => call(named, "create", { path, file_text: "x" }, "--no-undo");
    expect((await write("a.md")).isError).toBe(false);
    const before = (await locked.ask("GET", milestone)) as object;
    await locked.ask("PUT", milestone, { ...before, locked: true, accepted_nodes: ["a"] });
    const refused = await write("b.md");
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("locked after") });
    expect(refused.text).toContain("doctor --accept-rebuilt");
    expect((await call(named, "view", { path: "a.md" })).isError).toBe(false);
    const checked = await doctor();
    expect(checked.stdout).toMatch(/✅ database: .*, locked but for 1 accepted device\n/);
    expect(checked.stdout).toMatch(/⚠️ {1,2}database: Nothing is written to the database: it was locked/);
    expect((await write("b.md")).isError).toBe(true);
    const accepted = await doctor("--accept-rebuilt");
    expect(accepted.stdout).toContain("✅ database: accepted as it is now");
    expect(accepted.stdout).not.toContain("Nothing is written");
    expect((await write("b.md")).isError).toBe(false);
    await locked.remove();
  });

  it("doctor says that a locked database is not written where the state folder cannot be used", async () => {
    const locked = await newDatabase();
    const milestone = "_local/obsydian_livesync_milestone";
    const before = (await locked.ask("GET", milestone)) as object;
    await locked.ask("PUT", milestone, { ...before, locked: true, accepted_nodes: ["a"] });
    const file = join(folder, "no-folder");
    writeFileSync(file, "");
    const { COUCHDB_DATABASE_NAME: _, VAULT_PASSPHRASE: __, ...others } = environment();
    const named = { ...others, COUCHDB_DATABASE_NAME: locked.name };
    const { stdout } = await command(["doctor", "--accept-rebuilt"], named, ["--state-folder", file]);
    expect(stdout).toContain("❌ database: The database was not accepted: the state folder cannot be written.");
    expect(stdout).toContain("whether that is new is unknown");
    await locked.remove();
  });

  it("doctor warns of documents that have no type", async () => {
    const plain = await newDatabase();
    await plain.ask("PUT", "somebody-elses", { title: "no note", data: "x" });
    const { COUCHDB_DATABASE_NAME: _, VAULT_PASSPHRASE: __, ...others } = environment();
    const { stdout } = await command(["doctor"], { ...others, COUCHDB_DATABASE_NAME: plain.name });
    expect(stdout).toMatch(/⚠️ {1,2}database: 1 document has no type/);
    await plain.remove();
  });

  it.each([
    [["--help"], {}, 0],
    [["scan"], { COUCHDB_DATABASE_NAME: "" }, 2],
    [["scan", "/tmp"], {}, 2],
    [["scan", "--accept-rebuilt"], {}, 2],
    [["doctor", "/tmp", "--accept-rebuilt"], { COUCHDB_BASE_URL: "", COUCHDB_DATABASE_NAME: "" }, 2],
  ])("%j with what is configured ends with %s", async (words, more, code) => {
    const ended = await command(words, environment(more));
    expect(ended.code).toBe(code);
    expect(ended.stdout + ended.stderr).not.toContain("correct horse");
  });
});
