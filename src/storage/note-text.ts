/** Converts between bytes and text: strict UTF-8. */
import { isAscii, isUtf8 } from "node:buffer";
import { VaultError } from "../errors.js";

export function decodeText(bytes: Uint8Array): string | undefined {
  return textOf(bytes)?.whole();
}

export class Text {
  readonly #bytes: Buffer;
  readonly #encoding: "latin1" | "utf8";

  constructor(bytes: Buffer, encoding: "latin1" | "utf8") {
    this.#bytes = bytes;
    this.#encoding = encoding;
  }

  whole(): string {
    return this.#bytes.toString(this.#encoding);
  }

  /** Never cuts a character. */
  start(bytes: number): string {
    const end = this.#encoding === "latin1" ? bytes : wholeCharacters(this.#bytes, Math.min(bytes, this.#bytes.length));
    return this.#bytes.toString(this.#encoding, 0, end);
  }

  endsWithin(bytes: number): boolean {
    return this.#bytes.length <= bytes;
  }

  /** After an optional BOM. */
  get beginsWithDashes(): boolean {
    const bytes = this.#bytes;
    const first = this.hasBom ? BOM_BYTES : 0;
    return bytes[first] === DASH && bytes[first + 1] === DASH && bytes[first + 2] === DASH;
  }

  get hasBom(): boolean {
    return this.#bytes[0] === 0xef && this.#bytes[1] === 0xbb && this.#bytes[2] === 0xbf;
  }
}

const DASH = 45;
const BOM_BYTES = 3;

/** @param cut drop an incomplete last character @returns undefined: not UTF-8 */
export function textOf(bytes: Uint8Array, cut = false): Text | undefined {
  const buffer = asBuffer(cut ? bytes.subarray(0, wholeCharacters(bytes, bytes.length)) : bytes);
  if (isAscii(buffer)) return new Text(buffer, "latin1");
  return isUtf8(buffer) ? new Text(buffer, "utf8") : undefined;
}

/** `length` for other bytes. */
function wholeCharacters(bytes: Uint8Array, length: number): number {
  for (let start = length - 1; start >= Math.max(0, length - 4); start--) {
    const byte = bytes[start] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const width = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return start + width > length ? start : length;
  }
  return length;
}

/** @throws INVALID_ARGUMENT for a lone surrogate */
export function encodeText(text: string): Uint8Array {
  if (/[\ud800-\udfff]/u.test(text))
    throw new VaultError("INVALID_ARGUMENT", "The text holds a broken Unicode character (a lone surrogate).", {
      hint: "Send the text again as valid Unicode.",
    });
  return Buffer.from(text, "utf8");
}

/** Shares the memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
