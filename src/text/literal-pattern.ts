/** Texts as regular expressions: as they are, or as they look, whatever their blanks and however accents are composed. */
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

/** Valid also with the flag `u`, which refuses a backslash before other characters, such as `-`. */
export function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
