/** Estimates a text's tokens without a tokenizer: about three units of weight are one. */

/**
 * Of one answer, about 8,000 tokens: clients warn at 10,000 and cut at 25,000 (docs: tools, "What assistants can
 * show").
 */
export const ANSWER_WEIGHT = 24_000;

/** Lower-case ASCII letters and white space weigh 1, other ASCII 2, other letters their UTF-8 bytes. */
export function weightOf(text: string): number {
  let weight = 0;
  for (let at = 0; at < text.length; at++) weight += weightOfUnit(text.charCodeAt(at));
  return weight;
}

/** Never splits a surrogate pair. */
export function endWithin(text: string, start: number, most: number): number {
  let weight = 0;
  let end = start;
  while (end < text.length && weight < most) weight += weightOfUnit(text.charCodeAt(end++));
  return wholeCharacter(text, end);
}

/** `at`, or `at - 1` inside a surrogate pair. */
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
