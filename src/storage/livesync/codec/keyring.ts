/** The keys of a database, each derived once: deriving is slow by design and runs beside the event loop (spec: livesync, section 5). */
import { createHash, pbkdf2 } from "node:crypto";
import { promisify } from "node:util";

const MASTER_ROUNDS = 310_000;
const STATIC_ROUNDS = 100_000;
const KEY_BYTES = 32;
const V3_SALT = "fancySyncForYou!";
/** Each chunk may bring a salt of its own. */
const MAX_KEYS = 4096;

/** The keys that a passphrase gives, by salt and rounds; shared by all that open texts of a database. */
export class DerivedKeys {
  readonly passphrase: string;
  readonly #keys = new Map<string, Promise<Buffer>>();
  #lastMaster: { readonly salt: Buffer; readonly key: Buffer } | undefined;

  constructor(passphrase: string) {
    this.passphrase = passphrase;
  }

  /** The key of V2, from which each text's own is derived by HKDF; a value once it is there, as it is asked for with every text. */
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
    for (const oldest of this.#keys.keys()) {
      if (this.#keys.size < MAX_KEYS) break;
      this.#keys.delete(oldest);
    }
    const key = promisify(pbkdf2)(secret, salt, rounds, KEY_BYTES, "sha256");
    this.#keys.set(name, key);
    key.catch(() => this.#keys.delete(name));
    return key;
  }
}

/** By how many rounds the keys of V1 are derived: the setting says it, or what was opened before. */
export class LegacyRounds {
  readonly #static = STATIC_ROUNDS;
  readonly #dynamic: number;
  readonly #setting: boolean | undefined;
  /** The rounds that last opened something, so that they are tried first. */
  #lastOpened: number | undefined;

  constructor(passphrase: string, isDynamic: boolean | undefined) {
    this.#setting = isDynamic;
    const spare = 15 - passphrase.length;
    this.#dynamic = Math.max(spare, 0) * 1000 + 121 - spare;
  }

  /** The rounds by which a text may have been sealed, the likelier first. */
  toTry(): readonly number[] {
    const first = this.#lastOpened ?? this.toWrite();
    return [first, first === this.#static ? this.#dynamic : this.#static];
  }

  /** The rounds of the setting; where nobody has said, those that opened something. */
  toWrite(): number {
    if (this.#setting === undefined) return this.#lastOpened ?? this.#static;
    return this.#setting ? this.#dynamic : this.#static;
  }

  /** Remembers by how many rounds a text was opened. */
  opened(rounds: number): void {
    this.#lastOpened = rounds;
  }
}
