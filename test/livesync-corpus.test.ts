/** Every dump of a real LiveSync database decodes to its files byte for byte, and what we write into it shares the chunks that are there. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Codec } from "../src/storage/livesync/codec/codec.js";
import {
  databaseSettings,
  passphraseFault,
  startFault,
  type DatabaseFacts,
  Evidence,
} from "../src/storage/livesync/codec/database-settings.js";
import { leavesOf } from "../src/storage/livesync/codec/join-chunks.js";
import { isLeaf, type RawDocument } from "../src/storage/livesync/codec/document.js";
import type { NoteMetadata } from "../src/storage/livesync/codec/note.js";
import { readSetupUri } from "../src/storage/livesync/codec/setup-uri.js";
import { vaultPath } from "../src/storage/path.js";
import { expectedFile, readDump, readSetupSample, VARIANTS, type Variant } from "./kit/livesync-corpus.js";

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

async function opened(variant: Variant) {
  const { dump, expected } = readDump(variant);
  const leaves = new Map<string, RawDocument>();
  const evidence = new Evidence();
  for (const document of dump.winners) {
    evidence.see(document);
    if (isLeaf(document)) leaves.set(document["_id"], document);
  }
  const facts: DatabaseFacts = {
    version: dump.winners.find(({ _id }) => _id === "obsydian_livesync_version"),
    milestone: dump.local.find(({ _id }) => _id === "_local/obsydian_livesync_milestone"),
    parameters: dump.local.find(({ _id }) => _id === "_local/obsidian_livesync_sync_parameters"),
    evidence,
    passphrase: expected.passphrase ?? undefined,
  };
  const { settings, salt, readOnly } = databaseSettings(facts);
  const codec = new Codec(settings, { passphrase: facts.passphrase, salt });
  const all = await Promise.all(dump.winners.map((document) => codec.open(document)));
  const notes = all.filter((one): one is NoteMetadata => one.kind === "note");
  const find = (id: string) => leaves.get(id);
  return { dump, expected, facts, settings, readOnly, codec, all, notes, find, leaves };
}

describe.each(VARIANTS)("the database %s", (variant) => {
  const database = opened(variant);

  it("is usable, and its passphrase opens it", async () => {
    const { facts, readOnly } = await database;
    expect(startFault(facts)).toBeUndefined();
    expect(await passphraseFault(facts)).toBeUndefined();
    expect(readOnly).toBeUndefined();
  });

  it("refuses a wrong passphrase, and none, when it is encrypted", async () => {
    const { facts, settings } = await database;
    const wrong = await passphraseFault({ ...facts, passphrase: "wrong" });
    const none = await passphraseFault({ ...facts, passphrase: undefined });
    expect(wrong?.code).toBe(settings.encrypt ? "UNAVAILABLE" : undefined);
    expect(none?.code).toBe(settings.encrypt ? "UNAVAILABLE" : undefined);
  });

  it("lists exactly the files that are there", async () => {
    const { notes, expected } = await database;
    const there = notes.filter(({ deleted }) => !deleted).map(({ path }) => path);
    const listed = [...Object.keys(expected.files), ...Object.keys(expected.conflicted)];
    expect(there.toSorted()).toEqual(listed.toSorted());
    const deleted = notes.filter((note) => note.deleted && note.document["_deleted"] !== true).map(({ path }) => path);
    expect(deleted).toEqual(expected.deleted);
  });

  it("decodes every file byte for byte, of the size it says", async () => {
    const { notes, expected, codec, find } = await database;
    for (const note of notes.filter(({ path }) => Object.hasOwn(expected.files, path))) {
      const strange: string[] = [];
      const bytes = await codec.decode(note, find, (chunk) => strange.push(chunk));
      const file = expected.files[note.path];
      expect(strange).toEqual([]);
      expect({ path: note.path, size: bytes.length, sha256: sha256(bytes) }).toEqual({ path: note.path, ...file });
      expect(note.size).toBe(file?.size);
    }
  });

  it("names each document, and each chunk's note, that a later client has written in another form", async () => {
    const { notes, codec, expected, find } = await database;
    const unknown = { code: "UNAVAILABLE", message: expect.stringContaining("does not know") };
    for (const { document, path, id } of notes.filter(({ path }) => Object.hasOwn(expected.files, path))) {
      const later = codec.open({ ...document, type: "packed" });
      await expect(later).rejects.toMatchObject({
        ...unknown,
        path: id.startsWith("f:") ? undefined : document["path"],
      });
      const note = notes.find((one) => one.path === path);
      const [chunk] = note === undefined ? [] : leavesOf(note).filter((one) => find(one) !== undefined);
      if (note === undefined || chunk === undefined) continue;
      const spoilt = (fields: object) => (child: string) => {
        const leaf = find(child);
        return leaf && (child === chunk ? { ...leaf, ...fields } : leaf);
      };
      await expect(codec.decode(note, spoilt({ type: "chunkpack" }))).rejects.toMatchObject({ ...unknown, path });
      if (codec.settings.encrypt)
        await expect(codec.decode(note, spoilt({ e_: true, data: "%&abc" }))).rejects.toMatchObject({
          ...unknown,
          path,
        });
    }
  });

  it("gives every path the id the client gave it", async () => {
    const { codec, expected, notes } = await database;
    for (const [path, id] of Object.entries(expected.ids)) expect(codec.idOf(vaultPath(path))).toBe(id);
    for (const note of notes) expect(note.id).toBe(expected.ids[note.path]);
  });

  it("shows what is not of the vault to nobody", async () => {
    const { dump, all, expected } = await database;
    const kinds = dump.winners.map(({ _id }, index) => [_id, all[index]?.kind] as const);
    const hidden = kinds.filter(([id]) => id.startsWith("i:") || id === "obsydian_livesync_version");
    expect(hidden.length).toBe(Object.keys(expected.hidden).length + 1);
    expect(new Set(hidden.map(([, kind]) => kind))).toEqual(new Set(["foreign"]));
    expect(all.some((one) => one.kind === "unnameable")).toBe(false);
  });

  it("knows the deleted by what is left of them", async () => {
    const { expected, dump, codec } = await database;
    for (const path of expected.tombstoned) {
      const document = dump.docs.find(({ _id }) => _id === expected.ids[path]);
      expect(document?.["_deleted"]).toBe(true);
      const one = document && (await codec.open(document));
      expect(one?.kind === "tombstone" || (one?.kind === "note" && one.deleted && one.path === path)).toBe(true);
    }
  });

  it("reads each version of a note in conflict", async () => {
    const { expected, dump, codec, find, notes } = await database;
    for (const [path, { winner, revisions }] of Object.entries(expected.conflicted)) {
      expect(notes.find((note) => note.path === path)?.revision).toBe(winner);
      for (const [revision, text] of Object.entries(revisions)) {
        const document = dump.docs.find(({ _id, _rev }) => _id === expected.ids[path] && _rev === revision);
        const note = document && (await codec.open(document));
        expect(note?.kind).toBe("note");
        if (note?.kind === "note") expect((await codec.decode(note, find)).toString()).toBe(text);
      }
    }
  });

  it("decodes again what it encodes", async () => {
    const { notes, codec, find } = await database;
    for (const note of notes.filter(({ deleted }) => !deleted)) {
      const bytes = await codec.decode(note, find);
      const { document, pieces } = await codec.encode({ path: note.path, bytes, now: 1 });
      const written = new Map<string, RawDocument>();
      for (const [id, piece] of pieces) written.set(id, await codec.leaf(id, piece));
      const again = await codec.open(document);
      if (again.kind !== "note") throw new Error(`${note.path} is ${again.kind}`);
      expect((await codec.decode(again, (id) => written.get(id))).equals(bytes)).toBe(true);
    }
  });
});

/** The corpus made these two by its own writer, to show Eden and a conflict; their cut is not the client's. */
const MADE_BY_HAND = new Set(["Eden note.md", "Conflicted.md"]);

