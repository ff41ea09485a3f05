import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { SnapshotStore } from "../catalog/snapshot/store.js";
import { fixedClock } from "../clock.js";
import { silentLog } from "../log.js";
import { TextScan, trigramsOf } from "../search/text-reader.js";
import { MemoryStorage } from "../storage/memory.js";
import { vaultPath, type VaultPath } from "../storage/path.js";
import type { FileStat, ReadManyOptions } from "../storage/storage.js";
import { textSnapshot } from "./text-snapshot.js";

const CLOCK = fixedClock("2025-08-30T12:00:00Z");
const FILES = Object.fromEntries(
  Array.from({ length: 50 }, (_, n) => [`n${n}.md`, n % 10 === 0 ? `zanzibar ${n}` : `Über milk and honey ${n}`]),
);

class CountingStorage extends MemoryStorage {
  opened: VaultPath[] = [];

  override readMany(paths: readonly VaultPath[], options?: ReadManyOptions): ReturnType<MemoryStorage["readMany"]> {
    this.opened.push(...paths);
    return super.readMany(paths, options);
  }
}

class Folder implements SnapshotStore {
  edition = "1";
  readonly files = new Map<string, Uint8Array>();

  async load(name: string): Promise<Uint8Array | undefined> {
    const bytes = this.files.get(name);
    return bytes && new Uint8Array(bytes);
  }

  async loadHead(): Promise<undefined> {
    return undefined;
  }

  async save(name: string, pieces: readonly Uint8Array[]): Promise<boolean> {
    this.files.set(name, Buffer.concat(pieces));
    return true;
  }
}

/** A process of its own over the same files and cache. */
function open(storage: CountingStorage, store: SnapshotStore, session: boolean, share?: number) {
  const memory = textSnapshot(store, storage, silentLog);
  const scan = new TextScan({ storage, clock: CLOCK, maxBytes: 1_000_000, memory, share });
  if (session) scan.liveOn();
  const search = async (needle: string): Promise<number> => {
    const files: FileStat[] = [];
    for await (const batch of storage.list()) files.push(...batch);
    storage.opened = [];
    for await (const _ of scan.read(files, { holding: trigramsOf(needle) })) continue;
    return storage.opened.length;
  };
  return { scan, search };
}

async function learnt() {
  const [storage, store] = [new CountingStorage({ files: FILES, clock: CLOCK }), new Folder()];
  const first = open(storage, store, true);
  expect(await first.search("zanzibar")).toBe(50);
  await first.scan.prepare();
  await first.scan.save();
  return { storage, store };
}

it("spares the next process the texts that cannot hold what it looks for, and is checked file by file", async () => {
  const { storage, store } = await learnt();
  expect(await open(storage, store, false).search("zanzibar")).toBe(5);
  expect(await open(storage, store, false).search("uber milk")).toBe(45);
  await storage.write(vaultPath("n1.md"), Buffer.from("zanzibar too"), { kind: "any" });
  expect(await open(storage, store, false).search("zanzibar")).toBe(6);
});

it("is learnt bit by bit by processes that answer once, none of which takes much longer for it", async () => {
  const [storage, store] = [new CountingStorage({ files: FILES, clock: CLOCK }), new Folder()];
  const spawned = async (share: number) => {
    const { scan, search } = open(storage, store, false, share);
    const opened = await search("zanzibar");
    storage.opened = [];
    await scan.save();
    scan.close();
    return { opened, learnt: storage.opened.length > 0 };
  };
  expect(await spawned(0)).toMatchObject({ opened: 50 });
  expect(store.files.size).toBe(0);
  expect(await spawned(1e9)).toMatchObject({ opened: 50, learnt: true });
  // What is known is not learnt again.
  expect(await spawned(1e9)).toEqual({ opened: 5, learnt: false });
});

it("is dropped when it is damaged, of another edition or of another vault", async () => {
  const { storage, store } = await learnt();
  const [[name, bytes] = ["", new Uint8Array()]] = store.files;
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const damaged = Uint8Array.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ change;
      store.files.set(name, damaged);
      // Padding between the parts may change without harm.
      expect([5, 50]).toContain(await open(storage, store, false).search("zanzibar"));
    }),
    { numRuns: 60 },
  );
  store.files.set(name, bytes.subarray(0, bytes.length - 8));
  expect(await open(storage, store, false).search("zanzibar")).toBe(50);
  store.files.set(name, bytes);
  store.edition = "2";
  expect(await open(storage, store, false).search("zanzibar")).toBe(50);
});
