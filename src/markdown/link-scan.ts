/** Finds every link in a note's text, with the places of its parts, so that one part can be replaced and nothing else. */

/** A wikilink, an embed or a Markdown link; offsets are UTF-16 units from the start of the file's text. */
export interface LinkSpan {
  readonly form: "wikilink" | "markdown";
  readonly embed: boolean;
  readonly start: number;
  readonly end: number;
  /** The path or name before `#` and `|`, percent-decoded in a Markdown link; may be empty. */
  readonly target: string;
  /** Where the target stands as written. */
  readonly targetStart: number;
  readonly targetEnd: number;
  /** A Markdown link's target stands in `<...>`. */
  readonly angled: boolean;
  /** With its `#`; empty without one. */
  readonly subpath: string;
  readonly display: string | undefined;
  /** Counted from 1. */
  readonly line: number;
  /** The frontmatter key it stands under; undefined in the body. */
  readonly property: string | undefined;
}
