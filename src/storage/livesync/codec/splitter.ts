/** Cuts a file into pieces where the client would, so that equal content makes equal chunks (spec: livesync, section 6). */

export interface SplitRules {
  /** Longest and shortest piece, in bytes. */
  readonly pieceBytes: number;
  readonly minimumPiece: number;
}

/** Bytes under the rolling hash. */
const WINDOW = 48;
const PRIME = 31;
/** What the first byte of the window has been multiplied by when it leaves. */
const LEAVING = Array.from({ length: WINDOW - 1 }).reduce<number>((power) => Math.imul(power, PRIME), 1);
/** A piece ends where the hash, divided by the mean length, leaves this. */
const REMAINDER = 1;

const TEXT_UNIT = 64;
const TEXT_STEP = 32;
/** Longer texts get longer pieces, so that there are about so many at most. */
const TEXT_PIECES = 500;
/** Texts from this length on are cut like other files. */
const LONG_TEXT = 4 * 1024 * 1024;
const BINARY_UNIT = 256 * 1024;
const LEAST_MAXIMUM = 30 * 1024;

interface Lengths {
  readonly least: number;
  readonly mean: number;
  readonly most: number;
}

/** Where each piece ends, in bytes; the last is the end of the file. No piece of a text ends within a character. */
export function pieceEnds(bytes: Uint8Array, isText: boolean, rules: SplitRules): readonly number[] {
  const { least, mean, most } = lengths(bytes.length, isText, rules);
  const ends: number[] = [];
  let hash = 0;
  let start = 0;
  for (let position = 0; position < bytes.length; position++) {
    // The hash is not begun anew with a piece: for its first bytes nothing leaves the window. So does the client.
    if (position >= start + WINDOW) hash = (hash - Math.imul(bytes[position - WINDOW] ?? 0, LEAVING)) | 0;
    hash = (Math.imul(hash, PRIME) + (bytes[position] ?? 0)) | 0;
    const length = position - start + 1;
    if (length < least || (length < most && (hash >>> 0) % mean !== REMAINDER)) continue;
    if (isText && isInside(bytes[position + 1])) continue;
    ends.push(position + 1);
    start = position + 1;
  }
  if (start < bytes.length) ends.push(bytes.length);
  return ends;
}

/** Whether a byte belongs to the character before it (UTF-8). */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function lengths(size: number, isText: boolean, { pieceBytes, minimumPiece }: SplitRules): Lengths {
  const isShortText = isText && size < LONG_TEXT;
  let unit = isShortText ? TEXT_UNIT : BINARY_UNIT;
  if (isShortText) while (size / (unit * 4) > TEXT_PIECES) unit += TEXT_STEP;
  const most = Math.min(unit * 16, Math.max(pieceBytes, LEAST_MAXIMUM));
  const least = Math.min(Math.max(isShortText ? unit * 2 : unit, minimumPiece), most);
  return { least, most, mean: Math.min(Math.max(unit * 4, least), most) };
}
