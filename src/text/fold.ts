/** Folds text for comparison: case, accents and presentation forms do not count. */

const BEYOND_ASCII = /[^\0-\u007f]/;
/**
 * Characters that do not affect how their neighbours fold: Latin, Greek and Cyrillic letters, punctuation, symbols,
 * emoji. In other scripts a mark can change the letter before it.
 */
const BEYOND_TABLE = /(?!\ufe0f)[^\0-\u02af\u0370-\u0482\u048a-\u052f\u1e00-\u1fff\u2000-\u2bff\u{1f000}-\u{1faff}]/u;

/**
 * Accents and vowel points that are optional in writing: Latin, Greek, Cyrillic, Hebrew and Arabic ones, and the Arabic
 * tatweel. Marks of other scripts, such as Japanese voicing or Indic vowels, make another letter and stay.
 */
const ACCENTS =
  /(?![\u3099\u309a])(?=\p{Mn})[\p{Script=Inherited}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]|\u0640/gu;

/** Invisible characters: joiners, variation selectors, soft hyphens, direction marks, tags. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** Letters that Unicode does not decompose, and the letters people type for them. */
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

/** Whether each character of a text folds independently of its neighbours. */
export function foldsByCharacter(text: string): boolean {
  return !BEYOND_TABLE.test(text);
}

/** Whether folding only lower-cases the text. */
export function isAscii(text: string): boolean {
  return !BEYOND_ASCII.test(text);
}

/**
 * The folded form: `Ångström` gives `angstrom`, `STRASSE` and `Straße` the same, `İstanbul` gives `istanbul`,
 * full-width letters their plain ones. Idempotent.
 */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return foldsByCharacter(text) ? text.toLowerCase().replace(/[^\0-\u007f]/gu, folded) : foldWhole(text);
}

/** A cache of what characters beyond ASCII fold to. */
const table = new Map<string, string>();

function folded(character: string): string {
  let known = table.get(character);
  if (known === undefined) table.set(character, (known = foldWhole(character)));
  return known;
}

/** The definition of folding. The other functions are faster and give the same result. */
export function foldWhole(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .replace(INVISIBLE, "")
    .replace(SPELLED_LETTERS, (letter) => SPELLED[letter] ?? letter)
    .normalize("NFC");
}
