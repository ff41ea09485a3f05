/** Reads every encrypted form, writes V2 and V1 (docs: livesync, "Encryption"). */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, pbkdf2 } from "node:crypto";
import { promisify } from "node:util";
import { putNewest } from "../../../async/put-newest.js";
import { VaultError, type VaultErrorDetails } from "../../../errors.js";

const V2 = "%=";
const V2_OWN_SALT = "%$";
const V3 = "%~";
const HKDF_SALT = 32;
const PBKDF2_SALT = 32;
const V2_IV = 12;
const TAG = 16;
/** IV and salt, 32 hexadecimal digits each. */
const V1_HEAD = /^%([0-9a-f]{32})([0-9a-f]{32})/i;
const V3_HEAD = /^%~([0-9a-f]{24})/i;
/** After `%` a client's form has hexadecimal digits (V1) or a sign. */
const UNKNOWN = /^%[^0-9a-f=$~]/i;
const OLDEST = /^\["([A-Za-z0-9+/=]*)","([0-9a-f]+)","([0-9a-f]+)"\]$/i;
/** As clients do: readers derive one key per salt. */
const TEXTS_A_SALT = 100;

const WHY = {
  passphrase: "the passphrase is wrong, or it is damaged",
  form: "it is in no form of encryption that is known",
  cut: "it is damaged",
  salt: "the database has lost the salt that its encryption needs",
} as const;

type DecryptReason = keyof typeof WHY;

/** Its message may be shown. */
export class DecryptError extends Error {
  override readonly name = "DecryptError";
  readonly reason: DecryptReason;

  constructor(reason: DecryptReason, options?: ErrorOptions) {
    super(WHY[reason], options);
    this.reason = reason;
  }
}

interface CipherSecrets {
  readonly passphrase: string;
  /** 32 bytes, for V2. */
  readonly salt: Buffer | undefined;
  /** V1: rounds follow the passphrase's length; undefined: unknown. */
  readonly dynamicIterations: boolean | undefined;
}

export class Cipher {
  readonly #keys: DerivedKeys;
  readonly #rounds: LegacyRounds;
  readonly #salt: Buffer | undefined;
  #own: { readonly salt: Buffer; left: number } | undefined;

  constructor({ passphrase, salt, dynamicIterations }: CipherSecrets) {
    this.#keys = keysOf(passphrase);
    this.#rounds = new LegacyRounds(passphrase, dynamicIterations);
    this.#salt = salt;
  }

  async open(text: string): Promise<string> {
    if (isUnknownForm(text)) throw new DecryptError("form");
    if (text.startsWith(V2)) return this.#openV2(Buffer.from(text.slice(V2.length), "base64"), this.#salt);
    if (text.startsWith(V2_OWN_SALT)) {
      const bytes = Buffer.from(text.slice(V2_OWN_SALT.length), "base64");
      return this.#openV2(bytes.subarray(PBKDF2_SALT), bytes.subarray(0, PBKDF2_SALT));
    }
    if (text.startsWith(V3)) return this.#openV3(text);
    if (text.startsWith("[")) return this.#openOldest(text);
    return this.#openV1(text);
  }

  /** @throws DecryptError without a salt */
  async sealV2(text: string): Promise<string> {
    const [iv, hkdfSalt] = [randomBytes(V2_IV), randomBytes(HKDF_SALT)];
    const key = this.#derive(await this.#master(this.#salt), hkdfSalt);
    const cipher = createCipheriv("aes-256-gcm", key, iv);
    const parts = [iv, hkdfSalt, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
    return V2 + Buffer.concat(parts).toString("base64");
  }

  async sealV1(text: string): Promise<string> {
    if (this.#own === undefined || this.#own.left === 0) this.#own = { salt: randomBytes(16), left: TEXTS_A_SALT };
    this.#own.left--;
    return this.#sealedV1(text, randomBytes(16), this.#own.salt);
  }

  /** Deterministic. */
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
    if (salt?.length !== PBKDF2_SALT) throw new DecryptError("salt");
    return this.#keys.master(salt);
  }

  /** HKDF-SHA256 of one block, empty info. */
  #derive(master: Buffer, salt: Buffer): Buffer {
    const extracted = createHmac("sha256", salt).update(master).digest();
    return createHmac("sha256", extracted).update("\u0001").digest();
  }

  async #openV1(text: string): Promise<string> {
    const head = V1_HEAD.exec(text);
    if (!head) throw new DecryptError("cut");
    const [whole, iv = "", salt = ""] = head;
    return this.#openByRounds(Buffer.from(text.slice(whole.length), "base64"), iv, salt);
  }

  async #openOldest(text: string): Promise<string> {
    const parts = OLDEST.exec(text);
    if (!parts) throw new DecryptError("cut");
    const [, data = "", iv = "", salt = ""] = parts;
    const plain: unknown = JSON.parse(await this.#openByRounds(Buffer.from(data, "base64"), iv, salt));
    if (typeof plain !== "string") throw new DecryptError("cut");
    return plain;
  }

  /** The likelier number first. */
  async #openByRounds(bytes: Buffer, iv: string, salt: string): Promise<string> {
    for (const rounds of this.#rounds.toTry()) {
      const key = await this.#keys.legacy(Buffer.from(salt, "hex"), rounds);
      try {
        const text = opened(key, Buffer.from(iv, "hex"), bytes);
        this.#rounds.opened(rounds);
        return text;
      } catch (error) {
        if (!(error instanceof DecryptError)) throw error;
      }
    }
    throw new DecryptError("passphrase");
  }

  async #openV3(text: string): Promise<string> {
    const head = V3_HEAD.exec(text);
    if (!head) throw new DecryptError("cut");
    const [whole, iv = ""] = head;
    return opened(await this.#keys.v3(), Buffer.from(iv, "hex"), Buffer.from(text.slice(whole.length), "base64"));
  }
}

