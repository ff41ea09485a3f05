/** Cuts long text into portions that fit an answer. */

/** About 8,000 tokens: English takes four bytes of UTF-8 a token, other scripts about three. */
export const PORTION_BYTES = 24_000;
/** A portion ends at a line's end when one is this near its own, in UTF-16 units. */
const NEAR_END = 400;

export interface Portion {
  readonly description: string;
  /** Of the whole text, in UTF-16 units, as are the offsets. */
  readonly descriptionLength: number;
  readonly offset: number;
  /** Where the next portion begins; absent at the end. */
  readonly nextOffset?: number;
}

/** The portion of a text that begins at `offset` (moved back to a whole character); empty when that is past its end. */
export function portionOf(text: string, offset: number): Portion {
  const start = wholeCharacter(text, Math.min(offset, text.length));
  const end = endOf(text, start);
  return {
    description: text.slice(start, end),
    descriptionLength: text.length,
    offset: start,
    ...(end < text.length ? { nextOffset: end } : {}),
  };
}

function endOf(text: string, start: number): number {
  const end = endWithin(text, start, PORTION_BYTES);
  if (end === text.length) return end;
  const lineEnd = text.lastIndexOf("\n", end - 1) + 1;
  return lineEnd > Math.max(start, end - NEAR_END) ? lineEnd : end;
}

/** Where about so many bytes of UTF-8 from `start` on end, at a whole character; the text's length when all of it fits. */
export function endWithin(text: string, start: number, most: number): number {
  let bytes = 0;
  let end = start;
  while (end < text.length && bytes < most) {
    const unit = text.charCodeAt(end);
    // Half of a surrogate pair is two of its four bytes.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3;
    end++;
  }
  return wholeCharacter(text, end);
}

function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const before = text.charCodeAt(at - 1);
  const splits = unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
  return splits ? at - 1 : at;
}
