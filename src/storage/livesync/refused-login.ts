/**
 * Stores refused credentials for other processes: five wrong ones lock the account for everybody.
 */
import { randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../clock.js";
import { sha256 } from "../../text/hash.js";
import { isRecord } from "./codec/document.js";

/** CouchDB then forgets failed logins. */
const REMEMBERED_MS = 5 * 60 * 1000;
const HASH_BYTES = 32;

export class RefusedLogin {
  readonly #file: string;
  readonly #folder: string;
  readonly #clock: Clock;

  /** @param identity without credentials */
  constructor(folder: string, identity: string, clock: Clock) {
    this.#folder = folder;
    this.#file = join(folder, `${sha256(identity).slice(0, 16)}.refused`);
    this.#clock = clock;
  }

  /** Whether it was refused less than five minutes ago. */
  has(authorization: string): boolean {
    try {
      const found: unknown = JSON.parse(fs.readFileSync(this.#file, "utf8"));
      if (!isRecord(found)) return false;
      const { salt, hash, at } = found;
      if (typeof salt !== "string" || typeof hash !== "string" || typeof at !== "number") return false;
      const age = this.#clock.now() - at;
      return age >= 0 && age < REMEMBERED_MS && isHashOf(authorization, salt, Buffer.from(hash, "hex"));
    } catch {
      return false;
    }
  }

  add(authorization: string): void {
    const salt = randomBytes(16).toString("hex");
    const hash = slowHash(authorization, salt).toString("hex");
    try {
      fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      fs.writeFileSync(this.#file, JSON.stringify({ salt, hash, at: this.#clock.now() }), { mode: 0o600 });
    } catch {
      // Without the file the next process tries again.
    }
  }
}

/** A wrong password may be nearly right, so it must be hard to guess from the file. */
function slowHash(authorization: string, salt: string): Buffer {
  return scryptSync(authorization, salt, HASH_BYTES);
}

function isHashOf(authorization: string, salt: string, hash: Buffer): boolean {
  return hash.length === HASH_BYTES && timingSafeEqual(slowHash(authorization, salt), hash);
}
