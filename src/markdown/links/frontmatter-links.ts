/** Finds the links in a note's properties. */
import { type FoundLink, readDestination, readWikilink, splitDestination } from "./wikilink.js";

type Quote = FoundLink["quote"];

const MARK = /["'#[\]]/g;

export function scanFrontmatterLinks(text: string, start: number, end: number, take: (link: FoundLink) => void): void {
  if (!/\[\[|\]\(/.test(text.slice(start, end))) return;
  let property: string | undefined;
  for (let at = start; at < end;) {
    const newline = text.indexOf("\n", at);
    const lineEnd = newline === -1 || newline >= end ? end : newline;
    property = keyOf(text.slice(at, lineEnd)) ?? property;
    scanLine(text, at, lineEnd, (link) => take({ ...link, property }));
    at = lineEnd + 1;
  }
}

function keyOf(line: string): string | undefined {
  if (/^(?:[\s#-]|$)/.test(line)) return undefined;
  const quoted = /^(?:"([^"]*)"|'([^']*)')\s*:/.exec(line);
  if (quoted) return quoted[1] ?? quoted[2];
  const colon = /:(?=\s|$)/.exec(line);
  return colon ? line.slice(0, colon.index).trimEnd() : undefined;
}

function scanLine(text: string, from: number, end: number, take: (link: FoundLink) => void): void {
  let quote: Quote = "";
  for (let at = from; at < end;) {
    MARK.lastIndex = at;
    const index = MARK.exec(text)?.index ?? end;
    if (index >= end) return;
    const mark = text.charAt(index);
    at = index + 1;
    if (mark === quote) quote = "";
    else if (quote === "" && isAtBeginning(text, index, from)) {
      if (mark === "#") return;
      if (mark === '"' || mark === "'") quote = mark;
    }
    if (mark !== "[") continue;
    const link = linkAt(text, index, end, from);
    if (link === undefined) continue;
    take(inQuotes(text, link, quote));
    at = link.end;
  }
}

/** A quote or `#` counts only after a space or a YAML mark. */
function isAtBeginning(text: string, at: number, from: number): boolean {
  return at === from || /[\s[{,:-]/.test(text.charAt(at - 1));
}

const WIKILINK = /\[\[[^[\]\n]+\]\]/y;
const LINK_TEXT = /\[[^[\]\n]*\]\(/y;

function linkAt(text: string, at: number, end: number, from: number): FoundLink | undefined {
  const start = at > from && text.charAt(at - 1) === "!" ? at - 1 : at;
  WIKILINK.lastIndex = at;
  if (WIKILINK.test(text) && WIKILINK.lastIndex <= end)
    return readWikilink(text, start, at + 2, WIKILINK.lastIndex - 2);
  LINK_TEXT.lastIndex = at;
  if (!LINK_TEXT.test(text)) return undefined;
  const textEnd = LINK_TEXT.lastIndex - 2;
  const destination = readDestination(text, LINK_TEXT.lastIndex, end);
  const split = destination && splitDestination(text, destination);
  if (destination === undefined || split === undefined || text.charAt(destination.after) !== ")") return undefined;
  return {
    form: "markdown",
    embed: start < at,
    start,
    end: destination.after + 1,
    targetStart: destination.start,
    angled: destination.angled,
    display: text.slice(at + 1, textEnd),
    property: undefined,
    quote: "",
    ...split,
  };
}

/** Removes the escapes of the quotes around the link. */
function inQuotes(text: string, link: FoundLink, quote: Quote): FoundLink {
  const raw = text.slice(link.targetStart, link.targetEnd);
  if (quote === "" || link.form === "markdown" || !/''|\\/.test(raw)) return { ...link, quote };
  return { ...link, quote, target: unquoted(raw, quote) };
}

function unquoted(raw: string, quote: Quote): string {
  if (quote === "'") return raw.replaceAll("''", "'");
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    return raw;
  }
}
