/** A vault that is watched rather than looked through: whatever was written before a question is in its answer. */
import { execFileSync, fork, type ChildProcess } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import nodePath from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mayMount } from "./kit/mounts.js";
import { systemClock } from "../src/clock.js";
import { silentLog } from "../src/log.js";
import { filesystemStorage } from "../src/storage/filesystem/storage.js";
import { isWatchable } from "../src/storage/filesystem/watch.js";
import type { FileStat, ListOptions } from "../src/storage/storage.js";
import { VaultIndex } from "../src/index/vault-index.js";
import { SettingsKeeper } from "../src/obsidian/settings.js";
import { FUZZ_FACTOR } from "./kit/fuzz.js";
import { textsIn, textSubject } from "./kit/text-subject.js";

const ROUNDS = 400 * FUZZ_FACTOR;
const FOLDERS = ["", "a", "a/b", "c"];
const NOTES = ["1.md", "2.md", "3.md"];
const NO_PARA = async () => ({ projects: [], areas: [], resources: [], archive: [], inbox: [] });

/** What other programs do to a vault, each by plain calls that have ended when the next thing happens. */
const WRITER = `
const fs = require("node:fs");
const { dirname } = require("node:path");
module.exports = ({ act, path, other, text }) => {
  fs.mkdirSync(dirname(path), { recursive: true });
  if (act === "write") fs.writeFileSync(path, text);
  if (act === "append") fs.appendFileSync(path, text);
  if (act === "replace") {
    fs.writeFileSync(path + ".new", text);
    fs.renameSync(path + ".new", path);
  }
  if (act === "remove") fs.rmSync(path, { force: true });
  if (act === "move" && fs.existsSync(path)) {
    fs.mkdirSync(dirname(other), { recursive: true });
    fs.renameSync(path, other);
  }
  if (act === "remake") {
    fs.rmSync(dirname(path), { recursive: true });
    fs.mkdirSync(dirname(path));
    fs.writeFileSync(path, text);
  }
  if (act === "moveFolder") {
    fs.rmSync(other, { recursive: true, force: true });
    fs.renameSync(dirname(path), other);
  }
  if (act === "rights" && fs.existsSync(path)) fs.chmodSync(path, 0o600);
};
`;
const WRITING_PROCESS = `
const write = require("./writer.cjs");
process.on("message", (step) => { write(step); process.send("done"); });
`;

interface Step {
  readonly act: string;
  readonly path: string;
  readonly other: string;
  readonly text: string;
}

