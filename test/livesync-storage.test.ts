/** Databases loaded from the dumps of real clients, read and written through the storage: the files, their conflicts, what is not of the vault. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../src/clock.js";
import { livesyncStorage, type LivesyncStorage } from "../src/storage/livesync/storage.js";
import { vaultPath, type VaultPath } from "../src/storage/path.js";
import { isUnreadable } from "../src/storage/storage.js";
import { dumpedDatabase } from "./kit/couch-server.js";
import { VARIANTS } from "./kit/livesync-corpus.js";
import { all, fails } from "./kit/storage-contract.js";

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

describe.each(VARIANTS)("the database %s", (variant) => {
  let database: Awaited<ReturnType<typeof dumpedDatabase>>;
  const open = (passphrase = database.expected.passphrase ?? undefined): LivesyncStorage => {
    const { url, name, user, password } = database;
    return livesyncStorage({ url, database: name, user, password, passphrase }, { clock: systemClock() });
  };
  beforeAll(async () => {
    database = await dumpedDatabase(variant);
  });
  afterAll(async () => database.remove());

  it("answers the expected files, one by one and all at once", async () => {
    const storage = open();
    const { files, conflicted } = database.expected;
    const stats = await all(storage.list());
    expect(stats.map(({ path }) => path).toSorted()).toEqual(
      [...Object.keys(files), ...Object.keys(conflicted)].toSorted(),
    );
    const paths = Object.keys(files) as VaultPath[];
    for (const file of await all(storage.readMany(paths))) {
      if (isUnreadable(file)) throw file.error;
      const { path } = file.stat;
      expect({ path, size: file.bytes.length, sha256: sha256(file.bytes) }).toEqual({ path, ...files[path] });
      const alone = await storage.read(path);
      expect(Buffer.compare(alone?.bytes ?? Buffer.alloc(0), file.bytes)).toBe(0);
      expect(alone?.stat).toEqual(file.stat);
      expect(stats.find((stat) => stat.path === path)).toEqual(file.stat);
    }
  });

  it("knows nothing of what was deleted, nor of what is not of the vault", async () => {
    const storage = open();
    for (const path of [...database.expected.deleted, ...database.expected.tombstoned]) {
      expect(await storage.read(vaultPath(path))).toBeUndefined();
    }
    for (const id of Object.keys(database.expected.hidden)) {
      expect(await storage.read(vaultPath(id.replace(/^\w+:/, ""), { allowHidden: true }))).toBeUndefined();
    }
  });

  it("shows every version of a note in conflict, and leaves all when the winner is edited", async () => {
    const storage = open();
    const { conflicted } = database.expected;
    const conflicts = await storage.conflicts();
    expect([...conflicts.keys()].toSorted()).toEqual(Object.keys(conflicted).toSorted());
    for (const [at, { winner, revisions }] of Object.entries(conflicted)) {
      const path = vaultPath(at);
      const others = conflicts.get(path) ?? [];
      expect([...others, winner].toSorted()).toEqual(Object.keys(revisions).toSorted());
      for (const other of others) {
        const version = await storage.readVersion(path, other);
        expect(Buffer.from(version?.bytes ?? []).toString()).toBe(revisions[other]);
      }
      await storage.update(path, (current) => Buffer.concat([current?.bytes ?? Buffer.alloc(0), Buffer.from("more")]));
      expect(Buffer.from((await storage.read(path))?.bytes ?? []).toString()).toBe(`${revisions[winner]}more`);
      expect((await storage.conflicts()).get(path)).toEqual(others);
    }
  });

  it("has a file under its own spelling only", async () => {
    const storage = open();
    const absent = { kind: "absent" } as const;
    const other = vaultPath("Nai\u0308ve\u00a0note.md");
    await fails(storage.write(other, Buffer.from("x"), absent), "INVALID_ARGUMENT");
    await storage.write(vaultPath("Na\u00efve note.md"), Buffer.from("x"), absent);
    expect([await storage.read(other), await storage.stat(other), ...(await all(storage.readMany([other])))]).toEqual([
      undefined,
      undefined,
    ]);
    await fails(storage.move(other, vaultPath("here.md"), { kind: "any" }), "FILE_NOT_FOUND");
    await fails(storage.remove(other, { kind: "any" }), "FILE_NOT_FOUND");
    await fails(storage.write(other, Buffer.from("y"), absent), "ALREADY_EXISTS");
    await storage.remove(vaultPath("Na\u00efve note.md"), { kind: "any" });
  });

  it("gives a deleted note's place to a new one", async () => {
    const storage = open();
    for (const at of [...database.expected.deleted, ...database.expected.tombstoned]) {
      const written = await storage.write(vaultPath(at), Buffer.from("new"), { kind: "absent" });
      expect(Buffer.from((await storage.read(written.stat.path))?.bytes ?? []).toString()).toBe("new");
    }
  });

  it("writes no new chunk for a copy, and edits with five requests at most, six on a cluster", async () => {
    const storage = open();
    const path = vaultPath("Big/Big note.md");
    const leaves = async () => {
      const { rows } = (await database.ask("GET", "_all_docs?startkey=%22h:%22&endkey=%22h%3B%22")) as {
        rows: unknown[];
      };
      return rows.length;
    };
    const { cluster } = (await database.ask("GET", "")) as { cluster?: { n: number } };
    // Where several nodes hold a document, one request more asks which version counts.
    const most = (cluster?.n ?? 1) > 1 ? 6 : 5;
    const file = await storage.read(path);
    const before = await leaves();
    await storage.write(vaultPath("Big/Copy.md"), file?.bytes ?? Buffer.alloc(0), { kind: "absent" });
    // The 0.24 era cut by another rule, into thousands of chunks.
    if (!variant.startsWith("legacy")) expect(await leaves()).toBe(before);
    for (const at of variant.startsWith("legacy") ? [vaultPath("Welcome.md")] : [vaultPath("Welcome.md"), path]) {
      const fresh = open();
      await all(fresh.list());
      const sent = fresh.requests;
      await fresh.update(at, (current) => Buffer.concat([current?.bytes ?? Buffer.alloc(0), Buffer.from("\nend\n")]));
      expect(fresh.requests - sent).toBeLessThanOrEqual(most);
    }
  });

  it("needs its passphrase, and takes no other", async () => {
    if (database.expected.passphrase === null) return;
    for (const storage of [open("wrong"), open("")]) {
      await fails(storage.read(vaultPath("Welcome.md")), "UNAVAILABLE");
      await fails(storage.write(vaultPath("New.md"), Buffer.from("x"), { kind: "absent" }), "UNAVAILABLE");
    }
  });
});
