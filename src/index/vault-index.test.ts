import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { TimeSlice } from "../async/timers.js";
import { fixedClock } from "../clock.js";
import { silentLog } from "../log.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import { vaultPath, type VaultPath } from "../storage/path.js";
import type { FileStat, ListOptions, ReadManyOptions, Storage, StoredFile } from "../storage/storage.js";
import { textsIn, textSubject } from "../../test/kit/text-subject.js";
import type { Subject } from "./subject.js";
import type { IndexView } from "./view.js";
import { VaultIndex, type VaultIndexOptions } from "./vault-index.js";
import { SettingsKeeper } from "../obsidian/settings.js";

/** Notes whose text holds "fact" have a row. */
const facts: Subject = {
  ...textSubject("texts", (text) => text.includes("fact")),
  searched: ({ path, text }) => `${path} ${text}`,
};

const NO_PARA = async () => ({ projects: [], areas: [], resources: [], archive: [], inbox: [] });
const clock = fixedClock("2025-08-30T12:00:00Z");
const at = (path: string): VaultPath => vaultPath(path, { allowHidden: true });
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function withCache(work: (cache: { folder: string; edition: string }) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "index-"));
  try {
    await work({ folder, edition: "1" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Counts what is asked of the memory storage. */
class CountingStorage extends MemoryStorage {
  reads: string[] = [];
  sweeps = 0;
  override stampGranularity = 0;
  /** Where Obsidian's settings are read instead. */
  settings: MemoryStorage | undefined;

  override list(options?: ListOptions): AsyncGenerator<readonly FileStat[]> {
    this.sweeps++;
    return super.list(options);
  }

  async isVacant(path: VaultPath): Promise<boolean> {
    return !(await this.children(path)) && !(await this.stat(path));
  }

  override async *readMany(
    paths: readonly VaultPath[],
    options?: ReadManyOptions,
  ): AsyncGenerator<readonly StoredFile[]> {
    this.reads.push(...paths.filter((path) => path.endsWith(".md")));
    if (this.settings && paths.some((path) => path.endsWith("app.json"))) yield* this.settings.readMany(paths, options);
    else yield* super.readMany(paths, options);
  }
}

function indexOf(storage: Storage, options: Partial<VaultIndexOptions> = {}) {
  const settings = new SettingsKeeper(storage);
  return new VaultIndex({ storage, clock, subjects: [facts], settings, para: NO_PARA, log: silentLog, ...options });
}

describe("refresh", () => {
  it("of a long note leaves the event loop turns, and other calls its former rows until it has the new ones", () =>
    withCache(async (cache) => {
      const rows = (text: string) => Array.from({ length: 20_000 }, (_, place) => [place, `${text} ${place}`] as const);
      const lines: Subject = { ...textSubject(), read: ({ text }) => ({ texts: rows(text.slice(0, 6)) }) };
      const longText = (text: string): string => text.padEnd(1024 * 1024);
      const storage = new CountingStorage({ files: { "long.md": longText("before") } });
      const index = indexOf(storage, { subjects: [lines], cache });
      const view = await index.refresh();
      const countOf = (text: string): number =>
        view.get<[number]>("SELECT count(*) FROM texts WHERE text LIKE ?", `${text} %`)?.[0] ?? 0;
      await storage.write(at("long.md"), bytes(longText("behind")), { kind: "any" });
      await storage.write(at("short.md"), bytes("a short note"), { kind: "any" });

      const over = new Set<string>();
      const refreshed = index.refresh().finally(() => over.add("refresh"));
      let turns = 0;
      const seen = new Set<string>();
      for (; over.size === 0; turns++) {
        await new Promise((resolve) => setImmediate(resolve));
        seen.add(`${countOf("before")} ${countOf("behind")}`);
      }
      await refreshed;
      await index.close();
      expect([...seen].slice(0, 2)).toEqual(["20000 0", "0 20000"]);
      expect(seen.size).toBe(2);
      expect(turns).toBeGreaterThan(3);
    }));

  it("reads each note once, and again only when it changed", async () => {
    const storage = new CountingStorage({ files: { "a.md": "fact a", "b.md": "plain", "c.txt": "fact c" } });
    const index = indexOf(storage);
    const first = await index.refresh();
    expect(textsIn(first)).toEqual({ "a.md": "fact a" });
    expect(first.noteCount).toBe(2);
    expect([first.has(at("b.md")), first.has(at("c.txt"))]).toEqual([true, false]);
    expect(storage.reads).toEqual(["a.md", "b.md"]);

    expect(await index.refresh()).toBe(first);
    await storage.write(at("b.md"), bytes("fact b"), { kind: "any" });
    storage.reads = [];
    const second = await index.refresh();
    expect(storage.reads).toEqual(["b.md"]);
    expect(textsIn(second)).toEqual({ "a.md": "fact a", "b.md": "fact b" });
    expect(second.generation).toBeGreaterThan(first.generation);
  });

  it("proves texts by the clock that stamps files, whatever clock the program is given", async () => {
    const storage = new CountingStorage({ files: { "a.md": "fact a" } });
    const stamped = (time: number) => {
      const restamped = (stat: FileStat): FileStat => ({ ...stat, modified: time, stamp: [time] });
      const reread = (file: StoredFile): StoredFile => ({ ...file, stat: restamped(file.stat) });
      storage.stampGranularity = 2000;
      const list = storage.list.bind(storage);
      storage.list = async function* () {
        for await (const batch of list()) yield batch.map(restamped);
      };
      const readMany = storage.readMany.bind(storage);
      storage.readMany = async function* (paths, options) {
        for await (const batch of readMany(paths, options)) yield batch.map(reread);
      };
    };
    const index = indexOf(storage, { clock: fixedClock("2001-01-01T00:00:00Z") });
    stamped(Date.now() - 10_000);
    await index.refresh();
    await index.refresh();
    expect(storage.reads).toEqual(["a.md"]);
    stamped(Date.now());
    await index.refresh();
    await index.refresh();
    expect(storage.reads).toEqual(["a.md", "a.md", "a.md"]);
  });

  it("stores the rows of the subjects that callers ask for, and refuses statements over others", async () => {
    const storage = new CountingStorage({ files: { "a.md": "fact a" } });
    const index = indexOf(storage, { subjects: [facts, textSubject("others")] });
    const first = await index.refresh({ rows: ["texts"] });
    expect(textsIn(first)).toEqual({ "a.md": "fact a" });
    expect(() => textsIn(first, "others")).toThrow("This refresh did not ask for the rows of others");
    const second = await index.refresh({ rows: ["others"] });
    expect([textsIn(second), textsIn(second, "others")]).toEqual([{ "a.md": "fact a" }, { "a.md": "fact a" }]);
    expect(second.generation).toBe(first.generation);
    expect(storage.reads).toEqual(["a.md", "a.md"]);
  });

  it("answers a refresh without rows that another caller asks for meanwhile", async () => {
    const storage = new MemoryStorage({ files: { "a.md": "fact a" } });
    const index = indexOf(storage, { subjects: [facts, textSubject("others")] });
    const list = storage.list.bind(storage);
    let later: Promise<IndexView> | undefined;
    storage.list = (options) => {
      later ??= index.refresh({ rows: ["others"] });
      return list(options);
    };
    expect((await index.refresh({ rows: ["texts"] })).holds("others")).toBe(false);
    expect(textsIn((await later)!, "others")).toEqual({ "a.md": "fact a" });
  });

  it("sees notes that went, came back and moved", async () => {
    const storage = new MemoryStorage({ files: { "a.md": "fact a", "b.md": "fact b" } });
    const index = indexOf(storage);
    await index.refresh();
    await storage.remove(at("a.md"), { kind: "any" });
    await storage.move(at("b.md"), at("sub/c.md"), { kind: "any" });
    expect(textsIn(await index.refresh())).toEqual({ "sub/c.md": "fact b" });
    await storage.write(at("a.md"), bytes("fact again"), { kind: "any" });
    const view = await index.refresh();
    expect(textsIn(view)).toEqual({ "a.md": "fact again", "sub/c.md": "fact b" });
    expect(view.noteCount).toBe(2);
  });

  it("makes a problem of a note it cannot read, with line and column, and shows all others", async () => {
    const files = {
      "good.md": "---\ntype: task\n---\nfact",
      "broken.md": "---\nkey: [1, 2\nother: x\n---\nfact",
      "latin.md": Uint8Array.of(0x66, 0xe9, 0x0a),
      "cut.md": Uint8Array.of(...bytes("fact "), 0xe2, 0x82),
    };
    const view = await indexOf(new MemoryStorage({ files })).refresh();
    const problems = new Map(view.problems().map((problem) => [problem.path as string, problem]));
    expect([...problems.keys()].sort()).toEqual(["broken.md", "cut.md", "latin.md"]);
    expect(problems.get("broken.md")?.line).toBeGreaterThan(1);
    expect(problems.get("broken.md")?.column).toBeGreaterThan(0);
    expect(problems.get("latin.md")?.message).toContain("UTF-8");
    expect(Object.keys(textsIn(view)).sort()).toEqual(["broken.md", "good.md"]);
  });

  it("reads the beginning of a long note, whatever character the cut goes through", async () => {
    for (const shift of [0, 1, 2, 3]) {
      const text = `fact${"x".repeat(shift)}${"𝄞".repeat(40_000)}`;
      const beginnings: boolean[] = [];
      const subject: Subject = {
        ...facts,
        read: (note) => {
          beginnings.push(note.truncated && text.startsWith(note.text) && note.text.length > 30_000);
          return undefined;
        },
      };
      const storage = new MemoryStorage({ files: { "long.md": text } });
      const view = await indexOf(storage, { subjects: [subject], maxBytes: 64 * 1024 }).refresh();
      expect([beginnings, view.problems()]).toEqual([[true], []]);
    }
  });

  it("hides templates and excluded notes, and does not list conflict copies and node_modules", async () => {
    const files: Record<string, string> = {
      ".obsidian/templates.json": '{"folder": "Templates"}',
      ".obsidian/app.json": '{"userIgnoreFilters": ["Old/"]}',
      "a.md": "fact",
      "Templates/t.md": "---\n: {{\n---\nfact",
      "Old/o.md": "fact",
      "Work/templates/t.md": "fact",
      "templater.md": "---\ncreated: <% tp.date.now() %>\n---\nfact",
      "placeholder.md": "---\ntitle: n8n {{ }}\n---\nfact",
      "body.md": "---\ntitle: x\n---\nfact {{not a template}}",
      "a.sync-conflict-20250101-120000-ABCDEFG.md": "fact",
      "a (Ann's conflicted copy 2025-01-01).md": "fact",
      "node_modules/x/readme.md": "fact",
      ".trash/gone.md": "fact",
    };
    const storage = new MemoryStorage({ files });
    const index = indexOf(storage);
    const view = await index.refresh();
    expect(Object.keys(textsIn(view)).sort()).toEqual(["a.md", "body.md", "placeholder.md", "templater.md"]);
    expect([view.noteCount, view.problems()]).toEqual([4, []]);
    expect(view.statOf(at("Old/o.md"))).toBeUndefined();
    // Links to excluded notes still resolve.
    expect([view.has(at("Old/o.md")), view.has(at("Templates/t.md"))]).toEqual([true, true]);
  });

  it("reports progress, and keeps for the next call what it did for a caller that gave up", async () => {
    const files = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`${n}.md`, "fact"]));
    const storage = new CountingStorage({ files });
    const index = indexOf(storage);
    const stop = new AbortController();
    const shares: number[] = [];
    const stopped = index.refresh({
      signal: stop.signal,
      onProgress: ({ done, total }) => {
        if (total === undefined) return;
        shares.push(done / total);
        stop.abort(new Error("enough"));
      },
    });
    await expect(stopped).rejects.toThrow("enough");
    expect(shares[0]).toBeLessThan(1);
    expect((await index.refresh()).noteCount).toBe(1000);
    expect(storage.reads).toHaveLength(1000);
    await expect(index.refresh({ signal: stop.signal })).rejects.toThrow("enough");
  });

  it("reports progress for every few notes whose words it stores, however many come in one batch", async () => {
    // A fast driver stores all short notes in two transactions.
    const words = Array.from({ length: 500 }, (_, n) => `fact${n}`).join(" ");
    const files = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`${n}.md`, words]));
    class OneBatch extends MemoryStorage {
      override async *readMany(paths: readonly VaultPath[]): AsyncGenerator<readonly StoredFile[]> {
        yield (await Promise.all(paths.map((path) => this.read(path)))).filter((file) => file !== undefined);
      }
    }
    const reports: number[] = [];
    const onProgress = ({ done }: { done: number }) => void reports.push(done);
    await indexOf(new OneBatch({ files })).refresh({ words: true, onProgress });
    expect(reports.filter((done) => done === 1000).length).toBeGreaterThan(3);
  });

  it("goes on for the others when one caller leaves", async () => {
    const storage = new MemoryStorage({ files: { "a.md": "fact" } });
    const index = indexOf(storage);
    const stop = new AbortController();
    const [left, stayed] = [index.refresh({ signal: stop.signal }), index.refresh()];
    stop.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    expect((await stayed).noteCount).toBe(1);
  });

  it("reports the progress of this run to those who wait for the next one", async () => {
    const files = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`${n}.md`, "fact"]));
    const index = indexOf(new MemoryStorage({ files }));
    const first = index.refresh();
    await Promise.resolve();
    const totals: number[] = [];
    const second = index.refresh({ onProgress: ({ total }) => void totals.push(total ?? 0) });
    await first;
    expect(totals).toContain(1000);
    await second;
  });

  it("shares one sweep among callers at once, but never one that began before the call", async () => {
    const storage = new CountingStorage({ files: { "a.md": "fact 1" } });
    const index = indexOf(storage);
    await Promise.all([index.refresh(), index.refresh(), index.refresh()]);
    expect(storage.sweeps).toBe(1);

    const early = index.refresh();
    await Promise.resolve();
    await new Promise(setImmediate);
    await storage.write(at("a.md"), bytes("fact 2"), { kind: "any" });
    const late = await index.refresh();
    expect(textsIn(late)).toEqual({ "a.md": "fact 2" });
    await early;
  });

  it("lists nothing for a caller that works with the latest view, and does for one with an earlier view", async () => {
    const storage = new CountingStorage({ files: { "a.md": "fact 1" } });
    const index = indexOf(storage);
    const { generation: asOf } = await index.refresh();
    expect((await index.refresh({ asOf, words: true })).generation).toBe(asOf);
    expect(storage.sweeps).toBe(1);
    await storage.write(at("a.md"), bytes("fact 2"), { kind: "any" });
    const [known, current] = await Promise.all([index.refresh({ asOf }), index.refresh()]);
    expect([textsIn(known), storage.sweeps]).toEqual([{ "a.md": "fact 2" }, 2]);
    await storage.write(at("a.md"), bytes("fact 3"), { kind: "any" });
    expect(textsIn(await index.refresh({ asOf }))).toEqual({ "a.md": "fact 3" });
    expect(current).toBe(known);
  });

  it("follows changed settings, and finds the rows of former settings again in the cache folder", async () => {
    const storage = new CountingStorage({ files: { "a.md": "fact", "Old/b.md": "fact" } });
    await withCache(async (cache) => {
      const index = indexOf(storage, { cache });
      const before = await index.refresh();
      expect(before.noteCount).toBe(2);
      storage.settings = new MemoryStorage({ files: { ".obsidian/app.json": '{"userIgnoreFilters": ["old"]}' } });
      const after = await index.refresh();
      expect(after.noteCount).toBe(1);
      expect(after.generation).toBeGreaterThan(before.generation);
      storage.settings = undefined;
      storage.reads = [];
      expect(textsIn(await index.refresh())).toEqual({ "a.md": "fact", "Old/b.md": "fact" });
      expect(storage.reads).toEqual([]);
      await index.close();
    });
  });
});

