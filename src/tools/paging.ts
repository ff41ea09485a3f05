/** Divides lists and texts into pages that fit an answer. */
import { ANSWER_WEIGHT, endWithin, weightOf, wholeCharacter } from "../text/answer-weight.js";
import { integer } from "./schema.js";
import { VaultError } from "../errors.js";

export const LIMIT = integer("Maximum results", { minimum: 1, maximum: 200, default: 50 });
export const OFFSET = integer("How many to skip", { minimum: 0, default: 0 });

export const NEXT_OFFSET = integer("The offset to ask for next; absent at the end", { minimum: 1 });

export interface Page<Item> {
  readonly items: readonly Item[];
  /** The next page's offset; undefined when nothing follows. */
  readonly next: number | undefined;
}

/** A list, or what computes only the requested part; `slice` runs before anything is awaited. */
interface Sliceable<Item> {
  readonly length: number;
  slice(start: number, end: number): readonly Item[];
}

/** A list of which only the requested part was computed. */
export function alreadyCut<Item>(items: readonly Item[], length: number): Sliceable<Item> {
  return { length, slice: () => items };
}

/** At most `limit`, at most about 8,000 tokens, at least one. */
export async function pageOf<Item, Shown>(
  items: Sliceable<Item>,
  { offset, limit }: { readonly offset: number; readonly limit: number },
  show: (item: Item) => Shown | Promise<Shown>,
): Promise<Page<Shown>> {
  const shown: Shown[] = [];
  let room = ANSWER_WEIGHT;
  for (const item of items.slice(offset, offset + limit)) {
    const view = await show(item);
    room -= weightOf(JSON.stringify(view));
    if (room < 0 && shown.length > 0) break;
    shown.push(view);
  }
  const end = offset + shown.length;
  return { items: shown, next: shown.length > 0 && end < items.length ? end : undefined };
}

/** Empty when all is shown. */
export function pageNote(total: number, shown: number, next: number | undefined): string {
  if (next !== undefined) return `Showing ${next - shown + 1} to ${next} of ${total}: go on with offset ${next}.`;
  if (shown === total) return "";
  return shown === 0
    ? `That offset is past the end; the list has ${total}.`
    : `These are the last ${shown} of ${total}.`;
}

export function listText(heading: string, lines: readonly string[], total: number, next: number | undefined): string {
  return [heading, lines.join("\n"), pageNote(total, lines.length, next)].filter((part) => part !== "").join("\n\n");
}

/** A page ends at a line end this close to its limit (UTF-16 units). */
const NEAR_END = 400;

interface TextPage {
  readonly description: string;
  /** In UTF-16 units. */
  readonly descriptionLength: number;
  readonly offset: number;
  /** Undefined at the end. */
  readonly nextOffset: number | undefined;
}

/** The page at `offset` (moved back to a whole character); empty past the end. */
export function textPageAt(text: string, offset: number): TextPage {
  const start = wholeCharacter(text, Math.min(offset, text.length));
  const end = endOf(text, start);
  return {
    description: text.slice(start, end),
    descriptionLength: text.length,
    offset: start,
    nextOffset: end < text.length ? end : undefined,
  };
}

function endOf(text: string, start: number): number {
  const end = endWithin(text, start, ANSWER_WEIGHT);
  if (end === text.length) return end;
  const lineEnd = text.lastIndexOf("\n", end - 1) + 1;
  return lineEnd > Math.max(start, end - NEAR_END) ? lineEnd : end;
}

/** Cuts lists in turn to what fits into one answer; the first line always fits. */
export function answerRoom(reserved: number) {
  let left = ANSWER_WEIGHT - reserved;
  let isEmpty = true;
  return <Item>(items: readonly Item[], lineOf: (item: Item, index: number) => string): readonly Item[] => {
    const fitting: Item[] = [];
    for (const [index, item] of items.entries()) {
      left -= weightOf(lineOf(item, index));
      if (left < 0 && !isEmpty) break;
      isEmpty = false;
      fitting.push(item);
    }
    return fitting;
  };
}

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
  /** UTF-16 units of the last line, where it alone is longer than an answer. */
  readonly cutCharacters?: number | undefined;
}

const HINT = "Give view_range as [first, last], counted from 1; -1 as last means the end.";

/**
 * All lines by default; cuts an end past the end.
 * @param what what is counted, such as `'a.md' has 3 lines`
 */
export function lineRange(asked: readonly number[] | undefined, count: number, what: string): LineRange {
  const [first = 1, last = -1] = asked ?? [];
  const refuse = (why: string) => new VaultError("INVALID_ARGUMENT", `view_range ${why}; ${what}.`, { hint: HINT });
  if (first < 1) throw refuse(`must begin at 1 or later, got ${first}`);
  if (first > Math.max(count, 1)) throw refuse(`begins past the end, at ${first}`);
  const turned = last < 1 ? "" : `: give [${last}, ${first}]`;
  if (last !== -1 && last < first) throw refuse(`ends (${last}) before it begins (${first})${turned}`);
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
