import * as fc from "fast-check";
import { leavesOf } from "./join-chunks.js";
import { beforeAll, describe, expect, it } from "vitest";
import { vaultPath } from "../../path.js";
import { Codec } from "./codec.js";
import { Cipher } from "./cipher.js";
import type { RawDocument } from "./document.js";
import { noteId, type NoteMetadata, obfuscationKey } from "./note.js";
import { DEFAULTS, type TweakSettings } from "./database-settings.js";
import { FUZZ_FACTOR } from "../../../../test/kit/fuzz.js";

const PASSPHRASE = "correct horse";
const SALT = Buffer.alloc(32, 9);
const NOTE = vaultPath("Folder/Note.md");
const RUNS = 60 * FUZZ_FACTOR;

/** Rounds are few where they are dynamic and the passphrase is long; the rest are derived once a suite. */
const plain: TweakSettings = DEFAULTS;
const v2: TweakSettings = { ...DEFAULTS, encrypt: true };
const v1: TweakSettings = { ...v2, algorithm: "v1", dynamicIterations: true };

const COMBINATIONS: Readonly<Record<string, TweakSettings>> = {
  plain,
  compressed: { ...plain, compress: true },
  "case counts": { ...plain, caseSensitive: true },
  "SHA-1": { ...plain, hash: "sha1" },
  "the legacy hash": { ...plain, hash: "legacy" },
  v2,
  "v2, compressed": { ...v2, compress: true },
  "v2, names hidden": { ...v2, obfuscate: true, caseSensitive: true },
  "v1, dynamic rounds": v1,
  "v1, static rounds, compressed": { ...v1, dynamicIterations: false, compress: true },
  "v1, names hidden, dynamic rounds": { ...v1, obfuscate: true },
  "v1, names hidden, SHA-1": { ...v1, obfuscate: true, hash: "sha1" },
  "names hidden, not encrypted": { ...plain, obfuscate: true },
};

const codecOf = (settings: TweakSettings, passphrase: string | null = PASSPHRASE) =>
  new Codec(settings, { passphrase: passphrase ?? undefined, salt: SALT });

/** What a database would hold after the writing. */
async function written(codec: Codec, path: string, bytes: Uint8Array, previous?: NoteMetadata) {
  const { document, pieces } = await codec.encode({ path: vaultPath(path), bytes, now: 1_700_000_000_000, previous });
  const leaves = new Map<string, RawDocument>();
  for (const [id, piece] of pieces) leaves.set(id, await codec.leaf(id, piece));
  return { document, leaves, find: (id: string) => leaves.get(id), note: await note(codec, document) };
}

async function note(codec: Codec, document: RawDocument): Promise<NoteMetadata> {
  const one = await codec.open(document);
  if (one.kind !== "note") throw new Error(`It is ${one.kind}.`);
  return one;
}

const text = fc.string({ unit: "grapheme", maxLength: 2000 }).map((value) => Buffer.from(value));
const file = fc.oneof(
  fc.record({ path: fc.constantFrom("a.md", "_B/c.canvas", "Ü/日本.txt", "x.csv"), bytes: text }),
  fc.record({
    path: fc.constantFrom("a.png", "B/c.json", "README.MD", "no-ending"),
    bytes: fc.uint8Array({ maxLength: 3000 }).map((value) => Buffer.from(value)),
  }),
);

describe.each(Object.entries(COMBINATIONS))("a database: %s", (_, settings) => {
  const codec = codecOf(settings);

  it("gives back what was put in, whoever reads it, and nothing of it stands readable if it is encrypted", async () => {
    const reader = codecOf(settings);
    await fc.assert(
      fc.asyncProperty(file, async ({ path, bytes }) => {
        const { document, leaves, find } = await written(codec, path, bytes);
        const again = await note(reader, structuredClone(document));
        expect((await reader.decode(again, find)).equals(bytes)).toBe(true);
        expect({ path: again.path, size: again.size, id: again.id }).toEqual({
          path,
          size: bytes.length,
          id: codec.idOf(vaultPath(path)),
        });
        for (const leaf of leaves.values()) expect(leaf["e_"] === true).toBe(settings.encrypt);
        if (settings.encrypt && settings.obfuscate) expect(JSON.stringify(document)).not.toContain(path);
      }),
      { numRuns: settings.dynamicIterations === false && settings.algorithm === "v1" ? 10 : RUNS },
    );
  });

  it("a copied note writes no new chunk, an edited one goes on where it stands", async () => {
    const bytes = Buffer.from("# Title\n\nSome text.\n".repeat(200));
    const first = await written(codec, "One.md", bytes);
    const copy = await written(codec, "Other folder/Two.md", bytes);
    expect([...copy.leaves.keys()]).toEqual([...first.leaves.keys()]);
    const stored = await note(codec, { ...first.document, _rev: "1-abc" });
    const edited = await written(codec, "One.md", Buffer.from("new"), stored);
    expect(edited.document["_id"]).toBe(first.document["_id"]);
    expect(edited.document["_rev"]).toBe("1-abc");
    expect(edited.note.modified).toBe((Math.floor(first.note.modified / 2000) + 1) * 2000);
    expect(edited.note.created).toBe(first.note.created);
  });

  it("a deletion keeps what the file was, and the file can be made again over it", async () => {
    const { note: stored, find } = await written(codec, "Gone.md", Buffer.from("last words"));
    const deletion = await codec.deletion({ ...stored, revision: "3-c" }, 5);
    expect(deletion["deleted"]).toBe(true);
    expect(deletion["_rev"]).toBe("3-c");
    const gone = await note(codec, deletion);
    const nextBucket = (Math.floor(stored.modified / 2000) + 1) * 2000;
    expect(gone).toMatchObject({ deleted: true, modified: nextBucket, size: 10, children: stored.children });
    expect((await codec.decode(gone, find)).toString()).toBe("last words");
    const again = await written(codec, "Gone.md", Buffer.from("back"), gone);
    expect(again.note).toMatchObject({ deleted: false, revision: "3-c", id: stored.id });
    expect("deleted" in again.document).toBe(false);
  });
});

