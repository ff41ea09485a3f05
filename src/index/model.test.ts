import fs from "node:fs";
import os from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fixedClock, systemClock, type Clock } from "../clock.js";
import { silentLog } from "../log.js";
import { filesystemStorage } from "../storage/filesystem/storage.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import { vaultPath, type VaultPath } from "../storage/path.js";
import type { Storage } from "../storage/storage.js";
import { storedText } from "../cache/cache-database.js";
import { type NoteSource, type RowContext, type Rows, ROWS_PER_FILE, type Subject } from "./subject.js";
import type { IndexView } from "./view.js";
import { VaultIndex } from "./vault-index.js";
import { SettingsKeeper } from "../obsidian/settings.js";
import { FUZZ_FACTOR, LONG } from "../../test/kit/fuzz.js";

/** Whatever happens to a vault, rows refreshed in steps, by whichever processes, equal rows that were built at once. */

/** A row a line; the second table refers to rows of the first, and to what rows depend on besides the file. */
function rowsOf({ path, text }: NoteSource, { hidden, para }: RowContext): Rows {
  const lines = text.split("\n");
  const isProject = para.projects.some((folder) => path.startsWith(`${folder}/`));
  return {
    line: lines.map((line, at) => [at, line]),
    place: [[0, lines.length - 1, `${hidden} ${isProject}`]],
  };
}

const lines: Subject = {
  name: "lines",
  version: 1,
  tables: [
    { name: "line", columns: ["text TEXT NOT NULL"], indexes: ["line_text ON line (text)"] },
    { name: "place", columns: ["last INTEGER NOT NULL", "about TEXT NOT NULL"], places: ["last"] },
    { name: "late", columns: ["text TEXT NOT NULL"] },
  ],
  wants: (path) => path.endsWith(".canvas"),
  read: (note, context) => (note.text.includes("no") ? undefined : rowsOf(note, context)),
  readLater: ({ text }) => (text.includes("six") ? undefined : { late: [[0, text]] }),
};
const canvases: Subject = {
  name: "canvases",
  version: 1,
  tables: [{ name: "canvas", columns: ["text TEXT"] }],
  wants: (path) => path.endsWith(".canvas"),
  read: ({ path, text }) => (path.endsWith(".canvas") ? { canvas: [[5, text]] } : undefined),
};
const SUBJECTS = [lines, canvases];

const NAMES = [
  "a.md",
  "b.md",
  "sub/a.md",
  "sub/deep/c.md",
  "sub.md",
  "Templates/t.md",
  // Makes `sub` and `other` folders of projects.
  "x.txt",
  "x.canvas",
  "sub/x.png",
  "node_modules/n.md",
];
const TEXTS = ["one", "two", "six", "no!", "---\nx: '{{y}}'\n---\n", "---\nx: [\n---\n", "\ufeffü 🎯", "\xff"];

type Step =
  | { readonly do: "write" | "replace"; readonly name: string; readonly text: string }
  | { readonly do: "remove"; readonly name: string }
  | { readonly do: "move"; readonly name: string; readonly to: string }
  | { readonly do: "moveFolder" | "removeFolder" }
  | { readonly do: "settings"; readonly filter: string }
  | { readonly do: "ask"; readonly later: boolean; readonly words: boolean }
  | { readonly do: "refresh" | "other" | "restart" | "wait" };

const name = fc.constantFrom(...NAMES);
const text = fc.constantFrom(...TEXTS);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("write" as const, "replace" as const), name, text }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("remove" as const), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("move" as const), name, to: name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("moveFolder" as const, "removeFolder" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("settings" as const), filter: fc.constantFrom("sub", "zz", "a") }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("ask" as const), later: fc.boolean(), words: fc.boolean() }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom("refresh" as const, "other" as const, "restart" as const, "wait" as const),
    }),
  },
);
const steps = fc.array(step, { maxLength: 25, size: "max" });

function bytesOf(text: string): Uint8Array {
  return text === "\xff" ? Uint8Array.of(0xff, 0x61) : new TextEncoder().encode(text);
}

interface Asked {
  readonly later: boolean;
  readonly words: boolean;
}

/** All rows of a table by path and place. */
function dump(view: IndexView, table: string): unknown {
  const rows = view.all<[number, Uint8Array, ...(string | number | Uint8Array)[]]>(
    `SELECT ${table}.id, CAST(path AS BLOB), ${table}.* FROM ${table} JOIN file ON file.id = ${table}.id / ${ROWS_PER_FILE}`,
  );
  view.verify(rows.map(([id]) => id));
  const plain = rows.map(([id, path, , ...values]) => {
    const first = id - (id % ROWS_PER_FILE);
    const shown = values.map((value) => (typeof value === "number" ? value - first : String(value)));
    return [storedText(path), id - first, ...shown].join("|");
  });
  return plain.sort();
}

