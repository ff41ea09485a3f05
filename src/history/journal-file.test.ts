import fs from "node:fs";
import nodePath from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { append, at, CLOCK } from "../../test/kit/journal-vault.js";
import { TemporaryVault } from "../../test/kit/temporary-vault.js";
import { sequentialIds } from "../clock.js";
import type { Log } from "../log.js";
import { silentLog } from "../log.js";
import { openSqlite } from "../sqlite.js";
import { JournalFile } from "./journal-file.js";
import { Vault } from "../vault/vault.js";

let temporary: TemporaryVault;
let state: string;
beforeEach(() => {
  temporary = new TemporaryVault({ "a.md": "0", "b.md": "b" });
  state = nodePath.join(temporary.base, "made", "state");
});
afterEach(() => temporary.remove());

interface OpenOptions {
  readonly log?: Log;
  readonly limit?: number;
  readonly maxSize?: number;
  readonly born?: () => string | undefined;
}

async function open({ log = silentLog, limit, maxSize, born }: OpenOptions = {}) {
  const storage = await temporary.open();
  const place = new JournalFile({ folder: state, identity: storage.identity, clock: CLOCK, born });
  const journal = { place, limit, maxSize };
  return new Vault({ storage, clock: CLOCK, ids: sequentialIds(), subjects: [], log, journal });
}

/** How many steps the journal holds. */
async function countSteps(): Promise<unknown> {
  const database = openSqlite({ file: files().find((name) => name.endsWith("journal.sqlite")) });
  const count = database?.prepare("SELECT COUNT(*) FROM steps").get()?.[0];
  database?.close();
  return count;
}

/** All files of the journal. */
function files(): string[] {
  return fs
    .readdirSync(state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => nodePath.join(parentPath, name));
}

describe("a journal on disk", () => {
  it("is there for the next process, and says nothing to other users", async () => {
    await (await open()).writing.edit(at("a.md"), append("1"), "test");
    expect(await countSteps()).toBe(1);
    for (const file of files()) {
      expect(fs.statSync(file).mode & 0o777).toBe(0o600);
      expect(fs.statSync(nodePath.dirname(file)).mode & 0o777).toBe(0o700);
      expect(file).not.toContain("a.md");
    }
    expect((await (await open()).history.undo(at("a.md"))).text).toBe("0");
    expect(await countSteps()).toBe(0);
  });

  it("is read where bytes of its texts are no longer text, and what is damaged is named and not undone", async () => {
    const damage = (text: string): void => {
      for (const file of files()) {
        const bytes = fs.readFileSync(file);
        for (let place = bytes.indexOf(text); place >= 0; place = bytes.indexOf(text, place + 1)) bytes[place] = 0xff;
        fs.writeFileSync(file, bytes);
      }
    };
    const vault = await open();
    await vault.writing.edit(at("a.md"), append("1"), "a reason");
    await vault.close();
    damage("a reason");
    const { entries } = await (await open()).history.list({ limit: 10 });
    expect(entries).toMatchObject([{ files: [], reason: "the record of this change is damaged" }]);
    await expect((await open()).history.undo(at("a.md"))).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(fs.readFileSync(temporary.at("a.md"), "utf8")).toBe("01");
  });

  it("serves two at once without losing a step", async () => {
    const [one, two] = [await open(), await open()];
    for (const text of ["1", "2", "3", "4"])
      await (text < "3" ? one : two).writing.edit(at("a.md"), append(text), "test");
    expect((await one.history.undo(at("a.md"))).text).toBe("0123");
    expect((await two.history.undo(at("a.md"))).text).toBe("012");
    expect((await two.history.undo(at("a.md"))).text).toBe("01");
  });

  it("makes nothing before something is written", async () => {
    const vault = await open();
    await vault.read(at("a.md"));
    await vault.writing.edit(at("a.md"), (text) => text, "test");
    await vault.history.unfinished();
    await expect(vault.history.undo(at("a.md"))).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
    expect(fs.existsSync(state)).toBe(false);
  });
});

