/** Cuts long text into portions that fit an answer. */
import { ANSWER_WEIGHT, endWithin, wholeCharacter } from "../text/answer-weight.js";

/** A portion ends at a line's end if there is one so close before its limit (UTF-16 units). */
const NEAR_END = 400;

export interface Portion {
  readonly description: string;
  /** Of the whole text, in UTF-16 units, as are the offsets. */
  readonly descriptionLength: number;
  readonly offset: number;
  /** Where the next portion begins; absent at the end. */
  readonly nextOffset?: number;
}

/** The portion that begins at `offset` (moved back to a whole character); empty when that is past the end of the text. */
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
  const end = endWithin(text, start, ANSWER_WEIGHT);
  if (end === text.length) return end;
  const lineEnd = text.lastIndexOf("\n", end - 1) + 1;
  return lineEnd > Math.max(start, end - NEAR_END) ? lineEnd : end;
}
