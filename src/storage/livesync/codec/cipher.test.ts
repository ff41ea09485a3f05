import {
  decrypt as decryptOlder,
  encrypt as encryptV1,
  encryptV1 as encryptOldest,
  obfuscatePath,
} from "octagonal-wheels/encryption/encryption";
import { encryptV3 } from "octagonal-wheels/encryption/encryptionv3";
import { decrypt as decryptV2, encrypt as encryptV2, encryptWithEphemeralSalt } from "octagonal-wheels/encryption/hkdf";
import { describe, expect, it } from "vitest";
import { Cipher, DecryptError } from "./cipher.js";
import { expectNotSlower } from "../../../../test/kit/processor-time.js";

const TEXT = 'A note with "quotes", Größe, 資料 and 🚀\n';
const SALT = Buffer.alloc(32, 7);
const LONG = "a passphrase longer than fifteen letters ✓";
const SHORT = "test";

const cipher = (passphrase: string, dynamicIterations?: boolean, salt: Buffer | undefined = SALT) =>
  new Cipher({ passphrase, salt, dynamicIterations });

describe.each([LONG, SHORT, "馬"])("what the client's own library sealed by %j", (passphrase) => {
  const bytes = new Uint8Array(SALT);

  it("opens in every form", async () => {
    const all = {
      v2: await encryptV2(TEXT, passphrase, bytes),
      "v2 with its own salt": await encryptWithEphemeralSalt(TEXT, passphrase),
      v1: await encryptV1(TEXT, passphrase, false),
      "v1, dynamic rounds": await encryptV1(TEXT, passphrase, true),
      v3: await encryptV3(TEXT, passphrase),
      oldest: await encryptOldest(TEXT, passphrase, false),
      "oldest, dynamic rounds": await encryptOldest(TEXT, passphrase, true),
      "a path": await obfuscatePath(TEXT, passphrase, false),
    };
    for (const dynamic of [true, false, undefined]) {
      const one = cipher(passphrase, dynamic);
      // V2 knows nothing of the setting, and its keys take longest.
      const forms = Object.entries(all).filter(([form]) => dynamic === undefined || !form.startsWith("v2"));
      for (const [form, sealed] of forms) expect([form, await one.open(sealed)]).toEqual([form, TEXT]);
    }
  });

  it("and it opens what we seal", async () => {
    const bytes = new Uint8Array(SALT);
    for (const dynamic of [true, false]) {
      const one = cipher(passphrase, dynamic);
      expect(await decryptV2(await one.sealV2(TEXT), passphrase, bytes)).toBe(TEXT);
      expect(await decryptOlder(await one.sealV1(TEXT), passphrase, dynamic)).toBe(TEXT);
      expect(await one.sealPathV1("a/b ✓.md")).toBe(await obfuscatePath("a/b ✓.md", passphrase, dynamic));
    }
  });
});

describe("sealing", () => {
  it("never gives the same text twice", async () => {
    const one = cipher(SHORT, true);
    const sealed = await Promise.all([1, 2, 3].flatMap(() => [one.sealV1(TEXT), one.sealV2(TEXT)]));
    expect(new Set(sealed).size).toBe(6);
  });

  it("by V1 uses a salt for a hundred texts", async () => {
    const one = cipher(LONG, true);
    const salts = new Set<string>();
    for (let index = 0; index < 250; index++) salts.add((await one.sealV1("x")).slice(33, 65));
    expect(salts.size).toBe(3);
  });

  it("by V1 follows the setting, whatever was opened before; without one, what was opened", async () => {
    const dynamic = await encryptV1(TEXT, SHORT, true);
    const [told, untold] = [cipher(SHORT, false), cipher(SHORT)];
    for (const one of [told, untold]) expect(await one.open(dynamic)).toBe(TEXT);
    expect(await decryptOlder(await told.sealV1(TEXT), SHORT, false)).toBe(TEXT);
    expect(await decryptOlder(await untold.sealV1(TEXT), SHORT, true)).toBe(TEXT);
  });

  it("takes any length", async () => {
    const long = "x🚀".repeat(100_000);
    const one = cipher(LONG, true);
    expect(await one.open(await one.sealV2(long))).toBe(long);
    expect(await one.open(await one.sealV1(long))).toBe(long);
    expect(await one.open(await one.sealV2(""))).toBe("");
  });
});

describe("what does not open", () => {
  it.each(["%=", "%$", "%~", "%", "[", "plain text", "%=AAAA", `%${"0".repeat(64)}`, '["","00","00"]', "%~00"])(
    "%j",
    async (text) => expect(cipher(LONG, true).open(text)).rejects.toThrow(DecryptError),
  );

  it("is sealed by another passphrase, cut short or changed", async () => {
    const one = cipher(LONG, true);
    for (const sealed of [await one.sealV2(TEXT), await one.sealV1(TEXT)]) {
      await expect(cipher(SHORT, true).open(sealed)).rejects.toThrow(DecryptError);
      await expect(one.open(sealed.slice(0, -8))).rejects.toThrow(DecryptError);
      // Another digit of base64 and of hexadecimals alike.
      const turned = sealed.charAt(80) === "0" ? "1" : "0";
      await expect(one.open(`${sealed.slice(0, 80)}${turned}${sealed.slice(81)}`)).rejects.toThrow(DecryptError);
    }
  });

  it("is V2 in a database without its salt", async () => {
    const sealed = await cipher(LONG).sealV2(TEXT);
    const saltless = new Cipher({ passphrase: LONG, salt: undefined, dynamicIterations: false });
    await expect(saltless.open(sealed)).rejects.toThrow(/salt/);
    await expect(saltless.sealV2(TEXT)).rejects.toThrow(DecryptError);
  });
});

it("derives a key once, and others get their turn meanwhile", async () => {
  const one = cipher("derived only here");
  let turns = 0;
  const ticking = setInterval(() => turns++, 2);
  const sealed = await Promise.all(Array.from({ length: 20 }, () => one.sealV2(TEXT)));
  clearInterval(ticking);
  expect(turns).toBeGreaterThan(3);
  const open = async () => {
    for (const text of sealed) expect(await one.open(text)).toBe(TEXT);
  };
  let others = 0;
  const derive = () => cipher(`derived only here, ${others++}`).sealV2(TEXT);
  await expectNotSlower(0.5, [open, derive], { quickMs: 0 });
});
