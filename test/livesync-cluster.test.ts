/** What a cluster does to a vault: nodes are lost, sequences go back, reads are stale, databases are made anew or put back; every answer is that of the database as it is. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../src/clock.js";
import { livesyncStorage, type LivesyncStorage, type LivesyncOptions } from "../src/storage/livesync/storage.js";
import { httpTransport } from "../src/storage/livesync/transport.js";
import { vaultPath } from "../src/storage/path.js";
import { fakeCluster, type FakeCluster } from "./kit/couch-cluster.js";
import { load, newDatabase, prepare, type TestDatabase } from "./kit/couch-server.js";
import { FUZZ_FACTOR } from "./kit/fuzz.js";
import { all } from "./kit/storage-contract.js";

// Three databases and their clients may share the machine with everything else.
vi.setConfig({ testTimeout: 120_000 * FUZZ_FACTOR });

let cluster: FakeCluster;
let database: TestDatabase;
const opened: LivesyncStorage[] = [];
/** Requests for versions, answered as if no node had heard of any. */
let unheard: string[] | undefined;
/** How many deletions of versions are refused, as by a node that has not heard of the version. */
let refusedDeletions = 0;
beforeAll(async () => {
  cluster = await fakeCluster();
});
afterAll(() => cluster.close());
beforeEach(async () => {
  [cluster.lag, cluster.stale, cluster.account, unheard, refusedDeletions] = [4, 0, undefined, undefined, 0];
  database = await newDatabase({}, cluster.balanced);
});
afterEach(async () => {
  for (const storage of opened.splice(0)) await storage.close();
  for (const node of [0, 1, 2]) cluster.set(node, "up");
  await database.remove();
});

const A = vaultPath("a.md");
const bytes = (text: string): Uint8Array => Buffer.from(text);
const note = (number: number) => vaultPath(`Folder/n${number}.md`);
const another = (number: number) => vaultPath(`Other/n${number}.md`);

function open(url = cluster.balanced, options: Partial<LivesyncOptions> = {}) {
  const asked: string[] = [];
  const transport: LivesyncOptions["transport"] = (target, init) => {
    asked.push(target.slice(url.length));
    if (unheard && target.includes("open_revs")) {
      unheard.push(target);
      return Promise.resolve(Response.json([]));
    }
    if (refusedDeletions > 0 && !target.includes("_local") && String(init.body).includes('"_deleted":true')) {
      refusedDeletions--;
      return Promise.resolve(Response.json({ error: "conflict" }, { status: 409 }));
    }
    return httpTransport(target, init);
  };
  const configuration = { url, database: database.name, user: database.user, password: database.password };
  const storage = livesyncStorage(configuration, { clock: systemClock(), pause: 5, transport, ...options });
  opened.push(storage);
  return { storage, asked, listings: () => asked.filter((path) => /_all_docs.*limit=1000\b/.test(path)).length };
}

async function fill(count: number, nameOf = note): Promise<void> {
  const { storage } = open();
  await Promise.all(
    Array.from({ length: count }, (_, at) => storage.write(nameOf(at), bytes(`${at}`), { kind: "absent" })),
  );
  await cluster.settle(database.name);
}

const paths = async (storage: LivesyncStorage): Promise<readonly string[]> =>
  (await all(storage.list())).map(({ path }) => path).toSorted();

it("a chunk that exists is not written again: a node that hangs would make that wait", async () => {
  await fill(1);
  const { storage, asked } = open();
  await storage.write(vaultPath("copy.md"), bytes("0"), { kind: "absent" });
  expect(asked.filter((path) => path.includes("_bulk_docs"))).toEqual([]);
  expect(String((await storage.read(vaultPath("copy.md")))?.bytes)).toBe("0");
});

describe("a node that is lost", () => {
  it("does not matter: what is known stays known, and what is written is seen", async () => {
    await fill(20);
    const { storage, listings } = open();
    expect(await paths(storage)).toHaveLength(20);
    const before = listings();
    cluster.set(2, "down");
    expect(await paths(storage)).toHaveLength(20);
    await open().storage.write(A, bytes("meanwhile"), { kind: "absent" });
    expect(await paths(storage)).toContain("a.md");
    cluster.set(2, "up");
    expect(await paths(storage)).toContain("a.md");
    await cluster.settle(database.name);
    expect(await paths(storage)).toHaveLength(21);
    expect(listings()).toBe(before);
  });
});

