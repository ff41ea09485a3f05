/** Texts compared as they are read: folded, or as patterns of what looks the same. */

const BEYOND_ASCII = /[^\0-\u007f]/;
/** Excludes what folds independently of its neighbours. In other scripts a mark can change the letter before it. */
const BEYOND_TABLE = /(?!\ufe0f)[^\0-\u02af\u0370-\u0482\u048a-\u052f\u1e00-\u1fff\u2000-\u2bff\u{1f000}-\u{1faff}]/u;

/** Not marks that make another letter, such as Japanese voicing or Indic vowels. */
const ACCENTS =
  /(?![\u3099\u309a])(?=\p{Mn})[\p{Script=Inherited}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]|\u0640/gu;

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** Letters that Unicode does not decompose. */
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

function foldsByCharacter(text: string): boolean {
  return !BEYOND_TABLE.test(text);
}

export function isAscii(text: string): boolean {
  return !BEYOND_ASCII.test(text);
}

/** `Ångström` gives `angstrom`, `Straße` `strasse`, `İstanbul` `istanbul`. Idempotent. */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return foldsByCharacter(text) ? text.toLowerCase().replace(/[^\0-\u007f]/gu, folded) : foldWhole(text);
}

const table = new Map<string, string>();

function folded(character: string): string {
  let known = table.get(character);
  if (known === undefined) table.set(character, (known = foldWhole(character)));
  return known;
}

/** Defines folding; others are faster. */
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

/** A longer substring keeps the original text in memory. */
const MAX_LENGTH = 12;
const MAX_ENTRIES = 2_000;

/** `make` must be pure. */
export function remembered<Result>(make: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    if (text.length > MAX_LENGTH) return make(text);
    const before = known.get(text);
    if (before !== undefined) return before;
    const made = make(text);
    if (known.size >= MAX_ENTRIES) known.clear();
    known.set(text, made);
    return made;
  };
}

/** Keeps no other text in memory. */
export function ownCopy(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  const encoding = isAscii(text) ? "latin1" : "utf16le";
  return Buffer.from(text, encoding).toString(encoding);
}

export const asSeen = (text: string): string => text.normalize("NFC").replace(/\p{Zs}/gu, " ");

type Alike = readonly [what: string, plain: (text: string) => string];

/** In what texts may differ that mean the same; all of it last. */
const KINDS: readonly Alike[] = [
  ["quotes", (text) => text.replace(/[“”„‟«»]/g, '"').replace(/[‘’‚‛′]/g, "'")],
  ["dashes or dots", (text) => text.replace(/[‐‑–—−]/g, "-").replaceAll("…", "...")],
  ["case", (text) => text.toLowerCase()],
];
export const ALIKE: readonly Alike[] = [
  ...KINDS,
  ["quotes, dashes or case", (text) => KINDS.reduce((now, [, plain]) => plain(now), text)],
];

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
