/** Texts as regular expressions: as they are, or as they look, whatever their blanks and however accents are composed. */
export const asSeen = (text: string): string => text.normalize("NFC").replace(/\p{Zs}/gu, " ");

/** With the flag `u`. */
export function seenPattern(text: string): string {
  return literalPattern(text.normalize("NFC"))
    .replace(/\r?\n/g, "\\r?\\n")
    .replace(/\p{Zs}/gu, "\\p{Zs}")
    .replace(/[^\0-\u007f]/gu, (character) => {
      const apart = character.normalize("NFD");
      return apart === character ? character : `(?:${character}|${apart})`;
    });
}

/** The flag `u` refuses other backslashes. */
export function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
