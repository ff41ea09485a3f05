/** Takes a wikilink apart: target, subpath and the text that is shown. */
import type { FoundLink } from "./scan.js";

/**
 * The wikilink whose inner text is `[from, to)`; undefined when it names nothing (`[[]]`, `[[|shown]]`).
 * @param start where the link begins, with its `!`
 */
export function readWikilink(text: string, start: number, from: number, to: number): FoundLink | undefined {
  const inner = text.slice(from, to);
  const bar = inner.indexOf("|");
  const path = bar === -1 ? inner : inner.slice(0, bar);
  const hash = path.indexOf("#");
  // In a table the bar is escaped, and the backslash is no part of the name.
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
    quote: "",
  };
}

function withoutEscape(part: string, mayBeEscaped: boolean): string {
  return mayBeEscaped && part.endsWith("\\") ? part.slice(0, -1) : part;
}
