/** The headings of a note and where its description stands. */
import { VaultError } from "../errors.js";
import { splitNote } from "./frontmatter/frontmatter.js";
import { lineEnding, withLineEnding } from "./line-endings.js";

export interface Heading {
  readonly level: number;
  /** The words, without markers and the blanks around them; `\#` at their end reads as `#`. */
  readonly text: string;
  /** Offsets in UTF-16 units into the note's text: the whole heading with its line end(s), and its words alone. */
  readonly start: number;
  readonly end: number;
  readonly textStart: number;
  readonly textEnd: number;
}

/** Offsets in UTF-16 units into a note's text. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/**
 * ATX and setext headings of the body in order; code fences, comments (`%%`) and frontmatter are looked past. `bodyStart` as
 * from `splitNote`.
 */
export function headings(text: string, bodyStart: number, limit = Infinity): Heading[] {
  const found: Heading[] = [];
  if (limit > 0) scanHeadings(text, bodyStart, (heading) => found.push(heading) >= limit);
  return found;
}

/**
 * The note's title heading (the first level-1 heading of the body) and the range of the description: what stands below the
 * title heading, or the whole body without one; the blank lines around it left out. An empty description is an empty range.
 */
export function titleAndDescription(
  text: string,
  bodyStart: number,
): { readonly title: Heading | undefined; readonly description: TextRange } {
  let title: Heading | undefined;
  scanHeadings(text, bodyStart, (heading) => {
    if (heading.level === 1) title = heading;
    return title !== undefined;
  });
  return { title, description: withoutBlankLines(text, title?.end ?? bodyStart, text.length) };
}

/** `[from, to)` without the blank lines at its start and the white space at its end. */
function withoutBlankLines(text: string, from: number, to: number): TextRange {
  let end = to;
  while (end > from && isWhite(text.charCodeAt(end - 1))) end -= 1;
  let start = from;
  for (let index = from; index < end && isWhite(text.charCodeAt(index)); index += 1) {
    if (text.charCodeAt(index) === 10) start = index + 1;
  }
  return { start: Math.min(start, end), end };
}

