/** Parses quick text: one task a line; deeper lines are subtasks of the line above. */
import { VaultError } from "../../errors.js";
import { fold } from "../../text/fold.js";
import { type QuickContext, type QuickTask, readQuickLine } from "./quick-line.js";

export interface QuickEntry {
  readonly task: QuickTask;
  /** Index of the parent entry. */
  readonly parent: number | undefined;
  /** Indexes of its blockers. */
  readonly after: readonly number[];
  /** From 1. */
  readonly line: number;
}

const MAX_LINES = 50;
/** Columns of one level: two spaces or a tab. */
const LEVEL = 2;
const LINE = /^([ \t]*)(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:\[.\][ \t]+)?(.*)$/u;

/**
 * Includes entries without a title; ranges refer to the whole text.
 * @throws VaultError INVALID_ARGUMENT for too many lines or none
 */
export function readQuickText(text: string, context: QuickContext): QuickEntry[] {
  const lines = [...text.matchAll(/([^\r\n]*)(?:\r\n?|\n|$)/g)].flatMap(({ index: start, 1: source = "" }, at) =>
    source.trim() === "" ? [] : [{ source, start, line: at + 1 }],
  );
  if (lines.length === 0) throw refusal("text holds no line.", "Write one task a line.");
  if (lines.length > MAX_LINES)
    throw refusal(
      `text holds ${lines.length} lines; at most ${MAX_LINES} can be added at once.`,
      "Send the rest in another call.",
    );
  const entries: QuickEntry[] = [];
  const open: { readonly column: number; readonly entry: number }[] = [];
  for (const { source, start, line } of lines) {
    const [, indent = "", words = ""] = LINE.exec(source) ?? [];
    const column = columnOf(indent);
    while (open.length > 0 && column < (open.at(-1)?.column ?? 0) + LEVEL) open.pop();
    const read = movedBy(start + source.length - words.length, readQuickLine(words, context));
    const { task, after } = withEarlierLines(read, entries);
    entries.push({ task, after, parent: open.at(-1)?.entry, line });
    open.push({ column, entry: entries.length - 1 });
  }
  return entries;
}

export function assertTitles(entries: readonly QuickEntry[]): void {
  const bad = entries.filter(({ task }) => task.title === "").map(({ line }) => line);
  if (bad.length > 0)
    throw refusal(
      `No title is left on line${bad.length > 1 ? "s" : ""} ${bad.join(", ")}; nothing was added.`,
      'Write words before the day or sign, or put them in "quotes" so that they are not read.',
    );
}

function movedBy(distance: number, task: QuickTask): QuickTask {
  const moved = <Part extends { readonly from: number; readonly to: number }>(part: Part): Part => ({
    ...part,
    from: part.from + distance,
    to: part.to + distance,
  });
  return { ...task, read: task.read.map(moved), unread: task.unread.map(moved) };
}

/** `after [[Title]]` prefers the nearest earlier line to tasks of the vault. */
function withEarlierLines(task: QuickTask, earlier: readonly QuickEntry[]) {
  const after: number[] = [];
  const blockedBy = task.blockedBy.filter((link) => {
    const title = fold(link.slice(2, -2));
    const place = earlier.findLastIndex((entry) => fold(entry.task.title) === title);
    if (place >= 0) after.push(place);
    return place < 0;
  });
  return { task: { ...task, blockedBy }, after };
}

const columnOf = (indent: string): number => indent.length + (LEVEL - 1) * (indent.split("\t").length - 1);

const refusal = (message: string, hint: string): VaultError => new VaultError("INVALID_ARGUMENT", message, { hint });
