/** Compressed pieces: recognised by their mark wherever they are, written when the database asks for it and it pays (spec: livesync, section 4). */
import { deflateRawSync, inflateRawSync } from "node:zlib";

const MARK = "\u000eLZ\u001d";
/** What was deflated is the piece's bytes, and the piece is their base64. */
const BASE64 = "~";
const LEVEL = 8;
/** No client writes a piece so long; a few bytes may claim to be gigabytes. */
const MAX_INFLATED = 64 * 1024 * 1024;

/** The piece behind what a chunk holds. @throws Error when what follows the mark is not deflated data, or inflates without measure */
export function decompressed(data: string): string {
  if (!data.startsWith(MARK)) return data;
  const isBytes = data[MARK.length] === BASE64;
  const deflated = Buffer.from(data.slice(MARK.length + (isBytes ? BASE64.length : 0)), "base64");
  if (deflated.length === 0) return "";
  return inflateRawSync(deflated, { maxOutputLength: MAX_INFLATED }).toString(isBytes ? "base64" : "utf8");
}

/**
 * The piece as a chunk holds it: the shorter of the two forms. A piece that itself begins with the mark is always compressed,
 * or it would be read as what it is not.
 */
export function compressed(piece: string, wanted: boolean): string {
  const isMarked = piece.startsWith(MARK);
  if (!wanted && !isMarked) return piece;
  const bytes = bytesOfBase64(piece);
  const deflated = deflateRawSync(bytes ?? Buffer.from(piece), { level: LEVEL }).toString("base64");
  const packed = `${MARK}${bytes ? BASE64 : ""}${deflated}`;
  return isMarked || packed.length < piece.length ? packed : piece;
}

/** The bytes of a text that is base64 to the letter. */
function bytesOfBase64(text: string): Buffer | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+=*$/.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}
