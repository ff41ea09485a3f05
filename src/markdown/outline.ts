/** The headings of a note and where its description stands. */

export interface Heading {
  readonly level: number;
  readonly text: string;
  /** Offsets in UTF-16 units into the note's text: the whole heading with its line end(s), and its words alone. */
  readonly start: number;
  readonly end: number;
  readonly textStart: number;
  readonly textEnd: number;
}

/** ATX and setext headings of the body in order; code fences, comments and frontmatter are looked past. `bodyStart` as from `splitNote`. */
export function headings(text: string, bodyStart: number, limit = Infinity): Heading[] {
  void text;
  void bodyStart;
  void limit;
  throw new Error("not written yet");
}

/**
 * The note's title heading (its first level-1 heading, when only blank lines stand before it or anywhere in the body) and the
 * range of the description: the body without the title heading and without the blank lines around it.
 */
export function titleAndDescription(text: string, bodyStart: number): {
  readonly title: Heading | undefined;
  readonly description: { readonly start: number; readonly end: number };
} {
  void text;
  void bodyStart;
  throw new Error("not written yet");
}

/** Replaces the description below the title heading, in the note's own line endings; frontmatter and title heading stay byte for byte. */
export function replaceDescription(text: string, bodyStart: number, description: string): string {
  void text;
  void bodyStart;
  void description;
  throw new Error("not written yet");
}
