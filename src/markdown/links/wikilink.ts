/** Splits a wikilink, or the destination of a Markdown link, into its parts, and writes a target in a link's form. */
import { percentDecoded } from "../../text/decoded.js";
import type { Splice } from "../line-edit.js";

/**
 * Undefined when it names nothing (`[[]]`, `[[|shown]]`). `[from, to)` is its inner text; `start` is before any `!`.
 */
export function readWikilink(text: string, start: number, from: number, to: number): FoundLink | undefined {
  const inner = text.slice(from, to);
  const bar = inner.indexOf("|");
  const path = bar === -1 ? inner : inner.slice(0, bar);
  const hash = path.indexOf("#");
  // In a table the bar has a backslash, which is not part of the name.
  const name = withoutEscape(hash === -1 ? path : path.slice(0, hash), hash === -1 && bar !== -1);
  const subpath = hash === -1 ? "" : withoutEscape(path.slice(hash), bar !== -1).trim();
  const target = name.trim();
  if (target === "" && subpath.length < 2) return undefined;
  const targetStart = from + name.length - name.trimStart().length;
  return {
    form: "wikilink",
    embed: start + 2 < from,
    start,
    end: to + 2,
    target,
    targetStart,
    targetEnd: targetStart + target.length,
    angled: false,
    subpath,
    display: bar === -1 ? undefined : inner.slice(bar + 1),
    property: undefined,
  };
}

function withoutEscape(part: string, mayBeEscaped: boolean): string {
  return mayBeEscaped && part.endsWith("\\") ? part.slice(0, -1) : part;
}

/** A wikilink, embed or Markdown link. UTF-16 offsets into the file. */
export interface LinkSpan {
  readonly form: "wikilink" | "markdown";
  readonly embed: boolean;
  /** After a link in its text (`[![shown](image.png)](note.md)`), else where it begins. */
  readonly start: number;
  readonly end: number;
  /** Before `#` and `|`, decoded; may be empty. */
  readonly target: string;
  readonly targetStart: number;
  readonly targetEnd: number;
  /** In `<...>`. */
  readonly angled: boolean;
  /** With its `#`. */
  readonly subpath: string;
  readonly display: string | undefined;
  /** From 1. */
  readonly line: number;
  /** Frontmatter key; undefined in the body. */
  readonly property: string | undefined;
}

export type FoundLink = Omit<LinkSpan, "line">;

/** UTF-16 offsets into the text. */
export interface Destination {
  /** As written, without angle brackets. */
  readonly start: number;
  readonly end: number;
  readonly angled: boolean;
  /** After destination and title. */
  readonly after: number;
}

/** CommonMark's limit. */
const MAX_DEPTH = 32;

export function readDestination(text: string, at: number, end: number): Destination | undefined {
  const angled = text.charCodeAt(at) === 60;
  const start = angled ? at + 1 : at;
  const stop = angled ? angledEnd(text, start, end) : plainEnd(text, start, end);
  if (stop === undefined) return undefined;
  const behind = angled ? stop + 1 : stop;
  return { start, end: stop, angled, after: titleEnd(text, behind, end) };
}

/** Crosses at most one line end. */
export function skipBlanks(text: string, at: number, end: number): number {
  let stop = at;
  let lines = 0;
  while (stop < end && /\s/.test(text.charAt(stop))) {
    if (text.charCodeAt(stop) === 10 && ++lines > 1) break;
    stop += 1;
  }
  return stop;
}

function angledEnd(text: string, from: number, end: number): number | undefined {
  for (let at = from; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 62) return at;
    if (code === 60 || code === 10) return undefined;
    if (code === 92) at += 1;
  }
  return undefined;
}

function plainEnd(text: string, from: number, end: number): number | undefined {
  let depth = 0;
  let at = from;
  for (; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= 32 || code === 127) break;
    if (code === 92 && at + 1 < end) at += 1;
    else if (code === 40 && ++depth > MAX_DEPTH) return undefined;
    else if (code === 41 && --depth < 0) break;
  }
  return depth <= 0 ? at : undefined;
}

const CLOSING: Readonly<Record<string, string>> = { '"': '"', "'": "'", "(": ")" };

function titleEnd(text: string, at: number, end: number): number {
  const open = skipBlanks(text, at, end);
  const close = open > at ? CLOSING[text.charAt(open)] : undefined;
  if (close === undefined) return at;
  for (let stop = open + 1; stop < end; stop += 1) {
    const mark = text.charAt(stop);
    if (mark === close) return stop + 1;
    if (mark === "(" && close === ")") return at;
    if (mark === "\\") stop += 1;
  }
  return at;
}

