/** Whatever happens to the database of the index, the answers are those of a process without one, at worst slower. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openSqlite } from "../src/sqlite.js";
import { silentLog } from "../src/log.js";
import { closeVault, openFolder } from "../src/open.js";
import type { OpenVault } from "../src/tools/workspace.js";
import { builtProgram } from "./kit/built-program.js";
import { FUZZ_FACTOR } from "./kit/fuzz.js";
import { mayMount } from "./kit/mounts.js";

const NOTES = 40;
let home: string;
let vaultFolder: string;
let cacheFolder: string;
let expected: Answers;

function writeVault(folder: string, word: string): void {
  fs.mkdirSync(folder, { recursive: true });
  for (let number = 0; number < NOTES; number++) {
    const file = join(folder, `Note ${number}.md`);
    const lines = [`---`, `type: task`, `title: Task ${number}`, `tags: [t${number % 3}]`, `---`];
    fs.writeFileSync(file, [...lines, `[[Note ${number + 1}]] ${number % 7 === 0 ? word : "gnu"}`].join("\n"));
    fs.utimesSync(file, 1_700_000_000, 1_700_000_000 + number);
  }
}

beforeAll(async () => {
  home = fs.mkdtempSync(join(os.tmpdir(), "index-robustness-"));
  vaultFolder = join(home, "vault");
  writeVault(vaultFolder, "quagga");
  expected = (await run()).answers;
});
afterAll(() => fs.rmSync(home, { recursive: true, force: true }));
beforeEach(() => (cacheFolder = fs.mkdtempSync(join(home, "cache-"))));

type Answers = Awaited<ReturnType<typeof answersOf>>;

async function answersOf({ tasks, notes, links }: OpenVault) {
  const byPath = { sortBy: "path", limit: 50, includeContent: false } as const;
  return {
    tasks: (await tasks.search({ query: "*" })).tasks.map(({ path, title }) => `${path} ${title}`).sort(),
    found: (await notes.find({ ...byPath, query: "quagga" })).notes.map(({ path }) => path),
    misspelt: (await notes.find({ ...byPath, query: "Noet" })).total,
    tagged: (await notes.find({ ...byPath, tags: ["t1"] })).total,
    tags: await notes.tags(),
    orphans: await links.ask({}, (graph) => graph.orphans()),
  };
}

/** What a process with this cache folder answers, and the warnings of its log. */
async function run(folder?: string, vault = vaultFolder) {
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
  const opened = await openFolder(vault, "vault", { cacheFolder: folder, log, session: false });
  const answers = await answersOf(opened);
  await closeVault(opened);
  return { answers, warnings };
}

const databases = (): string[] =>
  fs
    .readdirSync(cacheFolder)
    .filter((name) => name.endsWith(".index"))
    .map((name) => join(cacheFolder, name));

const FLIPS = 60 * FUZZ_FACTOR;
const KILLS = 6 * FUZZ_FACTOR;

describe("a damaged database", () => {
  it("never makes an answer show a wrong note or task, wherever a bit is flipped", async () => {
    await run(cacheFolder);
    const [file = ""] = databases();
    const sound = fs.readFileSync(file);
    for (let place = 0; place < FLIPS; place++) {
      const spoilt = Buffer.from(sound);
      const at = Math.floor((place * sound.length) / FLIPS) + (place % 97);
      spoilt[at % sound.length] = (spoilt[at % sound.length] ?? 0) ^ (1 << (place % 8));
      fs.rmSync(cacheFolder, { recursive: true });
      fs.mkdirSync(cacheFolder);
      fs.writeFileSync(file, spoilt);
      const { answers } = await run(cacheFolder);
      // SQLite keeps no checksums of content: counts, and what finds a note, are verified in a session's idle turns.
      expect(expected.found, `byte ${at}`).toEqual(expect.arrayContaining([...answers.found]));
      expect(expected.tasks, `byte ${at}`).toEqual(expect.arrayContaining([...answers.tasks]));
    }
  });

  it("is built again when it was cut, and reported", async () => {
    await run(cacheFolder);
    for (const file of databases()) fs.truncateSync(file, fs.statSync(file).size >> 1);
    const { answers, warnings } = await run(cacheFolder);
    expect(answers).toEqual(expected);
    expect(warnings.join()).toMatch(/index/);
    expect((await run(cacheFolder)).answers).toEqual(expected);
  });
});

describe("a database of something else", () => {
  it("is replaced when another edition wrote it", async () => {
    await run(cacheFolder);
    for (const file of databases()) {
      const database = openSqlite({ file });
      database?.exec("UPDATE meta SET value = '[0]' WHERE key = 'form'; DELETE FROM file");
      database?.close();
    }
    expect(await run(cacheFolder)).toEqual({ answers: expected, warnings: [] });
    expect(databases()).toHaveLength(1);
  });

  it("is not taken for that of another vault", async () => {
    const other = join(home, "other");
    writeVault(other, "okapi");
    await run(cacheFolder);
    await run(cacheFolder, other);
    expect(databases()).toHaveLength(2);
    const [one = "", two = ""] = databases();
    const contents = [fs.readFileSync(one), fs.readFileSync(two)];
    fs.writeFileSync(one, contents[1] ?? "");
    fs.writeFileSync(two, contents[0] ?? "");
    expect((await run(cacheFolder)).answers).toEqual(expected);
  });

  it("is compared file by file when the vault was replaced by another under its path", async () => {
    const moved = join(home, "moved");
    writeVault(moved, "quagga");
    await run(cacheFolder, moved);
    fs.rmSync(moved, { recursive: true });
    writeVault(moved, "okapi");
    const { answers } = await run(cacheFolder, moved);
    expect(answers).toMatchObject({ found: [] });
  });
});

