import fs from "node:fs";
import os from "node:os";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TemporaryVault } from "../../../test/kit/temporary-vault.js";
import type { VaultPath } from "../path.js";
import type { FileStat, FolderListing, FolderMemory, ListOptions } from "../storage.js";
import { temporaryName } from "./temporary.js";
import { isWatchable } from "./watchable.js";

let vault: TemporaryVault;
beforeEach(() => {
  vault = new TemporaryVault({ "a.md": "a", "sub/b.md": "b", "sub/deep/c.md": "c", "sub/x.png": "" });
});
afterEach(() => vault.remove());

/** Remembers what it is told to, whatever the stamp. */
class Memory implements FolderMemory {
  readonly asked: string[] = [];
  readonly learned: Record<string, number | undefined> = {};
  readonly stats: FileStat[] = [];
  readonly #known: Readonly<Record<string, FolderListing>>;

  constructor(known: Readonly<Record<string, FolderListing>> = {}) {
    this.#known = known;
  }

  recall({ path }: FileStat): FolderListing | undefined {
    this.asked.push(path);
    return this.#known[path];
  }

  /** Undefined where nothing can prove the listing. */
  learn(folder: VaultPath, stat: FileStat | undefined, files: number): void {
    this.learned[folder] = stat && files;
    if (stat) this.stats.push(stat);
  }
}

async function list(memory: FolderMemory, options: ListOptions = {}): Promise<string[]> {
  const storage = await vault.open();
  const paths: string[] = [];
  for await (const batch of storage.list({ ...options, memory })) paths.push(...batch.map(({ path }) => path));
  const alone: string[] = [];
  for await (const batch of storage.paths({ ...options, memory })) alone.push(...batch);
  await storage.close();
  expect(alone.toSorted()).toEqual(paths.toSorted());
  return paths.toSorted();
}

// Elsewhere folders are not trusted to keep their times.
describe.runIf(isWatchable(os.tmpdir()))("folders that are remembered", () => {
  it("are told with their stats and how many wanted files they hold", async () => {
    const memory = new Memory();
    const wants = (path: VaultPath, kind: string): boolean => kind === "folder" || path.endsWith(".md");
    expect(await list(memory, { wants })).toEqual(["a.md", "sub/b.md", "sub/deep/c.md"]);
    expect(memory.learned).toEqual({ "": 1, sub: 1, "sub/deep": 1 });
    const { mtimeMs, ctimeMs, ino, dev } = fs.lstatSync(vault.at("sub"));
    const sub = memory.stats.find(({ path }) => path === "sub");
    expect(sub?.stamp.slice(1)).toEqual([mtimeMs, ctimeMs, ino, dev]);
  });

  it("are not read again", async () => {
    const memory = new Memory({
      sub: { files: ["sub/b.md", "sub/gone.md"] as VaultPath[], folders: ["sub/deep"] as VaultPath[] },
    });
    const storage = await vault.open();
    const paths: string[] = [];
    for await (const batch of storage.list({ memory })) paths.push(...batch.map(({ path }) => path));
    // Each file is looked at all the same.
    expect(paths.toSorted()).toEqual(["a.md", "sub/b.md", "sub/deep/c.md"]);
    expect(memory.asked.toSorted()).toEqual(["", "sub", "sub/deep"]);
    expect(Object.keys(memory.learned)).not.toContain("sub");
    await storage.close();
  });

  it.each<[what: string, change: () => void]>([
    ["a link", () => fs.symlinkSync("../a.md", vault.at("sub/link.md"))],
    ["a link that leads nowhere", () => fs.symlinkSync("nowhere", vault.at("sub/link.md"))],
    ["a name that is passed over", () => fs.writeFileSync(vault.at("sub/CON.md"), "")],
    [
      "a file that is being written, or was left over",
      () => fs.writeFileSync(vault.at(`sub/${temporaryName("new")}`), ""),
    ],
  ])("cannot be proven while they hold %s", async (_, change) => {
    change();
    const memory = new Memory();
    await list(memory);
    expect(Object.keys(memory.learned).toSorted()).toEqual(["", "sub", "sub/deep"]);
    expect(memory.learned["sub"]).toBeUndefined();
    expect(memory.learned["sub/deep"]).toBe(1);
  });

  it("may hold hidden files", async () => {
    fs.writeFileSync(vault.at("sub/.hidden"), "");
    const memory = new Memory();
    await list(memory);
    expect(memory.learned["sub"]).toBe(2);
  });
});
