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

/** Works one block into the state; its sixteen words are the first of `words`. Names are those of the standard. */
function compress(state: Int32Array, words: Int32Array): void {
  const w = (index: number): number => words[index] ?? 0;
  for (let t = 16; t < 64; t++) {
    const [early, late] = [w(t - 15), w(t - 2)];
    const s0 = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    const s1 = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    words[t] = w(t - 16) + s0 + w(t - 7) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < 64; t++) {
    const big1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const t1 = (h + big1 + ((e & f) ^ (~e & g)) + (ROUNDS[t] ?? 0) + w(t)) | 0;
    const big0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
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

function turn(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}
