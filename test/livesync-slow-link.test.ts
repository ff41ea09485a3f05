/**
 * A vault over a slow link is read to its end, however long that takes: limits count the time without progress. The long form, 10,000
 * notes at 1 MB a second: `SLOW_LINK_NOTES=10000 npx vitest run test/livesync-slow-link.test.ts`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../src/clock.js";
import { livesyncStorage } from "../src/storage/livesync/storage.js";
import { builtProgram } from "./kit/built-program.js";
import { Child, jsonLines } from "./kit/child.js";
import { newDatabase, type TestDatabase } from "./kit/couch-server.js";
import { storeFiles } from "./kit/livesync-vault.js";
import { slowLink } from "./kit/slow-link.js";
import { all } from "./kit/storage-contract.js";

const NOTES = Number(process.env["SLOW_LINK_NOTES"] ?? 400);
const RATE = 1_000_000;
/** What the notes take on the link, at least. */
const NOTE_BYTES = 4000;
const RARE = NOTES - 7;
/** Room for a slow server besides the slow link. */
const TIME = 300_000 + NOTES * 60;

let program: string;
let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  program = await builtProgram();
  folder = mkdtempSync(join(tmpdir(), "slow-link-"));
  database = await newDatabase();
  const notes = Array.from({ length: NOTES }, (_, number): readonly [string, string] => {
    const rare = number === RARE ? "quagga\n" : "";
    return [
      `Notes/Note ${number}.md`,
      `# Note ${number}\n\n${rare}${`Line of note ${number}.\n`.repeat(NOTE_BYTES / 20)}`,
    ];
  });
  await storeFiles(database, notes, 1_750_000_000_000);
}, TIME);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.remove();
});

it(
  "a listing that takes many times the time without progress is not cut",
  async () => {
    // What is listed of a note is some 400 bytes.
    const link = await slowLink(database.url, Math.min(200_000, NOTES * 100));
    const deadline = 2_000;
    const storage = livesyncStorage(
      { ...database, url: link.url, database: database.name },
      { clock: systemClock(), deadline },
    );
    const start = performance.now();
    const listed = await all(storage.list());
    expect(listed).toHaveLength(NOTES);
    expect(performance.now() - start).toBeGreaterThan(2 * deadline);
    await storage.close();
    await link.close();
  },
  TIME,
);

it(
  "a spawned listing of a folder reads no contents, a search answers when it has read all, and the next one reads nothing again",
  async () => {
    const link = await slowLink(database.url, RATE);
    const environment = {
      COUCHDB_BASE_URL: link.url,
      COUCHDB_DATABASE_NAME: database.name,
      ...(database.user === undefined ? {} : { COUCHDB_USER: database.user }),
      ...(database.password === undefined ? {} : { COUCHDB_PASSWORD: database.password }),
    };
    const asked = async (name: string, args: object) => {
      const before = link.carried();
      const child = new Child(
        [program, "--cache-folder", join(folder, "cache"), "--state-folder", join(folder, "state")],
        environment,
      );
      const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
      const { stdout } = await child.end(JSON.stringify(request));
      const [answer] = jsonLines(stdout) as { result: { isError?: boolean; content: { text: string }[] } }[];
      return { text: answer?.result.content[0]?.text ?? "", bytes: link.carried() - before };
    };
    const listed = await asked("view", { path: "Notes" });
    expect(listed.text.split("\n")).toHaveLength(NOTES);
    expect(listed.bytes).toBeLessThan(NOTES * 1000);
    const found = await asked("search", { query: "quagga" });
    expect(found.text).toContain(`Note ${RARE}.md`);
    expect(found.bytes).toBeGreaterThan(NOTES * NOTE_BYTES);
    for (const [name, args, answer] of [
      ["find_notes", {}, "Notes/Note 10.md"],
      ["find_notes", { query: "quagga" }, `Note ${RARE}.md`],
      ["search", { query: "quagga" }, `Note ${RARE}.md`],
    ] as const) {
      const next = await asked(name, args);
      expect(next.text).toContain(answer);
      expect(next.bytes).toBeLessThan(found.bytes / 20);
    }
    await link.close();
  },
  TIME,
);