/** AES-256-GCM, tag at the end. */
function opened(key: Buffer, iv: Buffer, bytes: Buffer): string {
  if (iv.length === 0 || bytes.length < TAG) throw new DecryptError("cut");
  const decipher = createDecipheriv("aes-256-gcm", key, iv);
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG));
  const text = decipher.update(bytes.subarray(0, bytes.length - TAG));
  try {
    decipher.final();
  } catch (error) {
    throw new DecryptError("passphrase", { cause: error });
  }
  return text.toString("utf8");
}

export function isUnknownForm(text: string): boolean {
  return UNKNOWN.test(text);
}

export function algorithmOf(text: string): "v1" | "v2" {
  return text.startsWith(V2) ? "v2" : "v1";
}

const MASTER_ROUNDS = 310_000;
const STATIC_ROUNDS = 100_000;
const KEY_BYTES = 32;
const V3_SALT = "fancySyncForYou!";
/** Each chunk may have its own salt. */
const MAX_KEYS = 4096;

const known = new Map<string, DerivedKeys>();

export function keysOf(passphrase: string): DerivedKeys {
  const keys = known.get(passphrase) ?? new DerivedKeys(passphrase);
  known.set(passphrase, keys);
  return keys;
}

class DerivedKeys {
  readonly passphrase: string;
  readonly #keys = new Map<string, Promise<Buffer>>();
  #lastMaster: { readonly salt: Buffer; readonly key: Buffer } | undefined;

  constructor(passphrase: string) {
    this.passphrase = passphrase;
  }

  /** No promise once derived: every text needs it. */
  master(salt: Buffer): Buffer | Promise<Buffer> {
    if (this.#lastMaster?.salt === salt) return this.#lastMaster.key;
    const derived = this.#derived(this.passphrase, salt, MASTER_ROUNDS);
    return derived.then((key) => (this.#lastMaster = { salt, key }).key);
  }

  legacy(salt: Buffer, rounds: number): Promise<Buffer> {
    return this.#derived(createHash("sha256").update(this.passphrase).digest(), salt, rounds);
  }

  v3(): Promise<Buffer> {
    const salt = createHash("sha256").update(this.passphrase).update(V3_SALT).digest().subarray(0, 16);
    return this.#derived(this.passphrase, salt, STATIC_ROUNDS);
  }

  #derived(secret: string | Buffer, salt: Buffer, rounds: number): Promise<Buffer> {
    const name = `${typeof secret} ${rounds} ${salt.toString("base64")}`;
    const known = this.#keys.get(name);
    if (known) return known;
    const key = promisify(pbkdf2)(secret, salt, rounds, KEY_BYTES, "sha256");
    putNewest(this.#keys, name, key, MAX_KEYS);
    key.catch(() => this.#keys.delete(name));
    return key;
  }
}

/** By the setting, else as in the last text. */
class LegacyRounds {
  readonly #static = STATIC_ROUNDS;
  readonly #dynamic: number;
  readonly #setting: boolean | undefined;
  #lastOpened: number | undefined;

  constructor(passphrase: string, isDynamic: boolean | undefined) {
    this.#setting = isDynamic;
    const spare = 15 - passphrase.length;
    this.#dynamic = Math.max(spare, 0) * 1000 + 121 - spare;
  }

  toTry(): readonly number[] {
    const first = this.#lastOpened ?? this.toWrite();
    return [first, first === this.#static ? this.#dynamic : this.#static];
  }

  toWrite(): number {
    if (this.#setting === undefined) return this.#lastOpened ?? this.#static;
    return this.#setting ? this.#dynamic : this.#static;
  }

  opened(rounds: number): void {
    this.#lastOpened = rounds;
  }
}

const HINTS: Readonly<Record<DecryptReason, string>> = {
  passphrase: "Check the passphrase (VAULT_PASSPHRASE, or the Setup URI) against that of LiveSync in Obsidian.",
  form: "Update this server.",
  cut: "Let LiveSync in Obsidian verify and repair its files.",
  salt: "Let LiveSync in Obsidian rebuild the database: the passphrase is not at fault.",
};

export function unknownForm(what: string, details: VaultErrorDetails = {}): VaultError {
  const message = `${what} is in a form that this server does not know.`;
  return new VaultError("UNAVAILABLE", message, { hint: HINTS.form, ...details });
}

export function encrypted(what: string, path?: string): VaultError {
  return new VaultError("UNAVAILABLE", `${what} is encrypted, and no passphrase is configured.`, {
    path,
    isOfSetup: true,
    hint: "Configure LiveSync's passphrase (VAULT_PASSPHRASE, or the Setup URI).",
  });
}

export function unopened(what: string, cause: unknown, path?: string): VaultError {
  const reason = cause instanceof DecryptError ? cause.reason : "cut";
  if (reason === "form") return unknownForm(`The encryption of ${what.replace(/^The /, "the ")}`, { path, cause });
  return new VaultError("UNAVAILABLE", `${what} cannot be decrypted: ${WHY[reason]}.`, {
    path,
    isOfSetup: reason === "passphrase" && path === undefined,
    hint: HINTS[reason],
    cause,
  });
}
