/** A cache folder that is of no use, or holds what is none: answers are the same, and the log says why a start is slow. */
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqlite } from "../src/sqlite.js";
import { silentLog } from "../src/log.js";
import { closeVault, openFolder } from "../src/open.js";
import { builtProgram } from "./kit/built-program.js";
import { Child } from "./kit/child.js";
import { INITIALIZE_PARAMS } from "./kit/stdio-session.js";

const NOTES = 60;
let home: string;
let vaultFolder: string;
let expected: unknown;

beforeAll(async () => {
  home = fs.mkdtempSync(join(os.tmpdir(), "cache-folder-"));
  vaultFolder = join(home, "vault");
  fs.mkdirSync(vaultFolder);
  for (let number = 0; number < NOTES; number++) {
    const file = join(vaultFolder, `Note ${number}.md`);
    fs.writeFileSync(
      file,
      `---\nstatus: To Do\n---\nLeads to [[Note ${number + 1}]]. ${number % 7 === 0 ? "quagga" : ""}`,
    );
    // Old enough for its stamp to prove what it says.
    fs.utimesSync(file, 1_700_000_000, 1_700_000_000 + number);
  }
  expected = (await run(undefined)).answers;
});
afterAll(() => fs.rmSync(home, { recursive: true, force: true }));

/** What a process with this cache folder answers, and the warnings of its log. */
async function run(cacheFolder: string | undefined) {
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
  const vault = await openFolder(vaultFolder, "vault", { cacheFolder, log, session: true });
  const graph = await vault.links.graph();
  const paths = (await vault.vault.index.refresh()).files().map(({ path }) => path);
  const links = paths.flatMap((path) => graph.outgoing(path)).map((link) => JSON.stringify(link));
  const { notes } = await vault.notes.find({ query: "quagga", limit: 50 });
  const hits = notes.map(({ path }) => path);
  await closeVault(vault);
  return { answers: { links: new Set(links), hits }, warnings };
}

/** A folder with what an earlier process left there. */
async function filled(): Promise<string> {
  const folder = fs.mkdtempSync(join(home, "cache-"));
  expect((await run(folder)).warnings).toEqual([]);
  expect(files(folder)).toHaveLength(1);
  return folder;
}

/** The databases in it, without their journals. */
const files = (folder: string): string[] =>
  fs
    .readdirSync(folder)
    .filter((name) => name.endsWith(".index"))
    .map((name) => join(folder, name));

it("gets all that a session read, also if the session ends while it stores words", async () => {
  const [vault, cache] = [join(home, "large"), join(home, "cache-of-large")];
  const notes = 3000;
  fs.mkdirSync(vault);
  for (let number = 0; number < notes; number++) fs.writeFileSync(join(vault, `${number}.md`), `# Note ${number}\n`);
  const child = new Child([await builtProgram(), "--vault", vault, "--cache-folder", cache, "--state-folder", cache]);
  const lines = [
    { id: 1, method: "initialize", params: INITIALIZE_PARAMS },
    { id: 2, method: "tools/call", params: { name: "search_tasks", arguments: { query: "milk" } } },
  ];
  for (const line of lines) child.process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...line })}\n`);
  await child.until('"id":2');
  const { code, stderr } = await child.end();
  expect([code, stderr]).toEqual([0, ""]);
  const database = openSqlite({ file: files(cache)[0] });
  expect(database?.prepare("SELECT count(*) FROM file WHERE present").get()).toEqual([notes]);
  database?.close();
});

describe("what an earlier process left", () => {
  it("is used without a word when it is whole", async () => {
    const folder = await filled();
    expect(await run(folder)).toEqual({ answers: expected, warnings: [] });
  });

  it.each<[string, (file: string) => void]>([
    ["cut short", (file) => fs.truncateSync(file, fs.statSync(file).size / 2)],
    ["overwritten at its beginning", (file) => overwrite(file, 2)],
    ["overwritten in its first page", (file) => overwrite(file, 100)],
  ])("is dropped and reported when it is %s", async (_, spoil) => {
    const folder = await filled();
    for (const file of files(folder)) spoil(file);
    const { answers, warnings } = await run(folder);
    expect(answers).toEqual(expected);
    expect(warnings).toEqual([expect.stringMatching(/index .* is damaged; it is built again/)]);
    expect(await run(folder)).toEqual({ answers: expected, warnings: [] });
    expect(files(folder)).toHaveLength(1);
  });
});

describe("a cache folder", () => {
  it("that cannot be made is told of once", async () => {
    const file = join(home, "file");
    fs.writeFileSync(file, "");
    const { answers, warnings } = await run(join(file, "cache"));
    expect(answers).toEqual(expected);
    expect(warnings).toEqual([expect.stringMatching(/cannot be kept in the cache folder; --cache-folder/)]);
  });

  it.skipIf(process.platform === "win32" || process.getuid?.() === 0)("that is read-only is told of once", async () => {
    const folder = fs.mkdtempSync(join(home, "cache-"));
    fs.chmodSync(folder, 0o500);
    expect(await run(folder)).toEqual({
      answers: expected,
      warnings: [expect.stringMatching(/cannot be kept in the cache folder/)],
    });
  });

  it("with a folder where the index should be gets another index", async () => {
    const folder = await filled();
    for (const file of files(folder)) {
      fs.rmSync(file);
      fs.mkdirSync(file);
    }
    const { answers, warnings } = await run(folder);
    expect(answers).toEqual(expected);
    expect(warnings).toEqual([expect.stringMatching(/is damaged; it is built again/)]);
  });
});

function overwrite(file: string, at: number): void {
  const bytes = fs.readFileSync(file);
  bytes.fill(0x5a, at, at + 8);
  fs.writeFileSync(file, bytes);
}
