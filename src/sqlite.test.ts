/** What the adapter promises, whichever SQLite is under it: run on Node 20 (libsql) and on Node 22 and 24 (node:sqlite). */
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { buildSync } from "esbuild";
import { afterEach, expect, it } from "vitest";
import { type SqliteDatabase, type SqliteOptions, openSqlite } from "./sqlite.js";

const folder = fs.mkdtempSync(join(tmpdir(), "database-"));
const opened: SqliteDatabase[] = [];
afterEach(() => opened.splice(0).forEach((database) => database.close()));

function open(options?: SqliteOptions): SqliteDatabase {
  const database = openSqlite(options);
  if (!database) throw new Error("This machine has no SQLite.");
  opened.push(database);
  return database;
}

const inFile = (name: string, more: SqliteOptions = {}) => open({ file: join(folder, name, "a.db"), ...more });

it("gives back the values that were stored, rows as lists", () => {
  const database = open();
  database.exec("CREATE TABLE t (a, b, c, d)");
  const insert = database.prepare("INSERT INTO t VALUES (?, ?, ?, ?)");
  const bytes = Uint8Array.of(0, 1, 255);
  expect(insert.run("ä\u{1f600}", 1.5, null, bytes)).toEqual({ changes: 1 });
  insert.run("", 2 ** 53, -1, new Uint8Array());
  const rows = database.prepare<[string, number, null, Uint8Array]>("SELECT * FROM t ORDER BY rowid").all();
  expect(rows[0]?.slice(0, 3)).toEqual(["ä\u{1f600}", 1.5, null]);
  expect([...(rows[0]?.[3] ?? [])]).toEqual([...bytes]);
  expect(rows[1]?.slice(0, 3)).toEqual(["", 2 ** 53, -1]);
  expect(database.prepare("SELECT a FROM t WHERE b = ?").get(1.5)).toEqual(["ä\u{1f600}"]);
  expect(database.prepare("SELECT a FROM t WHERE b = ?").get(7)).toBeUndefined();
});

it("has full text in tables that keep no content and whose rows can be deleted", () => {
  const database = open();
  database.exec(
    "CREATE VIRTUAL TABLE words USING fts5(text, content='', contentless_delete=1, detail=none, tokenize='ascii')",
  );
  const insert = database.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)");
  insert.run(1, "alpha beta");
  insert.run(2, "alphabet 東京");
  const find = database.prepare("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid");
  expect(find.all('"alpha" *')).toEqual([[1], [2]]);
  expect(find.all('"東京"')).toEqual([[2]]);
  database.prepare("DELETE FROM words WHERE rowid = ?").run(1);
  expect(find.all('"alpha" *')).toEqual([[2]]);
});

it("keeps nothing of a transaction that throws", () => {
  const database = inFile("rollback");
  database.exec("CREATE TABLE t (a)");
  const fail = () => {
    database.prepare("INSERT INTO t VALUES (?)").run(1);
    throw new RangeError("stop");
  };
  expect(() => database.transaction(fail)).toThrow(RangeError);
  expect(database.transaction(() => database.prepare("SELECT count(*) FROM t").get())).toEqual([0]);
});

it("makes files that only this user may read", () => {
  const database = inFile("rights");
  database.exec("CREATE TABLE t (a)");
  const modes = fs.readdirSync(join(folder, "rights")).map((name) => fs.statSync(join(folder, "rights", name)).mode);
  expect(modes.length).toBeGreaterThan(1);
  for (const mode of modes) expect(mode & 0o77).toBe(0);
});

it("says busy when another connection holds the lock, after the time it may wait", () => {
  const holder = inFile("busy");
  const other = inFile("busy", { busyTimeout: 50 });
  holder.exec("CREATE TABLE t (a); BEGIN IMMEDIATE");
  expect(() => other.transaction(() => undefined)).toThrow(expect.objectContaining({ failure: "busy" }));
  holder.exec("COMMIT");
  expect(other.transaction(() => "free")).toBe("free");
});

it("says corrupt of a file that is no database", () => {
  const file = join(folder, "garbage.db");
  fs.writeFileSync(file, "not a database, but long enough to have a header ".repeat(40));
  expect(() => open({ file })).toThrow(expect.objectContaining({ failure: "corrupt" }));
});

it("says full where no page can be added", () => {
  const database = inFile("full");
  database.exec("CREATE TABLE t (a); PRAGMA max_page_count = 2");
  const fill = () => database.prepare("INSERT INTO t VALUES (?)").run("x".repeat(100_000));
  expect(fill).toThrow(expect.objectContaining({ failure: "full" }));
});

it("says other where the folder cannot be made", () => {
  const file = join(folder, "a-file");
  fs.writeFileSync(file, "");
  expect(() => open({ file: join(file, "a.db") })).toThrow(expect.objectContaining({ failure: "other" }));
});

it.runIf(Number(process.versions.node.split(".")[0]) >= 22)("holds back the warning of SQLite and no other", () => {
  const file = new URL("./sqlite.ts", import.meta.url).pathname;
  const contents = `import { openSqlite } from ${JSON.stringify(file)};
    if (openSqlite()) process.emitWarning("another warning");`;
  const stdin = { contents, resolveDir: folder };
  const { outputFiles } = buildSync({ stdin, bundle: true, write: false, format: "esm", platform: "node" });
  const options = ["--input-type=module", "-e", outputFiles[0]?.text ?? ""];
  const { stderr } = spawnSync(process.execPath, options, { encoding: "utf8" });
  expect(stderr).toContain("another warning");
  expect(stderr).not.toContain("SQLite");
});
