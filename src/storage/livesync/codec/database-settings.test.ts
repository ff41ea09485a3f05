import { describe, expect, it } from "vitest";
import { vaultPath } from "../../path.js";
import { Codec } from "./codec.js";
import {
  databaseSettings,
  inspectDatabase,
  laterDeviceFault,
  startFault,
  type DatabaseFacts,
  DEFAULTS,
  settingsOf,
  type TweakSettings,
  Evidence,
} from "./database-settings.js";
import type { RawDocument } from "./document.js";

const SALT = Buffer.alloc(32, 3);
const PASSPHRASE = "test";
const PARAMETERS = { _id: "_local/p", pbkdf2salt: SALT.toString("base64") };
const VERSION = { _id: "obsydian_livesync_version", type: "versioninfo", version: 12 };

const milestone = (preferred: object | undefined, more: object = {}): RawDocument => ({
  _id: "_local/obsydian_livesync_milestone",
  tweak_values: preferred ? { PREFERRED: preferred, device: { encrypt: true } } : {},
  ...more,
});

/** The documents that a client with these settings would have written for some paths. */
async function documents(settings: TweakSettings, ...paths: string[]): Promise<readonly RawDocument[]> {
  const codec = new Codec(settings, { passphrase: settings.encrypt ? PASSPHRASE : undefined, salt: SALT });
  const all: RawDocument[] = [];
  for (const path of paths) {
    const { document, pieces } = await codec.encode({ path: vaultPath(path), bytes: Buffer.from(path), now: 1 });
    for (const [id, piece] of pieces) all.push(await codec.leaf(id, piece));
    all.push(document);
  }
  return all;
}

function facts(documents: readonly RawDocument[], more: Partial<DatabaseFacts> = {}): DatabaseFacts {
  const evidence = new Evidence();
  for (const document of documents) evidence.see(document);
  const none = { version: VERSION, milestone: undefined, parameters: PARAMETERS, passphrase: undefined };
  return { ...none, evidence, ...more };
}

const sealed = { ...DEFAULTS, encrypt: true };
const older: TweakSettings = { ...sealed, algorithm: "v1", dynamicIterations: true };
const hidden = { ...sealed, obfuscate: true };

describe("settings of the milestone", () => {
  it("are what clients prefer, with the defaults for what it leaves out", () => {
    expect(settingsOf(milestone({}))).toEqual(DEFAULTS);
    const preferred = {
      encrypt: true,
      E2EEAlgorithm: "",
      usePathObfuscation: true,
      useDynamicIterationCount: true,
      hashAlg: "sha1",
      enableCompression: true,
      handleFilenameCaseSensitive: true,
      customChunkSize: 2,
      minimumChunkSize: 40,
    };
    expect(settingsOf(milestone(preferred))).toEqual({
      unknown: {},
      encrypt: true,
      algorithm: "v1",
      onlyV1: false,
      obfuscate: true,
      dynamicIterations: true,
      hash: "sha1",
      compress: true,
      caseSensitive: true,
      pieceBytes: 307_200,
      minimumPiece: 40,
    });
  });

  it.each([undefined, milestone(undefined), { _id: "m" }, { _id: "m", tweak_values: { PREFERRED: [] } }])(
    "are unknown of %j",
    (document) => expect(settingsOf(document)).toBeUndefined(),
  );

  it.each([
    [{ hashAlg: "" }, { hash: "legacy" }],
    [{ hashAlg: "something newer" }, { hash: "xxhash64" }],
    [{ hashAlg: "constructor" }, { hash: "xxhash64" }],
    [{ E2EEAlgorithm: "forceV1" }, { algorithm: "v1", onlyV1: true }],
    [{ encrypt: "yes", customChunkSize: "many", minimumChunkSize: -1 }, DEFAULTS],
    [{ customChunkSize: 1e9 }, { pieceBytes: 102_400 * 101 }],
  ])("%j", (preferred, expected) => expect(settingsOf(milestone(preferred))).toMatchObject(expected));
});

describe("a database that cannot be used", () => {
  it("is not LiveSync's or too new, and a locked one can be used", () => {
    expect(startFault(facts([], { version: undefined }))?.message).toContain("not one of LiveSync");
    expect(startFault(facts([], { version: { ...VERSION, version: 13 } }))?.message).toContain("format 13");
    expect(startFault(facts([], { milestone: milestone({}, { locked: true }) }))).toBeUndefined();
    expect(startFault(facts([]))).toBeUndefined();
  });

  it.each([sealed, older, hidden, { ...older, obfuscate: true }])(
    "is opened by its passphrase only",
    async (settings) => {
      const all = await documents(settings, "Note.md");
      const known = { milestone: milestone({ encrypt: true }) };
      await expect(inspectDatabase(facts(all, known))).rejects.toThrow(/no passphrase is configured/);
      await expect(inspectDatabase(facts(all, { ...known, passphrase: "wrong" }))).rejects.toMatchObject({
        code: "UNAVAILABLE",
      });
      const { readOnly } = await inspectDatabase(
        facts(all, { ...known, passphrase: PASSPHRASE, milestone: undefined }),
      );
      expect(readOnly).toBeUndefined();
    },
  );
});

