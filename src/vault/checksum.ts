/** A fast checksum that shows any accident to stored bytes; no defence against a forger. */

const PRIMES = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f] as const;

/** Four 32-bit lanes over a run of words; a change of any one word changes its lane. */
export function checksum(words: Uint32Array): readonly [number, number, number, number] {
  let [a, b, c, d]: [number, number, number, number] = [...PRIMES];
  const { length } = words;
  const whole = length - (length % 4);
  for (let i = 0; i < whole; i += 4) {
    a = Math.imul(((a << 13) | (a >>> 19)) ^ (words[i] ?? 0), PRIMES[0]);
    b = Math.imul(((b << 13) | (b >>> 19)) ^ (words[i + 1] ?? 0), PRIMES[1]);
    c = Math.imul(((c << 13) | (c >>> 19)) ^ (words[i + 2] ?? 0), PRIMES[2]);
    d = Math.imul(((d << 13) | (d >>> 19)) ^ (words[i + 3] ?? 0), PRIMES[3]);
  }
  for (let i = whole; i < length; i++) a = Math.imul(((a << 13) | (a >>> 19)) ^ (words[i] ?? 0), PRIMES[0]);
  return [a >>> 0, b >>> 0, c >>> 0, (d ^ length) >>> 0];
}