describe("a database in use", () => {
  it("may be deleted: the session goes on", async () => {
    const session = await openFolder(vaultFolder, "vault", { cacheFolder, session: true });
    expect(await answersOf(session)).toEqual(expected);
    fs.rmSync(cacheFolder, { recursive: true });
    expect(await answersOf(session)).toEqual(expected);
    expect((await run(cacheFolder)).answers).toEqual(expected);
    expect(await answersOf(session)).toEqual(expected);
    await closeVault(session);
  });

  it("whose lock is never released is waited for two seconds at most", async () => {
    await run(cacheFolder);
    const [file = ""] = databases();
    const holder = openSqlite({ file });
    holder?.exec("DELETE FROM file; BEGIN IMMEDIATE");
    const started = performance.now();
    const { answers, warnings } = await run(cacheFolder);
    expect(answers).toEqual(expected);
    expect(performance.now() - started).toBeLessThan(30_000);
    expect(warnings).toEqual([expect.stringMatching(/cannot be used; this process keeps its own in memory/)]);
    holder?.exec("ROLLBACK");
    holder?.close();
    expect((await run(cacheFolder)).answers).toEqual(expected);
  });

  it("serves eight processes that build it together", async () => {
    const program = await builtProgram();
    const call = (query: string) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "find_notes", arguments: { query, limit: 50, sort_by: "path", include_content: false } },
      });
    const logs: string[] = [];
    const options = [vaultFolder, `--cache-folder=${cacheFolder}`];
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => output(program, call("quagga"), options, (text) => logs.push(text))),
    );
    for (const answer of answers) expect(answer).toContain('"match_count":6');
    // None waited in vain for a lock.
    expect(logs.join("")).not.toContain("in memory");
    expect((await run(cacheFolder)).answers).toEqual(expected);
  });

  it("is right after processes that were killed while they built it", async () => {
    const program = await builtProgram();
    const call = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "find_notes", arguments: { query: "quagga" } },
    });
    for (let round = 0; round < KILLS; round++) {
      const child = spawn(process.execPath, [program, vaultFolder, `--cache-folder=${cacheFolder}`]);
      child.stdin.end(`${call}\n`);
      const ended = new Promise((resolve) => child.once("close", resolve));
      setTimeout(() => child.kill("SIGKILL"), 60 + (round * 480) / KILLS);
      await ended;
      expect((await run(cacheFolder)).answers).toEqual(expected);
      if (round % 3 === 2) fs.rmSync(cacheFolder, { recursive: true });
    }
  });
});

describe.runIf(mayMount())("a cache folder on a disk of its own", () => {
  const mounted = async (options: string, work: () => Promise<void>): Promise<void> => {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "none", cacheFolder]);
    try {
      await work();
    } finally {
      execFileSync("umount", ["-l", cacheFolder]);
    }
  };
  const remount = (options: string) => execFileSync("mount", ["-o", `remount,${options}`, cacheFolder]);
  const notKept = [expect.stringMatching(/cannot be kept in the cache folder|cannot be used/)];

  it.each(["4k", "40k", "120k"])(
    "that is full after %s: the answers are right, and the log says why it is slow",
    async (size) => {
      await mounted(`size=${size}`, async () => {
        expect(await run(cacheFolder)).toEqual({ answers: expected, warnings: notKept });
        remount("size=10m");
        expect(await run(cacheFolder)).toEqual({ answers: expected, warnings: [] });
      });
    },
  );

  it("that is read-only, with an index and without: the same, and nothing is called damaged", async () => {
    const filled = join(home, "filled");
    for (const isFilled of [false, true])
      await mounted("size=10m", async () => {
        // Not made there: `libsql` may still have it open, and then the disk cannot be made read-only.
        if (isFilled) await run(filled);
        if (isFilled) fs.cpSync(filled, cacheFolder, { recursive: true });
        const before = databases();
        remount("ro");
        const { answers, warnings } = await run(cacheFolder);
        expect({ answers, warnings: warnings.join() }).toEqual({
          answers: expected,
          warnings: expect.not.stringContaining("damaged"),
        });
        expect(warnings).toEqual(notKept);
        remount("rw");
        expect(databases()).toEqual(before);
      });
  });
});

async function output(
  program: string,
  input: string,
  options: readonly string[],
  onLog = (_text: string): unknown => undefined,
): Promise<string> {
  const child = spawn(process.execPath, [program, ...options], { stdio: ["pipe", "pipe", "pipe"] });
  child.stderr.on("data", (chunk: Buffer) => onLog(chunk.toString()));
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  child.stdin.end(`${input}\n`);
  await new Promise((resolve) => child.once("close", resolve));
  return text;
}

describe.skipIf(Number(process.versions.node.split(".")[0]) >= 22)("without any SQLite", () => {
  it("commands end with code 2, and a session stays up and says what to install", async () => {
    const alone = join(home, "alone");
    fs.cpSync(dirname(await builtProgram()), alone, { recursive: true });
    const program = join(alone, "index.js");
    const scan = spawnSync(process.execPath, [program, "scan", vaultFolder, "--no-cache"], { encoding: "utf8" });
    expect([scan.status, scan.stderr]).toEqual([2, expect.stringContaining("Install Node 22.16 or later.")]);
    const calls = [1, 2].map((id) =>
      JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "find_notes", arguments: {} } }),
    );
    const lines = (await output(program, calls.join("\n"), [vaultFolder, "--no-cache"])).trim().split("\n");
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/"code":"UNAVAILABLE".*Install Node 22\.16 or later\./);
  });
});
