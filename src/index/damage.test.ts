/** Whatever happens to the database, answers are those of an index that was built at once. */
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fixedClock, systemClock } from "../clock.js";
import { openSqlite, type SqliteDatabase } from "../sqlite.js";
import { silentLog } from "../log.js";
import { SettingsKeeper } from "../obsidian/settings.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import { vaultPath, type VaultPath } from "../storage/path.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";
import { textsIn, textSubject } from "../../test/kit/text-subject.js";
import { ROWS_PER_FILE, type Subject } from "./subject.js";
import { VaultIndex, type VaultIndexOptions } from "./vault-index.js";
import type { IndexView } from "./view.js";

let folder: string;
let warnings: string[];
beforeEach(() => {
  folder = fs.mkdtempSync(join(os.tmpdir(), "index-"));
  warnings = [];
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const FILES = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`Note ${n}.md`, `text ${n} `.repeat(n)]));
const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };

function indexOf(storage: MemoryStorage, options: Partial<VaultIndexOptions> = {}): VaultIndex {
  const [clock, settings] = [fixedClock("2025-08-30T12:00:00Z"), new SettingsKeeper(storage)];
  const para = async () => ({ projects: [], areas: [], resources: [], archive: [], inbox: [] });
  const cache = { folder, edition: "1" };
  return new VaultIndex({ storage, clock, subjects: [textSubject()], settings, para, cache, log, ...options });
}

/** As an answer that shows every file. `NOT INDEXED`: indexes are as sound as SQLite's pages. */
function everything(view: IndexView): unknown {
  const files = view.all<[number, number, number]>(
    "SELECT id, size, modified FROM file NOT INDEXED WHERE present = 1 ORDER BY +path",
  );
  view.verify(files.map(([id]) => id * ROWS_PER_FILE));
  return { texts: textsIn(view), files: files.map(([, ...rest]) => rest), count: view.noteCount };
}

const databases = (): string[] =>
  fs
    .readdirSync(folder)
    .filter((name) => name.endsWith(".index"))
    .map((name) => join(folder, name));

/** What a process that ends answers. */
async function answer(storage: MemoryStorage, options: Partial<VaultIndexOptions> = {}): Promise<unknown> {
  const index = indexOf(storage, options);
  const answer = await index.ask({}, everything);
  await index.save();
  await index.close();
  return answer;
}

/** Changes bytes of the file's rows, as SQLite does not notice. */
function spoil(sql: string): void {
  for (const file of databases()) {
    const database = openSqlite({ file });
    database?.exec(sql);
    database?.close();
  }
}