describe("a database that is another by now", () => {
  it("made anew under its name lists what is in it, and no ghosts", async () => {
    await fill(3);
    const { storage } = open(undefined, { believed: 0 });
    expect(await paths(storage)).toHaveLength(3);
    await database.ask("DELETE", "");
    await database.ask("PUT", "");
    await prepare(database);
    await fill(12, another);
    expect(await paths(storage)).toEqual(Array.from({ length: 12 }, (_, at) => another(at)).toSorted());
  });

  it("made anew with a note that had been deleted counts it with the first listing", async () => {
    await fill(7);
    const { storage } = open(undefined, { believed: 600_000 });
    expect(await paths(storage)).toHaveLength(7);
    await storage.update(note(6), () => bytes("changed"));
    await storage.remove(note(6), { kind: "any" });
    await cluster.settle(database.name);
    expect(await paths(storage)).toHaveLength(6);
    await database.ask("DELETE", "");
    await database.ask("PUT", "");
    await prepare(database);
    await fill(7);
    expect(await paths(storage)).toHaveLength(7);
  });

  it("made anew with the same marks is told by when it was made", async () => {
    await fill(3);
    const { storage } = open(undefined, { believed: 0 });
    expect(await paths(storage)).toHaveLength(3);
    const ids = ["_local/obsydian_livesync_milestone", "_local/obsidian_livesync_sync_parameters"];
    const marks = await Promise.all(ids.map((id) => database.ask("GET", id) as Promise<{ _rev: string }>));
    await database.ask("DELETE", "");
    await database.ask("PUT", "");
    for (const [index, { _rev: _, ...mark }] of marks.entries()) await database.ask("PUT", ids[index] ?? "", mark);
    await fill(12, another);
    expect(await paths(storage)).toEqual(Array.from({ length: 12 }, (_, at) => another(at)).toSorted());
  });

  it("made again under a running server lists no old note, without a wait", async () => {
    await fill(20);
    const { storage } = open();
    expect(await paths(storage)).toHaveLength(20);
    await database.ask("DELETE", "");
    await database.ask("PUT", "");
    await prepare(database);
    await fill(3, another);
    expect(await paths(storage)).toEqual([0, 1, 2].map(another));
  });

  it("put back from a backup is found out, and what is written since is seen; what is equal is not read again", async () => {
    await fill(10);
    const backup = await cluster.backup(database.name);
    const { storage } = open(undefined, { compareAfter: 0 });
    await storage.write(vaultPath("after the backup.md"), bytes("lost"), { kind: "absent" });
    await storage.update(note(0), () => bytes("changed after the backup"));
    expect(await paths(storage)).toHaveLength(11);
    await cluster.restore(database.name, backup);
    await open().storage.write(A, bytes("since"), { kind: "absent" });
    await cluster.settle(database.name);
    expect(await paths(storage)).toEqual(["a.md", ...Array.from({ length: 10 }, (_, at) => note(at))].toSorted());
    expect(String((await storage.read(note(0)))?.bytes)).toBe("0");
  });
});

describe("a node that has not heard of a write", () => {
  it("does not make it unseen: what was announced is asked for until it is there", async () => {
    await fill(5);
    const { storage } = open(cluster.nodes[0]);
    await paths(storage);
    [cluster.lag, cluster.stale] = [60, 100];
    const { storage: other } = open(cluster.nodes[1]);
    for (let round = 0; round < 5; round++) {
      await other.update(note(round), () => bytes(`round ${round}`));
      await storage.write(vaultPath(`mine ${round}.md`), bytes("x"), { kind: "absent" });
      expect(await paths(storage)).toContain(`mine ${round}.md`);
    }
    cluster.stale = 0;
    await cluster.settle(database.name);
    await paths(storage);
    for (let round = 0; round < 5; round++) {
      expect(String((await storage.read(note(round)))?.bytes)).toBe(`round ${round}`);
    }
  });
});

