/**
 * A vault over a slow link is read to its end, however long that takes: limits count the time without progress. The long form, 10,000
 * notes at 1 MB a second: `SLOW_LINK_NOTES=10000 npx vitest run test/livesync-slow-link.test.ts`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../src/clock.js";
import { vaultPath } from "../src/storage/path.js";
import { Codec } from "../src/storage/livesync/codec/codec.js";
import type { RawDocument } from "../src/storage/livesync/codec/document.js";
import { settingsOf } from "../src/storage/livesync/codec/settings.js";
import { LivesyncStorage } from "../src/storage/livesync/storage.js";
import { builtProgram } from "./kit/built-program.js";
import { Child, jsonLines } from "./kit/child.js";
import { newDatabase, type TestDatabase } from "./kit/couch-server.js";
import { slowLink } from "./kit/slow-link.js";
import { all } from "./kit/storage-contract.js";

const NOTES = Number(process.env["SLOW_LINK_NOTES"] ?? 1000);
const RATE = 1_000_000;
/** What the notes take on the link, at least. */
const NOTE_BYTES = 4000;
const RARE = NOTES - 7;
/** Room for a slow server besides the slow link. */
const TIME = 60_000 + NOTES * 60;

let program: string;
let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  program = await builtProgram();
  folder = mkdtempSync(join(tmpdir(), "slow-link-"));
  database = await newDatabase();
  const settings = settingsOf({ _id: "", tweak_values: { PREFERRED: {} } });
  if (!settings) throw new Error("no settings");
  const codec = new Codec(settings, { passphrase: undefined, salt: undefined });
  let docs: RawDocument[] = [];
  for (let number = 0; number < NOTES; number++) {
    const text = `# Note ${number}\n\n${number === RARE ? "quagga\n" : ""}${`Line of note ${number}.\n`.repeat(NOTE_BYTES / 20)}`;
    const { document, pieces } = await codec.encode({
      path: vaultPath(`Notes/Note ${number}.md`),
      bytes: Buffer.from(text),
      now: 1_750_000_000_000,
    });
    for (const [id, piece] of pieces) docs.push(await codec.leaf(id, piece));
    docs.push(document);
    if (docs.length < 1000 && number < NOTES - 1) continue;
    await database.ask("POST", "_bulk_docs", { docs });
    docs = [];
  }
}, TIME);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.remove();
});

it(
  "a listing that takes many times the time without progress is not cut",
  async () => {
    const link = await slowLink(database.url, 200_000);
    const deadline = 700;
    const storage = new LivesyncStorage(
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
  "a spawned search answers when it has read everything, and the next one reads nothing again that it knows",
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
    const found = await asked("search", { query: "quagga" });
    expect(found.text).toContain(`Note ${RARE}.md`);
    expect(found.bytes).toBeGreaterThan(NOTES * NOTE_BYTES);
    const first = await asked("find_notes", {});
    expect(first.text).toContain("Notes/Note 10.md");
    expect((await asked("find_notes", {})).bytes).toBeLessThan(first.bytes / 20);
    await link.close();
  },
  TIME,
);
