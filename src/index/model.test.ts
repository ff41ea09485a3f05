import fs from "node:fs";
import os from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fixedClock, systemClock, type Clock } from "../clock.js";
import { silentLog } from "../log.js";
import { FilesystemStorage } from "../storage/filesystem/storage.js";
import { MemoryStorage } from "../storage/memory.js";
import { vaultPath, type VaultPath } from "../storage/path.js";
import type { Storage } from "../storage/storage.js";
import type { FactDigest, FactReader } from "./facts.js";
import type { IndexView } from "./view.js";
import { VaultIndex } from "./vault-index.js";
import { SettingsKeeper } from "../obsidian/settings.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

/** Whatever happens to a vault, a catalog that followed along tells the same as one that starts from nothing, whoever asks it when. */

interface Text {
  readonly text: string;
}

/** All texts, in whatever order they came. */
function texts(): FactDigest<Text> {
  const all: string[] = [];
  return { add: ({ text }) => void all.push(text), result: () => all.toSorted() };
}

const heads: FactReader<Text> = {
  name: "heads",
  version: 1,
  digest: texts,
  read: ({ text }) => (text.includes("no") ? undefined : { text }),
};
const wholes: FactReader<Text> = {
  name: "wholes",
  version: 1,
  digest: texts,
  wants: (path) => path.endsWith(".md") || path.endsWith(".canvas"),
  whole: true,
  read: ({ text }) => (text.includes("one") ? undefined : { text }),
};
const canvases: FactReader<Text> = {
  name: "canvases",
  version: 1,
  wants: (path) => path.endsWith(".canvas"),
  read: ({ text }) => ({ text }),
};
const READERS = [heads, wholes, canvases];

const NAMES = [
  "a.md",
  "b.md",
  "sub/a.md",
  "sub/deep/c.md",
  "sub.md",
  "Templates/t.md",
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
  | { readonly do: "ask"; readonly for: readonly FactReader<Text>[]; readonly files: boolean }
  | { readonly do: "look" | "restart" | "wait" };

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
    arbitrary: fc.record({ do: fc.constant("ask" as const), for: fc.subarray(READERS), files: fc.boolean() }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom("look" as const, "restart" as const, "wait" as const) }) },
);
const steps = fc.array(step, { maxLength: 25, size: "max" });

function bytesOf(text: string): Uint8Array {
  return text === "\xff" ? Uint8Array.of(0xff, 0x61) : new TextEncoder().encode(text);
}

interface Asked {
  readonly facts: readonly FactReader<Text>[];
  readonly files: boolean;
}

/** All that a view tells a caller who asked for this. */
function told(view: IndexView, { facts, files }: Asked): unknown {
  const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
  const records = (reader: FactReader<Text>, hidden: boolean) =>
    view
      .records(reader, { hidden })
      .map(({ stat, facts }) => ({ path: stat.path, size: stat.size, stamp: stat.stamp, text: facts.text }))
      .sort(byPath);
  const stats = (hidden: boolean) => view.files({ hidden }).filter(({ path }) => files || path.endsWith(".md"));
  return {
    count: view.noteCount,
    records: facts.map((reader) => [records(reader, false), records(reader, true)]),
    files: [stats(false).toSorted(byPath), stats(true).toSorted(byPath)],
    // Notes that nobody asked for are not read.
    problems: facts.includes(heads) ? view.problems().toSorted(byPath) : [],
    there: NAMES.filter((path) => view.has(path as VaultPath)),
  };
}

interface Cache {
  readonly folder: string;
  readonly edition: string;
}

class Subject {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #cache: Cache | undefined;
  readonly #watches: boolean;
  #asked: Asked = { facts: [heads], files: false };
  #catalog: VaultIndex;

