import { describe, expect, it } from "vitest";
import { fixedClock, type Clock } from "../../clock.js";
import { silentLog } from "../../log.js";
import { MemoryStorage } from "../../storage/memory.js";
import { vaultPath, type VaultPath } from "../../storage/path.js";
import type { FileStat, ReadManyOptions, Storage, StoredFile, UnreadableFile } from "../../storage/storage.js";
import type { SnapshotStore } from "./store.js";
import type { CatalogView, FactReader } from "../catalog.js";
import { NoteCatalog } from "../note-catalog.js";
import { SettingsKeeper } from "../settings.js";
import type { SnapshotStart } from "./read.js";

interface Words {
  readonly words: string;
}

/** Notes whose text holds "fact" are of interest. */
const words: FactReader<Words> = {
  name: "words",
  version: 1,
  read: ({ text }) => (text.includes("fact") ? { words: text } : undefined),
  digest: () => {
    let count = 0;
    return { add: () => void count++, result: () => count };
  },
};

const at = (path: string): VaultPath => vaultPath(path, { allowHidden: true });
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

class MemorySnapshots implements SnapshotStore {
  readonly edition: string = "1";
  files = new Map<string, Uint8Array>();
  loads: string[] = [];
  saves = 0;

  async load(name: string): Promise<Uint8Array | undefined> {
    this.loads.push(name);
    return this.files.get(name);
  }

  async loadHead(name: string): Promise<SnapshotStart | undefined> {
    const bytes = this.files.get(name);
    return bytes && { bytes, fileSize: bytes.byteLength };
  }

  async save(name: string, pieces: readonly Uint8Array[]): Promise<boolean> {
    this.saves++;
    this.files.set(name, Uint8Array.from(Buffer.concat(pieces)));
    return true;
  }
}

class CountingStorage extends MemoryStorage {
  reads: string[] = [];

  override async *readMany(
    paths: readonly VaultPath[],
    options?: ReadManyOptions,
  ): AsyncGenerator<readonly StoredFile[]> {
    this.reads.push(...paths.filter((path) => path.endsWith(".md")));
    yield* super.readMany(paths, options);
  }
}

function catalogOver(
  storage: Storage,
  snapshots?: SnapshotStore,
  readers: readonly FactReader<unknown>[] = [words],
  clock: Clock = fixedClock("2025-08-30T12:00:00Z"),
) {
  return new NoteCatalog({ storage, clock, readers, settings: new SettingsKeeper(storage), snapshots, log: silentLog });
}

function seen(view: CatalogView): Record<string, string> {
  return Object.fromEntries(view.records(words).map(({ stat, facts }) => [stat.path, facts.words]));
}

