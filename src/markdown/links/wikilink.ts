/** Splits a wikilink into target, subpath and shown text. */

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
    quote: "",
  };
}

function withoutEscape(part: string, mayBeEscaped: boolean): string {
  return mayBeEscaped && part.endsWith("\\") ? part.slice(0, -1) : part;
}

/** A wikilink, embed or Markdown link. UTF-16 offsets into the file. */
export interface LinkSpan {
  readonly form: "wikilink" | "markdown";
  readonly embed: boolean;
  /** Where the link begins; if its text contains another link (`[![shown](image.png)](note.md)`), after that. */
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
  /** The YAML quotes around it, whose escapes the target uses. */
  readonly quote: "" | "'" | '"';
}

export type FoundLink = Omit<LinkSpan, "line">;
