import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { TimeSlice } from "../async/yield-to-loop.js";
import { fixedClock } from "../clock.js";
import { silentLog } from "../log.js";
import { MemoryStorage } from "../storage/memory.js";
import { vaultPath, type VaultPath } from "../storage/path.js";
import type { FileStat, ListOptions, ReadManyOptions, Storage, StoredFile } from "../storage/storage.js";
import type { FactReader } from "./facts.js";
import type { IndexView } from "./view.js";
import { VaultIndex } from "./vault-index.js";
import { SettingsKeeper } from "../obsidian/settings.js";

interface Words {
  readonly words: string;
}

/** Notes whose text holds "fact" are of interest. */
const words: FactReader<Words> = {
  name: "words",
  version: 1,
  read: ({ text }) => (text.includes("fact") ? { words: text } : undefined),
  searched: (path, { words }) => `${path} ${words}`,
  digest: () => {
    let count = 0;
    return { add: () => void count++, result: () => count };
  },
};

const clock = fixedClock("2025-08-30T12:00:00Z");
const at = (path: string): VaultPath => vaultPath(path, { allowHidden: true });
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Counts what is asked of the memory storage. */
class CountingStorage extends MemoryStorage {
  reads: string[] = [];
  sweeps = 0;
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

function catalogOver(storage: Storage, readers: readonly FactReader<unknown>[] = [words]) {
  const settings = new SettingsKeeper(storage);
  return new VaultIndex({ storage, clock, readers, settings, log: silentLog });
}

function seen(view: IndexView): Record<string, string> {
  return Object.fromEntries(view.records(words).map(({ stat, facts }) => [stat.path, facts.words]));
}

describe("refresh", () => {
  it("reads each note once, and again only when it changed", async () => {
    const storage = new CountingStorage({ files: { "a.md": "fact a", "b.md": "plain", "c.txt": "fact c" } });
    const catalog = catalogOver(storage);
    const first = await catalog.refresh();
    expect(seen(first)).toEqual({ "a.md": "fact a" });
    expect(first.noteCount).toBe(2);
    expect([first.has(at("b.md")), first.has(at("c.txt"))]).toEqual([true, false]);
    expect(first.get(words, at("a.md"))?.facts).toEqual({ words: "fact a" });
    expect(first.get(words, at("b.md"))).toBeUndefined();
    expect(storage.reads).toEqual(["a.md", "b.md"]);

    expect(await catalog.refresh()).toBe(first);
    await storage.write(at("b.md"), bytes("fact b"), { kind: "any" });
    storage.reads = [];
    const second = await catalog.refresh();
    expect(storage.reads).toEqual(["b.md"]);
    expect(seen(second)).toEqual({ "a.md": "fact a", "b.md": "fact b" });
    expect(second.generation).toBeGreaterThan(first.generation);
    expect(seen(first)).toEqual({ "a.md": "fact a" });
  });

  it("sees notes that went, came back and moved", async () => {
    const storage = new MemoryStorage({ files: { "a.md": "fact a", "b.md": "fact b" } });
    const catalog = catalogOver(storage);
    await catalog.refresh();
    await storage.remove(at("a.md"), { kind: "any" });
    await storage.move(at("b.md"), at("sub/c.md"), { kind: "any" });
    expect(seen(await catalog.refresh())).toEqual({ "sub/c.md": "fact b" });
    await storage.write(at("a.md"), bytes("fact again"), { kind: "any" });
    const view = await catalog.refresh();
    expect(seen(view)).toEqual({ "a.md": "fact again", "sub/c.md": "fact b" });
    expect(view.noteCount).toBe(2);
  });

  it("makes a problem of a note it cannot read, with line and column, and shows all others", async () => {
    const files = {
      "good.md": "---\ntype: task\n---\nfact",
      "broken.md": "---\nkey: [1, 2\nother: x\n---\nfact",
      "latin.md": Uint8Array.of(0x66, 0xe9, 0x0a),
      "cut.md": Uint8Array.of(...bytes("fact "), 0xe2, 0x82),
    };
    const view = await catalogOver(new MemoryStorage({ files })).refresh();
    const problems = new Map(view.problems().map((problem) => [problem.path as string, problem]));
    expect([...problems.keys()].sort()).toEqual(["broken.md", "cut.md", "latin.md"]);
    expect(problems.get("broken.md")?.line).toBeGreaterThan(1);
    expect(problems.get("broken.md")?.column).toBeGreaterThan(0);
    expect(problems.get("latin.md")?.message).toContain("UTF-8");
    expect(Object.keys(seen(view)).sort()).toEqual(["broken.md", "good.md"]);
  });

  it("reports a note that is no text, also when it was listed before any reader asked for it", async () => {
    const files = { "latin.md": Uint8Array.of(0x66, 0xe9, 0x0a) };
    const catalog = catalogOver(new MemoryStorage({ files }));
    expect((await catalog.refresh({ facts: [] })).problems()).toEqual([]);
    expect((await catalog.refresh({ facts: [words] })).problems()).toMatchObject([{ path: "latin.md" }]);
  });

  it("reads the head of a long note, whatever character the cut goes through", async () => {
    for (const shift of [0, 1, 2, 3]) {
      const text = `fact${"x".repeat(shift)}${"𝄞".repeat(40_000)}`;
      const seenHeads: boolean[] = [];
      const reader: FactReader<Words> = {
        ...words,
        read: (note) => {
          seenHeads.push(note.truncated && text.startsWith(note.text) && note.text.length > 60_000);
          return undefined;
        },
      };
      const storage = new MemoryStorage({ files: { "long.md": text } });
      const view = await catalogOver(storage, [reader]).refresh();
      expect([seenHeads, view.problems()]).toEqual([[true], []]);
    }
  });

  it("looks away from templates, excluded notes, conflict copies and node_modules", async () => {
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
    const catalog = catalogOver(storage);
    const view = await catalog.refresh();
    expect(Object.keys(seen(view)).sort()).toEqual(["a.md", "body.md", "placeholder.md", "templater.md"]);
    expect([view.noteCount, view.problems()]).toEqual([4, []]);
    expect(view.get(words, at("Old/o.md"))).toBeUndefined();
    // Links to excluded notes still resolve.
    expect([view.has(at("Old/o.md")), view.has(at("Templates/t.md"))]).toEqual([true, true]);
  });

  it("asks the reader for each note and fails loudly for a reader it does not have", async () => {
    const view = await catalogOver(new MemoryStorage()).refresh();
    expect(() => view.records({ ...words, name: "other" })).toThrow("no fact reader");
  });

  it("tells how far it is, and keeps for the next call what it does when its caller gives up", async () => {
    const files = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`${n}.md`, "fact"]));
    const storage = new CountingStorage({ files });
    const catalog = catalogOver(storage);
    const stop = new AbortController();
    const told: number[] = [];
    const stopped = catalog.refresh({
      signal: stop.signal,
      onProgress: ({ done, total }) => {
        if (total === undefined) return;
        told.push(done / total);
        stop.abort(new Error("enough"));
      },
    });
    await expect(stopped).rejects.toThrow("enough");
    expect(told[0]).toBeLessThan(1);
    expect((await catalog.refresh()).noteCount).toBe(1000);
    expect(storage.reads).toHaveLength(1000);
    await expect(catalog.refresh({ signal: stop.signal })).rejects.toThrow("enough");
  });

  it("reports progress for every few notes whose words it stores, however many come in one batch", async () => {
    const files = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`${n}.md`, "fact"]));
    class OneBatch extends MemoryStorage {
      override async *readMany(paths: readonly VaultPath[]): AsyncGenerator<readonly StoredFile[]> {
        yield (await Promise.all(paths.map((path) => this.read(path)))).filter((file) => file !== undefined);
      }
    }
    const reports: number[] = [];
    const onProgress = ({ done }: { done: number }) => void reports.push(done);
    await catalogOver(new OneBatch({ files })).refresh({ words: true, onProgress });
    expect(reports.filter((done) => done === 1000).length).toBeGreaterThan(3);
  });

  it("goes on for the others when one caller leaves", async () => {
    const storage = new MemoryStorage({ files: { "a.md": "fact" } });
    const catalog = catalogOver(storage);
    const stop = new AbortController();
    const [left, stayed] = [catalog.refresh({ signal: stop.signal }), catalog.refresh()];
    stop.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    expect((await stayed).noteCount).toBe(1);
  });

  it("tells those who wait for the next run of the progress of this one", async () => {
    const files = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`${n}.md`, "fact"]));
    const catalog = catalogOver(new MemoryStorage({ files }));
    const first = catalog.refresh();
    await Promise.resolve();
    const told: number[] = [];
    const second = catalog.refresh({ onProgress: ({ total }) => void told.push(total ?? 0) });
    await first;
    expect(told).toContain(1000);
    await second;
  });

  it("shares one sweep among callers at once, but never one that began before the call", async () => {
    const storage = new CountingStorage({ files: { "a.md": "fact 1" } });
    const catalog = catalogOver(storage);
    await Promise.all([catalog.refresh(), catalog.refresh(), catalog.refresh()]);
    expect(storage.sweeps).toBe(1);

    const early = catalog.refresh();
    await Promise.resolve();
    await new Promise(setImmediate);
    await storage.write(at("a.md"), bytes("fact 2"), { kind: "any" });
    const late = await catalog.refresh();
    expect(seen(late)).toEqual({ "a.md": "fact 2" });
    await early;
  });

  it("applies changed settings without reading a note again", async () => {
    const storage = new CountingStorage({ files: { "a.md": "fact", "Old/b.md": "fact" } });
    const catalog = catalogOver(storage);
    const before = await catalog.refresh();
    storage.reads = [];
    storage.settings = new MemoryStorage({ files: { ".obsidian/app.json": '{"userIgnoreFilters": ["old"]}' } });
    const after = await catalog.refresh();
    expect([before.noteCount, after.noteCount, storage.reads]).toEqual([2, 1, []]);
    expect(after.generation).toBeGreaterThan(before.generation);
    storage.settings = undefined;
    expect(Object.keys(seen(await catalog.refresh()))).toEqual(["a.md", "Old/b.md"]);
  });
});

