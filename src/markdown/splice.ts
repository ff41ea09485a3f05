/** Splices: changes to a text that leave every other byte as it is. */

export interface Splice {
  /** Offsets in UTF-16 units; equal for an insertion. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** `text` with the splices applied; they must not overlap. Of two at the same place the first one given comes first. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let result = "";
  let done = 0;
  for (const splice of splices.toSorted((one, other) => one.start - other.start)) {
    result += text.slice(done, splice.start) + splice.text;
    done = splice.end;
  }
  return result + text.slice(done);
}