/** The first `length` UTF-16 units of a range, never ending in half a character. */
export function excerpt(text: string, range: TextRange, length: number): string {
  let end = Math.min(range.end, range.start + length);
  if (end < range.end && end > range.start && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(range.start, end);
}

/** Replaces the description below the title heading, in the note's own line endings; everything else stays byte for byte. */
export function replaceDescription(text: string, bodyStart: number, description: string): string {
  const ending = lineEnding(text);
  const { title, description: old } = titleAndDescription(text, bodyStart);
  const wanted = trimmed(withLineEnding(description, ending));
  if (wanted === text.slice(old.start, old.end)) return text;
  const above = title?.end ?? bodyStart;
  if (wanted === "") return text.slice(0, above);
  if (old.start < old.end) return guarded(text, bodyStart, old.start, wanted + text.slice(old.end));
  const openLine =
    above > 0 && text.charCodeAt(above - 1) !== 10 && text.charCodeAt(above - 1) !== 0xfeff ? ending : "";
  const blankLine = title === undefined ? "" : ending;
  return guarded(text, bodyStart, above, openLine + blankLine + wanted + (text.endsWith("\n") ? ending : ""));
}

/** `text` up to `from` followed by `rest`, made sure to hold the same frontmatter as before. */
function guarded(text: string, bodyStart: number, from: number, rest: string): string {
  const result = text.slice(0, from) + rest;
  if (splitNote(result).frontmatter?.end === splitNote(text).frontmatter?.end) return result;
  // The body begins with `---`: one line end before it keeps it a rule.
  if (from === bodyStart) return text.slice(0, from) + lineEnding(text) + rest;
  throw new VaultError(
    "INVALID_ARGUMENT",
    "A `---` line in the description would close the unfinished frontmatter above it.",
    {
      hint: "Close the frontmatter of this note with a line of `---`, or leave such lines out of the description.",
      line: 1,
      column: 1,
    },
  );
}

/** Without blank lines before and white space behind. */
function trimmed(description: string): string {
  const { start, end } = withoutBlankLines(description, 0, description.length);
  return description.slice(start, end);
}

/** Changes the words of a heading; its markers, its place and all other bytes stay. Line breaks in `words` become spaces. */
export function setHeadingText(text: string, heading: Heading, words: string): string {
  const escaped = headingWords(words);
  const blank = heading.textStart > heading.start && text.charAt(heading.textStart - 1) === "#" ? " " : "";
  const changed = text.slice(0, heading.textStart) + blank + escaped + text.slice(heading.textEnd);
  const [found] = headings(changed, heading.start, 1);
  if (found?.start === heading.start && found.level === heading.level && found.text === unescaped(escaped))
    return changed;
  // Words that begin like a list or another heading cannot be underlined: write them behind markers.
  const lineEnd = /\r?\n$/.exec(text.slice(heading.start, heading.end))?.[0] ?? "";
  return `${text.slice(0, heading.start)}${"#".repeat(heading.level)} ${escaped}${lineEnd}${text.slice(heading.end)}`;
}

/** Words as they stand behind `# `: on one line, and with a backslash where a `#` at the end would be taken for a marker. */
export function headingWords(words: string): string {
  const parts = words.split(/[\r\n\u2028\u2029]+/).map((part) => part.trim());
  const line = parts.filter((part) => part !== "").join(" ");
  let before = line.length;
  while (line.charAt(before - 1) === "#") before -= 1;
  const isMarker = before < line.length && (before === 0 || isWhite(line.charCodeAt(before - 1)));
  return isMarker ? `${line.slice(0, -1)}\\#` : line;
}

/** Calls `visit` with each heading in order until it says to stop. */
function scanHeadings(text: string, bodyStart: number, visit: (heading: Heading) => boolean): void {
  const scanner = new HeadingScanner(text);
  for (let at = bodyStart; at < text.length;) {
    const newline = text.indexOf("\n", at);
    const next = newline === -1 ? text.length : newline + 1;
    const heading = scanner.line(at, next);
    if (heading !== undefined && visit(heading)) return;
    at = next;
  }
}

/** Knows, line by line, whether a line is a heading, code, comment or text. */
class HeadingScanner {
  private readonly text: string;
  /** The marker of the open code fence, such as "```". */
  private fence = "";
  private inComment = false;
  /** Where the paragraph began that a line of `===` or `---` would make a heading; -1 outside a paragraph. */
  private paragraph = -1;

  constructor(text: string) {
    this.text = text;
  }

  /** The heading that the line `[start, next)` is or completes. */
  line(start: number, next: number): Heading | undefined {
    let from = start;
    while (this.text.charCodeAt(from) === 32 && from - start < 4) from += 1;
    let end = next;
    while (end > from && isWhite(this.text.charCodeAt(end - 1))) end -= 1;
    if (this.passesOver(from, end, from - start)) return undefined;
    const { paragraph } = this;
    if (end === from) {
      this.paragraph = -1;
      return undefined;
    }
    if (from - start > 3 || this.text.charCodeAt(from) === 9) return undefined;
    const underline = paragraph === -1 ? 0 : this.underlineLevel(from, end);
    if (underline > 0) {
      this.paragraph = -1;
      return this.setext(underline, paragraph, start, next);
    }
    const atx = this.atx(start, from, end, next);
    if (atx !== undefined || !this.isParagraph(from, end)) this.paragraph = -1;
    else if (paragraph === -1) this.paragraph = start;
    return atx;
  }

  /** Whether the line belongs to a code block or a comment, or opens or closes one. */
  private passesOver(from: number, end: number, indent: number): boolean {
    const { text } = this;
    if (this.inComment) {
      if (countComments(text.slice(from, end)) % 2 === 1) this.inComment = false;
      return true;
    }
    const mark = text.charCodeAt(from);
    if (this.fence !== "") {
      if (indent < 4 && text.startsWith(this.fence, from) && isRun(text, from, end, mark)) this.fence = "";
      return true;
    }
    if (indent < 4 && (mark === 96 || mark === 126)) {
      let stop = from;
      while (text.charCodeAt(stop) === mark) stop += 1;
      const opens = stop - from >= 3 && !(mark === 96 && text.slice(stop, end).includes("`"));
      if (opens) this.fence = text.slice(from, stop);
      if (opens) this.paragraph = -1;
      return opens;
    }
    if (!text.startsWith("%%", from)) return false;
    this.inComment = countComments(text.slice(from, end)) % 2 === 1;
    this.paragraph = -1;
    return true;
  }

  private atx(start: number, from: number, end: number, next: number): Heading | undefined {
    const { text } = this;
    let textStart = from;
    while (text.charCodeAt(textStart) === 35) textStart += 1;
    const level = textStart - from;
    if (level === 0 || level > 6) return undefined;
    if (textStart < end && !isBlank(text.charCodeAt(textStart))) return undefined;
    while (textStart < end && isBlank(text.charCodeAt(textStart))) textStart += 1;
    let textEnd = end;
    while (textEnd > textStart && text.charCodeAt(textEnd - 1) === 35) textEnd -= 1;
    if (textEnd > textStart && !isBlank(text.charCodeAt(textEnd - 1))) textEnd = end;
    while (textEnd > textStart && isBlank(text.charCodeAt(textEnd - 1))) textEnd -= 1;
    return this.heading(level, start, next, textStart, textEnd);
  }

  private setext(level: number, paragraph: number, underline: number, next: number): Heading {
    const { text } = this;
    let textStart = paragraph;
    while (isBlank(text.charCodeAt(textStart))) textStart += 1;
    let textEnd = underline;
    while (textEnd > textStart && isWhite(text.charCodeAt(textEnd - 1))) textEnd -= 1;
    return this.heading(level, paragraph, next, textStart, textEnd);
  }

  private heading(level: number, start: number, end: number, textStart: number, textEnd: number): Heading {
    const words = this.text.slice(textStart, textEnd);
    const line = words.includes("\n")
      ? words
          .split("\n")
          .map((part) => part.trim())
          .join(" ")
      : words.trim();
    return { level, text: unescaped(line), start, end, textStart, textEnd };
  }

  private underlineLevel(from: number, end: number): number {
    const mark = this.text.charCodeAt(from);
    if ((mark !== 61 && mark !== 45) || !isRun(this.text, from, end, mark)) return 0;
    return mark === 61 ? 1 : 2;
  }

  /** Whether text can be underlined: not a quote, a list item, a table row or a rule. */
  private isParagraph(from: number, end: number): boolean {
    return !/^(?:[>|]|[-*+](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$)|(?:[-*_][ \t]*){3,}$)/.test(
      this.text.slice(from, Math.min(end, from + 200)),
    );
  }
}

/** Heading words without the backslash that keeps a `#` at their end. */
function unescaped(words: string): string {
  return words.endsWith("\\#") ? `${words.slice(0, -2)}#` : words;
}

function countComments(line: string): number {
  let count = 0;
  for (let at = line.indexOf("%%"); at !== -1; at = line.indexOf("%%", at + 2)) count += 1;
  return count;
}

function isRun(text: string, from: number, end: number, mark: number): boolean {
  for (let index = from; index < end; index += 1) if (text.charCodeAt(index) !== mark) return false;
  return true;
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

function isWhite(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
