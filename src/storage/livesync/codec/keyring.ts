/** The keys of one database, each derived once: deriving is slow by design and runs beside the event loop (spec: livesync, section 5). */
import { createHash, pbkdf2 } from "node:crypto";
import { promisify } from "node:util";

const MASTER_ROUNDS = 310_000;
const STATIC_ROUNDS = 100_000;
const KEY_BYTES = 32;
const V3_SALT = "fancySyncForYou!";
/** Each chunk may bring a salt of its own. */
const MAX_KEYS = 4096;

export class Keyring {
  readonly passphrase: string;
  readonly #keys = new Map<string, Promise<Buffer>>();
  readonly #rounds: { readonly static: number; readonly dynamic: number };
  readonly #setting: boolean | undefined;
  /** The rounds that last opened something by V1, so that they are tried first. */
  #lastOpened: number | undefined;

  constructor(passphrase: string, isDynamic: boolean | undefined) {
    this.passphrase = passphrase;
    this.#setting = isDynamic;
    const spare = 15 - passphrase.length;
    this.#rounds = { static: STATIC_ROUNDS, dynamic: Math.max(spare, 0) * 1000 + 121 - spare };
  }

  /** The key of V2, from which each text's own is derived by HKDF. */
  master(salt: Buffer): Promise<Buffer> {
    return this.#derived(this.passphrase, salt, MASTER_ROUNDS);
  }

  /** The rounds by which a text may have been sealed by V1, the likelier first. */
  roundsToTry(): readonly number[] {
    const first = this.#lastOpened ?? this.roundsToWrite();
    const { static: fixed, dynamic } = this.#rounds;
    return [first, first === fixed ? dynamic : fixed];
  }

  /** The rounds of the setting; where nobody has said, those that opened something. */
  roundsToWrite(): number {
    const { static: fixed, dynamic } = this.#rounds;
    if (this.#setting === undefined) return this.#lastOpened ?? fixed;
    return this.#setting ? dynamic : fixed;
  }

  legacy(salt: Buffer, rounds: number): Promise<Buffer> {
    return this.#derived(createHash("sha256").update(this.passphrase).digest(), salt, rounds);
  }

  /** Remembers by how many rounds a text was opened. */
  opened(rounds: number): void {
    this.#lastOpened = rounds;
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
