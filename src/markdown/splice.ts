/** Splices: replacements of parts of a text. */

export interface Splice {
  /** Offsets in UTF-16 units; equal for an insertion. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** `text` with the splices applied. They must not overlap; two at the same place keep their order. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let result = "";
  let done = 0;
  for (const splice of splices.toSorted((one, other) => one.start - other.start)) {
    result += text.slice(done, splice.start) + splice.text;
    done = splice.end;
  }
  return result + text.slice(done);
}