describe("damage", () => {
  it("is not suspected where another process replaces rows while they are verified", async () => {
    const index = indexOf(new MemoryStorage({ files: FILES }));
    const view = await index.refresh();
    const database = view.database as SqliteDatabase;
    const prepare = database.prepare.bind(database);
    let replaced = 0;
    database.prepare = (sql) => {
      if (/FROM texts WHERE id BETWEEN/.test(sql) && replaced++ === 0)
        spoil("DELETE FROM texts; UPDATE file SET sum = 0");
      return prepare(sql);
    };
    view.verify([1 * ROWS_PER_FILE, 2 * ROWS_PER_FILE]);
    expect(replaced).toBeGreaterThan(0);
    await index.close();
  });

  it("of any bit is noticed in what an answer shows, and the answer is given from an index built again", async () => {
    const storage = new MemoryStorage({ files: FILES });
    const expected = await answer(storage, { cache: undefined });
    await answer(storage);
    const [file = ""] = databases();
    const sound = fs.readFileSync(file);
    const rounds = 60 * FUZZ_FACTOR;
    for (let round = 0; round < rounds; round++) {
      const at = (Math.floor((round * sound.length) / rounds) + (round % 97)) % sound.length;
      const spoilt = Buffer.from(sound);
      spoilt[at] = (spoilt[at] ?? 0) ^ (1 << (round % 8));
      fs.rmSync(folder, { recursive: true });
      fs.mkdirSync(folder);
      fs.writeFileSync(file, spoilt);
      expect(await answer(storage), `byte ${at}`).toEqual(expected);
    }
  });

  it.each([
    ["a row's text", "UPDATE texts SET text = replace(text, '7', '1') WHERE text LIKE '%7%'"],
    ["a row that went", "DELETE FROM texts WHERE id % 3 = 0"],
    ["a row of another file", `UPDATE texts SET id = id + 1000 * ${ROWS_PER_FILE} WHERE text LIKE '%7%'`],
    ["a number that answers sort by", "UPDATE file SET size = size + 1 WHERE id = 9"],
    ["a name", "UPDATE file SET stem = 'other' WHERE id = 9"],
    ["a path", "UPDATE file SET path = 'other.md' WHERE id = 9"],
  ])("to %s is noticed, once", async (_, sql) => {
    const storage = new MemoryStorage({ files: FILES });
    const expected = await answer(storage);
    spoil(sql);
    expect(await answer(storage)).toEqual(expected);
    expect(warnings).toEqual([expect.stringMatching(/damaged; it is built again/)]);
    expect(await answer(storage)).toEqual(expected);
    expect(warnings).toHaveLength(1);
  });

  it("is not suspected, whatever characters texts have", async () => {
    const characters = Array.from({ length: 0xd800 }, (_, code) => String.fromCharCode(code)).join("");
    const storage = new MemoryStorage({ files: { "all.md": `${characters}\u{1f600}\ufeff\uffff`, "none.md": "" } });
    expect(await answer(storage)).toEqual(await answer(storage));
    expect(warnings).toEqual([]);
  });

  it.each([1, 60, 200])("that no answer shows is found by a session between answers: file %i of 200", async (file) => {
    const names = Array.from({ length: 200 }, (_, n) => `Note ${n}.md`);
    const long = (n: number) => (n % 50 === 0 ? 60_000 : 1);
    const storage = new MemoryStorage({
      files: Object.fromEntries(names.map((name, n) => [name, "text ".repeat(long(n))])),
    });
    await answer(storage);
    spoil(`DELETE FROM texts WHERE id / ${ROWS_PER_FILE} = ${file}`);
    const session = indexOf(storage);
    session.startSession();
    await expect
      .poll(async () => (await session.refresh()).get("SELECT count(*) FROM texts"), { interval: 100 })
      .toEqual([200]);
    expect(warnings).toEqual([expect.stringMatching(/damaged; it is built again/)]);
    await session.close();
  });
});

describe("a long note", () => {
  const lines: Subject = {
    ...textSubject(),
    read: ({ text }) => ({ texts: text.split("\n").map((line, at) => [at, line] as const) }),
  };
  const files = { "long.md": Array.from({ length: 20_000 }, (_, n) => `- [ ] a line of a long note ${n}`).join("\n") };

  it("is verified between answers", async () => {
    const storage = new MemoryStorage({ files });
    await indexOf(storage, { subjects: [lines] }).refresh();
    spoil("UPDATE texts SET text = 'other' WHERE id % 4194304 = 15000");
    const session = indexOf(storage, { subjects: [lines] });
    session.startSession();
    await session.refresh();
    const spoilt = () => session.latest?.get("SELECT count(*) FROM texts WHERE text = 'other'");
    // The next refresh after the damage was found builds the index again.
    await expect
      .poll(async () => [(await session.refresh()) && spoilt(), warnings.length], { interval: 100 })
      .toEqual([[0], 1]);
    await session.close();
  });
});