describe("forms of documents", () => {
  const bytes = Buffer.from("text of a note\n");

  it("V1 seals even an empty eden and only the path; V2 all that tells of the file", async () => {
    const older = (await written(codecOf({ ...v1, obfuscate: true }), NOTE, bytes)).document;
    expect(Object.keys(older.eden)).toEqual(["h:++encrypted"]);
    expect(older.eden["h:++encrypted"]?.epoch).toBe(999_999);
    expect(older.path).toMatch(/^%[0-9a-f]{64}/);
    expect(older).toMatchObject({ size: bytes.length, type: "plain", mtime: 1_700_000_000_000 });
    expect(older.children).toHaveLength(1);
    const newer = (await written(codecOf({ ...v2, obfuscate: true }), NOTE, bytes)).document;
    expect(newer).toMatchObject({ size: 0, ctime: 0, mtime: 0, children: [], eden: {}, type: "plain" });
    expect(newer.path).toMatch(/^\/\\:%=/);
  });

  it("a database half migrated from V1 to V2 is read whole", async () => {
    const [older, newer] = [codecOf(v1), codecOf({ ...v2, dynamicIterations: true })];
    const long = "line of text\n".repeat(400);
    const one = await written(older, "One.md", Buffer.from(long));
    const two = await written(newer, "One.md", Buffer.from(`${long}more`));
    const leaves = new Map([...two.leaves, ...one.leaves]);
    expect([...leaves.values()].some(({ data }) => String(data).startsWith("%="))).toBe(true);
    expect([...leaves.values()].some(({ data }) => /^%[0-9a-f]{64}/.test(String(data)))).toBe(true);
    expect((await newer.decode(two.note, (id) => leaves.get(id))).toString()).toBe(`${long}more`);
    expect((await newer.decode(await note(newer, one.document), (id) => leaves.get(id))).toString()).toBe(long);
  });

  it("an id of SHA-1 that begins like an encrypted one by chance does not make its chunk encrypted", async () => {
    const codec = codecOf({ ...plain, hash: "sha1" }, null);
    let piece = "";
    for (
      let number = 0;
      !(await codec.encode({ path: NOTE, bytes: Buffer.from(piece), now: 0 })).document.children[0]?.startsWith("h:+");
      number++
    ) {
      piece = `%= number ${number}`;
    }
    const { note: stored, find } = await written(codec, NOTE, Buffer.from(piece));
    expect(stored.children[0]).toMatch(/^h:\+.*=$/);
    expect((await codec.decode(stored, find)).toString()).toBe(piece);
  });

  it("reads notes from before there were chunks", async () => {
    const codec = codecOf(plain, null);
    const old = { _id: "old.md", type: "notes", data: ["one ", "two"], ctime: 1, mtime: 2, size: 7 };
    expect((await codec.decode(await note(codec, old), () => undefined)).toString()).toBe("one two");
    const bytes = { _id: "old.png", data: Buffer.from([0, 255, 1]).toString("base64"), ctime: 1, mtime: 2, size: 3 };
    expect([...(await codec.decode(await note(codec, bytes), () => undefined))]).toEqual([0, 255, 1]);
    expect(await codec.deletion(await note(codec, { ...old, _rev: "1-a", _conflicts: [] }), 9)).toEqual({
      ...old,
      _rev: "1-a",
      deleted: true,
      mtime: 2000,
    });
  });

  it("looks into eden first, readable or sealed by either algorithm", async () => {
    const cipher = new Cipher({ passphrase: PASSPHRASE, salt: SALT, dynamicIterations: true });
    const entries = JSON.stringify({ "h:b": { data: "B", epoch: 1 }, "h:c": { data: "C", epoch: 1 } });
    const codec = codecOf({ ...v2, dynamicIterations: true });
    const base = {
      _id: "n.md",
      path: "n.md",
      type: "plain",
      ctime: 1,
      mtime: 1,
      size: 3,
      children: ["h:a", "h:b", "h:c"],
    };
    const leaf = { _id: "h:a", type: "leaf", data: "A" };
    const edens = [
      JSON.parse(entries) as object,
      { "h:++encrypted": { data: await cipher.sealV1(entries), epoch: 999_999 } },
      { "h:++encrypted-hkdf": { data: await cipher.sealV2(entries), epoch: 999_999 } },
    ];
    for (const eden of edens) {
      const one = await note(codec, { ...base, eden });
      expect((await codec.decode(one, (id) => (id === "h:a" ? leaf : undefined))).toString()).toBe("ABC");
    }
    expect(leavesOf(await note(codec, { ...base, eden: edens[0] }))).toEqual(["h:a"]);
  });

  it("text split within a character by an older client comes together again", async () => {
    const codec = codecOf(plain, null);
    const leaves = new Map([
      ["h:1", { _id: "h:1", type: "leaf", data: "a\ud83d" }],
      ["h:2", { _id: "h:2", type: "leaf", data: "\ude80b" }],
    ]);
    const one = await note(codec, { _id: "r.md", path: "r.md", type: "plain", size: 6, children: ["h:1", "h:2"] });
    expect((await codec.decode(one, (id) => leaves.get(id))).toString()).toBe("a🚀b");
  });

  it("takes text from newnote by its ending, and text of any ending from plain", async () => {
    const codec = codecOf(plain, null);
    const leaf = (id: string) => ({ _id: id, type: "leaf", data: "abcd" });
    for (const [path, type] of [
      ["x.md", "newnote"],
      ["x.json", "plain"],
    ]) {
      const one = await note(codec, { _id: path ?? "", path, type, size: 4, children: ["h:1"] });
      expect((await codec.decode(one, leaf)).toString()).toBe("abcd");
    }
  });
});