describe("what a session has read", () => {
  it("is stored by itself after an answer, with the words of all notes", async () => {
    const storage = new CountingStorage({ files: { "a.md": "fact", "b.md": "plain" } });
    await withCache(async (cache) => {
      const session = indexOf(storage, { cache });
      session.startSession();
      await session.refresh();
      // Another process needs no reading once all is stored.
      await vi.waitFor(async () => {
        storage.reads = [];
        const view = await indexOf(storage, { cache }).refresh({ words: true });
        expect(storage.reads).toEqual([]);
        const marks = await view.text.find("body", { all: ["plain"] }, new TimeSlice());
        expect([...marks].filter(Boolean)).toHaveLength(1);
        expect(textsIn(view)).toEqual({ "a.md": "fact" });
      });
      await session.close();
    });
  });
});

describe("the watch", () => {
  async function watching(files: Record<string, string>) {
    const storage = new CountingStorage({ files });
    const index = indexOf(storage);
    index.startSession();
    await index.refresh();
    storage.sweeps = 0;
    storage.reads = [];
    return { storage, index };
  }

  it("makes sweeps unnecessary: nothing changed, nothing asked", async () => {
    const { storage, index } = await watching({ "a.md": "fact" });
    const view = await index.refresh();
    expect(await index.refresh()).toBe(view);
    expect([storage.sweeps, storage.reads]).toEqual([0, []]);
    await index.close();
  });

  it("sees edits, new notes, removals, moves and whole folders at once", async () => {
    const { storage, index } = await watching({ "a.md": "fact a", "sub/b.md": "fact b", "sub/c.md": "fact c" });
    await storage.write(at("a.md"), bytes("fact A"), { kind: "any" });
    expect(textsIn(await index.refresh())).toMatchObject({ "a.md": "fact A" });
    expect([storage.sweeps, storage.reads]).toEqual([0, ["a.md"]]);
    await storage.move(at("sub/b.md"), at("new/deep/b.md"), { kind: "any" });
    await storage.write(at("d.md"), bytes("fact d"), { kind: "any" });
    await storage.write(at("picture.png"), bytes("fact"), { kind: "any" });
    expect(textsIn(await index.refresh())).toEqual({
      "a.md": "fact A",
      "d.md": "fact d",
      "new/deep/b.md": "fact b",
      "sub/c.md": "fact c",
    });
    await storage.remove(at("a.md"), { kind: "any" });
    expect(Object.keys(textsIn(await index.refresh())).sort()).toEqual(["d.md", "new/deep/b.md", "sub/c.md"]);
    await index.close();
  });

  it("lists nothing for names that came and went", async () => {
    const { storage, index } = await watching({ "a.md": "fact a", "sub/deep/b.md": "fact b" });
    for (const name of ["a.tmp", "passing.md", "sub/deep/x.tmp"]) {
      await storage.write(at(name), bytes("fact"), { kind: "any" });
      await storage.remove(at(name), { kind: "any" });
    }
    expect(Object.keys(textsIn(await index.refresh())).sort()).toEqual(["a.md", "sub/deep/b.md"]);
    expect(storage.sweeps).toBe(0);
    await index.close();
  });

  it("lists files that are no notes without reading them", async () => {
    const files = {
      "a.md": "fact",
      "c.canvas": "{}",
      "d.png": "d",
      "x.sync-conflict-1.png": "",
      "node_modules/y.png": "",
    };
    const { storage, index } = await watching(files);
    const opened: string[] = [];
    const readMany = storage.readMany.bind(storage);
    storage.readMany = (paths, options) => {
      opened.push(...paths.filter((path) => !path.startsWith(".") && path !== "mdbase.yaml"));
      return readMany(paths, options);
    };
    const paths = async () => (await index.refresh()).files().map(({ path }) => path);
    expect((await paths()).sort()).toEqual(["a.md", "c.canvas", "d.png"]);
    await storage.write(at("d.png"), bytes("larger"), { kind: "any" });
    const changed = await index.refresh();
    expect(changed.files().find(({ path }) => path === "d.png")?.size).toBe(6);
    expect(changed.noteCount).toBe(1);
    await storage.move(at("d.png"), at("e/f.png"), { kind: "any" });
    expect((await paths()).sort()).toEqual(["a.md", "c.canvas", "e/f.png"]);
    expect(opened).toEqual([]);
    await index.close();
  });

  it("sweeps again once it is closed", async () => {
    const { storage, index } = await watching({ "a.md": "fact a" });
    await index.close();
    await index.refresh();
    expect(storage.sweeps).toBe(1);
  });
});
