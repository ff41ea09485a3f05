/** The keys of one database, each derived once: deriving is slow by design and runs beside the event loop (spec: livesync, section 5). */
import { promisify } from "node:util";
import { loadCrypto } from "../../crypto.js";

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
  /** The rounds that last opened something by V1, so that they are tried first. */
  #isDynamic: boolean | undefined;

  constructor(passphrase: string, isDynamic: boolean | undefined) {
    this.passphrase = passphrase;
    this.#isDynamic = isDynamic;
    const spare = 15 - passphrase.length;
    this.#rounds = { static: STATIC_ROUNDS, dynamic: Math.max(spare, 0) * 1000 + 121 - spare };
  }

  /** The key of V2, from which each text's own is derived by HKDF. */
  master(salt: Buffer): Promise<Buffer> {
    return this.#derived(this.passphrase, salt, MASTER_ROUNDS);
  }

  /** The keys that may have sealed a text by V1, the likelier first. */
  legacyRounds(): readonly number[] {
    const { static: fixed, dynamic } = this.#rounds;
    return this.#isDynamic === true ? [dynamic, fixed] : [fixed, dynamic];
  }

  legacy(salt: Buffer, rounds: number): Promise<Buffer> {
    return this.#derived(loadCrypto().createHash("sha256").update(this.passphrase).digest(), salt, rounds);
  }

  /** Remembers by how many rounds a text was opened. */
  opened(rounds: number): void {
    this.#isDynamic = rounds === this.#rounds.dynamic;
  }

  v3(): Promise<Buffer> {
    const salt = loadCrypto().createHash("sha256").update(this.passphrase).update(V3_SALT).digest().subarray(0, 16);
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
    const key = promisify(loadCrypto().pbkdf2)(secret, salt, rounds, KEY_BYTES, "sha256");
    this.#keys.set(name, key);
    key.catch(() => this.#keys.delete(name));
    return key;
  }
}
