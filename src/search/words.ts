/** Splits folded text into words, in scripts with and without spaces between words. */

/** Spaces, punctuation, symbols, emoji. */
export const SEPARATOR = 0;
export const SPACED = 1;
/** Written without spaces (Chinese, Japanese, Thai), or with endings attached (Korean). */
export const UNSPACED = 2;
type CharacterClass = typeof SEPARATOR | typeof SPACED | typeof UNSPACED;

const UNKNOWN = 255;
/** Cached: a regular expression per character would dominate a search. */
const known = new Uint8Array(0x10000).fill(UNKNOWN);

function classOf(codePoint: number): CharacterClass {
  const found = known[codePoint];
  if (found !== undefined && found !== UNKNOWN) return found as CharacterClass;
  const character = String.fromCodePoint(codePoint);
  const answer = codePoint < 0x80 ? classOfAscii(character) : classByScript(character);
  if (codePoint < known.length) known[codePoint] = answer;
  return answer;
}

function classOfAscii(character: string): CharacterClass {
  return /[a-z0-9]/i.test(character) ? SPACED : SEPARATOR;
}

const PART_OF_WORD = /[\p{L}\p{N}\p{M}]/u;
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]/u;

function classByScript(character: string): CharacterClass {
  if (!PART_OF_WORD.test(character)) return SEPARATOR;
  return WITHOUT_SPACES.test(character) ? UNSPACED : SPACED;
}

export function classBefore(text: string, index: number): CharacterClass {
  if (index <= 0) return SEPARATOR;
  const unit = text.charCodeAt(index - 1);
  const low = unit >= 0xdc00 && unit <= 0xdfff;
  return classOf(low && index > 1 ? (text.codePointAt(index - 2) ?? unit) : unit);
}

export function classAt(text: string, index: number): CharacterClass {
  const codePoint = text.codePointAt(index);
  return codePoint === undefined ? SEPARATOR : classOf(codePoint);
}

/** Calls `visit` with each longest run of one class except SEPARATOR. */
export function eachRun(
  text: string,
  visit: (start: number, end: number, kind: typeof SPACED | typeof UNSPACED) => void,
): void {
  let start = 0;
  let kind: CharacterClass = SEPARATOR;
  let index = 0;
  while (index < text.length) {
    let unit = text.charCodeAt(index);
    let width = 1;
    if (unit >= 0xd800 && unit <= 0xdbff) {
      unit = text.codePointAt(index) ?? unit;
      width = unit > 0xffff ? 2 : 1;
    }
    const next = classOf(unit);
    if (next !== kind) {
      if (kind !== SEPARATOR) visit(start, index, kind);
      start = index;
      kind = next;
    }
    index += width;
  }
  if (kind !== SEPARATOR) visit(start, text.length, kind);
}

/** The words of a text; without spaces between them, each character and each pair. */
export function indexWords(text: string): string[] {
  const tokens: string[] = [];
  eachRun(text, (start, end, kind) => {
    const run = text.slice(start, end);
    if (kind === SPACED) tokens.push(run);
    else for (const token of [...Array.from(run), ...neighbourPairs(run)]) tokens.push(token);
  });
  return tokens;
}

export function neighbourPairs(run: string): string[] {
  const characters = Array.from(run);
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