it.each(VARIANTS.slice(0, 4))("writes the chunks and fields that the client wrote into %s", async (variant) => {
  const { notes, codec, find } = await opened(variant);
  for (const note of notes.filter(({ deleted, path }) => !deleted && !MADE_BY_HAND.has(path))) {
    const bytes = await codec.decode(note, find);
    const { document, pieces } = await codec.encode({ path: note.path, bytes, now: 0, previous: note });
    const again = await codec.open(document);
    if (again.kind !== "note") throw new Error(`${note.path} is ${again.kind}`);
    expect([...again.children]).toEqual([...note.children]);
    expect([...pieces.keys()].every((id) => note.children.includes(id))).toBe(true);
    const { id, path, size, created } = again;
    expect({ id, path, size, created }).toEqual({
      id: note.id,
      path: note.path,
      size: note.size,
      created: note.created,
    });
    expect(again.modified).toBe((Math.floor(note.modified / 2000) + 1) * 2000);
    expect(Object.keys(document).toSorted()).toEqual(
      Object.keys(note.document)
        .filter((name) => name !== "_revisions" && name !== "deleted")
        .toSorted(),
    );
    expect(document.type).toBe(note.document["type"]);
  }
});

describe("a Setup URI", () => {
  it("is the whole configuration", async () => {
    const { uri, setupPassphrase, expected } = readSetupSample();
    expect(await readSetupUri(uri, setupPassphrase)).toEqual({
      url: expected.couchDB_URI,
      database: expected.couchDB_DBNAME,
      user: expected.couchDB_USER,
      password: expected.couchDB_PASSWORD,
      passphrase: expected.passphrase,
      usePathObfuscation: expected.usePathObfuscation,
    });
  });
});

it("the files beside the dumps are those the dumps were made of", () => {
  const { expected } = readDump("plain");
  for (const path of ["Welcome.md", "Big/Big note.md", "日本語/絵文字 🚀 ノート.md"]) {
    expect(sha256(expectedFile(path))).toBe(expected.files[path]?.sha256);
  }
});