describe("settings without a milestone", () => {
  it.each([
    ["plain", DEFAULTS],
    ["case counts", { ...DEFAULTS, caseSensitive: true }],
    ["v2", sealed],
    ["v1", older],
    ["names hidden", hidden],
    ["names hidden, case counts", { ...hidden, caseSensitive: true }],
    ["names hidden, v1", { ...older, obfuscate: true }],
  ])("are told by the documents: %s", async (_, settings) => {
    const all = await documents(settings, "Folder/Note.md", "lower.md");
    const passphrase = settings.encrypt ? PASSPHRASE : undefined;
    const told = await inspectDatabase(facts(all, { passphrase }));
    const { encrypt, algorithm, obfuscate, caseSensitive } = settings;
    expect(told.settings).toMatchObject({ encrypt, algorithm, obfuscate, caseSensitive });
    expect(told.readOnly).toBeUndefined();
    const codec = new Codec(told.settings, { passphrase, salt: told.salt });
    expect(all.map(({ _id }) => _id)).toContain(codec.idOf(vaultPath("Folder/Note.md")));
  });

  it.each([
    ["whether case counts cannot be told", DEFAULTS, ["lower.md"]],
    ["whether case counts cannot be told behind hidden names", hidden, ["lower.md"]],
    ["nothing is there", DEFAULTS, []],
  ])("forbid writing where %s", async (_, settings, paths) => {
    const passphrase = settings.encrypt ? PASSPHRASE : undefined;
    const { readOnly } = await inspectDatabase(facts(await documents(settings, ...paths), { passphrase }));
    expect(readOnly).toMatchObject({ code: "PERMISSION_DENIED" });
    expect(readOnly?.message).toMatch(/^Nothing is written to the database: it holds/);
  });
});

describe("settings are never weaker than what is there", () => {
  const check = async (preferred: object, settings: TweakSettings, more: Partial<DatabaseFacts> = {}) =>
    databaseSettings(
      facts(await documents(settings, "Note.md"), { milestone: milestone(preferred), passphrase: PASSPHRASE, ...more }),
    );

  it("V2 is written where V2 is, though the milestone says V1", async () => {
    const { settings, readOnly } = await check({ encrypt: true, E2EEAlgorithm: "" }, sealed);
    expect(settings.algorithm).toBe("v2");
    expect(readOnly).toBeUndefined();
  });

  it.each([
    ["encrypted notes stand in a database said to be plain", { encrypt: false }, sealed, {}, "encrypted notes"],
    ["hidden names stand in one said to be readable", { encrypt: true }, hidden, {}, "hidden names"],
    ["a passphrase is given for a plain one", {}, DEFAULTS, {}, "a passphrase is configured"],
    ["the salt is missing", { encrypt: true }, DEFAULTS, { parameters: undefined }, "salt"],
    ["the salt is cut", { encrypt: true }, DEFAULTS, { parameters: { _id: "p", pbkdf2salt: "AAAA" } }, "salt"],
    ["V2 stands where some client reads only V1", { encrypt: true, E2EEAlgorithm: "forceV1" }, sealed, {}, "older"],
  ])("nothing is written when %s", async (_, preferred, settings, more, words) => {
    const { readOnly } = await check(preferred, settings, more);
    expect(readOnly?.code).toBe("PERMISSION_DENIED");
    expect(readOnly?.message).toContain(words);
  });

  it("an encrypted database is not written without its passphrase, even an empty one", async () => {
    const { readOnly } = await check({ encrypt: true }, DEFAULTS, { passphrase: "" });
    expect(readOnly).toMatchObject({ code: "UNAVAILABLE" });
  });

  it.each([
    ["needs later chunks", { node_chunk_info: { phone: { min: 3, max: 9 } } }, {}, true],
    ["that is not accepted needs later chunks", { node_chunk_info: { laptop: { min: 3, max: 9 } } }, {}, false],
    ["reads ours", { node_chunk_info: { phone: { min: 0, max: 2400, current: 2 } } }, {}, false],
    ["syncs by a later protocol", {}, { protocolVersion: 3 }, true],
    ["syncs by this protocol", {}, { protocolVersion: 2 }, false],
  ])("a device that %s keeps this program from writing: %j %j %s", (_device, more, parameters, isRefused) => {
    const marks = {
      milestone: milestone({}, { accepted_nodes: ["phone"], ...more }),
      parameters: { ...PARAMETERS, ...parameters },
    };
    expect(laterDeviceFault(marks) !== undefined).toBe(isRefused);
  });

  it("V1 needs no salt, and what is being encrypted for the first time is written encrypted", async () => {
    expect(
      (await check({ encrypt: true, E2EEAlgorithm: "" }, older, { parameters: undefined })).readOnly,
    ).toBeUndefined();
    expect((await check({ encrypt: true }, DEFAULTS)).settings.encrypt).toBe(true);
  });
});

it("an id of SHA-1 that begins like an encrypted one is no sign of encryption", () => {
  const evidence = new Evidence();
  evidence.see({ _id: "a.md", path: "A.md", type: "plain", children: ["h:+ab/cdefghijklmnopqrstuvwxy="] });
  expect(evidence.encrypted).toBe(false);
  evidence.see({ _id: "b.md", path: "B.md", type: "plain", children: ["h:+1ztcqdkimja8x"] });
  expect(evidence.encrypted).toBe(true);
});
