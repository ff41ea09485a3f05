import { describe, expect, it } from "vitest";
import { fixedClock } from "../clock.js";
import { MemoryStorage } from "../storage/memory.js";
import { vaultPath, type VaultPath } from "../storage/path.js";
import type { FileStat, ReadManyOptions } from "../storage/storage.js";
import { TextScan, trigramsOf, type SkippedFile } from "./text-reader.js";

const CLOCK = fixedClock("2025-08-30T12:00:00Z");

/** Tells what was read. */
class CountingStorage extends MemoryStorage {
  readonly seen: VaultPath[] = [];

  override readMany(paths: readonly VaultPath[], options?: ReadManyOptions): ReturnType<MemoryStorage["readMany"]> {
    this.seen.push(...paths);
    return super.readMany(paths, options);
  }

  taken(): VaultPath[] {
    return this.seen.splice(0);
  }
}

async function setUp(files: Readonly<Record<string, string | Uint8Array>>, session = true) {
  const storage = new CountingStorage({ name: "Study", files, clock: CLOCK });
  const scan = new TextScan({ storage, clock: CLOCK, maxBytes: 1_000_000 });
  if (session) scan.liveOn();
  const list = async (): Promise<FileStat[]> => {
    const stats: FileStat[] = [];
    for await (const batch of storage.list()) stats.push(...batch);
    return stats;
  };
  const read = async (needle: string, stats?: readonly FileStat[]): Promise<string[]> => {
    const skipped: SkippedFile[] = [];
    const holding = trigramsOf(needle);
    const onSkipped = (file: SkippedFile): void => void skipped.push(file);
    for await (const _ of scan.read(stats ?? (await list()), { holding, onSkipped })) continue;
    const seen = storage.seen.length;
    await scan.prepare();
    storage.seen.length = seen;
    return skipped.map(({ path }) => path);
  };
  return { storage, scan, list, read };
}

describe("reading texts", () => {
  it("reads in a session only files that may hold the needle, once each text is known", async () => {
    const { storage, read } = await setUp({ "b.md": "honey", "a.md": "milk", "c.md": "oat milk" });
    await read("milk");
    expect(storage.taken()).toEqual(["a.md", "b.md", "c.md"]);
    await read("milk");
    expect(storage.taken()).toEqual(["a.md", "c.md"]);
    await read("oat");
    expect(storage.taken()).toEqual(["c.md"]);
    await read("quagga");
    expect(storage.taken()).toEqual([]);
  });

  it("reads a changed file again, and others not", async () => {
    const { storage, read } = await setUp({ "a.md": "milk", "b.md": "milk" });
    await read("quagga");
    await storage.write(vaultPath("a.md"), Buffer.from("quagga"), { kind: "any" });
    storage.taken();
    await read("quagga");
    expect(storage.taken()).toEqual(["a.md"]);
    await read("milk");
    expect(storage.taken()).toEqual(["b.md"]);
  });

  it("reads everything in a process that answers once, and for needles of less than three bytes", async () => {
    const once = await setUp({ "a.md": "milk", "b.md": "honey" }, false);
    await once.read("milk");
    await once.read("milk");
    expect(once.storage.taken()).toHaveLength(4);
    const session = await setUp({ "a.md": "milk", "b.md": "honey" });
    await session.read("mi");
    await session.read("mi");
    expect(session.storage.taken()).toHaveLength(4);
  });

  it("lets no answer wait for what it learns", async () => {
    const { storage, scan, list } = await setUp({ "a.md": "milk", "b.md": "honey" });
    const quietly = async (): Promise<VaultPath[]> => {
      for await (const _ of scan.read(await list(), { holding: trigramsOf("milk") })) continue;
      return storage.taken();
    };
    expect(await quietly()).toEqual(["a.md", "b.md"]);
    expect(await quietly()).toEqual(["a.md", "b.md"]);
    await scan.prepare();
    expect(storage.taken()).toEqual(["a.md", "b.md"]);
    expect(await quietly()).toEqual(["a.md"]);
    await scan.prepare();
    expect(storage.taken()).toEqual([]);
  });

  it("puts off what it learns while a search reads", async () => {
    const { storage, scan, list } = await setUp({ "a.md": "milk", "b.md": "honey" });
    for await (const _ of scan.read(await list())) continue;
    for await (const _ of scan.read(await list())) {
      await scan.prepare();
      storage.taken();
    }
    await scan.prepare();
    storage.taken();
    for await (const _ of scan.read(await list(), { holding: trigramsOf("milk") })) continue;
    expect(storage.taken()).toEqual(["a.md"]);
  });

  it("tells of what is no text or too large, read or not", async () => {
    const { storage, read } = await setUp({
      "a.md": Uint8Array.of(0xff),
      "b.md": "x".repeat(1_000_001),
      "c.md": "milk",
    });
    expect(await read("milk")).toEqual(["b.md", "a.md"]);
    expect(storage.taken()).toEqual(["a.md", "c.md"]);
    expect(await read("milk")).toEqual(["a.md", "b.md"]);
    expect(storage.taken()).toEqual(["c.md"]);
  });

  it("knows folded texts too", async () => {
    const { storage, read } = await setUp({ "a.md": "Café", "b.md": "Straße", "c.md": "CAFE" });
    await read("quagga");
    storage.taken();
    await read("cafe");
    expect(storage.taken()).toEqual(["a.md", "c.md"]);
    await read("strasse");
    expect(storage.taken()).toEqual(["b.md"]);
    await read("fé");
    expect(storage.taken()).toEqual(["a.md"]);
  });

  it("stays right when a file changes so often that what it remembers has to be cleared", async () => {
    const { storage, scan, list, read } = await setUp({ "a.md": "milk" });
    const big = Buffer.from(Array.from({ length: 60_000 }, (_, index) => index.toString(36)).join(" "));
    for (let round = 0; round < 60; round++) {
      await storage.write(vaultPath("big.md"), Buffer.concat([big, Buffer.from(String(round))]), { kind: "any" });
      await read("quagga");
      scan.keepOnly(await list());
    }
    storage.taken();
    await read("milk");
    expect(storage.taken()).toContain("a.md");
  });

  it("answers the same list as quickly when asked again, and sees what was learned since", async () => {
    const { scan, list, read } = await setUp({ "a.md": "milk", "b.md": "honey" });
    const files = await list();
    const may = (needle: string) =>
      files.filter((_, index) => scan.mayHold(files, trigramsOf(needle))(index)).map(({ path }) => path);
    expect(may("milk")).toEqual(["a.md", "b.md"]);
    await read("milk", files);
    expect(may("milk")).toEqual(["a.md"]);
    expect(may("MILK".toLowerCase())).toEqual(["a.md"]);
  });
});
