/** Any character, for properties over texts: what fast-check calls the unit `binary`, which takes it a second for each process to list. */
import * as fc from "fast-check";

const [SURROGATES, SURROGATE_COUNT, CODE_POINTS] = [0xd800, 0x800, 0x110000];

/** As a unit of `fc.string`; half characters are not among them. */
export const anyCharacter = fc
  .nat({ max: CODE_POINTS - SURROGATE_COUNT - 1 })
  .map((place) => String.fromCodePoint(place < SURROGATES ? place : place + SURROGATE_COUNT), placeOf);

function placeOf(text: unknown): number {
  const point = typeof text === "string" ? (text.codePointAt(0) ?? SURROGATES) : SURROGATES;
  const isSurrogate = point >= SURROGATES && point < SURROGATES + SURROGATE_COUNT;
  if (isSurrogate || String.fromCodePoint(point) !== text) throw new Error("It is not one character.");
  return point < SURROGATES ? point : point - SURROGATE_COUNT;
}