describe("two servers on different nodes", () => {
  it("lose no acknowledged edit to the version that does not count, and leave no versions behind", async () => {
    cluster.lag = 12;
    const edits = 60 * FUZZ_FACTOR;
    const { storage: first } = open(cluster.nodes[0]);
    await first.write(A, bytes("begin\n"), { kind: "absent" });
    const servers = [first, open(cluster.nodes[1]).storage];
    const acknowledged: string[] = [];
    await Promise.all(
      servers.map(async (storage, server) => {
        for (let edit = 0; edit < edits / 2; edit++) {
          const line = `${server}.${edit}`;
          await storage
            .update(A, (current) => bytes(`${String(current?.bytes)}${line}\n`))
            .then(
              () => acknowledged.push(line),
              (error: { code?: string }) => expect(error.code).toBe("CONFLICT"),
            );
        }
      }),
    );
    await cluster.settle(database.name);
    // What a node took behind the others' backs is taken away when it is met.
    for (const server of servers) await server.update(A, (current) => current?.bytes);
    const { storage } = open();
    const lines = String((await storage.read(A))?.bytes).split("\n");
    expect(acknowledged.filter((line) => !lines.includes(line))).toEqual([]);
    expect(lines.filter((line, at) => line !== "" && lines.indexOf(line) !== at)).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(edits * 0.9);
    expect([...(await storage.conflicts()).keys()]).toEqual([]);
  });

  it("name both versions where a change fits the one that lost alone", async () => {
    cluster.lag = 30;
    const servers = cluster.nodes.slice(0, 2).map((url) => open(url).storage);
    const written = await servers[0]?.write(A, bytes("begin"), { kind: "absent" });
    await cluster.settle(database.name);
    const expected = { kind: "revision", revision: written?.revision ?? ("" as never) } as const;
    const results = await Promise.allSettled(
      servers.map((storage, server) => storage.write(A, bytes(`server ${server}`), expected)),
    );
    const refused = results.filter((result) => result.status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: "CONFLICT" });
  });
});

describe("a node that reaches no other", () => {
  it("writes nothing where it can tell before, and says that an edit was perhaps made where it cannot", async () => {
    const { storage } = open(cluster.nodes[1]);
    await storage.write(A, bytes("a\nb\nc\n"), { kind: "absent" });
    await storage.update(A, () => bytes("a\nB\nc\n"));
    await cluster.settle(database.name);
    cluster.set(1, "alone");
    const refused = await storage.update(A, () => bytes("third")).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: "UNAVAILABLE",
      message: "Only one node of the CouchDB cluster can be reached; nothing was changed.",
    });
    expect(String((await storage.read(A))?.bytes)).toBe("a\nB\nc\n");
    // The chunks of a text that the note had before need not be written.
    const unsure = await storage.update(A, () => bytes("a\nb\nc\n")).catch((error: unknown) => error);
    expect(unsure).toMatchObject({
      code: "UNAVAILABLE",
      message:
        "'a.md' was perhaps changed: only one node took it, and the others of the CouchDB cluster cannot be reached.",
    });
    const { storage: other } = open(cluster.nodes[0]);
    await other.update(A, () => bytes("a\nB\nc\nothers\n"));
    cluster.set(1, "up");
    await cluster.settle(database.name);
    await expect
      .poll(async () => {
        await paths(storage);
        const text = String((await other.read(A))?.bytes);
        return [text.split("\n").at(-2), (await other.conflicts()).size];
      })
      .toEqual(["others", 0]);
  });
});

describe("an edit that was perhaps made", () => {
  it("stays where only a device left another version, long before", async () => {
    const { storage } = open(cluster.nodes[1]);
    await storage.write(A, bytes("one\n"), { kind: "absent" });
    const { _rev: _, ...note } = (await database.ask("GET", "a.md")) as { _rev: string };
    await load(database, [{ ...note, _rev: `1-${"0".repeat(32)}` } as never]);
    await storage.update(A, () => bytes("two\n"));
    await cluster.settle(database.name);
    cluster.set(1, "alone");
    // The chunk of a text that the note had before need not be written.
    await expect(storage.update(A, () => bytes("one\n"))).rejects.toMatchObject({ code: "UNAVAILABLE" });
    cluster.set(1, "up");
    await cluster.settle(database.name);
    const made = await storage.stat(A);
    await storage.update(A, (current) => bytes(`${String(current?.bytes)}three\n`));
    expect(String((await storage.read(A))?.bytes)).toBe("one\nthree\n");
    expect(made?.stamp[0]).toBe(3);
    expect((await storage.stat(A))?.stamp[0]).toBe(4);
  });
});

