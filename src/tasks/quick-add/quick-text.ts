/** Reads quick text: a line a task, deeper ones subtasks of the line above them; all lines or a refusal that names every bad one. */
import type { LocalDate } from "../../clock.js";
import { VaultError } from "../../errors.js";
import { type QuickTask, readQuickLine } from "./quick-line.js";

export interface QuickEntry {
  readonly task: QuickTask;
  /** The entry this one is a subtask of: its place in the list, from 0; undefined for none. */
  readonly parent: number | undefined;
  /** Counted from 1. */
  readonly line: number;
}

/** As many tasks as one text may hold. */
const MOST_LINES = 50;
/** Columns of one level: two spaces or a tab. */
const LEVEL = 2;
const LINE = /^([ \t]*)(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:\[.\][ \t]+)?(.*)$/u;

/** @throws VaultError INVALID_ARGUMENT naming the lines that have no title, or that there are too many or none */
export function readQuickText(text: string, today: LocalDate): QuickEntry[] {
  const lines = text
    .split(/\r\n?|\n/)
    .flatMap((source, index) => (source.trim() === "" ? [] : [{ source, line: index + 1 }]));
  if (lines.length === 0) throw refusal("text holds no line.", "Write one task a line.");
  if (lines.length > MOST_LINES)
    throw refusal(
      `text holds ${lines.length} lines; at most ${MOST_LINES} can be added at once.`,
      "Send the rest in another call.",
    );
  const entries: QuickEntry[] = [];
  const bad: number[] = [];
  const open: { readonly column: number; readonly entry: number }[] = [];
  for (const { source, line } of lines) {
    const [, indent = "", words = ""] = LINE.exec(source) ?? [];
    const column = columnOf(indent);
    while (open.length > 0 && column < (open.at(-1)?.column ?? 0) + LEVEL) open.pop();
    const task = readQuickLine(words, today);
    if (task.title === "") bad.push(line);
    entries.push({ task, parent: open.at(-1)?.entry, line });
    open.push({ column, entry: entries.length - 1 });
  }
  if (bad.length > 0)
    throw refusal(
      `No title is left on line${bad.length > 1 ? "s" : ""} ${bad.join(", ")}; nothing was added.`,
      'Write words before the day or sign, or put them in "quotes" so that they are not read.',
    );
  return entries;
}

const columnOf = (indent: string): number => indent.length + (LEVEL - 1) * (indent.split("\t").length - 1);

const refusal = (message: string, hint: string): VaultError => new VaultError("INVALID_ARGUMENT", message, { hint });
