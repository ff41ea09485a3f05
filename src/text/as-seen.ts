/** Texts that look the same: blanks of any kind, accents composed or not. */
import { literalPattern } from "./literal-pattern.js";

export const asSeen = (text: string): string => text.normalize("NFC").replace(/\p{Zs}/gu, " ");

/** For the flag `u`; a line break matches either ending. */
export function seenPattern(text: string): string {
  return literalPattern(text.normalize("NFC"))
    .replace(/\r?\n/g, "\\r?\\n")
    .replace(/\p{Zs}/gu, "\\p{Zs}")
    .replace(/[^\0-\u007f]/gu, (character) => {
      const apart = character.normalize("NFD");
      return apart === character ? character : `(?:${character}|${apart})`;
    });
}