describe("what cannot be read says why", () => {
  const codec = codecOf(plain, null);
  const base = { _id: "n.md", path: "Sub/n.md", type: "plain", ctime: 1, mtime: 1, size: 1, children: ["h:1"] };
  let sealed: Awaited<ReturnType<typeof written>>;
  beforeAll(async () => {
    sealed = await written(codecOf({ ...v2, obfuscate: true }), NOTE, Buffer.from("secret"));
  });

  it.each([
    ["missing", undefined],
    ["deleted", { _id: "h:1", type: "leaf", data: "x", _deleted: true }],
    ["no chunk", { _id: "h:1", type: "plain", data: "x" }],
    ["without data", { _id: "h:1", type: "leaf" }],
  ])("a chunk that is %s", async (_, leaf) => {
    const reading = codec.decode(await note(codec, base), () => leaf);
    await expect(reading).rejects.toMatchObject({ code: "UNAVAILABLE", path: "Sub/n.md" });
    await expect(reading).rejects.toThrow("'Sub/n.md' cannot be read: its chunk 'h:1' is not in the database.");
  });

  it("an encrypted chunk without a passphrase, and with a wrong one", async () => {
    const leaf = { _id: "h:1", type: "leaf", data: "%=AAAA", e_: true };
    const one = await note(codec, base);
    await expect(codec.decode(one, () => leaf)).rejects.toThrow(/'h:1' of 'Sub\/n\.md' is encrypted/);
    await expect(codecOf(v2, "wrong").decode(one, () => leaf)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  it("sealed metadata without a passphrase, and with a wrong one", async () => {
    await expect(codec.open(sealed.document)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await expect(codecOf(v2, "wrong").open(sealed.document)).rejects.toThrow(/passphrase is wrong/);
  });

  it.each([
    ["binary in the oldest form", { ...base, path: "n.png", type: "newnote" }, "%abc"],
    ["binary that is no base64", { ...base, path: "n.png", type: "newnote" }, "AA*A"],
    ["what does not inflate", base, "\u000eLZ\u001dAAAA"],
  ])("%s", async (_, document, data) => {
    const one = await note(codec, document);
    await expect(codec.decode(one, (id) => ({ _id: id, type: "leaf", data }))).rejects.toMatchObject({
      code: "SERVER_ERROR",
    });
  });

  it.each([
    { ...base, children: "h:1" },
    { ...base, children: [1] },
    { ...base, children: undefined },
    { ...base, path: 7 },
  ])("a document that LiveSync does not write: %j", async (document) => {
    await expect(codec.open(document)).rejects.toMatchObject({ code: "SERVER_ERROR" });
  });

  it("a list that names one chunk a million times does not fill the memory", async () => {
    const one = await note(codec, { ...base, children: Array.from({ length: 1_000_000 }, () => "h:1") });
    const leaf = { _id: "h:1", type: "leaf", data: "x".repeat(1000) };
    await expect(codec.decode(one, () => leaf)).rejects.toMatchObject({ code: "TOO_LARGE" });
  });
});

describe("what is no file of the vault", () => {
  const codec = codecOf(plain, null);

  it.each([
    { _id: "i:.obsidian/app.json", path: "i:.obsidian/app.json", type: "newnote", children: [] },
    { _id: "ix:a", path: "ix:a", type: "plain", children: [] },
    { _id: "ps:x", path: "ps:x", type: "plain", children: [] },
    { _id: "_design/x", views: {} },
    { _id: "syncinfo", type: "syncinfo", data: "x" },
    { _id: "obsydian_livesync_version", type: "versioninfo", version: 12 },
    { _id: "h:1", type: "leaf", data: "x" },
    { _id: "pack", type: "chunkpack" },
    { _id: "somebody's", colour: "red" },
  ])("$_id", async (document) => expect((await codec.open(document)).kind).toBe("foreign"));

  it.each(["../x.md", "/etc/x", ".hidden/x.md", "a:b.md", "i:x"])("a path like %s is named to nobody", async (path) => {
    const one = await codec.open({ _id: "x", path, type: "plain", children: [] });
    expect(one).toMatchObject({ kind: "unnameable", path });
  });

  it("a tombstone tells only its id", async () => {
    expect(await codec.open({ _id: "f:1", _deleted: true })).toEqual({ kind: "tombstone", id: "f:1" });
  });
});

describe("what is not written", () => {
  const encode = (codec: Codec, path: string, size = 1) =>
    codec.encode({ path: vaultPath(path, { allowHidden: true }), bytes: Buffer.alloc(size, "a"), now: 0 });

  it.each([
    ["redflag.md", "PERMISSION_DENIED"],
    ["Redflag2.MD", "PERMISSION_DENIED"],
    ["flag_rebuild.md", "PERMISSION_DENIED"],
    ["LIVESYNC_LOG_2026.md", "PERMISSION_DENIED"],
    [".hidden.md", "PERMISSION_DENIED"],
    ["a/.hidden/b.md", "PERMISSION_DENIED"],
    ["ab: c.md", "INVALID_ARGUMENT"],
  ])("%s: %s", async (path, code) => {
    await expect(encode(codecOf(plain, null), path)).rejects.toMatchObject({ code });
  });

  it("more than 50 MB; but names that only resemble are written", async () => {
    const codec = codecOf(plain, null);
    await expect(encode(codec, "big.bin", 50 * 1024 * 1024 + 1)).rejects.toMatchObject({ code: "TOO_LARGE" });
    expect((await encode(codec, "notes/redflag.md")).document.path).toBe("notes/redflag.md");
    expect((await encode(codec, "my livesync_log_1.md")).document.path).toBe("my livesync_log_1.md");
  });

  it("anything into an encrypted database without the passphrase", async () => {
    for (const settings of [v1, v2, { ...v2, obfuscate: true }]) {
      const codec = new Codec(settings, { passphrase: undefined, salt: SALT });
      await expect(encode(codec, "x.md")).rejects.toMatchObject({ code: "UNAVAILABLE" });
      await expect(codec.leaf("h:1", "x")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    }
    expect(() => codecOf({ ...plain, obfuscate: true }, "").idOf(NOTE)).toThrow(/passphrase/);
  });

  it("anything by V2 into a database that has lost its salt", async () => {
    const codec = new Codec(v2, { passphrase: PASSPHRASE, salt: undefined });
    await expect(encode(codec, "x.md")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await expect(codec.leaf("h:1", "x")).rejects.toThrow(/salt/);
  });

  it("a file whose readable name stands in a database that hides names", async () => {
    const stored = (await written(codecOf(plain, null), NOTE, Buffer.from("x"))).note;
    const hiding = codecOf({ ...v2, obfuscate: true });
    await expect(written(hiding, NOTE, Buffer.from("y"), stored)).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  });
});

it("a moved note keeps its time of making; a path is stored as the client spells it", async () => {
  const codec = codecOf({ ...v2, obfuscate: true });
  const { document } = await codec.encode({
    path: vaultPath("Cafe\u0301.md"),
    bytes: Buffer.from("x"),
    now: 50,
    created: 7,
  });
  expect(await note(codec, document)).toMatchObject({ path: "Café.md", created: 7, modified: 50 });
  const rules = { caseSensitive: false, obfuscation: obfuscationKey(PASSPHRASE) };
  expect(document["_id"]).toBe(noteId(vaultPath("Café.md"), rules));
});
