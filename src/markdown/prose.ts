/** Which parts of a note's body are text: what stands in code blocks, comments and blocks of math is left out. */

const TAB = 9;
const SPACE = 32;
const BACKTICK = 96;
const TILDE = 126;

/** What opens a block at a line's beginning that ends at the same or the second mark, over blank lines and all. */
const ENCLOSED: readonly (readonly [open: string, close: string, unclosed: "hides" | "shows"])[] = [
  ["%%", "%%", "hides"],
  ["<!--", "-->", "hides"],
  ["$$", "$$", "shows"],
];

/**
 * Calls `visit` with each paragraph, heading, table row or list item's text as a range of UTF-16 units, in order; a range may hold the
 * quote and list marks at its lines' beginnings. What is hidden within a line (inline code, comments, math) is up to the reader.
 */
export function proseRanges(text: string, bodyStart: number, visit: (start: number, end: number) => void): void {
  const scanner = new BlockScanner(text, visit);
  for (let at = bodyStart; at < text.length;) at = scanner.line(at);
  scanner.flush();
}

interface Fence {
  readonly mark: number;
  readonly length: number;
  readonly quotes: number;
  readonly indent: number;
}

/** Follows, line by line, the quotes, lists, fences and paragraphs that a line stands in. */
class BlockScanner {
  readonly #text: string;
  readonly #visit: (start: number, end: number) => void;
  #fence: Fence | undefined;
  #quotes = 0;
  /** The columns at which the text of the open list items begins, outermost first. */
  #items: number[] = [];
  /** Where the open paragraph began; -1 outside one. */
  #from = -1;
  #to = -1;
  /** Where the line being read goes on, and the column of that place behind the quote marks. */
  #at = 0;
  #column = 0;

  constructor(text: string, visit: (start: number, end: number) => void) {
    this.#text = text;
    this.#visit = visit;
  }

  /** Reads the line at `start`; answers where to go on. */
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
      return next;
    }
    if (!this.#enterItems(end)) return next;
    return this.#block(end, next);
  }

  flush(): void {
    if (this.#from !== -1) this.#visit(this.#from, this.#to);
    this.#from = -1;
  }

  /** How many quote marks the line begins with; leaves the place behind them. */
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
    this.#quotes = quotes;
    this.#items = [];
  }

  /** Goes over blanks, counting columns; a tab leads to the next multiple of four. */
  #blanks(end: number): void {
    for (; this.#at < end; this.#at += 1) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === SPACE) this.#column += 1;
      else if (code === TAB) this.#column += 4 - (this.#column % 4);
      else return;
    }
  }

  /** Whether the line belongs to the open fence; the fence is closed by its mark and by the end of what it stands in. */
  #isInFence(fence: Fence, quotes: number, end: number): boolean {
    const [at, column] = [this.#at, this.#column];
    this.#blanks(end);
    const isEmpty = this.#at >= end || this.#text.charCodeAt(this.#at) === 13;
    if (quotes < fence.quotes || (!isEmpty && this.#column < fence.indent)) {
      this.#fence = undefined;
      [this.#at, this.#column] = [at, column];
      return false;
    }
    if (this.#column < fence.indent + 4 && closes(this.#text, this.#at, end, fence)) this.#fence = undefined;
    return true;
  }

  /** Leaves and enters list items; false when the line is indented code. */
  #enterItems(end: number): boolean {
    let marker = this.#itemMarker(end);
    // A line that goes on with a paragraph may stand further left.
    const isLazy = this.#from !== -1 && marker === 0;
    if (!isLazy) while (this.#column < (this.#items.at(-1) ?? 0)) this.#items.pop();
    for (;;) {
      if (this.#column - (this.#items.at(-1) ?? 0) >= 4) return this.#from !== -1;
      if (marker === 0) return true;
      this.flush();
      this.#enterItem(marker, end);
      if (this.#at >= end) return false;
      marker = this.#itemMarker(end);
    }
  }

  #enterItem(marker: number, end: number): void {
    const outer = this.#items.at(-1) ?? 0;
    const isFootnote = this.#text.charCodeAt(this.#at) === 91;
    const mark = this.#column + marker;
    this.#at += marker;
    this.#column = mark;
    this.#blanks(end);
    const isCode = this.#column - mark > 4 || this.#at >= end;
    // A footnote's further paragraphs stand four columns in, however long its marker is.
    this.#items.push(isFootnote ? outer + 4 : isCode ? mark + 1 : this.#column);
    if (isFootnote) this.#column = outer + 4;
  }

  /** The length of a list item's marker (or a footnote's) that stands here; 0 when none does. */
  #itemMarker(end: number): number {
    const text = this.#text;
    const code = text.charCodeAt(this.#at);
    if (code === 91) return footnoteMarker(text, this.#at, end);
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

  /** What begins here: a fence, an enclosed block, a heading, a table row or a paragraph. */
  #block(end: number, next: number): number {
    const text = this.#text;
    const at = this.#at;
    const code = text.charCodeAt(at);
    if ((code === BACKTICK || code === TILDE) && this.#openFence(code, end)) return next;
    for (const [open, close, unclosed] of ENCLOSED) {
      if (!text.startsWith(open, at)) continue;
      const closed = text.indexOf(close, at + open.length);
      if (closed === -1 && unclosed === "shows") break;
      this.flush();
      return closed === -1 ? text.length : this.#goOn(closed + close.length);
    }
    const isAlone = code === 124 || (code === 35 && isHeading(text, at));
    if (isAlone) this.flush();
    if (this.#from === -1) this.#from = at;
    this.#to = end;
    if (isAlone) this.flush();
    return next;
  }

  /** The text behind an enclosed block on the line where it ends. */
  #goOn(at: number): number {
    const newline = this.#text.indexOf("\n", at);
    const end = newline === -1 ? this.#text.length : newline;
    [this.#from, this.#to] = [at, end];
    return newline === -1 ? end : newline + 1;
  }

  #openFence(mark: number, end: number): boolean {
    const text = this.#text;
    let stop = this.#at;
    while (stop < end && text.charCodeAt(stop) === mark) stop += 1;
    const length = stop - this.#at;
    if (length < 3 || (mark === BACKTICK && text.slice(stop, end).includes("`"))) return false;
    this.flush();
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

/** `[^name]:`, whose text may go on indented. */
function footnoteMarker(text: string, at: number, end: number): number {
  if (text.charCodeAt(at + 1) !== 94) return 0;
  const close = text.slice(at, Math.min(end, at + 200)).indexOf("]:");
  return close > 2 ? close + 2 : 0;
}

function isHeading(text: string, at: number): boolean {
  let stop = at;
  while (text.charCodeAt(stop) === 35) stop += 1;
  return stop - at <= 6 && (stop >= text.length || isWhite(text.charCodeAt(stop)));
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
