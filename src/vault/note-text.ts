/** Between bytes and text: strict UTF-8 both ways, so that reading and writing back never changes a byte. */
import { isAscii, isUtf8 } from "node:buffer";
import { VaultError } from "../errors.js";

/** The text of bytes, a BOM included; undefined when they are not UTF-8. */
export function decodeText(bytes: Uint8Array): string | undefined {
  const buffer = asBuffer(bytes);
  // Most notes are plain ASCII, which is the same in Latin-1 and three times as quick to decode.
  if (isAscii(buffer)) return buffer.toString("latin1");
  return isUtf8(buffer) ? buffer.toString("utf8") : undefined;
}

/** As `decodeText`, for the head of a longer text: a character that the cut went through is left out. */
export function decodeHead(bytes: Uint8Array): string | undefined {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 3 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end--;
  if (end > 0 && (bytes[end - 1] ?? 0) >= 0xc0) return decodeText(bytes.subarray(0, end - 1)) ?? decodeText(bytes);
  return decodeText(bytes);
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
