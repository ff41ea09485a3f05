/** Facts by need: what a caller did not ask for costs nothing, and what it asked for is all there. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { fixedClock } from "../clock.js";
import { silentLog } from "../log.js";
import { MemoryStorage } from "../storage/memory.js";
import { vaultPath, type VaultPath } from "../storage/path.js";
import type { ReadManyOptions, StoredFile } from "../storage/storage.js";
import { HEAD_BYTES } from "./read-note.js";
import type { FactReader } from "./facts.js";
import type { IndexView } from "./view.js";
import { VaultIndex } from "./vault-index.js";
import { SettingsKeeper } from "../obsidian/settings.js";

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

function catalogOver(storage: MemoryStorage, folder?: string): VaultIndex {
  const settings = new SettingsKeeper(storage);
  const clock = fixedClock("2025-08-30T12:00:00Z");
  const cache = folder === undefined ? undefined : { folder, edition: "1" };
  return new VaultIndex({ storage, clock, readers: [heads, wholes], settings, cache, log: silentLog });
}

const pathsOf = (view: IndexView, of: FactReader<Seen>): string[] =>
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

describe("the database", () => {
  const folder = mkdtempSync(join(tmpdir(), "facts-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("has the facts of each reader, for processes that ask for them", async () => {
    const storage = new CountingStorage({ files: FILES });
    const first = catalogOver(storage, join(folder, "each"));
    await first.refresh({ facts: [heads] });
    await first.save();
    await first.refresh({ facts: [wholes] });
    await first.save();
    await first.close();
    [shown, storage.reads] = [[], []];
    const second = catalogOver(storage, join(folder, "each"));
    expect([await second.summary(heads), await second.summary(wholes)]).toEqual(["heads", "wholes"]);
    expect(pathsOf(await second.refresh({ facts: [wholes] }), wholes)).toEqual(["a.md", "b.md", "c.canvas"]);
    expect(pathsOf(await second.refresh({ facts: [heads] }), heads)).toEqual(["a.md", "b.md"]);
    expect([shown, storage.reads]).toEqual([[], []]);
    await second.close();
  });

  it("stands in where one reader has read a file, never where the file changed", async () => {
    const storage = new CountingStorage({ files: FILES });
    const first = catalogOver(storage, join(folder, "part"));
    await first.refresh({ facts: [heads] });
    await first.save();
    await first.close();
    await storage.write(at("b.md"), bytes("B"), any);
    [shown, storage.reads] = [[], []];
    const second = catalogOver(storage, join(folder, "part"));
    const view = await second.refresh({ facts: [heads, wholes] });
    expect(shown).toEqual(["wholes: a.md", "heads: b.md", "wholes: b.md", "wholes: c.canvas"]);
    expect(view.records(heads).map(({ facts }) => facts.text)).toEqual(["a", "B"]);
    await second.close();
  });
});
