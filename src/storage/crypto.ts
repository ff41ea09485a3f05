/** Node's cryptography at its first use: loading it takes two to three milliseconds, which a process that answers one call can do without. */
import { createRequire } from "node:module";
import { sha256Hex } from "./sha256.js";

type Crypto = typeof import("node:crypto");

const require = createRequire(import.meta.url);

let loaded: Crypto | undefined;

export const loadCrypto = (): Crypto => (loaded ??= require("node:crypto") as Crypto);

/** Node's cryptography if something has loaded it already. */
export const loadedCrypto = (): Crypto | undefined => loaded;

/** Bytes from which on loading Node's own costs less than hashing without. */
const LONG = 4096;

/** SHA-256 in hexadecimal; of a text, its UTF-8. */
export function sha256(content: string | Uint8Array): string {
  if (loaded !== undefined || content.length > LONG) {
    return loadCrypto().createHash("sha256").update(content).digest("hex");
  }
  return sha256Hex(typeof content === "string" ? Buffer.from(content) : content);
}
