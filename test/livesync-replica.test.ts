/** What a node of a cluster answers before it has heard of a change: nothing that is known already is lost by it, and nothing that was announced is forgotten. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newDatabase, type TestDatabase } from "./kit/couch-server.js";
import { all } from "./kit/storage-contract.js";
import { systemClock } from "../src/clock.js";
import { vaultPath } from "../src/storage/path.js";
import { livesyncStorage, type LivesyncStorage } from "../src/storage/livesync/storage.js";
import { httpTransport } from "../src/storage/livesync/transport.js";

let database: TestDatabase;
/** What the node answers in place of the database, by the beginning of the request; undefined: what the database does. */
let node: Record<string, (() => unknown) | undefined>;
beforeEach(async () => {
  database = await newDatabase();
  node = {};
});
afterEach(() => database.remove());

const A = vaultPath("a.md");
const FEED = "GET _changes";
const DOCUMENTS = "POST _all_docs";
const bytes = (text: string): Uint8Array => Buffer.from(text);
const missing = (): unknown => ({ rows: [{ key: "a.md", error: "not_found" }] });

function open(answers: typeof node = {}): LivesyncStorage {
  const { url, name, user, password } = database;
  return livesyncStorage(
    { url, database: name, user, password },
    {
      clock: systemClock(),
      transport: async (target, init) => {
        const request = `${init.method} ${target.slice(`${url}/${name}/`.length)}`;
        const body = Object.entries(answers).find(([start]) => request.startsWith(start))?.[1]?.();
        return body === undefined ? httpTransport(target, init) : new Response(JSON.stringify(body));
      },
    },
  );
}

async function listed(storage: LivesyncStorage): Promise<readonly string[]> {
  return (await all(storage.list())).map(({ path }) => path);
}

describe("a node that is behind", () => {
  it.each([
    ["an older version", false],
    ["a deletion that was taken back since", true],
  ])("and tells of %s again is not believed", async (_, deleted) => {
    const other = open();
    await other.write(A, bytes("one"), { kind: "absent" });
    const old = (await database.ask("GET", "a.md")) as { _rev: string };
    await other.update(A, () => bytes("two, and longer"));
    const storage = open(node);
    const before = await all(storage.list());
    const [id, rev] = ["a.md", old["_rev"]];
    node[FEED] = () => ({ results: [{ seq: 1, id, deleted, changes: [{ rev }] }], last_seq: 1 });
    node[DOCUMENTS] = () => ({ rows: [{ id, key: id, value: { rev }, doc: old }] });
    expect(await all(storage.list())).toEqual(before);
  });

  it("hides neither what was just written here nor that it was just deleted", async () => {
    const storage = open(node);
    expect(await listed(storage)).toEqual([]);
    node[FEED] = () => ({ results: [], last_seq: 0 });
    await storage.write(A, bytes("x"), { kind: "absent" });
    expect(await listed(storage)).toEqual(["a.md"]);
    await storage.remove(A, { kind: "any" });
    expect(await listed(storage)).toEqual([]);
  });

  it("is asked again for a document that was announced, until it has it", async () => {
    const storage = open(node);
    expect(await listed(storage)).toEqual([]);
    await open().write(A, bytes("x"), { kind: "absent" });
    let late = 2;
    node[DOCUMENTS] = () => (late-- > 0 ? missing() : undefined);
    expect(await listed(storage)).toEqual(["a.md"]);
  });

  it("is asked again by the next look, though the feed tells of the document no more", async () => {
    const storage = open(node);
    expect(await listed(storage)).toEqual([]);
    await open().write(A, bytes("x"), { kind: "absent" });
    node[DOCUMENTS] = missing;
    expect(await listed(storage)).toEqual([]);
    node[DOCUMENTS] = undefined;
    node[FEED] = () => ({ results: [], last_seq: 0 });
    expect(await listed(storage)).toEqual(["a.md"]);
  });
});
