/** The part of a file's lines, or of a folder's names, that one answer can hold. */
import { VaultError } from "../../errors.js";
import { ANSWER_WEIGHT, endWithin, weightOf } from "../../text/answer-weight.js";

/** From 1, both included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

export interface LineWindow {
  readonly content: string;
  readonly firstLine: number;
  /** One before `firstLine` when no line is shown. */
  readonly lastLine: number;
  /** Where to continue; undefined at the end of the range. */
  readonly nextLine?: number | undefined;
  /** UTF-16 units omitted from the last line; only a line longer than a whole answer is cut. */
  readonly cutCharacters?: number | undefined;
}

const HINT = "Give view_range as [first, last], counted from 1; -1 as last means the end.";

/**
 * All lines when nothing is asked; an end past the end is cut.
 * @param what what is counted, such as `'a.md' has 3 lines`
 */
export function lineRange(asked: readonly number[] | undefined, count: number, what: string): LineRange {
  const [first = 1, last = -1] = asked ?? [];
  const refuse = (why: string) => new VaultError("INVALID_ARGUMENT", `view_range ${why}; ${what}.`, { hint: HINT });
  if (first < 1) throw refuse(`must begin at 1 or later, got ${first}`);
  if (first > Math.max(count, 1)) throw refuse(`begins past the end, at ${first}`);
  if (last !== -1 && last < first) throw refuse(`ends (${last}) before it begins (${first})`);
  return { first, last: last === -1 ? count : Math.min(last, count) };
}

export function lineWindow(
  lines: readonly string[],
  { first, last }: LineRange,
  shown: (line: string, number: number) => string,
): LineWindow {
  const content: string[] = [];
  let room = ANSWER_WEIGHT;
  for (let number = first; number <= last; number++) {
    const line = shown(lines[number - 1] ?? "", number);
    const weight = weightOf(line) + 1;
    if (weight > room && content.length > 0) return window(content, first, { nextLine: number });
    if (weight > ANSWER_WEIGHT) {
      const end = endWithin(line, 0, ANSWER_WEIGHT);
      content.push(line.slice(0, end));
      const nextLine = number < last ? number + 1 : undefined;
      return window(content, first, { nextLine, cutCharacters: line.length - end });
    }
    content.push(line);
    room -= weight;
  }
  return window(content, first, {});
}

function window(content: readonly string[], firstLine: number, more: Partial<LineWindow>): LineWindow {
  return { content: content.join("\n"), firstLine, lastLine: firstLine + content.length - 1, ...more };
}

/** Empty when all lines are shown. */
export function windowNotice(
  { lastLine, nextLine, cutCharacters }: Pick<LineWindow, "lastLine" | "nextLine" | "cutCharacters">,
  last: number,
): string {
  const cut = cutCharacters === undefined ? "" : `\n[… line ${lastLine} is cut: ${cutCharacters} more characters]`;
  const more =
    nextLine === undefined
      ? ""
      : `\n[… ${nextLine === last ? `${last} is` : `${nextLine} to ${last} are`} not shown: call view with view_range [${nextLine}, ${last}]]`;
  return cut + more;
}
