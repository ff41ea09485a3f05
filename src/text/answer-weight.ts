/** How much room a text takes in an answer, without a tokenizer: three of its units are about a token. A pure leaf any layer may use. */

/** What one answer may hold, about 8,000 tokens: clients warn at 10,000 and cut at 25,000 (docs: tools, "What assistants can show"). */
export const ANSWER_WEIGHT = 24_000;

/**
 * ASCII letters in lower case and spaces weigh 1, although four of them often make one token: what saves room there is spent on names and
 * symbols. Capitals, digits and symbols weigh 2, other letters their bytes in UTF-8, halves of a surrogate pair 3 each.
 */
export function weightOf(text: string): number {
  let weight = 0;
  for (let at = 0; at < text.length; at++) weight += weightOfUnit(text.charCodeAt(at));
  return weight;
}

/** Where a text that weighs at most this much ends, from `start` on, at a whole character; the text's length when all of it fits. */
export function endWithin(text: string, start: number, most: number): number {
  let weight = 0;
  let end = start;
  while (end < text.length && weight < most) weight += weightOfUnit(text.charCodeAt(end++));
  return wholeCharacter(text, end);
}

/** The same place, or the one before it if it lies within a surrogate pair. */
export function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const before = text.charCodeAt(at - 1);
  const splits = unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
  return splits ? at - 1 : at;
}

function weightOfUnit(unit: number): number {
  if (unit >= 0x80) return unit < 0x800 ? 2 : 3;
  const isLight = (unit >= 0x61 && unit <= 0x7a) || unit <= 0x20;
  return isLight ? 1 : 2;
}
