/** Facts by need: what a caller did not ask for costs nothing, and what it asked for is all there. */
import { beforeEach, describe, expect, it } from "vitest";
import { fixedClock } from "../clock.js";
import { silentLog } from "../log.js";
import { MemoryStorage } from "../storage/memory.js";
import { vaultPath, type VaultPath } from "../storage/path.js";
import type { FileStat, ListOptions, ReadManyOptions, StoredFile } from "../storage/storage.js";
import type { SnapshotStore } from "./snapshot/store.js";
import { HEAD_BYTES } from "./read-note.js";
import type { CatalogView, FactReader } from "./catalog.js";
import { NoteCatalog } from "./note-catalog.js";
import { SettingsKeeper } from "./settings.js";
import type { SnapshotStart } from "./snapshot/read.js";

interface Seen {
  readonly text: string;
  readonly truncated: boolean;
}

let shown: string[] = [];
beforeEach(() => (shown = []));

function reader(name: string, options: Partial<FactReader<Seen>> = {}): FactReader<Seen> {
  const read: FactReader<Seen>["read"] = ({ path, text, truncated }) => {
    shown.push(`${name}: ${path}`);
    return { text, truncated };
  };
  return { name, version: 1, read, digest: () => ({ add: () => {}, result: () => name }), ...options };
}

const heads = reader("heads");
const wholes = reader("wholes", { whole: true, wants: (path) => /\.(md|canvas)$/.test(path) });

const at = (path: string): VaultPath => vaultPath(path);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const any = { kind: "any" } as const;

class CountingStorage extends MemoryStorage {
  reads: string[] = [];

  override async *readMany(
    paths: readonly VaultPath[],
    options?: ReadManyOptions,
  ): AsyncGenerator<readonly StoredFile[]> {
    this.reads.push(...paths.filter((path) => !path.startsWith(".")));
    yield* super.readMany(paths, options);
  }
}

/** Snapshots by the last word of their name, which is the reader's. */
class MemorySnapshots implements SnapshotStore {
  readonly edition = "1";
  readonly files = new Map<string, Uint8Array>();
  loads: string[] = [];
  saves: string[] = [];

  async load(name: string): Promise<Uint8Array | undefined> {
    this.loads.push(lastWord(name));
    return this.files.get(name);
  }

  async loadHead(name: string): Promise<SnapshotStart | undefined> {
    const bytes = this.files.get(name);
    return bytes && { bytes, fileSize: bytes.byteLength };
  }

  async save(name: string, pieces: readonly Uint8Array[]): Promise<boolean> {
    this.saves.push(lastWord(name));
    return this.files.set(name, Uint8Array.from(Buffer.concat(pieces))).size > 0;
  }
}

function lastWord(name: string): string {
  return name.slice(name.lastIndexOf(" ") + 1);
}

function catalogOver(storage: MemoryStorage, snapshots?: SnapshotStore): NoteCatalog {
  const settings = new SettingsKeeper(storage);
  const clock = fixedClock("2025-08-30T12:00:00Z");
  return new NoteCatalog({ storage, clock, readers: [heads, wholes], settings, snapshots, log: silentLog });
}

const pathsOf = (view: CatalogView, of: FactReader<Seen>): string[] =>
  view
    .records(of)
    .map(({ stat }) => stat.path)
    .sort();

const FILES = { "a.md": "a", "b.md": "b", "c.canvas": "{}", "d.png": "d" };

