/** Every encrypted form a database may hold, told by its prefix: all are opened, V2 and V1 are written (spec: livesync, section 5). */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from "node:crypto";
import { DerivedKeys, LegacyRounds } from "./keyring.js";

const V2 = "%=";
const V2_OWN_SALT = "%$";
const V3 = "%~";
const HKDF_SALT = 32;
const PBKDF2_SALT = 32;
const V2_IV = 12;
const TAG = 16;
/** V1: the IV and the salt as 32 hexadecimal digits each. */
const V1_HEAD = /^%([0-9a-f]{32})([0-9a-f]{32})/i;
const V3_HEAD = /^%~([0-9a-f]{24})/i;
const OLDEST = /^\["([A-Za-z0-9+/=]*)","([0-9a-f]+)","([0-9a-f]+)"\]$/i;
/** As clients do, a salt serves for so many texts: whoever reads them derives one key. */
const TEXTS_A_SALT = 100;

/** A text that cannot be opened, or sealed. Its message says why, and may be shown. */
export class Sealed extends Error {
  override readonly name = "Sealed";
}

const WHY = {
  passphrase: "the passphrase is wrong, or it is damaged",
  form: "it is in no form of encryption that is known",
  cut: "it is damaged",
  salt: "the database has lost the salt that its encryption needs",
} as const;

export interface CipherSecrets {
  readonly passphrase: string;
  /** `pbkdf2salt` of the sync parameters: 32 bytes. Without it V2 can be neither read nor written. */
  readonly salt: Buffer | undefined;
  /** V1: as the setting says; undefined when nobody has said. */
  readonly dynamicIterations: boolean | undefined;
  /** Those that are derived already; default: none. */
  readonly keys?: DerivedKeys | undefined;
}

export class Cipher {
  readonly #keys: DerivedKeys;
  readonly #rounds: LegacyRounds;
  readonly #salt: Buffer | undefined;
  #own: { readonly salt: Buffer; left: number } | undefined;

  constructor({ passphrase, salt, dynamicIterations, keys = new DerivedKeys(passphrase) }: CipherSecrets) {
    this.#keys = keys;
    this.#rounds = new LegacyRounds(passphrase, dynamicIterations);
    this.#salt = salt;
  }

  /** Opens a sealed text. @throws Sealed */
  async open(text: string): Promise<string> {
    if (text.startsWith(V2)) return this.#openV2(Buffer.from(text.slice(V2.length), "base64"), this.#salt);
    if (text.startsWith(V2_OWN_SALT)) {
      const bytes = Buffer.from(text.slice(V2_OWN_SALT.length), "base64");
      return this.#openV2(bytes.subarray(PBKDF2_SALT), bytes.subarray(0, PBKDF2_SALT));
    }
    if (text.startsWith(V3)) return this.#openV3(text);
    if (text.startsWith("[")) return this.#openOldest(text);
    return this.#openV1(text);
  }

  /** Seals a text by V2. @throws Sealed when the database has no salt */
  async sealV2(text: string): Promise<string> {
    const [iv, hkdfSalt] = [randomBytes(V2_IV), randomBytes(HKDF_SALT)];
    const key = this.#derive(await this.#master(this.#salt), hkdfSalt);
    const cipher = createCipheriv("aes-256-gcm", key, iv);
    const parts = [iv, hkdfSalt, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
    return V2 + Buffer.concat(parts).toString("base64");
  }

  /** Seals a text by V1. */
  async sealV1(text: string): Promise<string> {
    if (this.#own === undefined || this.#own.left === 0) this.#own = { salt: randomBytes(16), left: TEXTS_A_SALT };
    this.#own.left--;
    return this.#sealedV1(text, randomBytes(16), this.#own.salt);
  }

  /** Seals a path by V1: the same path always gives the same text. */
  sealPathV1(path: string): Promise<string> {
    const digest = createHash("sha256").update(path).update(this.#keys.passphrase).digest();
    return this.#sealedV1(path, digest.subarray(16, 32), digest.subarray(0, 16));
  }

  async #sealedV1(text: string, iv: Buffer, salt: Buffer): Promise<string> {
    const key = await this.#keys.legacy(salt, this.#rounds.toWrite());
    const cipher = createCipheriv("aes-256-gcm", key, iv);
    const bytes = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return `%${iv.toString("hex")}${salt.toString("hex")}${bytes.toString("base64")}`;
  }

  async #openV2(bytes: Buffer, salt: Buffer | undefined): Promise<string> {
    const [iv, rest] = [bytes.subarray(0, V2_IV), bytes.subarray(V2_IV)];
    const key = this.#derive(await this.#master(salt), rest.subarray(0, HKDF_SALT));
    return opened(key, iv, rest.subarray(HKDF_SALT));
  }

  #master(salt: Buffer | undefined): Buffer | Promise<Buffer> {
    if (salt?.length !== PBKDF2_SALT) throw new Sealed(WHY.salt);
    return this.#keys.master(salt);
  }

  /** HKDF-SHA256 of one block with empty info; by hand it takes half the time of `hkdfSync`. */
  #derive(master: Buffer, salt: Buffer): Buffer {
    const extracted = createHmac("sha256", salt).update(master).digest();
    return createHmac("sha256", extracted).update("\u0001").digest();
  }

  async #openV1(text: string): Promise<string> {
    const head = V1_HEAD.exec(text);
    if (!head) throw new Sealed(WHY.form);
    const [whole, iv = "", salt = ""] = head;
    return this.#openByRounds(Buffer.from(text.slice(whole.length), "base64"), iv, salt);
  }

  async #openOldest(text: string): Promise<string> {
    const parts = OLDEST.exec(text);
    if (!parts) throw new Sealed(WHY.form);
    const [, data = "", iv = "", salt = ""] = parts;
    const plain: unknown = JSON.parse(await this.#openByRounds(Buffer.from(data, "base64"), iv, salt));
    if (typeof plain !== "string") throw new Sealed(WHY.cut);
    return plain;
  }

  /** Opens by the rounds that are likelier, then by the other. */
  async #openByRounds(bytes: Buffer, iv: string, salt: string): Promise<string> {
    for (const rounds of this.#rounds.toTry()) {
      const key = await this.#keys.legacy(Buffer.from(salt, "hex"), rounds);
      try {
        const text = opened(key, Buffer.from(iv, "hex"), bytes);
        this.#rounds.opened(rounds);
        return text;
      } catch (error) {
        if (!(error instanceof Sealed)) throw error;
      }
    }
    throw new Sealed(WHY.passphrase);
  }

  async #openV3(text: string): Promise<string> {
    const head = V3_HEAD.exec(text);
    if (!head) throw new Sealed(WHY.form);
    const [whole, iv = ""] = head;
    return opened(await this.#keys.v3(), Buffer.from(iv, "hex"), Buffer.from(text.slice(whole.length), "base64"));
  }
}

/** Opens AES-256-GCM without additional data; the tag stands at the end. @throws Sealed */
function opened(key: Buffer, iv: Buffer, bytes: Buffer): string {
  if (iv.length === 0 || bytes.length < TAG) throw new Sealed(WHY.cut);
  const decipher = createDecipheriv("aes-256-gcm", key, iv);
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG));
  const text = decipher.update(bytes.subarray(0, bytes.length - TAG));
  try {
    decipher.final();
  } catch (error) {
    throw new Sealed(WHY.passphrase, { cause: error });
  }
  return text.toString("utf8");
}

/** Which algorithm sealed a text, for what must be told from the documents alone. */
export function algorithmOf(text: string): "v1" | "v2" {
  return text.startsWith(V2) ? "v2" : "v1";
}
