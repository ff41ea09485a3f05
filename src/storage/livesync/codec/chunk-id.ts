/** A chunk's id is a hash of its piece (docs: livesync, "Chunk ids (for writing)"). */
import { createHash } from "node:crypto";
import type { XXHashAPI } from "xxhash-wasm";
import { LEAF_PREFIX } from "./document.js";
import type { HashName } from "./settings.js";

export type ChunkId = (piece: string) => string;

const PASSPHRASE_PREFIX = "a83hrf7f\u0003y7sa8g31";
const SEED = 0x12345678;
const ENCRYPTED = "+";
const RADIX = 36;

interface Passphrase {
  readonly text: string;
  readonly number: number;
}

export async function chunkIds(hash: HashName, passphrase: string | undefined): Promise<ChunkId> {
  const secret = passphrase === undefined ? undefined : await hashed(passphrase);
  const idOf = await HASHES[hash](secret);
  const prefix = secret === undefined ? LEAF_PREFIX : LEAF_PREFIX + ENCRYPTED;
  return (piece) => prefix + idOf(piece);
}

async function hashed(passphrase: string): Promise<Passphrase> {
  const { fallbackMixedHashEach, mixedHash } = await import("octagonal-wheels/hash/purejs");
  const part = PASSPHRASE_PREFIX + passphrase.slice(0, Math.trunc((passphrase.length / 4) * 3));
  return { text: fallbackMixedHashEach(part), number: mixedHash(part, SEED)[0] };
}

let loading: Promise<XXHashAPI> | undefined;

async function xxhash(): Promise<XXHashAPI> {
  loading ??= import("xxhash-wasm").then(({ default: load }) => load());
  return loading;
}

/** `secret`: derived from the passphrase. The length is in UTF-16 units. */
const salted = (piece: string, secret: Passphrase | undefined): string =>
  secret === undefined ? `${piece}-${piece.length}` : `${piece}-${secret.text}-${piece.length}`;

const HASHES: Readonly<Record<HashName, (secret: Passphrase | undefined) => Promise<ChunkId>>> = {
  async xxhash64(secret) {
    const hash = await xxhash();
    return (piece) => hash.h64(salted(piece, secret)).toString(RADIX);
  },
  async xxhash32(secret) {
    const hash = await xxhash();
    return (piece) => hash.h32(salted(piece, secret)).toString(RADIX);
  },
  async sha1(secret) {
    return (piece) => createHash("sha1").update(salted(piece, secret)).digest("base64");
  },
  async mixed(secret) {
    const { fallbackMixedHashEach } = await import("octagonal-wheels/hash/purejs");
    const ending = secret === undefined ? "-" : secret.text;
    return (piece) => fallbackMixedHashEach(`${piece}${ending}${piece.length}`);
  },
  /** The oldest hash: 32 bits, possibly negative. */
  async legacy(secret) {
    const hash = await xxhash();
    return (piece) => (hash.h32(piece) ^ (secret?.number ?? 0) ^ piece.length).toString(RADIX);
  },
};

/** Devices with other settings may have used another hash. */
export class ChunkNames {
  readonly #passphrase: string | undefined;
  readonly #usual: HashName;
  #variants: Promise<ChunkId[]> | undefined;
  #likely: ChunkId | undefined;

  constructor(usual: HashName, passphrase: string | undefined) {
    this.#usual = usual;
    this.#passphrase = passphrase;
  }

  /** That of the last chunk, or of the settings. */
  async likely(): Promise<ChunkId> {
    return (this.#likely ??= await chunkIds(this.#usual, this.#passphrase));
  }

  async fits(id: string, piece: string): Promise<boolean> {
    this.#variants ??= this.#all();
    const fitting = (await this.#variants).find((idOf) => idOf(piece) === id);
    this.#likely = fitting ?? this.#likely;
    return fitting !== undefined;
  }

  #all(): Promise<ChunkId[]> {
    const secrets = this.#passphrase === undefined ? [undefined] : [this.#passphrase, undefined];
    const names = Object.keys(HASHES) as HashName[];
    return Promise.all(secrets.flatMap((secret) => names.map((name) => chunkIds(name, secret))));
  }
}