describe("a reader", () => {
  it("is shown nothing before it is asked for, then everything it wants, and from then on what changes", async () => {
    const storage = new CountingStorage({ files: FILES });
    const catalog = catalogOver(storage);
    const first = await catalog.refresh({ facts: [heads] });
    expect(shown).toEqual(["heads: a.md", "heads: b.md"]);
    shown = [];
    const second = await catalog.refresh({ facts: [wholes] });
    expect(shown).toEqual(["wholes: a.md", "wholes: b.md", "wholes: c.canvas"]);
    expect(pathsOf(second, wholes)).toEqual(["a.md", "b.md", "c.canvas"]);
    expect(pathsOf(second, heads)).toEqual(pathsOf(first, heads));
    [shown, storage.reads] = [[], []];
    await storage.write(at("a.md"), bytes("A"), any);
    const third = await catalog.refresh({ facts: [heads] });
    expect([shown, storage.reads]).toEqual([["heads: a.md", "wholes: a.md"], ["a.md"]]);
    expect(third.get(wholes, at("a.md"))?.facts.text).toBe("A");
    expect(second.get(wholes, at("a.md"))?.facts.text).toBe("a");
  });

  it("has facts only in views that were refreshed for it", async () => {
    const catalog = catalogOver(new MemoryStorage({ files: FILES }));
    const view = await catalog.refresh({ facts: [heads] });
    expect(() => view.records(wholes)).toThrow('not refreshed for the facts of "wholes"');
    expect(() => view.get(wholes, at("a.md"))).toThrow('"wholes"');
    await expect(catalog.refresh({ facts: [reader("unknown")] })).rejects.toThrow("no fact reader");
    // Who does not say what for is served what is known anyway.
    expect(pathsOf(await catalog.refresh(), heads)).toEqual(["a.md", "b.md"]);
  });

  it("that is asked for while another refresh runs is served by the next one", async () => {
    const catalog = catalogOver(new MemoryStorage({ files: FILES }));
    const [one, other] = await Promise.all([
      catalog.refresh({ facts: [heads] }),
      catalog.refresh({ facts: [wholes], files: true }),
    ]);
    expect([pathsOf(one, heads).length, pathsOf(other, wholes).length, other.files().length]).toEqual([2, 3, 4]);
  });

  it("sees the same of a long note, whoever else reads it", async () => {
    const text = "x".repeat(HEAD_BYTES + 10);
    const storage = new MemoryStorage({ files: { "long.md": text } });
    const alone = await catalogOver(storage).refresh({ facts: [heads] });
    const together = await catalogOver(storage).refresh({ facts: [heads, wholes] });
    const [head] = alone.records(heads);
    expect(head?.facts).toEqual({ text: text.slice(0, HEAD_BYTES), truncated: true });
    expect(together.records(heads)[0]?.facts).toEqual(head?.facts);
    expect(together.records(wholes)[0]?.facts).toEqual({ text, truncated: false });
  });

  it("that wants them reads templates, and is told of them apart", async () => {
    const storage = new MemoryStorage({ files: { "t.md": "---\nx: '{{y}}'\n---\n[[a]]", "a.md": "a" } });
    const links = reader("links", { templates: true });
    const catalog = new NoteCatalog({
      storage,
      clock: fixedClock("2025-08-30T12:00:00Z"),
      readers: [heads, links],
      settings: new SettingsKeeper(storage),
      snapshots: undefined,
      log: silentLog,
    });
    const view = await catalog.refresh({ facts: [heads, links] });
    expect([pathsOf(view, links), view.problems(), view.noteCount]).toEqual([["a.md"], [], 1]);
    expect(view.records(links, { hidden: true }).length).toBe(2);
    expect(view.records(heads, { hidden: true }).length).toBe(1);
  });
});

describe("a first look at a storage that can name its files alone", () => {
  /** Names paths, and counts the looks at each file. */
  class Naming extends CountingStorage {
    named: readonly string[] = [];
    looks = 0;

    override list(options?: ListOptions): AsyncGenerator<readonly FileStat[]> {
      if (options?.wants?.(at("a.md"), "file")) this.looks++;
      return super.list(options);
    }

    async *paths(): AsyncGenerator<readonly VaultPath[]> {
      yield this.named.map(at);
    }
  }

  it.each([
    ["asks for no stats", ["a.md", "b.md"], {}, 0],
    ["looks closer when a file is gone again", ["a.md", "gone.md"], {}, 1],
    ["asks for stats where not all files are read", ["a.md", "b.md"], { files: true }, 1],
  ])("%s", async (_, named, options, looks) => {
    const storage = new Naming({ files: FILES });
    storage.named = named;
    const catalog = catalogOver(storage);
    expect(pathsOf(await catalog.refresh({ facts: [heads], ...options }), heads)).toEqual(["a.md", "b.md"]);
    expect(storage.looks).toBe(looks);
    await catalog.refresh({ facts: [heads] });
    expect(storage.looks).toBe(looks + 1);
  });
});