describe("the folder of another vault that was given the inode of a deleted one", () => {
  const FORMER = "the former vault's text";

  /** A deleted vault's journal, and a new vault in its place. */
  async function replaced(before: () => string | undefined) {
    fs.writeFileSync(temporary.at("old.md"), FORMER);
    const former = await open({ born: before });
    await former.writing.delete(at("old.md"), "test", { permanent: true });
    await former.close();
    fs.rmSync(temporary.at("a.md"));
  }
  const undone = async (vault: Vault) => await vault.history.undo(at("old.md"));

  it("is another by its time of birth: the journal is put aside", async () => {
    await replaced(() => "1");
    const vault = await open({ born: () => "2" });
    expect((await vault.history.list({ limit: 10 })).entries).toEqual([]);
    await expect(undone(vault)).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
    expect(await vault.history.lastChange()).toBeUndefined();
    expect(fs.existsSync(temporary.at("old.md"))).toBe(false);
    expect(files().map((file) => nodePath.basename(file))).toContain("other-vault-1.sqlite");
  });

  it("is noticed under a running server", async () => {
    let birth = "1";
    const vault = await open({ born: () => birth });
    await vault.writing.edit(at("a.md"), append("1"), "test");
    birth = "2";
    expect(await vault.writing.edit(at("a.md"), append("2"), "test")).toMatchObject({ undoable: true });
    expect((await vault.history.undo(at("a.md"))).text).toBe("01");
    await expect(vault.history.undo(at("a.md"))).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
  });

  it("is not suspected where the first change shows the time of birth of a new folder", async () => {
    const isChanged = () => !fs.existsSync(temporary.at("a.md"));
    const vault = await open({ born: () => (isChanged() ? "1" : undefined) });
    expect(await vault.writing.delete(at("a.md"), "test", { permanent: true })).toMatchObject({ undoable: true });
    await vault.history.undo(at("a.md"));
    expect(fs.readFileSync(temporary.at("a.md"), "utf8")).toBe("0");
  });

  it("is doubted where the disk does not say, until a person confirms it", async () => {
    await replaced(() => undefined);
    const vault = await open({ born: () => undefined });
    for (const work of [undone, () => vault.history.lastChange(), () => vault.history.list({ limit: 10 })])
      await expect(work(vault)).rejects.toMatchObject({ code: "CONFLICT", hint: expect.stringContaining("doctor") });
    await vault.history.confirmJournal();
    await undone(await open({ born: () => undefined }));
    expect(fs.readFileSync(temporary.at("old.md"), "utf8")).toBe(FORMER);
  });

  it("begins a journal of its own when something is written, and keeps the doubtful one", async () => {
    await replaced(() => undefined);
    const vault = await open({ born: () => undefined });
    await vault.writing.edit(at("b.md"), append("1"), "test");
    await expect(undone(vault)).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
    expect((await vault.history.undo(at("b.md"))).text).toBe("b");
    expect(files().map((file) => nodePath.basename(file))).toContain("other-vault-1.sqlite");
  });

  it("is the same vault when one of its files is there, or in its trash", async () => {
    const first = await open({ born: () => undefined });
    await first.writing.delete(at("a.md"), "test");
    await first.close();
    expect(await (await open({ born: () => "1" })).history.lastChange()).toEqual({ kind: "file", path: "a.md" });
    await (await open({ born: () => "1" })).history.undo(at("a.md"));
    expect(fs.readFileSync(temporary.at("a.md"), "utf8")).toBe("0");
  });
});

it("a journal of an earlier version is continued, and its operations keep their names", async () => {
  const vault = await open();
  const plan = { reason: "test", files: [at("a.md"), at("b.md")] };
  const { operation } = await vault.history.runOperation(plan, async (operation) => {
    for (const path of plan.files) await vault.writing.edit(path, append("1"), "test", { operation });
  });
  await vault.close();
  const database = openSqlite({ file: files().find((name) => name.endsWith("journal.sqlite")) });
  database?.exec("ALTER TABLE operations DROP COLUMN sum; ALTER TABLE operations DROP COLUMN steps");
  database?.exec("ALTER TABLE steps DROP COLUMN sum; DROP TABLE meta");
  database?.close();
  const next = await open();
  await next.writing.edit(at("a.md"), append("2"), "test");
  await next.history.undo(at("a.md"));
  expect((await next.history.undoOperation(operation?.slice(3) ?? "")).reverted).toEqual(["a.md", "b.md"]);
});

describe("bounds", () => {
  it("keeps the newest steps of a file", async () => {
    const vault = await open({ limit: 3 });
    for (let count = 1; count <= 5; count++) await vault.writing.edit(at("a.md"), append(String(count)), "test");
    expect(await countSteps()).toBe(3);
    for (const text of ["01234", "0123", "012"]) expect((await vault.history.undo(at("a.md"))).text).toBe(text);
    await expect(vault.history.undo(at("a.md"))).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
  });

  it("grows no larger than allowed, the oldest steps of whatever file going first", async () => {
    const vault = await open({ maxSize: 40 * 4096 });
    await vault.writing.edit(at("b.md"), append("!"), "oldest");
    for (let count = 1; count <= 60; count++) {
      await vault.writing.edit(at("a.md"), append(String(count % 10)), "test");
      expect(await countSteps()).toBeLessThanOrEqual(43);
    }
    expect(await countSteps()).toBeGreaterThan(20);
    await expect(vault.history.undo(at("b.md"))).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
    expect((await vault.history.undo(at("a.md"))).step.reason).toBe("test");
  });

  it("says that a note larger than the whole journal cannot be undone", async () => {
    const vault = await open({ maxSize: 8192 });
    fs.writeFileSync(temporary.at("a.md"), "x".repeat(10_000));
    expect(await vault.writing.edit(at("a.md"), append("!"), "test")).toMatchObject({ changed: true, undoable: false });
    expect(await vault.writing.edit(at("b.md"), append("!"), "test")).toMatchObject({ changed: true, undoable: true });
  });
});