describe("a lock that another process keeps", () => {
  it("makes a session answer from memory once, and the next call stores what it read", async () => {
    const storage = new MemoryStorage({ files: FILES });
    await answer(storage);
    const session = indexOf(storage);
    session.startSession();
    await session.refresh();
    const holder = openSqlite({ file: databases()[0] });
    holder?.exec("BEGIN IMMEDIATE");
    await storage.write("Note 1.md" as VaultPath, Buffer.from("changed"), { kind: "any" });
    expect(textsIn(await session.refresh())).toMatchObject({ "Note 1.md": "changed", "Note 2.md": FILES["Note 2.md"] });
    holder?.exec("ROLLBACK");
    holder?.close();
    expect(textsIn(await session.refresh())).toMatchObject({ "Note 1.md": "changed" });
    await session.close();
    const stored = openSqlite({ file: databases()[0] });
    expect(stored?.prepare("SELECT count(*) FROM texts WHERE text = 'changed'").get()).toEqual([1]);
    stored?.close();
    expect(warnings).toEqual([expect.stringMatching(/cannot be used; this process keeps its own in memory/)]);
  });
});

describe("options that decide about rows", () => {
  const other: Subject = { ...textSubject(), read: () => ({ texts: [[0, "other"]] }), epoch: () => "other" };

  it("have a database each, and processes with different ones do not read for each other", async () => {
    const storage = new MemoryStorage({ files: FILES });
    const [one, two] = [await answer(storage), await answer(storage, { subjects: [other] })];
    expect(two).not.toEqual(one);
    expect(databases()).toHaveLength(2);
    const unread: Subject = { ...textSubject(), read: () => expect.unreachable() };
    expect(await answer(storage, { subjects: [unread] })).toEqual(one);
    expect(await answer(storage, { subjects: [{ ...unread, epoch: () => "other" }] })).toEqual(two);
  });

  it("leave eight databases at most: the ones used last", async () => {
    const storage = new MemoryStorage({ files: { "a.md": "a" } });
    const subjects = (epoch: number): readonly Subject[] => [{ ...textSubject(), epoch: () => epoch }];
    const clock = systemClock("UTC");
    const age = (): void => {
      for (const file of databases()) {
        const { mtimeMs } = fs.statSync(file);
        fs.utimesSync(file, mtimeMs / 1000 - 60, mtimeMs / 1000 - 60);
      }
    };
    for (let epoch = 0; epoch < 12; epoch++) {
      await answer(storage, { subjects: subjects(epoch), clock });
      age();
      // The first one stays in use.
      await answer(storage, { subjects: subjects(0), clock });
      age();
    }
    expect(databases()).toHaveLength(8);
    const before = databases();
    for (const epoch of [0, 5, 6, 7, 8, 9, 10, 11]) await answer(storage, { subjects: subjects(epoch), clock });
    expect(databases()).toEqual(before);
  });
});

describe("a folder that became one of projects", () => {
  it("has its notes read again, and no others, also by processes that noticed it first", async () => {
    const files = { "Work/a.md": "a", "Work/deep/b.md": "b", "Workshop/c.md": "c", "d.md": "d" };
    const storage = new MemoryStorage({ files });
    let projects: VaultPath[] = [];
    const read: string[] = [];
    const subject: Subject = {
      ...textSubject(),
      read: ({ path }, { para }) => {
        read.push(path);
        return { texts: [[0, String(para.projects.some((folder) => path.startsWith(`${folder}/`)))]] };
      },
    };
    const para = async () => ({ projects, areas: [], resources: [], archive: [], inbox: [] });
    const [one, two] = [0, 1].map(() => indexOf(storage, { subjects: [subject], para })) as [VaultIndex, VaultIndex];
    await one.refresh();
    await two.refresh();
    read.length = 0;
    projects = [vaultPath("Work")];
    const expected = { "Work/a.md": "true", "Work/deep/b.md": "true", "Workshop/c.md": "false", "d.md": "false" };
    expect(textsIn(await one.refresh())).toEqual(expected);
    expect(textsIn(await two.refresh())).toEqual(expected);
    expect(read.sort()).toEqual(["Work/a.md", "Work/deep/b.md"]);
    await one.close();
    await two.close();
  });
});