describe("files that are no notes", () => {
  it("are listed when asked for, unread, and kept true while the vault is watched", async () => {
    const storage = new CountingStorage({ files: { ...FILES, "x.sync-conflict-1.png": "", "node_modules/y.png": "" } });
    const catalog = catalogOver(storage);
    catalog.liveOn();
    const notes = await catalog.refresh({ facts: [heads] });
    expect(notes.files().map(({ path }) => path)).toEqual(["a.md", "b.md"]);
    const paths = async () => (await catalog.refresh({ facts: [heads], files: true })).files().map(({ path }) => path);
    expect((await paths()).sort()).toEqual(["a.md", "b.md", "c.canvas", "d.png"]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const before = await catalog.refresh({ files: true });
    expect(before.arrangement).toBeGreaterThan(notes.arrangement);
    await storage.write(at("d.png"), bytes("larger"), any);
    const changed = await catalog.refresh();
    expect(changed.files().find(({ path }) => path === "d.png")?.size).toBe(6);
    expect(changed.arrangement).toBe(before.arrangement);
    await storage.move(at("d.png"), at("e/f.png"), any);
    expect((await paths()).sort()).toEqual(["a.md", "b.md", "c.canvas", "e/f.png"]);
    expect([storage.reads, changed.noteCount]).toEqual([["a.md", "b.md"], 2]);
    await catalog.close();
  });
});

describe("snapshots", () => {
  it("are one a reader: loaded when it wakes, written when it has something new", async () => {
    const storage = new CountingStorage({ files: FILES });
    const snapshots = new MemorySnapshots();
    const first = catalogOver(storage, snapshots);
    await first.refresh({ facts: [heads] });
    await first.save();
    expect([snapshots.loads, snapshots.saves]).toEqual([["heads"], ["heads"]]);
    await first.refresh({ facts: [wholes] });
    await first.save();
    expect(snapshots.saves).toEqual(["heads", "wholes"]);
    [shown, snapshots.loads, storage.reads] = [[], [], []];
    const second = catalogOver(storage, snapshots);
    expect([await second.summary(heads), await second.summary(wholes)]).toEqual(["heads", "wholes"]);
    await second.refresh({ facts: [wholes] });
    expect(snapshots.loads).toEqual(["wholes"]);
    expect(pathsOf(await second.refresh({ facts: [heads] }), heads)).toEqual(["a.md", "b.md"]);
    await second.save();
    expect([snapshots.loads, snapshots.saves.length]).toEqual([["wholes", "heads"], 2]);
    expect([shown, storage.reads]).toEqual([[], []]);
  });

  it("stand in for each other where one has no row, never where a file changed", async () => {
    const storage = new CountingStorage({ files: FILES });
    const snapshots = new MemorySnapshots();
    const first = catalogOver(storage, snapshots);
    await first.refresh({ facts: [heads] });
    await first.save();
    await storage.write(at("b.md"), bytes("B"), any);
    [shown, storage.reads] = [[], []];
    const view = await catalogOver(storage, snapshots).refresh({ facts: [heads, wholes] });
    expect(shown).toEqual(["wholes: a.md", "heads: b.md", "wholes: b.md", "wholes: c.canvas"]);
    expect(view.records(heads).map(({ facts }) => facts.text)).toEqual(["a", "B"]);
  });
});