describe("a version that wins over an acknowledged one after the answer", () => {
  async function rivalOf(text: string, base: string, ours: string, cacheFolder?: string) {
    const { storage } = open(cluster.nodes[0], { cacheFolder });
    await storage.write(A, bytes(base), { kind: "absent" });
    await cluster.settle(database.name);
    const before = (await database.ask("GET", "a.md?revs=true")) as { _revisions: { start: number; ids: string[] } };
    await storage.update(A, () => bytes(ours));
    const { storage: other } = open(cluster.nodes[1]);
    await other.write(vaultPath("b.md"), bytes(text), { kind: "absent" });
    const { children, size } = (await database.ask("GET", "b.md")) as { children: string[]; size: number };
    const { start, ids } = before["_revisions"];
    const rival = { ...before, children, size, _revisions: { start: start + 1, ids: ["f".repeat(32), ...ids] } };
    await load(database, [{ ...rival, _rev: `${start + 1}-${"f".repeat(32)}` } as never]);
    await cluster.settle(database.name);
    return storage;
  }

  it("gets its changes, at several places, as soon as this server is asked for anything", async () => {
    const storage = await rivalOf("A\nb\nc\nd\nE\n", "a\nb\nc\nd\ne\n", "a\nb\nC\nd\ne\n");
    await expect
      .poll(async () => {
        await paths(storage);
        return [String((await storage.read(A))?.bytes), (await storage.conflicts()).size];
      })
      .toEqual(["A\nb\nC\nd\nE\n", 0]);
  });

  it("gets them once, and is deleted later where a node refuses that at first", async () => {
    const storage = await rivalOf("A\nb\nc\nd\nE\n", "a\nb\nc\nd\ne\n", "a\nb\nC\nd\ne\n");
    refusedDeletions = 1;
    await expect
      .poll(async () => {
        await paths(storage);
        return [String((await storage.read(A))?.bytes), (await storage.conflicts()).size, refusedDeletions];
      })
      .toEqual(["A\nb\nC\nd\nE\n", 0, 0]);
  });

  it("gets them later where no node had heard of one of them", async () => {
    const storage = await rivalOf("A\nb\nc\nd\nE\n", "a\nb\nc\nd\ne\n", "a\nb\nC\nd\ne\n");
    unheard = [];
    const texts = async () => {
      await paths(storage);
      return [String((await storage.read(A))?.bytes), (await storage.conflicts()).size];
    };
    await expect.poll(async () => [(await texts())[1], unheard?.length]).toEqual([1, 1]);
    await delay(200);
    unheard = undefined;
    expect((await texts())[1]).toBe(1);
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + 20_000);
    try {
      await expect.poll(texts).toEqual(["A\nb\nC\nd\nE\n", 0]);
    } finally {
      clock.mockRestore();
    }
  });

  it("gets them from the next process where the one that wrote them was killed", async () => {
    const cacheFolder = mkdtempSync(join(tmpdir(), "killed-"));
    const killed = await rivalOf("A\nb\nc\nd\nE\n", "a\nb\nc\nd\ne\n", "a\nb\nC\nd\ne\n", cacheFolder);
    // What it never asks it never learns.
    expect(String((await killed.read(A))?.bytes)).toBe("A\nb\nc\nd\nE\n");
    await killed.close();
    const { storage } = open(cluster.nodes[0], { cacheFolder });
    await expect
      .poll(async () => {
        await paths(storage);
        return [String((await storage.read(A))?.bytes), (await storage.conflicts()).size];
      })
      .toEqual(["A\nb\nC\nd\nE\n", 0]);
    rmSync(cacheFolder, { recursive: true });
  });

  it("gets them before the next process changes the note, although the database forgot the version they were made from", async () => {
    const cacheFolder = mkdtempSync(join(tmpdir(), "killed-"));
    const killed = await rivalOf("A\nb\nc\nd\nE\n", "a\nb\nc\nd\ne\n", "a\nb\nC\nd\ne\n", cacheFolder);
    await killed.close();
    // A backup holds the latest versions alone, as a database does after compaction.
    await cluster.restore(database.name, await cluster.backup(database.name));
    const { storage } = open(cluster.nodes[0], { cacheFolder });
    await storage.update(A, (current) => bytes(`${String(current?.bytes)}last\n`));
    expect(String((await storage.read(A))?.bytes)).toBe("A\nb\nC\nd\nE\nlast\n");
    expect((await storage.conflicts()).size).toBe(0);
    rmSync(cacheFolder, { recursive: true });
  });

  it("gets them also where another server has built on the version that lost", async () => {
    const storage = await rivalOf("A\nb\nc\nd\nE\n", "a\nb\nc\nd\ne\n", "a\nb\nC\nd\ne\n");
    const [[, [ours = "" as never] = []] = []] = await storage.conflicts();
    const { storage: other } = open(cluster.nodes[1]);
    const built = vaultPath("c.md");
    await other.write(built, bytes("a\nb\nC\nnew\nd\ne\n"), { kind: "absent" });
    const document = (await database.ask("GET", "c.md")) as object;
    const leaf = (await database.ask("GET", `a.md?rev=${ours}&revs=true`)) as {
      _revisions: { start: number; ids: string[] };
    };
    const { start, ids } = leaf["_revisions"];
    const history = { start: start + 1, ids: ["0".repeat(32), ...ids] };
    const { children, size } = document as { children: string[]; size: number };
    await load(database, [
      { ...leaf, children, size, _revisions: history, _rev: `${start + 1}-${"0".repeat(32)}` } as never,
    ]);
    const rival = (await database.ask("GET", `a.md?rev=${start}-${"f".repeat(32)}&revs=true`)) as typeof leaf;
    const longer = Array.from({ length: 3 }, () => "e".repeat(31));
    const later = { start: start + 3, ids: [...longer.map((id, at) => id + at), ...rival["_revisions"].ids] };
    await load(database, [{ ...rival, _revisions: later, _rev: `${start + 3}-${later.ids[0] ?? ""}` } as never]);
    await cluster.settle(database.name);
    await storage.update(A, (current) => bytes(`${String(current?.bytes)}last\n`));
    expect(String((await storage.read(A))?.bytes)).toBe("A\nb\nC\nnew\nd\nE\nlast\n");
    expect((await storage.conflicts()).size).toBe(0);
  });

  it("is named with the next answer where both changed the same line, and both versions stay", async () => {
    const storage = await rivalOf("theirs\n", "a\n", "ours\n");
    await storage.update(A, (current) => bytes(`${String(current?.bytes)}more\n`));
    expect(storage.takeNewConflicts()).toEqual([A]);
    expect(storage.takeNewConflicts()).toEqual([]);
    expect(String((await storage.read(A))?.bytes)).toBe("theirs\nmore\n");
    const [[, [version = "" as never] = []] = []] = await storage.conflicts();
    expect(String((await storage.readVersion(A, version))?.bytes)).toBe("ours\n");
  });
});

it("one wrong password locks nobody out", async () => {
  cluster.account = { user: "alice", password: "right" };
  const configuration = { url: cluster.balanced, database: database.name, user: "alice" };
  const wrong = livesyncStorage({ ...configuration, password: "wrong" }, { clock: systemClock() });
  const calls = [() => wrong.read(A), () => wrong.list().next(), () => wrong.stat(A), () => wrong.conflicts()];
  for (const call of [...calls, ...calls]) await expect(call()).rejects.toMatchObject({ code: "UNAVAILABLE" });
  expect(cluster.failedLogins).toBe(1);
  const right = livesyncStorage({ ...configuration, password: "right" }, { clock: systemClock() });
  expect(await right.read(A)).toBeUndefined();
  cluster.account = undefined;
});
