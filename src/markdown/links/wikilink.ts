/** Splits a wikilink into target, subpath and shown text. */

/**
 * The wikilink whose inner text is `[from, to)`; undefined when it names nothing (`[[]]`, `[[|shown]]`). @param start where the
 * link begins, with its `!`
 */
export function readWikilink(text: string, start: number, from: number, to: number): FoundLink | undefined {
  const inner = text.slice(from, to);
  const bar = inner.indexOf("|");
  const path = bar === -1 ? inner : inner.slice(0, bar);
  const hash = path.indexOf("#");
  // In a table the bar is escaped, and the backslash is not part of the name.
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

/** A wikilink, an embed or a Markdown link. Offsets are UTF-16 units from the start of the file's text. */
export interface LinkSpan {
  readonly form: "wikilink" | "markdown";
  readonly embed: boolean;
  /** The whole link. If its text contains another link (`[![shown](image.png)](note.md)`), the part after that one. */
  readonly start: number;
  readonly end: number;
  /** The path or name before `#` and `|`, percent-decoded in a Markdown link; may be empty. */
  readonly target: string;
  readonly targetStart: number;
  readonly targetEnd: number;
  /** Whether a Markdown link's target is in `<...>`. */
  readonly angled: boolean;
  /** With its `#`; empty without one. */
  readonly subpath: string;
  readonly display: string | undefined;
  /** Counted from 1. */
  readonly line: number;
  /** The frontmatter key that holds it; undefined in the body. */
  readonly property: string | undefined;
  /** The YAML quotes around it in frontmatter, whose escapes the written target uses; empty without any. */
  readonly quote: "" | "'" | '"';
}

export type FoundLink = Omit<LinkSpan, "line">;
