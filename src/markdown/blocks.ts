/**
 * Finds headings, list items and prose in Markdown, outside code,
 * comments and math; headings also outside HTML blocks.
 */

const TAB = 9;
const SPACE = 32;
const BACKTICK = 96;
const TILDE = 126;
const HASH = 35;
const DASH = 45;
const EQUALS = 61;
const BAR = 124;
const BRACKET = 91;
const LESS_THAN = 60;

const ENCLOSED: readonly (readonly [open: string, close: string, unclosed: "hides" | "shows"])[] = [
  ["%%", "%%", "hides"],
  ["<!--", "-->", "hides"],
  ["$$", "$$", "shows"],
];

/** In order; offsets in UTF-16 units. */
interface BlockVisitor {
  /** Lines may begin with quote and list marks. @param isHtml then links count and tags do not */
  readonly prose?: (start: number, end: number, isHtml: boolean) => void;
  /** Outside quotes, list items and HTML. Return true to end the scan. */
  readonly heading?: (heading: Heading) => boolean;
  /** Outside HTML blocks, with quote marks and indentation. */
  readonly item?: (start: number, end: number) => void;
}

/** Linear time. @param bodyStart from `splitNote` */
export function scanBlocks(text: string, bodyStart: number, visitor: BlockVisitor): void {
  const scanner = new BlockScanner(text, visitor);
  for (let at = bodyStart; at < text.length && !scanner.isDone;) at = scanner.line(at);
  scanner.flush();
}

interface Fence {
  readonly mark: number;
  readonly length: number;
  readonly quotes: number;
  readonly indent: number;
}

class BlockScanner {
  readonly #text: string;
  readonly #visitor: BlockVisitor;
  isDone = false;
  /** A blank line (`""`), or a closing tag. */
  #html: string | undefined;
  /** Of the item around the HTML block, which ends with it. */
  #htmlIndent = 0;
  #fence: Fence | undefined;
  #quotes = 0;
  /** Columns where the texts of open list items begin, outermost first. */
  #items: number[] = [];
  /** -1 outside a paragraph. */
  #from = -1;
  #to = -1;
  /** Else -1. */
  #underlinable = -1;
  /** And column after the quote marks. */
  #at = 0;
  #column = 0;

  constructor(text: string, visitor: BlockVisitor) {
    this.#text = text;
    this.#visitor = visitor;
  }

