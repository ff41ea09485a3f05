/** Between bytes and text: strict UTF-8 both ways, so that reading and writing back never changes a byte. */
import { isAscii, isUtf8 } from "node:buffer";
import { VaultError } from "../errors.js";

/** The text of bytes, a BOM included; undefined when they are not UTF-8. */
export function decodeText(bytes: Uint8Array): string | undefined {
  return textOf(bytes)?.whole();
}

/** UTF-8 text that is decoded only as far as it is looked at. */
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

  /** The text of about the first so many bytes, never half a character. */
  start(bytes: number): string {
    const end = this.#encoding === "latin1" ? bytes : wholeCharacters(this.#bytes, Math.min(bytes, this.#bytes.length));
    return this.#bytes.toString(this.#encoding, 0, end);
  }

  /** Whether `start` gives the whole of it. */
  endsWithin(bytes: number): boolean {
    return this.#bytes.length <= bytes;
  }

  /** Whether it begins with `---`, a BOM looked past: without that a note has no frontmatter. */
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

/**
 * The text of bytes, a BOM included; undefined when they are not UTF-8.
 * @param cut whether they are only the beginning of a file, so that the last character may be half there and is left out then
 */
export function textOf(bytes: Uint8Array, cut = false): Text | undefined {
  const buffer = asBuffer(cut ? bytes.subarray(0, wholeCharacters(bytes, bytes.length)) : bytes);
  // Most notes are plain ASCII, which is the same in Latin-1 and three times as quick to decode.
  if (isAscii(buffer)) return new Text(buffer, "latin1");
  return isUtf8(buffer) ? new Text(buffer, "utf8") : undefined;
}

/** The largest length up to `length` at which no character of UTF-8 is cut through; `length` itself where the bytes are no UTF-8. */
function wholeCharacters(bytes: Uint8Array, length: number): number {
  for (let start = length - 1; start >= Math.max(0, length - 4); start--) {
    const byte = bytes[start] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const width = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return start + width > length ? start : length;
  }
  return length;
}

/** @throws VaultError INVALID_ARGUMENT when the text holds half a character and could not be read back */
export function encodeText(text: string): Uint8Array {
  // As \p{Surrogate}, which takes V8 longer to look up.
  if (/[\ud800-\udfff]/u.test(text))
    throw new VaultError("INVALID_ARGUMENT", "The text holds a broken Unicode character (a lone surrogate).", {
      hint: "Send the text again as valid Unicode.",
    });
  return Buffer.from(text, "utf8");
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