describe("a journal that is no good", () => {
  async function damaged(damage: (file: string) => void) {
    const first = await open();
    await first.writing.edit(at("a.md"), append("1"), "test");
    await first.close();
    for (const file of files()) if (!file.endsWith("journal.sqlite")) fs.rmSync(file);
    damage(files()[0] ?? "");
    return await open();
  }

  it("keeps no writer from writing when it is a folder, and undoing changes nothing", async () => {
    const vault = await damaged((file) => (fs.rmSync(file), fs.mkdirSync(file)));
    expect(await vault.writing.edit(at("a.md"), append("2"), "test")).toMatchObject({ changed: true, undoable: false });
    await expect(vault.history.undo(at("a.md"))).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(fs.readFileSync(temporary.at("a.md"), "utf8")).toBe("012");
  });

  it.each([
    ["cut short", (file: string) => fs.truncateSync(file, 1000)],
    ["garbage", (file: string) => fs.writeFileSync(file, Buffer.alloc(50_000, 0xfe))],
    ["garbage after its head", (file: string) => fs.writeFileSync(file, fs.readFileSync(file).fill(0xfe, 4096))],
  ])("is put aside when it is %s, and a new one is begun", async (_how, damage) => {
    const vault = await damaged(damage);
    expect(await vault.writing.edit(at("a.md"), append("2"), "test")).toMatchObject({ changed: true, undoable: true });
    expect(files().map((file) => nodePath.basename(file))).toContain("damaged-1.sqlite");
    expect((await vault.history.undo(at("a.md"))).text).toBe("01");
    await expect(vault.history.undo(at("a.md"))).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
    expect(fs.readFileSync(temporary.at("a.md"), "utf8")).toBe("01");
  });

  it.each([
    ["removed", (file: string) => fs.rmSync(file)],
    ["moved", (file: string) => fs.renameSync(file, `${file}.moved`)],
  ])("%s under a running server is noticed before the next change is promised to be undoable", async (_how, take) => {
    const vault = await open();
    await vault.writing.edit(at("a.md"), append("1"), "test");
    for (const file of files()) take(file);
    expect(await vault.writing.edit(at("a.md"), append("2"), "test")).toMatchObject({ undoable: true });
    expect((await (await open()).history.undo(at("a.md"))).text).toBe("01");
    await expect(vault.history.undo(at("a.md"))).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
  });

  it("removed in the middle of an operation leaves it as one that cannot be undone", async () => {
    const vault = await open();
    const plan = { reason: "test", files: [at("a.md"), at("b.md")] };
    const { undoable } = await vault.history.runOperation(plan, async (operation) => {
      await vault.writing.edit(at("a.md"), append("1"), "test", { operation });
      for (const file of files()) fs.rmSync(file);
      await vault.writing.edit(at("b.md"), append("1"), "test", { operation });
    });
    expect(undoable).toBe(false);
    for (const path of ["a.md", "b.md"])
      await expect(vault.history.undo(at(path))).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
  });

  it("keeps no writer from writing where it cannot be made, and warns once", async () => {
    fs.writeFileSync(nodePath.join(temporary.base, "made"), "a file in its place");
    const warnings: string[] = [];
    const vault = await open({ log: { ...silentLog, warn: (message) => void warnings.push(message) } });
    expect(await vault.writing.edit(at("a.md"), append("1"), "test")).toMatchObject({ changed: true, undoable: false });
    expect(await vault.writing.create(at("c.md"), "c", "test")).toMatchObject({ undoable: false });
    expect(await vault.writing.move(at("c.md"), at("d.md"), "test")).toMatchObject({ undoable: false });
    expect(await vault.writing.delete(at("d.md"), "test")).toMatchObject({ undoable: false });
    const operation = await vault.history.begin({ reason: "test", files: [] });
    expect(await vault.writing.edit(at("b.md"), append("1"), "test", { operation })).toMatchObject({ undoable: false });
    await operation.done();
    expect(warnings).toEqual([expect.stringContaining("cannot be undone")]);
    await expect(vault.history.undo(at("a.md"))).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(fs.readFileSync(temporary.at("a.md"), "utf8")).toBe("01");
  });
});
