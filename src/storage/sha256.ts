/** SHA-256 (FIPS 180-4) in plain code, for inputs too short to load `node:crypto` for. */

/** The first 32 bits behind the point of the square roots (`START`) and cube roots (`ROUNDS`) of the first primes. */
const START = new Int32Array(8);
const ROUNDS = new Int32Array(64);
const BLOCK = 64;

let areConstantsMade = false;

function makeConstants(): void {
  for (let candidate = 2, found = 0; found < ROUNDS.length; candidate++) {
    if (!isPrime(candidate)) continue;
    if (found < START.length) START[found] = Math.sqrt(candidate) * 2 ** 32;
    ROUNDS[found++] = Math.cbrt(candidate) * 2 ** 32;
  }
  areConstantsMade = true;
}

function isPrime(number: number): boolean {
  for (let divisor = 2; divisor * divisor <= number; divisor++) if (number % divisor === 0) return false;
  return true;
}

/** The hash in hexadecimal. */
export function sha256Hex(bytes: Uint8Array): string {
  if (!areConstantsMade) makeConstants();
  const message = padded(bytes);
  const state = Int32Array.from(START);
  const words = new Int32Array(64);
  for (let offset = 0; offset < message.byteLength; offset += BLOCK) {
    for (let index = 0; index < 16; index++) words[index] = message.getInt32(offset + index * 4);
    compress(state, words);
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** The message with its end mark and its length in bits, in whole blocks. */
function padded(bytes: Uint8Array): DataView {
  const message = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK) * BLOCK);
  message.set(bytes);
  message[bytes.length] = 0x80;
  const view = new DataView(message.buffer);
  view.setBigUint64(message.length - 8, BigInt(bytes.length) * 8n);
  return view;
}

/**
 * Works one block into the state; its sixteen words are the first of `words`. Names are those of the standard. The turns of words are
 * written out: a call for each would take a millisecond of a process that writes one note, which ends before V8 has compiled this.
 */
function compress(state: Int32Array, words: Int32Array): void {
  for (let t = 16; t < 64; t++) {
    const early = words[t - 15] ?? 0;
    const late = words[t - 2] ?? 0;
    const s0 = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3);
    const s1 = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10);
    words[t] = (words[t - 16] ?? 0) + s0 + (words[t - 7] ?? 0) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < 64; t++) {
    const big1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + big1 + ((e & f) ^ (~e & g)) + (ROUNDS[t] ?? 0) + (words[t] ?? 0)) | 0;
    const big0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = big0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] ?? 0) + word;
}