describe.runIf(isWatchable(os.tmpdir()))("a watched vault", () => {
  let base: string;
  let folder: string;
  let sweeps: number;
  let index: VaultIndex;
  let close: () => Promise<void>;

  beforeEach(async () => {
    base = fs.mkdtempSync(nodePath.join(os.tmpdir(), "vault-"));
    folder = nodePath.join(base, "vault");
    fs.mkdirSync(nodePath.join(folder, "a"), { recursive: true });
    fs.writeFileSync(nodePath.join(base, "writer.cjs"), WRITER);
    fs.writeFileSync(nodePath.join(base, "process.cjs"), WRITING_PROCESS);
    await open();
    await index.refresh();
    sweeps = 0;
  });

  /** @param meanwhile what others do when a look has read its last note */
  async function open(meanwhile = () => {}): Promise<void> {
    const storage = await filesystemStorage(folder);
    const list = storage.list.bind(storage);
    storage.list = (options?: ListOptions): AsyncGenerator<readonly FileStat[]> => {
      sweeps++;
      return list(options);
    };
    const readMany = storage.readMany.bind(storage);
    storage.readMany = async function* (paths, options) {
      yield* readMany(paths, options);
      if (paths.some((path) => path.endsWith(".md"))) meanwhile();
    };
    const settings = new SettingsKeeper(storage);
    const clock = systemClock("UTC");
    index = new VaultIndex({ storage, clock, subjects: [textSubject()], settings, para: NO_PARA, log: silentLog });
    close = async () => {
      await index.close();
      await storage.close();
    };
    index.startSession();
  }

  afterEach(async () => {
    await close();
    fs.rmSync(base, { recursive: true });
  });

  async function answered(): Promise<Record<string, string>> {
    return textsIn(await index.refresh());
  }

  function onDisk(): Record<string, string> {
    const paths = fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".md"));
    return Object.fromEntries(paths.map((path) => [path, fs.readFileSync(nodePath.join(folder, path), "utf8")]));
  }

  /** Texts of one size, so that the size tells nothing. */
  function step(round: number): Step {
    const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? "";
    const place = (): string => nodePath.join(folder, pick(FOLDERS), pick(NOTES));
    const inFolder = nodePath.join(folder, pick(FOLDERS.slice(1)), pick(NOTES));
    const act = pick([
      "write",
      "write",
      "append",
      "replace",
      "replace",
      "remove",
      "move",
      "remake",
      "moveFolder",
      "close",
    ]);
    const isWhole = act === "remake" || act === "moveFolder";
    const other = act === "moveFolder" ? nodePath.join(folder, "moved") : place();
    return { act, path: isWhole ? inFolder : place(), other, text: `text ${String(round).padStart(8, "0")}` };
  }

  let seed = 1;
  /** The same every time: Park and Miller's generator. */
  function random(): number {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  }

  it("is known as it is after every write of this process", async () => {
    const write = createRequire(import.meta.url)(nodePath.join(base, "writer.cjs")) as (step: Step) => void;
    for (let round = 0; round < ROUNDS; round++) {
      const now = step(round);
      write(now);
      expect(await answered(), JSON.stringify(now)).toEqual(onDisk());
    }
  });

  it("is known as it is after every write of another process", async () => {
    const child: ChildProcess = fork(nodePath.join(base, "process.cjs"), { execArgv: [] });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    for (let round = 0; round < ROUNDS; round++) {
      const now = step(round);
      child.send(now);
      await new Promise((resolve) => child.once("message", resolve));
      expect(await answered(), JSON.stringify(now)).toEqual(onDisk());
    }
    child.kill();
    await ended;
  });

  it("is not looked through for edits in place", async () => {
    const path = nodePath.join(folder, "a", "1.md");
    fs.writeFileSync(path, "text");
    await answered();
    sweeps = 0;
    for (let round = 0; round < 50; round++) {
      fs.writeFileSync(path, `text ${round % 10}`);
      expect(await answered()).toEqual({ "a/1.md": `text ${round % 10}` });
    }
    expect(sweeps).toBe(0);
  });

  it("is looked through again when more was written than the system keeps account of", async () => {
    // Two events for each renaming; the system keeps 16,384.
    const [here, there] = ["here.md", "there.md"].map((name) => nodePath.join(folder, name)) as [string, string];
    fs.writeFileSync(here, "here");
    for (let round = 0; round < 5_000; round++) {
      fs.renameSync(here, there);
      fs.renameSync(there, here);
    }
    fs.writeFileSync(nodePath.join(folder, "a", "last.md"), "last");
    expect(await answered()).toEqual(onDisk());
  });

  const note = (path: string, text: string): void => {
    fs.mkdirSync(nodePath.dirname(path), { recursive: true });
    fs.writeFileSync(path, text);
  };
  /** After the watch had time to stand again. */
  const settled = async (): Promise<Record<string, string>> => {
    await answered();
    await new Promise((resolve) => setTimeout(resolve, 20));
    return await answered();
  };

  it.each<[what: string, happen: () => void, sweeps: number]>([
    ["a note was edited", () => note(nodePath.join(folder, "a", "1.md"), "two"), 0],
    ["a note came", () => note(nodePath.join(folder, "a", "b", "new.md"), "new"), 1],
    ["a folder came", () => note(nodePath.join(folder, "c", "new", "new.md"), "new"), 1],
    ["a folder went", () => fs.rmSync(nodePath.join(folder, "a"), { recursive: true }), 1],
    ["a folder was moved", () => fs.renameSync(nodePath.join(folder, "a"), nodePath.join(folder, "d")), 1],
  ])("is known as it is without a second look when %s during the first", async (_what, happen, mostSweeps) => {
    await close();
    for (const path of ["a/1.md", "a/b/2.md", "c/3.md"]) note(nodePath.join(folder, path), "one");
    let isFirst = true;
    await open(() => {
      if (isFirst) happen();
      isFirst = false;
    });
    expect(await answered()).toMatchObject({ "c/3.md": "one" });
    expect(isFirst).toBe(false);
    sweeps = 0;
    expect(await answered()).toEqual(onDisk());
    expect(sweeps).toBeLessThanOrEqual(mostSweeps);
    note(nodePath.join(folder, "c", "3.md"), "later");
    sweeps = 0;
    expect(await answered()).toEqual(onDisk());
    expect(sweeps).toBe(0);
  });

  it.each<[how: string, exchange: () => void]>([
    [
      "removed and made anew",
      () => {
        fs.rmSync(folder, { recursive: true });
        note(nodePath.join(folder, "new.md"), "new");
      },
    ],
    [
      "exchanged for another by rename",
      () => {
        note(nodePath.join(base, "other", "new.md"), "new");
        fs.renameSync(folder, nodePath.join(base, "old"));
        fs.renameSync(nodePath.join(base, "other"), folder);
      },
    ],
    [
      "replaced with the folder that holds it",
      () => {
        fs.renameSync(base, `${base}-old`);
        note(nodePath.join(folder, "new.md"), "new");
      },
    ],
  ])("is known as it is when it is %s", async (_how, exchange) => {
    note(nodePath.join(folder, "a", "1.md"), "one");
    expect(await answered()).toEqual({ "a/1.md": "one" });
    exchange();
    expect(await answered()).toEqual({ "new.md": "new" });
    expect(await settled()).toEqual({ "new.md": "new" });
    for (let round = 0; round < 5; round++) {
      fs.writeFileSync(nodePath.join(folder, "new.md"), `${round}`);
      expect(await answered()).toEqual({ "new.md": `${round}` });
    }
    fs.rmSync(`${base}-old`, { recursive: true, force: true });
  });

  it("is known as it is after a call that found it gone", async () => {
    note(nodePath.join(folder, "a", "1.md"), "one");
    fs.renameSync(folder, nodePath.join(base, "away"));
    await expect(answered()).rejects.toMatchObject({ code: "VAULT_NOT_FOUND" });
    fs.renameSync(nodePath.join(base, "away"), folder);
    expect(await settled()).toEqual({ "a/1.md": "one" });
    fs.writeFileSync(nodePath.join(folder, "a", "1.md"), "two");
    expect(await answered()).toEqual({ "a/1.md": "two" });
  });

  it.each([
    ["a FIFO", (path: string) => execFileSync("mkfifo", [path])],
    ["a link out of the vault", (path: string) => fs.symlinkSync(nodePath.join(base, "writer.cjs"), path)],
    ["a link to another note", (path: string) => fs.symlinkSync("2.md", path)],
  ])("does not list a note any more that became %s", async (_what, make) => {
    const path = nodePath.join(folder, "1.md");
    note(path, "one");
    note(nodePath.join(folder, "2.md"), "two");
    expect(Object.keys(await answered()).sort()).toEqual(["1.md", "2.md"]);
    fs.unlinkSync(path);
    make(path);
    expect(await answered()).toEqual({ "2.md": "two" });
    expect(await index.refresh()).toMatchObject({ noteCount: 1 });
  });

  it.runIf(mayMount())("is known as it is when a disk is mounted in it, and taken out", async () => {
    note(nodePath.join(folder, "a", "1.md"), "beneath");
    expect(await answered()).toEqual({ "a/1.md": "beneath" });
    execFileSync("mount", ["-t", "tmpfs", "none", nodePath.join(folder, "a")]);
    try {
      expect(await answered()).toEqual({});
      note(nodePath.join(folder, "a", "2.md"), "on the disk");
      expect(await answered()).toEqual({ "a/2.md": "on the disk" });
    } finally {
      execFileSync("umount", [nodePath.join(folder, "a")]);
    }
    expect(await answered()).toEqual({ "a/1.md": "beneath" });
  });

  it.runIf(mayMount())("is looked through at every call where a disk in it cannot be watched", async () => {
    await close();
    const [path, disk] = [nodePath.join(folder, "a", "1.md"), nodePath.join(folder, "a", "disk")];
    note(path, "one");
    fs.mkdirSync(disk);
    // Of no kind that is known to tell of changes.
    execFileSync("mount", ["-t", "mqueue", "none", disk]);
    try {
      await open();
      expect(await answered()).toEqual({ "a/1.md": "one" });
      for (const text of ["two", "six"]) {
        note(path, text);
        sweeps = 0;
        expect(await answered()).toEqual({ "a/1.md": text });
        expect(sweeps).toBe(1);
      }
    } finally {
      await close();
      execFileSync("umount", [disk]);
    }
  });

  it("is known as it is when a folder is taken away and comes back under the same name", async () => {
    for (let round = 0; round < 30; round++) {
      fs.rmSync(nodePath.join(folder, "a"), { recursive: true });
      if (round % 2 === 0) await answered();
      fs.mkdirSync(nodePath.join(folder, "a", "deep"), { recursive: true });
      if (round % 3 === 0) await answered();
      fs.writeFileSync(nodePath.join(folder, "a", "deep", "1.md"), `${round}`);
      expect(await answered()).toEqual({ "a/deep/1.md": `${round}` });
      fs.writeFileSync(nodePath.join(folder, "a", "deep", "1.md"), "again");
      expect(await answered()).toEqual({ "a/deep/1.md": "again" });
    }
  });
});