/** Undefined when it leads out of the vault or nowhere. */
export function splitDestination(
  text: string,
  { start, end }: Destination,
): { readonly target: string; readonly targetEnd: number; readonly subpath: string } | undefined {
  const raw = text.slice(start, end);
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/|\\\\)/i.test(raw)) return undefined;
  const hash = raw.indexOf("#");
  const target = decoded(hash === -1 ? raw : raw.slice(0, hash));
  const subpath = hash === -1 ? "" : decoded(raw.slice(hash));
  if (target === "" && subpath.length < 2) return undefined;
  return { target, targetEnd: hash === -1 ? end : start + hash, subpath };
}

function decoded(raw: string): string {
  const plain = raw.includes("\\") ? raw.replace(/\\([!-/:-@[-`{-~])/g, "$1") : raw;
  return plain.includes("%") ? (percentDecoded(plain) ?? plain) : plain;
}

/** These end a wikilink's target or are invalid in it. */
const NOT_IN_WIKILINK = /[[\]|#^\p{Cc}]/u;
const NOT_IN_WIKILINK_SUBPATH = /[[\]|\p{Cc}]/u;

/**
 * Keeps the span's form, encoding and surrounding spaces. Undefined when that form cannot hold the target.
 * @param raw the old target as written
 * @param target decoded
 */
export function writeTarget(span: LinkSpan, raw: string, target: string): string | undefined {
  const [, before = "", after = ""] = /^(\s*)[^]*?(\s*)$/u.exec(raw) ?? [];
  const written = span.form === "wikilink" ? wikilinkTarget(target) : destination(raw, target, span.angled);
  return written === undefined ? undefined : before + written + after;
}

/** With its `#`. */
export function subpathPlace(text: string, span: LinkSpan): Pick<Splice, "start" | "end"> | undefined {
  if (span.subpath === "") return undefined;
  const start = text.indexOf("#", span.targetEnd);
  if (span.form === "markdown") {
    const end = readDestination(text, span.targetStart - (span.angled ? 1 : 0), span.end)?.end;
    return end === undefined ? undefined : { start, end };
  }
  const [written = ""] = /^(?:(?!\\?\||\]\])[^])*/.exec(text.slice(start, span.end)) ?? [];
  return { start, end: start + written.trimEnd().length };
}

/** Both with their `#`; undefined when the form cannot hold it. */
export function writeSubpath(span: LinkSpan, raw: string, subpath: string): string | undefined {
  if (span.form === "wikilink") return NOT_IN_WIKILINK_SUBPATH.test(subpath) ? undefined : subpath;
  const parts = subpath.split("#").map((part) => destination(raw, part, span.angled));
  return parts.join("#");
}

function wikilinkTarget(target: string): string | undefined {
  return NOT_IN_WIKILINK.test(target) || target.trim() !== target ? undefined : target;
}

/** Always encodes what would end the target or begin an escape. */
function destination(raw: string, target: string, angled: boolean): string {
  const style = angled ? /[<>%#\p{Cc}\\|]/gu : /[<>%#\p{Cc}\\|\s]/gu;
  const least = target.replace(style, percent).replace(/^[a-z][a-z\d+.-]*:/i, (scheme) => scheme.replace(":", "%3A"));
  const encoded = encodesLetters(raw) ? least.replace(/[^\0-\u007f]+/gu, percent) : least;
  if (angled) return /%20/.test(raw) ? encoded.replaceAll(" ", "%20") : encoded;
  return parenthesesFit(raw, encoded) ? encoded : encoded.replace(/[()]/g, percent);
}

function percent(text: string): string {
  return text === "(" ? "%28" : text === ")" ? "%29" : encodeURIComponent(text);
}

/** As `encodeURI` does; Obsidian encodes little more than spaces. */
function encodesLetters(raw: string): boolean {
  return /%[89A-F][0-9A-F]/i.test(raw);
}

/** Without angle brackets, they must be in pairs. A link that encoded them still does. */
function parenthesesFit(raw: string, destinationText: string): boolean {
  if (/%2[89]/.test(raw)) return false;
  let depth = 0;
  for (const mark of destinationText.match(/[()]/g) ?? []) {
    depth += mark === "(" ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