describe("racy stamps", () => {
  /** A disk whose times are whole ticks: two changes of one size within a tick leave the same stamp. */
  class TickingStorage implements Storage {
    readonly name = "ticks";
    readonly identity = "ticks";
    readonly stampLength = 2;
    readonly stampGranularity = 2000;
    now = 1_000_000;
    readonly #files = new Map<VaultPath, { text: string; time: number }>();

    put(path: string, text: string): void {
      this.#files.set(at(path), { text, time: Math.floor(this.now / 2000) * 2000 });
    }

    async *list(): AsyncGenerator<readonly FileStat[]> {
      yield [...this.#files.keys()].map((path) => this.#stat(path));
    }

    async *readMany(paths: readonly VaultPath[]): AsyncGenerator<readonly (StoredFile | UnreadableFile)[]> {
      for (const path of paths) {
        const file = this.#files.get(path);
        if (file) yield [{ stat: this.#stat(path), bytes: bytes(file.text), revision: "" as StoredFile["revision"] }];
      }
    }

    #stat(path: VaultPath): FileStat {
      const { text = "", time = 0 } = this.#files.get(path) ?? {};
      return { path, size: text.length, modified: time, created: time, stamp: [text.length, time] };
    }

    children = async () => [];
    stat = async (path: VaultPath) => (this.#files.has(path) ? this.#stat(path) : undefined);
    read = async () => undefined;
    write = () => Promise.reject(new Error("read-only"));
    update = () => Promise.reject(new Error("read-only"));
    remove = () => Promise.reject(new Error("read-only"));
    move = () => Promise.reject(new Error("read-only"));
    close = async () => {};
  }

  function over(storage: TickingStorage, snapshots?: SnapshotStore) {
    const ticking = { ...fixedClock("2025-08-30T12:00:00Z"), now: () => storage.now };
    return catalogOver(storage, snapshots, [words], ticking);
  }

  it("sees a same-size edit within one tick, also through a snapshot", async () => {
    const storage = new TickingStorage();
    const snapshots = new MemorySnapshots();
    storage.put("a.md", "fact 1");
    const catalog = over(storage, snapshots);
    const first = await catalog.refresh();
    expect(seen(first)).toEqual({ "a.md": "fact 1" });
    await catalog.save();
    storage.now += 10;
    storage.put("a.md", "fact 2");
    expect(seen(await catalog.refresh())).toEqual({ "a.md": "fact 2" });
    storage.now += 10;
    storage.put("a.md", "fact 3");
    expect(seen(await over(storage, snapshots).refresh())).toEqual({ "a.md": "fact 3" });
  });

  it("trusts a stamp once it is old enough, and a note that did not change is no change", async () => {
    const storage = new TickingStorage();
    storage.put("a.md", "fact 1");
    const catalog = over(storage);
    const first = await catalog.refresh();
    storage.now += 5000;
    expect(await catalog.refresh()).toBe(first);
    // Proof that the file is not read any more: a change that leaves the stamp as it was goes unseen.
    const time = storage.now;
    storage.now = 1_000_000;
    storage.put("a.md", "fact X");
    storage.now = time;
    expect(await catalog.refresh()).toBe(first);
  });
});

describe("the snapshot", () => {
  const files = {
    "a.md": "fact ä 🎯",
    "b.md": "plain",
    "c.md": "---\nx: [\n---\n",
    "t.md": "---\nx: '{{y}}'\n---\nfact",
  };

  it("spares another process the reading, and tells the same", async () => {
    const storage = new CountingStorage({ files });
    const snapshots = new MemorySnapshots();
    const first = catalogOver(storage, snapshots);
    const before = await first.refresh();
    expect(await catalogOver(storage, snapshots).summary(words)).toBeUndefined();
    await first.save();
    storage.reads = [];
    const second = catalogOver(storage, snapshots);
    expect(await second.summary(words)).toBe(1);
    const after = await second.refresh();
    expect(storage.reads).toEqual([]);
    expect(seen(after)).toEqual(seen(before));
    expect(after.problems()).toEqual(before.problems());
    expect(after.noteCount).toBe(3);
    expect(after.records(words)[0]?.stat).toEqual(before.records(words)[0]?.stat);
    await second.save();
    expect(snapshots.saves).toBe(1);
  });

  it("counts a digest anew only when more than a few files have changed since its snapshot", async () => {
    let added = 0;
    const counting: FactReader<Words> = {
      ...words,
      digest: () => {
        let count = 0;
        return { add: () => void (count++, added++), result: () => count };
      },
    };
    const files = Object.fromEntries(Array.from({ length: 100 }, (_, number) => [`${number}.md`, "fact"]));
    const [storage, snapshots] = [new MemoryStorage({ files }), new MemorySnapshots()];
    const summary = async (): Promise<unknown> => {
      const catalog = catalogOver(storage, snapshots, [counting]);
      added = 0;
      await catalog.refresh({ facts: [counting] });
      const digest = await catalog.summary(counting);
      await catalog.save();
      await catalog.close();
      return [digest, added];
    };
    await summary();
    await storage.write(at("1.md"), bytes("nothing"), { kind: "any" });
    expect(await summary()).toEqual([100, 0]);
    await storage.write(at("2.md"), bytes("nothing"), { kind: "any" });
    await storage.write(at("3.md"), bytes("nothing"), { kind: "any" });
    expect(await summary()).toEqual([97, 97]);
  });

  it("is dropped when a reader, the vault or the program is another", async () => {
    const storage = new CountingStorage({ files });
    const snapshots = new MemorySnapshots();
    const first = catalogOver(storage, snapshots);
    await first.refresh();
    await first.save();
    const others: [Storage & { reads: string[] }, SnapshotStore, FactReader<unknown>[]][] = [
      [storage, snapshots, [{ ...words, version: 2 }]],
      [storage, snapshots, [{ ...words, name: "more" }, words]],
      [new CountingStorage({ files, name: "other" }), snapshots, [words]],
      [storage, Object.assign(new MemorySnapshots(), { files: snapshots.files, edition: "2" }), [words]],
    ];
    for (const [over, store, readers] of others) {
      over.reads = [];
      const catalog = catalogOver(over, store, readers);
      const [first = words] = readers;
      expect(await catalog.summary(first)).toBeUndefined();
      expect((await catalog.refresh()).noteCount).toBe(3);
      expect(over.reads.length).toBe(4);
    }
  });

  it("is written again when many notes changed, not for a few", async () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`${n}.md`, "fact"]));
    const storage = new MemoryStorage({ files: many });
    const snapshots = new MemorySnapshots();
    const catalog = catalogOver(storage, snapshots);
    const change = async (count: number) => {
      for (let n = 0; n < count; n++) await storage.write(at(`${n}.md`), bytes(`fact ${count}`), { kind: "any" });
      await catalog.refresh();
      await catalog.save();
    };
    await change(0);
    await change(5);
    expect(snapshots.saves).toBe(1);
    await change(40);
    expect(snapshots.saves).toBe(2);
  });
});