  line(start: number): number {
    const newline = this.#text.indexOf("\n", start);
    const end = newline === -1 ? this.#text.length : newline;
    const next = newline === -1 ? end : newline + 1;
    const quotes = this.#quoteMarks(start, end);
    if (this.#fence !== undefined && this.#isInFence(this.#fence, quotes, end)) return next;
    if (quotes !== this.#quotes) this.#leave(quotes);
    this.#blanks(end);
    if (this.#at >= end || this.#text.charCodeAt(this.#at) === 13) {
      this.flush();
      if (this.#html === "") this.#html = undefined;
      return next;
    }
    if (this.#underlines(start, end, next)) return next;
    if (this.#html !== undefined && this.#column < this.#htmlIndent) this.#leaveHtml();
    if (this.#html === undefined && !this.#enterItems(start, end)) return next;
    return this.#block(start, end, next);
  }

  flush(): void {
    if (this.#from !== -1) this.#visitor.prose?.(this.#from, this.#to, this.#html !== undefined);
    this.#from = -1;
    this.#underlinable = -1;
  }

  #underlines(start: number, end: number, next: number): boolean {
    if (this.#underlinable === -1 || this.#column > 3) return false;
    const level = underlineLevel(this.#text, this.#at, end);
    if (level === 0) return false;
    const heading = setextHeading(this.#text, level, this.#underlinable, start, next);
    this.#to = end;
    this.flush();
    this.#tell(heading);
    return true;
  }

  #tell(heading: Heading): void {
    if (this.#html !== undefined) return;
    if (this.#visitor.heading?.(heading) === true) this.isDone = true;
  }

  #quoteMarks(start: number, end: number): number {
    const text = this.#text;
    let quotes = 0;
    this.#at = start;
    this.#column = 0;
    const deepest = 3 + (this.#items.at(-1) ?? 0);
    for (let at = start; at < end;) {
      let mark = at;
      while (mark - at <= deepest && isBlank(text.charCodeAt(mark))) mark += 1;
      if (text.charCodeAt(mark) !== 62) break;
      quotes += 1;
      at = text.charCodeAt(mark + 1) === SPACE ? mark + 2 : mark + 1;
      this.#at = at;
    }
    return quotes;
  }

  #leave(quotes: number): void {
    this.flush();
    this.#html = undefined;
    this.#quotes = quotes;
    this.#items = [];
  }

  #blanks(end: number): void {
    for (; this.#at < end; this.#at += 1) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === SPACE) this.#column += 1;
      else if (code === TAB) this.#column += 4 - (this.#column % 4);
      else return;
    }
  }

  /** At its mark, or with its quote or item. */
  #isInFence(fence: Fence, quotes: number, end: number): boolean {
    const [at, column] = [this.#at, this.#column];
    this.#blanks(end);
    const isEmpty = this.#at >= end || this.#text.charCodeAt(this.#at) === 13;
    if (quotes < fence.quotes || (!isEmpty && this.#column < fence.indent)) {
      this.#fence = undefined;
      this.#at = at;
      this.#column = column;
      return false;
    }
    if (this.#column < fence.indent + 4 && closes(this.#text, this.#at, end, fence)) this.#fence = undefined;
    return true;
  }

  /** False when the line is indented code. */
  #enterItems(start: number, end: number): boolean {
    let marker = this.#itemMarker(end);
    // A continued paragraph may be indented less.
    const isLazy = this.#from !== -1 && marker === 0;
    if (!isLazy) while (this.#column < (this.#items.at(-1) ?? 0)) this.#items.pop();
    for (let isFirst = true; ; isFirst = false) {
      if (this.#column - (this.#items.at(-1) ?? 0) >= 4) return this.#from !== -1;
      if (marker === 0) return true;
      this.flush();
      if (isFirst && this.#text.charCodeAt(this.#at) !== BRACKET) this.#visitor.item?.(start, end);
      this.#enterItem(marker, end);
      if (this.#at >= end) return false;
      marker = this.#itemMarker(end);
    }
  }

  #enterItem(marker: number, end: number): void {
    const outer = this.#items.at(-1) ?? 0;
    const isFootnote = this.#text.charCodeAt(this.#at) === BRACKET;
    const mark = this.#column + marker;
    this.#at += marker;
    this.#column = mark;
    this.#blanks(end);
    const isCode = this.#column - mark > 4 || this.#at >= end;
    // Its paragraphs are indented by four columns.
    this.#items.push(isFootnote ? outer + 4 : isCode ? mark + 1 : this.#column);
    if (isFootnote) this.#column = outer + 4;
  }

  /** 0 without one. */
  #itemMarker(end: number): number {
    const text = this.#text;
    const code = text.charCodeAt(this.#at);
    if (code === BRACKET) return footnoteMarker(text, this.#at, end);
    let stop = this.#at;
    if (code === 45 || code === 42 || code === 43) stop += 1;
    else {
      while (stop - this.#at < 10 && isDigit(text.charCodeAt(stop))) stop += 1;
      const mark = text.charCodeAt(stop);
      if (stop === this.#at || stop - this.#at > 9 || (mark !== 46 && mark !== 41)) return 0;
      stop += 1;
    }
    return stop >= end || isWhite(text.charCodeAt(stop)) ? stop - this.#at : 0;
  }

  #block(start: number, end: number, next: number): number {
    const text = this.#text;
    const at = this.#at;
    const code = text.charCodeAt(at);
    if ((code === BACKTICK || code === TILDE) && this.#openFence(code, end)) return next;
    if (code === LESS_THAN && this.#html === undefined) this.#openHtml(end);
    for (const [open, close, unclosed] of ENCLOSED) {
      if (!text.startsWith(open, at)) continue;
      const closed = text.indexOf(close, at + open.length);
      if (closed === -1 && unclosed === "shows") break;
      this.#interrupt();
      return closed === -1 ? text.length : this.#goOn(closed + close.length);
    }
    const isTop = this.#quotes === 0 && at - start < 4 && isBlankBetween(text, start, at);
    const heading = code === HASH ? atxHeading(text, start, at, next) : undefined;
    const isAlone = code === BAR || heading !== undefined || isRule(text, at, end);
    if (isAlone) this.#interrupt();
    if (this.#from === -1) {
      this.#from = at;
      this.#underlinable = isTop && this.#items.length === 0 ? start : -1;
    }
    this.#to = end;
    if (isAlone) this.flush();
    if (heading !== undefined && isTop) this.#tell(heading);
    if (this.#html && text.slice(at, end).toLowerCase().includes(this.#html)) this.#leaveHtml();
    return next;
  }

  #openHtml(end: number): void {
    const close = htmlBlock(this.#text.slice(this.#at, end), this.#from !== -1);
    if (close === undefined) return;
    this.flush();
    this.#html = close;
    this.#htmlIndent = this.#items.at(-1) ?? 0;
  }

  #leaveHtml(): void {
    this.flush();
    this.#html = undefined;
  }

  #interrupt(): void {
    this.flush();
    while (this.#column < (this.#items.at(-1) ?? 0)) this.#items.pop();
  }

  #goOn(at: number): number {
    const newline = this.#text.indexOf("\n", at);
    const end = newline === -1 ? this.#text.length : newline;
    this.#from = at;
    this.#to = end;
    return newline === -1 ? end : newline + 1;
  }

  #openFence(mark: number, end: number): boolean {
    const text = this.#text;
    let stop = this.#at;
    while (stop < end && text.charCodeAt(stop) === mark) stop += 1;
    const length = stop - this.#at;
    if (length < 3 || (mark === BACKTICK && text.slice(stop, end).includes("`"))) return false;
    this.#interrupt();
    this.#fence = { mark, length, quotes: this.#quotes, indent: this.#items.at(-1) ?? 0 };
    return true;
  }
}

function closes(text: string, from: number, end: number, { mark, length }: Fence): boolean {
  let stop = from;
  while (stop < end && text.charCodeAt(stop) === mark) stop += 1;
  if (stop - from < length) return false;
  while (stop < end && isWhite(text.charCodeAt(stop))) stop += 1;
  return stop >= end;
}

const RAW_TAG = /^<(script|pre|style|textarea)(?=[\s>]|$)/i;
const BLOCK_TAG =
  /^<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?=[\s>]|\/>|$)/i;
const TAG_ALONE =
  /^<(?:\/[a-z][a-z\d-]*\s*|[a-z][a-z\d-]*(?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:"[^"<]*"|'[^'<]*'|[^\s"'=<>`]+))?)*\s*\/?)>\s*$/i;

/** `""` for a blank line, or a closing tag. Undefined: the line begins no HTML block. */
function htmlBlock(line: string, isInParagraph: boolean): string | undefined {
  const raw = RAW_TAG.exec(line)?.[1];
  if (raw !== undefined) return `</${raw.toLowerCase()}>`;
  return BLOCK_TAG.test(line) || (!isInParagraph && TAG_ALONE.test(line)) ? "" : undefined;
}

/** `[^name]:` */
function footnoteMarker(text: string, at: number, end: number): number {
  if (text.charCodeAt(at + 1) !== 94) return 0;
  const close = text.slice(at, Math.min(end, at + 200)).indexOf("]:");
  return close > 2 ? close + 2 : 0;
}

/** Reading `- - -` as list items has the same effect. */
function isRule(text: string, at: number, end: number): boolean {
  const mark = text.charCodeAt(at);
  if (mark !== 42 && mark !== 45 && mark !== 95) return false;
  return /^([-*_])[ \t]*(?:\1[ \t]*){2,}\r?$/.test(text.slice(at, end));
}

/** A tab would make the line indented code. */
function isBlankBetween(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (text.charCodeAt(at) !== SPACE) return false;
  return true;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function isWhite(code: number): boolean {
  return isBlank(code) || code === 10 || code === 13;
}

export interface Heading {
  readonly level: number;
  /** A final `\#` reads as `#`. */
  readonly text: string;
  /** With line ends. */
  readonly start: number;
  readonly end: number;
  readonly textStart: number;
  readonly textEnd: number;
}

function atxHeading(text: string, start: number, from: number, next: number): Heading | undefined {
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

function underlineLevel(text: string, from: number, end: number): 0 | 1 | 2 {
  const mark = text.charCodeAt(from);
  if (mark !== EQUALS && mark !== DASH) return 0;
  let stop = end;
  while (stop > from && isWhite(text.charCodeAt(stop - 1))) stop -= 1;
  for (let at = from; at < stop; at += 1) if (text.charCodeAt(at) !== mark) return 0;
  return mark === EQUALS ? 1 : 2;
}

function setextHeading(text: string, level: number, start: number, underline: number, next: number): Heading {
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

/** Of a final `#`. */
export function unescapedWords(words: string): string {
  return words.endsWith("\\#") ? `${words.slice(0, -2)}#` : words;
}