/** All that a view answers a caller who asked for this. */
function answered(view: IndexView, { later }: Asked): unknown {
  const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
  const late = later ? dump(view, "late") : undefined;
  return {
    count: view.noteCount,
    rows: [dump(view, "line"), dump(view, "place"), dump(view, "canvas"), late],
    files: [view.files().toSorted(byPath), view.files({ hidden: true }).toSorted(byPath)],
    problems: view.problems().toSorted(byPath),
    there: NAMES.filter((path) => view.has(path as VaultPath)),
  };
}

interface Cache {
  readonly folder: string;
  readonly edition: string;
}

/** Two processes with one cache folder. */
class Followers {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #cache: Cache;
  readonly #watches: boolean;
  #asked: Asked = { later: false, words: false };
  #index: VaultIndex;
  readonly #other: VaultIndex;

  constructor(storage: Storage, clock: Clock, cache: Cache, watches: boolean) {
    [this.#storage, this.#clock, this.#cache, this.#watches] = [storage, clock, cache, watches];
    this.#index = this.#open(cache);
    this.#other = this.#open(cache);
  }

  ask(asked: Asked): void {
    this.#asked = asked;
  }

  async compare(which: "refresh" | "other"): Promise<void> {
    const asked = this.#asked;
    const index = which === "other" ? this.#other : this.#index;
    const followed = await index.ask(asked, (view) => answered(view, asked));
    const built = this.#open(undefined);
    expect(followed).toEqual(await built.ask(asked, (view) => answered(view, asked)));
    await built.close();
  }

  async restart(): Promise<void> {
    await this.#index.refresh(this.#asked);
    await this.#index.save();
    await this.#index.close();
    this.#index = this.#open(this.#cache);
  }

  async close(): Promise<void> {
    await this.#index.close();
    await this.#other.close();
  }

  #open(cache: Cache | undefined): VaultIndex {
    const [storage, clock] = [this.#storage, this.#clock];
    const settings = new SettingsKeeper(storage);
    const para = async () => {
      const projects = (await storage.stat(NAMES[6] as VaultPath)) ? (["sub", "other"] as VaultPath[]) : [];
      return { projects, areas: [], resources: [], archive: [], inbox: [] };
    };
    const index = new VaultIndex({ storage, clock, subjects: SUBJECTS, settings, para, cache, log: silentLog });
    if (this.#watches && cache) index.startSession();
    return index;
  }
}

async function pause(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function inMemory(storage: MemoryStorage, step: Step): Promise<void> {
  const at = (path: string) => vaultPath(path, { allowHidden: true });
  const any = { kind: "any" } as const;
  if (step.do === "write" || step.do === "replace") await storage.write(at(step.name), bytesOf(step.text), any);
  if (step.do === "remove") await storage.remove(at(step.name), any);
  if (step.do === "move") await storage.move(at(step.name), at(step.to), any);
}

/** What Obsidian, a sync tool or a script may do to a folder. */
function onDisk(folder: string, step: Step): void {
  const at = (path: string): string => {
    fs.mkdirSync(dirname(join(folder, path)), { recursive: true });
    return join(folder, path);
  };
  if (step.do === "write") fs.writeFileSync(at(step.name), bytesOf(step.text));
  if (step.do === "replace") {
    fs.writeFileSync(at(`${step.name}.new`), bytesOf(step.text));
    fs.renameSync(at(`${step.name}.new`), at(step.name));
  }
  if (step.do === "remove") fs.rmSync(join(folder, step.name));
  if (step.do === "move") fs.renameSync(join(folder, step.name), at(step.to));
  if (step.do === "moveFolder")
    fs.renameSync(join(folder, "sub"), join(folder, fs.existsSync(at("other")) ? "Templates" : "other"));
  if (step.do === "removeFolder") fs.rmSync(join(folder, "sub"), { recursive: true });
  if (step.do === "settings") {
    fs.writeFileSync(at(".obsidian/templates.json"), '{"folder": "Templates"}');
    fs.writeFileSync(at(".obsidian/app.json"), JSON.stringify({ userIgnoreFilters: [step.filter] }));
  }
}

async function follow(followers: Followers, all: readonly Step[], act: (step: Step) => unknown): Promise<void> {
  try {
    for (const step of all) {
      if (step.do === "refresh" || step.do === "other") await followers.compare(step.do);
      else if (step.do === "restart") await followers.restart();
      else if (step.do === "ask") followers.ask(step);
      else if (step.do === "wait") await pause(2);
      else await Promise.resolve(step).then(act).catch(ignoreRefusal);
    }
    await followers.compare("refresh");
    await followers.compare("other");
  } finally {
    await followers.close();
  }
}

/** A step that cannot be done (nothing there, a folder in the way) is no step. */
function ignoreRefusal(error: unknown): void {
  expect(error).toHaveProperty("code");
}

async function inTemporaryFolder(work: (vault: string, cache: Cache) => Promise<void>): Promise<void> {
  const home = fs.mkdtempSync(join(os.tmpdir(), "index-"));
  try {
    fs.mkdirSync(join(home, "vault"));
    await work(join(home, "vault"), { folder: join(home, "cache"), edition: "1" });
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
}

describe.each([
  ["by sweeps", false],
  ["by watching", true],
])("an index refreshed in steps, %s", (_, watches) => {
  it("in memory", async () => {
    await fc.assert(
      fc.asyncProperty(steps, (all) =>
        inTemporaryFolder(async (_, cache) => {
          const storage = new MemoryStorage();
          const followers = new Followers(storage, fixedClock("2025-08-30T12:00:00Z"), cache, watches);
          await follow(followers, all, (step) => inMemory(storage, step));
        }),
      ),
      { numRuns: 10 * FUZZ_FACTOR },
    );
  });

  it("on a disk", async () => {
    await fc.assert(
      fc.asyncProperty(steps, (all) =>
        inTemporaryFolder(async (folder, cache) => {
          const storage = await filesystemStorage(folder);
          const followers = new Followers(storage, systemClock("UTC"), cache, watches);
          await follow(followers, all, (step) => onDisk(folder, step));
          await storage.close();
        }),
      ),
      { numRuns: 10 * FUZZ_FACTOR },
    );
  });
});

it("sees what came and went since another process stored its rows", async () => {
  const changes = fc.array(step, { maxLength: 12, size: "max" });
  await fc.assert(
    fc.asyncProperty(changes, changes, (before, after) =>
      inTemporaryFolder(async (folder, cache) => {
        const act = (step: Step): unknown => onDisk(folder, step);
        for (const name of NAMES.slice(0, 6)) onDisk(folder, { do: "write", name, text: "one" });
        const storage = await filesystemStorage(folder);
        const followers = new Followers(storage, systemClock("UTC"), cache, false);
        const isChange = (step: Step): boolean => !["refresh", "other", "restart", "ask"].includes(step.do);
        for (const step of before.filter(isChange)) await Promise.resolve(step).then(act).catch(ignoreRefusal);
        // Only what has been at rest for a while is remembered.
        await pause(25);
        await followers.restart();
        await follow(followers, after.filter(isChange), act);
        await storage.close();
      }),
    ),
    { numRuns: 15 * FUZZ_FACTOR },
  );
});

it.skipIf(process.platform === "win32")(
  "lists links that lead nowhere at once, and no longer once they are gone",
  async () => {
    await inTemporaryFolder(async (folder) => {
      fs.writeFileSync(join(folder, "a.md"), "one");
      const storage = await filesystemStorage(folder);
      const settings = new SettingsKeeper(storage);
      const para = async () => ({ projects: [], areas: [], resources: [], archive: [], inbox: [] });
      const options = { storage, clock: systemClock("UTC"), subjects: SUBJECTS, settings, para };
      const index = new VaultIndex({ ...options, log: silentLog });
      index.startSession();
      const names = async (): Promise<string[]> => (await index.refresh()).unlisted.map(({ name }) => name);
      expect(await names()).toEqual([]);
      fs.symlinkSync("nowhere", join(folder, "loose"));
      expect(await names()).toEqual(["loose"]);
      fs.rmSync(join(folder, "loose"));
      expect(await names()).toEqual([]);
      await index.close();
      await storage.close();
    });
  },
);

it("sees the last of many quick edits of one size, also from another process", async () => {
  await inTemporaryFolder(async (folder, cache) => {
    const storage = await filesystemStorage(folder);
    const followers = new Followers(storage, systemClock("UTC"), cache, false);
    for (let n = 0; n < (LONG ? 100 : 30); n++) {
      fs.writeFileSync(join(folder, "a.md"), String(1000 + n));
      if (n % 10 === 5) await followers.restart();
      await followers.compare("refresh");
    }
    await followers.close();
    await storage.close();
  });
});
