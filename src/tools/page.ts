/** Divides lists and texts into pages that fit an answer. */
import { ANSWER_WEIGHT, weightOf, endWithin, wholeCharacter } from "../text/answer-weight.js";
import { integer } from "./schema.js";

export const LIMIT = integer("Maximum results", { minimum: 1, maximum: 200, default: 50 });
export const OFFSET = integer("How many to skip", { minimum: 0, default: 0 });

export const NEXT_OFFSET = integer("The offset to ask for next; absent at the end", { minimum: 1 });

export interface Page<Item> {
  readonly items: readonly Item[];
  /** The offset of the next page; undefined when nothing follows. */
  readonly next: number | undefined;
}

/** A list, or an object that computes only the requested part; `slice` is called before anything is awaited. */
interface Sliceable<Item> {
  readonly length: number;
  slice(start: number, end: number): readonly Item[];
}

/** The items from `offset`: at most `limit`, at most about 8,000 tokens, at least one. */
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

/** @param next the offset of the next page */
export function listText(heading: string, lines: readonly string[], total: number, next: number | undefined): string {
  return [heading, lines.join("\n"), pageNote(total, lines.length, next)].filter((part) => part !== "").join("\n\n");
}

/** A page ends at a line end if there is one this close to its limit (UTF-16 units). */
const NEAR_END = 400;

export interface TextPage {
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

export class AnswerRoom {
  #left: number;
  #isEmpty = true;

  constructor(reserved = 0) {
    this.#left = ANSWER_WEIGHT - reserved;
  }

  /** The first line of an answer always fits. */
  fit<Item>(items: readonly Item[], lineOf: (item: Item, index: number) => string, most = Infinity): readonly Item[] {
    const fitting: Item[] = [];
    for (const [index, item] of items.entries()) {
      if (index >= most) break;
      this.#left -= weightOf(lineOf(item, index));
      if (this.#left < 0 && !this.#isEmpty) break;
      this.#isEmpty = false;
      fitting.push(item);
    }
    return fitting;
  }
}