describe("what a session has read", () => {
  it("is stored by itself after an answer, with the words of all notes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "index-"));
    const storage = new CountingStorage({ files: { "a.md": "fact", "b.md": "plain" } });
    const open = () => {
      const settings = new SettingsKeeper(storage);
      const cache = { folder, edition: "1" };
      return new VaultIndex({ storage, clock, readers: [words], settings, cache, log: silentLog });
    };
    const session = open();
    session.liveOn();
    await session.refresh();
    const later = open();
    // Another process needs no reading once all is stored.
    await vi.waitFor(async () => {
      storage.reads = [];
      const view = await open().refresh({ words: true });
      expect(storage.reads).toEqual([]);
      expect([...(await view.text.find("body", { all: ["plain"] }, new TimeSlice()))].filter(Boolean)).toHaveLength(1);
    });
    expect(seen(await later.refresh())).toEqual({ "a.md": "fact" });
    expect(storage.reads).toEqual([]);
    await session.close();
    rmSync(folder, { recursive: true });
  });
});

describe("the watch", () => {
  async function watching(files: Record<string, string>) {
    const storage = new CountingStorage({ files });
    const catalog = catalogOver(storage);
    catalog.liveOn();
    await catalog.refresh();
    storage.sweeps = 0;
    storage.reads = [];
    return { storage, catalog };
  }

  it("makes sweeps unnecessary: nothing changed, nothing asked", async () => {
    const { storage, catalog } = await watching({ "a.md": "fact" });
    const view = await catalog.refresh();
    expect(await catalog.refresh()).toBe(view);
    expect([storage.sweeps, storage.reads]).toEqual([0, []]);
    await catalog.close();
  });

  it("sees edits, new notes, removals, moves and whole folders at once", async () => {
    const { storage, catalog } = await watching({ "a.md": "fact a", "sub/b.md": "fact b", "sub/c.md": "fact c" });
    await storage.write(at("a.md"), bytes("fact A"), { kind: "any" });
    expect(seen(await catalog.refresh())).toMatchObject({ "a.md": "fact A" });
    expect([storage.sweeps, storage.reads]).toEqual([0, ["a.md"]]);
    await storage.move(at("sub/b.md"), at("new/deep/b.md"), { kind: "any" });
    await storage.write(at("d.md"), bytes("fact d"), { kind: "any" });
    await storage.write(at("picture.png"), bytes("fact"), { kind: "any" });
    expect(seen(await catalog.refresh())).toEqual({
      "a.md": "fact A",
      "d.md": "fact d",
      "new/deep/b.md": "fact b",
      "sub/c.md": "fact c",
    });
    await storage.remove(at("a.md"), { kind: "any" });
    expect(Object.keys(seen(await catalog.refresh())).sort()).toEqual(["d.md", "new/deep/b.md", "sub/c.md"]);
    await catalog.close();
  });

  it("lists nothing for names that came and went", async () => {
    const { storage, catalog } = await watching({ "a.md": "fact a", "sub/deep/b.md": "fact b" });
    for (const name of ["a.tmp", "passing.md", "sub/deep/x.tmp"]) {
      await storage.write(at(name), bytes("fact"), { kind: "any" });
      await storage.remove(at(name), { kind: "any" });
    }
    expect(Object.keys(seen(await catalog.refresh())).sort()).toEqual(["a.md", "sub/deep/b.md"]);
    expect(storage.sweeps).toBe(0);
    await catalog.close();
  });

  it("sweeps again once it is closed", async () => {
    const { storage, catalog } = await watching({ "a.md": "fact a" });
    await catalog.close();
    await catalog.refresh();
    expect(storage.sweeps).toBe(1);
  });
});
