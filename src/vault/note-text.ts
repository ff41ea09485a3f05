/** Between bytes and text: strict UTF-8 both ways, so that reading and writing back never changes a byte. */
import { isAscii, isUtf8 } from "node:buffer";
import { VaultError } from "../errors.js";

/** The text of bytes, a BOM included; undefined when they are not UTF-8. */
export function decodeText(bytes: Uint8Array): string | undefined {
  return textOf(bytes)?.whole();
}

/** UTF-8 text that is decoded only as far as it is looked at. */
export interface Text {
  whole(): string;
  /** The text of about the first so many bytes, never half a character. */
  start(bytes: number): string;
}

/**
 * The text of bytes, a BOM included; undefined when they are not UTF-8.
 * @param cut whether they are only the beginning of a file, so that the last character may be half there and is left out then
 */
export function textOf(bytes: Uint8Array, cut = false): Text | undefined {
  const buffer = asBuffer(cut ? bytes.subarray(0, wholeCharacters(bytes, bytes.length)) : bytes);
  // Most notes are plain ASCII, which is the same in Latin-1 and three times as quick to decode.
  const encoding = isAscii(buffer) ? "latin1" : isUtf8(buffer) ? "utf8" : undefined;
  if (!encoding) return undefined;
  return {
    whole: () => buffer.toString(encoding),
    start: (length) => buffer.toString(encoding, 0, wholeCharacters(buffer, Math.min(length, buffer.length))),
  };
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
  if (/\p{Surrogate}/u.test(text))
    throw new VaultError("INVALID_ARGUMENT", "The text holds a broken Unicode character (a lone surrogate).", {
      hint: "Send the text again as valid Unicode.",
    });
  return Buffer.from(text, "utf8");
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
