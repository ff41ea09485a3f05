/** Folds text to the form in which it is compared: case, accents and presentation forms do not matter. A pure leaf any layer may use. */

const BEYOND_ASCII = /[^\0-\u007f]/;
const BEYOND_LATIN = /[^\0-\u00ff]/;

/**
 * Marks that are an accent or a pointing on a letter which is read without them too: Latin, Greek, Cyrillic, Hebrew and Arabic ones
 * (with the tatweel, a stretcher of lines). Marks of other scripts, such as Japanese voicing or Indic vowels, make another letter and stay.
 */
const ACCENTS =
  /(?![\u3099\u309a])(?=\p{Mn})[\p{Script=Inherited}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]|\u0640/gu;

/** Characters that show nothing: joiners, variation selectors, soft hyphens, direction marks, tags. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** Letters that Unicode does not take apart, and the letters people type for them. */
const SPELLED: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ħ: "h",
  ŧ: "t",
  ı: "i",
  ς: "σ",
};
const SPELLED_LETTERS = new RegExp(`[${Object.keys(SPELLED).join("")}]`, "g");

/** What lower-case characters of Latin-1 fold to where they do not stay as they are. */
const LATIN: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Array.from("\u00a0¨¯´¸ª²³¹ºµàáâãäåçèéêëìíîïñòóôõöùúûüýÿ", (letter, place) => [
      letter,
      "     a231oμaaaaaaceeeeiiiinooooouuuuyy".charAt(place),
    ]),
  ),
  ...SPELLED,
  "¼": "1⁄4",
  "½": "1⁄2",
  "¾": "3⁄4",
  "\u00ad": "",
};

/** Whether a text has no character beyond Latin-1, so that each folds by itself, whatever stands beside it. */
export function isLatin(text: string): boolean {
  return !BEYOND_LATIN.test(text);
}

/** Whether folding comes down to lower-casing, letter for letter. */
export function isAscii(text: string): boolean {
  return !BEYOND_ASCII.test(text);
}

/**
 * The folded form: `Ångström` gives `angstrom`, `STRASSE` and `Straße` the same, `İstanbul` gives `istanbul`, full-width letters their
 * plain ones. Folding a folded text changes nothing.
 */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  if (isLatin(text)) return text.toLowerCase().replace(/[\u0080-\u00ff]/g, (letter) => LATIN[letter] ?? letter);
  return text
    .normalize("NFKD")
    .toLowerCase()
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .replace(INVISIBLE, "")
    .replace(SPELLED_LETTERS, (letter) => SPELLED[letter] ?? letter)
    .normalize("NFC");
}
