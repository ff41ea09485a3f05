/** Finds links and tags in a paragraph, heading or table row, outside inline code, comments and math. */
import {
  type Destination,
  type FoundLink,
  readDestination,
  readWikilink,
  skipBlanks,
  splitDestination,
} from "./wikilink.js";

/** Perhaps of a link. */
interface Opener {
  readonly start: number;
  readonly textStart: number;
  readonly embed: boolean;
}

export interface InlineVisitor {
  readonly link?: (link: FoundLink) => void;
  /** Without its `#`. */
  readonly tag?: (tag: string, start: number) => void;
}

const BAR = 124;
const LINK_MARKS = /[\\`<$%[\]]/g;
const LINK_AND_TAG_MARKS = /[\\`<$%[\]#]/g;
const AUTOLINK = /<[a-z][a-z\d+.-]{1,31}:[^\s<>]*>/iy;
/** Attributes hold no `<`, so a search ends at the next one. */
const HTML_TAG = /<[a-z][a-z\d-]*(?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:"[^"<]*"|'[^'<]*'|[^\s"'=<>`]+))?)*\s*\/?>/iy;
const MATH_END = /(?<=[^\s\\])\$(?!\d)/g;
const LABEL = /\[(?!\^)((?:[^[\]\\\n]|\\.){1,999})\]:/y;

/** Linear for any text: searches only go forward and remember what they did not find. */
export class InlineScanner {
  readonly #text: string;
  readonly #visitor: InlineVisitor;
  readonly #marks: RegExp;
  readonly #wanted: readonly ForwardSearch[];
  readonly #lineEnd: ForwardSearch;
  readonly #wikiOpen: ForwardSearch;
  readonly #wikiClose: ForwardSearch;
  #searches = new Map<string, ForwardSearch>();
  #tagPattern: RegExp | undefined;
  #closingRun: ClosingRun | undefined;
  #openers: Opener[] = [];
  /** Openers before this one contain a link, so they are not links. */
  #deadBelow = 0;
  /** Ends of the last link, and of the last construct. */
  #linkEnd = 0;
  #plainFrom = 0;
  /** Attributes can hold links but no tags (`color: #FFF`). */
  #htmlEnd = 0;
  #tagEnd = -1;
  /** True within a table row. */
  #isRow = false;
  #end = 0;

  constructor(text: string, visitor: InlineVisitor) {
    this.#text = text;
    this.#visitor = visitor;
    this.#marks = visitor.tag ? LINK_AND_TAG_MARKS : LINK_MARKS;
    this.#wanted = [
      ...(visitor.link ? [forwardSearch(text, "[")] : []),
      ...(visitor.tag ? [forwardSearch(text, "#")] : []),
    ];
    this.#lineEnd = forwardSearch(text, "\n");
    this.#wikiOpen = forwardSearch(text, "[[");
    this.#wikiClose = forwardSearch(text, "]]");
  }

  /** Ranges must come in order. @param isHtml without tags */
  scan(start: number, end: number, isHtml = false): void {
    if (this.#wanted.every((search) => search(start) >= end)) return;
    this.#end = end;
    if (isHtml) this.#htmlEnd = end;
    this.#isRow = this.#text.charCodeAt(start) === BAR;
    this.#searches = new Map();
    this.#closingRun = undefined;
    this.#openers = [];
    this.#deadBelow = 0;
    this.#plainFrom = start;
    for (let at = this.#definitions(start); at < end;) {
      this.#marks.lastIndex = at;
      const found = this.#marks.exec(this.#text);
      if (found === null || found.index >= end) return;
      at = this.#special(found.index);
    }
  }

  #special(at: number): number {
    const text = this.#text;
    switch (text.charAt(at)) {
      case "\\":
        return (this.#plainFrom = at + 2);
      case "`":
        return (this.#plainFrom = this.#code(at));
      case "<":
        return this.#angle(at);
      case "$":
        return this.#math(at);
      case "%":
        return text.startsWith("%%", at) ? this.#enclosed(at, "%%", "%%") : at + 1;
      case "[":
        return this.#open(at);
      case "#":
        return this.#tag(at);
      default:
        return this.#close(at);
    }
  }

  #code(at: number): number {
    let stop = at;
    while (this.#text.charCodeAt(stop) === 96) stop += 1;
    this.#closingRun ??= codeRuns(this.#text, at, this.#end);
    return this.#closingRun(stop - at, stop) ?? stop;
  }

  #angle(at: number): number {
    if (this.#text.startsWith("<!--", at)) return this.#enclosed(at, "<!--", "-->");
    AUTOLINK.lastIndex = at;
    const autolink = AUTOLINK.exec(this.#text);
    if (autolink) return (this.#plainFrom = at + autolink[0].length);
    HTML_TAG.lastIndex = at;
    if (this.#visitor.tag && HTML_TAG.test(this.#text)) this.#htmlEnd = Math.max(this.#htmlEnd, HTML_TAG.lastIndex);
    return at + 1;
  }

  /** On one line, with no spaces inside its marks and no digit after it. */
  #math(at: number): number {
    const text = this.#text;
    if (text.startsWith("$$", at)) return this.#enclosed(at, "$$", "$$");
    if (/\s/.test(text.charAt(at + 1))) return at + 1;
    const close = this.#search(MATH_END)(at + 2);
    return close < Math.min(this.#end, this.#lineEnd(at)) ? (this.#plainFrom = close + 1) : at + 1;
  }

  #tag(at: number): number {
    if (at < this.#htmlEnd || !this.#mayBeginTag(at)) return at + 1;
    const pattern = (this.#tagPattern ??= tagPattern());
    pattern.lastIndex = at;
    const found = pattern.exec(this.#text)?.[1];
    const tag = found && this.#withoutEmphasis(at, found);
    if (!tag || !/[^\p{N}/]/u.test(tag)) return at + 1;
    this.#visitor.tag?.(tag, at + 1);
    return (this.#tagEnd = at + 1 + tag.length);
  }

  /** A tag begins a line or a table cell, or follows white space, a mark of emphasis or another tag. */
  #mayBeginTag(at: number): boolean {
    if (at === 0 || at === this.#tagEnd) return true;
    const before = this.#text.charAt(at - 1);
    return /[\s_*]/.test(before) || (before === "|" && this.#isRow);
  }

  /** In `_#tag_` the second mark is not part of the tag. */
  #withoutEmphasis(at: number, tag: string): string {
    let length = tag.length;
    for (let mark = at - 1; this.#text.charAt(mark) === "_" && tag.charAt(length - 1) === "_"; mark -= 1) length -= 1;
    return tag.slice(0, length);
  }

  /** The opening mark's end when the span is not closed. */
  #enclosed(at: number, open: string, close: string): number {
    const closed = this.#search(close)(at + open.length);
    return (this.#plainFrom = closed + close.length <= this.#end ? closed + close.length : at + open.length);
  }

  #open(at: number): number {
    const embed = at > this.#plainFrom && this.#text.charCodeAt(at - 1) === 33;
    const start = embed ? at - 1 : at;
    const end = this.#text.charCodeAt(at + 1) === 91 ? this.#wikilinkEnd(at) : undefined;
    const link = end === undefined ? undefined : readWikilink(this.#text, start, at + 2, end - 2);
    if (end === undefined || link === undefined) {
      this.#openers.push({ start, textStart: at + 1, embed });
      return at + 1;
    }
    this.#emit(link);
    return end;
  }

  /** Undefined when another wikilink begins first, or the line ends. */
  #wikilinkEnd(at: number): number | undefined {
    const close = this.#wikiClose(at + 2);
    const isClosed = close + 2 <= this.#end && close < this.#lineEnd(at) && this.#wikiOpen(at + 1) > close;
    return isClosed ? close + 2 : undefined;
  }

  #close(at: number): number {
    const opener = this.#openers.pop();
    const isDead = opener !== undefined && !opener.embed && this.#openers.length < this.#deadBelow;
    this.#deadBelow = Math.min(this.#deadBelow, this.#openers.length);
    if (opener === undefined || isDead || this.#text.charCodeAt(at + 1) !== 40) return at + 1;
    const destination = readDestination(this.#text, skipBlanks(this.#text, at + 2, this.#end), this.#end);
    const end = destination && skipBlanks(this.#text, destination.after, this.#end);
    if (destination === undefined || end === undefined || end >= this.#end || this.#text.charCodeAt(end) !== 41)
      return at + 1;
    const start = Math.max(opener.start, this.#linkEnd);
    this.#markdown(destination, start, end + 1, this.#text.slice(opener.textStart, at), opener.embed);
    if (!opener.embed) this.#deadBelow = this.#openers.length;
    return (this.#plainFrom = end + 1);
  }

  #markdown(destination: Destination, start: number, end: number, display: string, embed: boolean): void {
    const split = splitDestination(this.#text, destination);
    if (split === undefined) return;
    const { start: targetStart, angled } = destination;
    this.#emit({
      form: "markdown",
      embed,
      start,
      end,
      targetStart,
      angled,
      display,
      property: undefined,
      ...split,
    });
  }

  #emit(link: FoundLink): void {
    this.#visitor.link?.(link);
    this.#linkEnd = this.#plainFrom = link.end;
    if (!link.embed) this.#deadBelow = this.#openers.length;
  }

  #definitions(start: number): number {
    for (let at = start; at < this.#end;) {
      LABEL.lastIndex = at;
      const label = LABEL.exec(this.#text);
      if (label === null) return at;
      const lineEnd = Math.min(this.#end, this.#lineEnd(at));
      const from = skipBlanks(this.#text, LABEL.lastIndex, lineEnd);
      const destination = readDestination(this.#text, from, lineEnd);
      if (destination === undefined || destination.start === lineEnd) return at;
      if (skipBlanks(this.#text, destination.after, lineEnd) < lineEnd) return at;
      this.#markdown(destination, at, destination.after, label[1] ?? "", false);
      for (at = lineEnd; at < this.#end && /[\s>]/.test(this.#text.charAt(at));) at += 1;
      this.#plainFrom = at;
    }
    return this.#end;
  }

  #search(what: string | RegExp): ForwardSearch {
    const key = String(what);
    const search = this.#searches.get(key) ?? forwardSearch(this.#text, what);
    this.#searches.set(key, search);
    return search;
  }
}

/** Letters, digits, emoji, `_`, `-` and `/` (docs: obsidian, "Frontmatter"). Slow to compile. */
function tagPattern(): RegExp {
  return /#((?:[\p{L}\p{M}\p{N}\p{Extended_Pictographic}_/-]|\u200d)+)/uy;
}

/** Where the text or pattern is next, from an ascending position; infinite if nowhere. */
type ForwardSearch = (at: number) => number;

function forwardSearch(text: string, what: string | RegExp): ForwardSearch {
  let found = -1;
  const next = (at: number): number => {
    if (typeof what === "string") {
      const start = text.indexOf(what, at);
      return start === -1 ? Infinity : start;
    }
    what.lastIndex = at;
    return what.exec(text)?.index ?? Infinity;
  };
  return (at) => {
    if (found < at) found = next(at);
    return found;
  };
}

/** Where the run that closes one of this length ends. `from` must ascend. */
type ClosingRun = (length: number, from: number) => number | undefined;

/** Inline code ends at the next run of backticks of the same length. */
function codeRuns(text: string, from: number, end: number): ClosingRun {
  const byLength = new Map<number, { readonly starts: number[]; next: number }>();
  for (let at = text.indexOf("`", from); at !== -1 && at < end;) {
    let stop = at;
    while (stop < end && text.charCodeAt(stop) === 96) stop += 1;
    const runs = byLength.get(stop - at);
    if (runs) runs.starts.push(at);
    else byLength.set(stop - at, { starts: [at], next: 0 });
    at = text.indexOf("`", stop);
  }
  return (length, from) => {
    const runs = byLength.get(length);
    if (runs === undefined) return undefined;
    while (runs.next < runs.starts.length && (runs.starts[runs.next] ?? 0) < from) runs.next += 1;
    const start = runs.starts[runs.next];
    return start === undefined ? undefined : start + length;
  };
}