  constructor(storage: Storage, clock: Clock, cache: Cache | undefined, watches: boolean) {
    [this.#storage, this.#clock, this.#cache, this.#watches] = [storage, clock, cache, watches];
    this.#catalog = this.#open(cache);
  }

  ask(asked: Asked): void {
    this.#asked = asked;
  }

  async look(): Promise<void> {
    const asked = this.#asked;
    const view = await this.#catalog.refresh(asked);
    const followed = told(view, asked);
    expect(followed).toEqual(told(await this.#open(undefined).refresh(asked), asked));
  }

  async restart(): Promise<void> {
    await this.#catalog.refresh(this.#asked);
    await this.#catalog.save();
    await this.#catalog.close();
    this.#catalog = this.#open(this.#cache);
  }

  close(): Promise<void> {
    return this.#catalog.close();
  }

  #open(cache: Cache | undefined): VaultIndex {
    const [storage, clock] = [this.#storage, this.#clock];
    const settings = new SettingsKeeper(storage);
    const catalog = new VaultIndex({ storage, clock, readers: READERS, settings, cache, log: silentLog });
    if (this.#watches && cache) catalog.liveOn();
    return catalog;
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

async function follow(subject: Subject, all: readonly Step[], act: (step: Step) => unknown): Promise<void> {
  try {
    for (const step of all) {
      if (step.do === "look") await subject.look();
      else if (step.do === "restart") await subject.restart();
      else if (step.do === "ask") subject.ask({ facts: step.for, files: step.files });
      else if (step.do === "wait") await pause(2);
      else await Promise.resolve(step).then(act).catch(ignoreRefusal);
    }
    await subject.look();
  } finally {
    await subject.close();
  }
}

/** A step that cannot be done (nothing there, a folder in the way) is no step. */
function ignoreRefusal(error: unknown): void {
  expect(error).toHaveProperty("code");
}

async function inTemporaryFolder(work: (vault: string, cache: Cache) => Promise<void>): Promise<void> {
  const home = fs.mkdtempSync(join(os.tmpdir(), "catalog-"));
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
])("a catalog that follows along %s", (_, watches) => {
  it("in memory", async () => {
    await fc.assert(
      fc.asyncProperty(steps, (all) =>
        inTemporaryFolder(async (_, cache) => {
          const storage = new MemoryStorage();
          const subject = new Subject(storage, fixedClock("2025-08-30T12:00:00Z"), cache, watches);
          await follow(subject, all, (step) => inMemory(storage, step));
        }),
      ),
      { numRuns: 20 * FUZZ_FACTOR },
    );
  });

  it("on a disk", async () => {
    await fc.assert(
      fc.asyncProperty(steps, (all) =>
        inTemporaryFolder(async (folder, cache) => {
          const storage = await FilesystemStorage.open(folder);
          const subject = new Subject(storage, systemClock("UTC"), cache, watches);
          await follow(subject, all, (step) => onDisk(folder, step));
          await storage.close();
        }),
      ),
      { numRuns: 20 * FUZZ_FACTOR },
    );
  });
});

it("sees what came and went in a vault that a snapshot remembers", async () => {
  const changes = fc.array(step, { maxLength: 12, size: "max" });
  await fc.assert(
    fc.asyncProperty(changes, changes, (before, after) =>
      inTemporaryFolder(async (folder, cache) => {
        const act = (step: Step): unknown => onDisk(folder, step);
        for (const name of NAMES.slice(0, 6)) onDisk(folder, { do: "write", name, text: "one" });
        const storage = await FilesystemStorage.open(folder);
        const subject = new Subject(storage, systemClock("UTC"), cache, false);
        const isChange = (step: Step): boolean => !["look", "restart", "ask"].includes(step.do);
        for (const step of before.filter(isChange)) await Promise.resolve(step).then(act).catch(ignoreRefusal);
        // Only what has been at rest for a while is remembered.
        await pause(25);
        await subject.restart();
        await follow(subject, after.filter(isChange), act);
        await storage.close();
      }),
    ),
    { numRuns: 30 * FUZZ_FACTOR },
  );
});

it("digests what a reader finds, whichever readers were active when the files were read", async () => {
  await inTemporaryFolder(async (folder, cache) => {
    for (const name of ["a.md", "b.md"]) fs.writeFileSync(join(folder, name), "six");
    await pause(25);
    const storage = await FilesystemStorage.open(folder);
    const options = { storage, clock: systemClock("UTC"), readers: READERS, cache, log: silentLog };
    const first = new VaultIndex({ ...options, settings: new SettingsKeeper(storage) });
    await first.refresh({ facts: [heads] });
    await first.save();
    const second = new VaultIndex({ ...options, settings: new SettingsKeeper(storage) });
    await second.refresh({ facts: [wholes] });
    await second.refresh({ facts: [heads] });
    expect(await second.summary(heads)).toEqual(["six", "six"]);
    await storage.close();
  });
});

it.skipIf(process.platform === "win32")("hears at once of links that lead nowhere, and of their end", async () => {
  await inTemporaryFolder(async (folder) => {
    fs.writeFileSync(join(folder, "a.md"), "one");
    const storage = await FilesystemStorage.open(folder);
    const settings = new SettingsKeeper(storage);
    const options = { storage, clock: systemClock("UTC"), readers: READERS, settings, cache: undefined };
    const catalog = new VaultIndex({ ...options, log: silentLog });
    catalog.liveOn();
    const names = async (): Promise<string[]> => (await catalog.refresh()).unlisted.map(({ name }) => name);
    expect(await names()).toEqual([]);
    fs.symlinkSync("nowhere", join(folder, "loose"));
    expect(await names()).toEqual(["loose"]);
    fs.rmSync(join(folder, "loose"));
    expect(await names()).toEqual([]);
    await catalog.close();
    await storage.close();
  });
});

it("sees the last of many quick edits of one size, also from another process", async () => {
  await inTemporaryFolder(async (folder, cache) => {
    const storage = await FilesystemStorage.open(folder);
    const subject = new Subject(storage, systemClock("UTC"), cache, false);
    for (let n = 0; n < 100; n++) {
      fs.writeFileSync(join(folder, "a.md"), String(1000 + n));
      if (n % 10 === 5) await subject.restart();
      await subject.look();
    }
    await subject.close();
    await storage.close();
  });
});
