/** Headings: after `#` markers, or underlined by `===` or `---`. */

export interface Heading {
  readonly level: number;
  /** A final `\#` reads as `#`. */
  readonly text: string;
  /** UTF-16 offsets: the heading with its line ends, and its words. */
  readonly start: number;
  readonly end: number;
  readonly textStart: number;
  readonly textEnd: number;
}

export function atxHeading(text: string, start: number, from: number, next: number): Heading | undefined {
  let end = next;
  while (end > from && isWhite(text.charCodeAt(end - 1))) end -= 1;
  let textStart = from;
  while (text.charCodeAt(textStart) === HASH) textStart += 1;
  const level = textStart - from;
  if (level === 0 || level > 6) return undefined;
  if (textStart < end && !isBlank(text.charCodeAt(textStart))) return undefined;
  while (textStart < end && isBlank(text.charCodeAt(textStart))) textStart += 1;
  let textEnd = end;
  while (textEnd > textStart && text.charCodeAt(textEnd - 1) === HASH) textEnd -= 1;
  if (textEnd > textStart && !isBlank(text.charCodeAt(textEnd - 1))) textEnd = end;
  while (textEnd > textStart && isBlank(text.charCodeAt(textEnd - 1))) textEnd -= 1;
  return headingOf(text, level, start, next, textStart, textEnd);
}

/** 1 for `=`, 2 for `-`, 0 for anything else. */
export function underlineLevel(text: string, from: number, end: number): 0 | 1 | 2 {
  const mark = text.charCodeAt(from);
  if (mark !== EQUALS && mark !== DASH) return 0;
  let stop = end;
  while (stop > from && isWhite(text.charCodeAt(stop - 1))) stop -= 1;
  for (let at = from; at < stop; at += 1) if (text.charCodeAt(at) !== mark) return 0;
  return mark === EQUALS ? 1 : 2;
}

export function setextHeading(text: string, level: number, start: number, underline: number, next: number): Heading {
  let textStart = start;
  while (isBlank(text.charCodeAt(textStart))) textStart += 1;
  let textEnd = underline;
  while (textEnd > textStart && isWhite(text.charCodeAt(textEnd - 1))) textEnd -= 1;
  return headingOf(text, level, start, next, textStart, textEnd);
}

function headingOf(
  text: string,
  level: number,
  start: number,
  end: number,
  textStart: number,
  textEnd: number,
): Heading {
  const words = text.slice(textStart, textEnd);
  const line = words.includes("\n")
    ? words
        .split("\n")
        .map((part) => part.trim())
        .join(" ")
    : words.trim();
  return { level, text: unescapedWords(line), start, end, textStart, textEnd };
}

/** Without the backslash that escapes a final `#`. */
export function unescapedWords(words: string): string {
  return words.endsWith("\\#") ? `${words.slice(0, -2)}#` : words;
}

const HASH = 35;
const DASH = 45;
const EQUALS = 61;

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

function isWhite(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}
