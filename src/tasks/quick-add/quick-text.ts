/** Parses quick text: one task a line; deeper lines are subtasks. */
import { invalidArgument } from "../../errors.js";
import { fold } from "../../text/fold.js";
import { statusOf } from "../fields/vocabulary.js";
import { type QuickContext, type QuickTask, readQuickLine } from "./quick-line.js";

export interface QuickEntry {
  readonly task: QuickTask;
  /** Why the line is no task. */
  readonly problem?: string | undefined;
  readonly parent: number | undefined;
  readonly after: readonly number[];
  /** From 1. */
  readonly line: number;
}

const MAX_LINES = 50;
/** Columns of one level: two spaces or a tab. */
const LEVEL = 2;
/** List signs of Markdown and other programs. */
const LINE = /^([ \t]*)([-*+•–—‣◦▪●○·][ \t]+|\d{1,9}[.)][ \t]+)?(?:\[(.)\][ \t]+)?(.*)$/u;
const HEADING = /^#{1,6}[ \t]/;
const RULE = /^(?:[-*_=~`][ \t]*){3,}$/;
const SENTENCE = /[.:?!…]["')\]]?$/;
/** Longer ones without a sign are prose in a list with signs. */
const MAX_WORDS = 12;

/**
 * Includes lines that are no task; ranges refer to the whole text.
 * @throws INVALID_ARGUMENT for too many lines or none
 */
export function readQuickText(text: string, context: QuickContext): QuickEntry[] {
  const lines = [...text.matchAll(/([^\r\n]*)(?:\r\n?|\n|$)/g)].flatMap(({ index: start, 1: source = "" }, at) =>
    source.trim() === "" ? [] : [{ source, start, line: at + 1 }],
  );
  if (lines.length === 0) throw invalidArgument("text holds no line.", "Write one task a line.");
  if (lines.length > MAX_LINES)
    throw invalidArgument(
      `text holds ${lines.length} lines; at most ${MAX_LINES} can be added at once.`,
      "Send the rest in another call.",
    );
  const entries: QuickEntry[] = [];
  const open: { readonly column: number; readonly entry: number }[] = [];
  const parts = lines.map(partsOf);
  const isList = parts.some(({ hasSign }) => hasSign);
  for (const [at, { source, start, line, column, hasSign, box, words }] of parts.entries()) {
    const hasBelow = (parts[at + 1]?.column ?? 0) >= column + LEVEL;
    const problem = noTask(source.trim()) ?? (isList && !hasSign && !hasBelow ? noItem(words) : undefined);
    while (open.length > 0 && column < (open.at(-1)?.column ?? 0) + LEVEL) open.pop();
    const read = movedBy(start + source.length - words.length, readQuickLine(words, context));
    if (problem !== undefined) {
      entries.push({
        task: { ...read, title: source.trim(), read: [], unread: [] },
        after: [],
        parent: undefined,
        line,
        problem,
      });
      continue;
    }
    const { task, after } = withEarlierLines(box === undefined ? read : withBox(read, box), entries);
    const untitled = task.title === "" ? "No title is left." : undefined;
    entries.push({ task, after, parent: open.at(-1)?.entry, line, problem: untitled });
    open.push({ column, entry: entries.length - 1 });
  }
  return entries;
}

interface SourceLine {
  readonly source: string;
  /** Its offset in the text. */
  readonly start: number;
  readonly line: number;
}

interface Box {
  readonly symbol: string;
  /** In the text. */
  readonly from: number;
}

function partsOf(line: SourceLine) {
  const { source, start } = line;
  const [, indent = "", sign = "", symbol, words = ""] = LINE.exec(source) ?? [];
  const column = columnOf(indent);
  const at = indent.length + sign.length;
  // Without a sign, `[a]` is text.
  if (sign === "" && symbol !== undefined && !/[ xX]/.test(symbol))
    return { ...line, column, hasSign: false, box: undefined, words: source.slice(at) };
  const box: Box | undefined = symbol === undefined ? undefined : { symbol, from: start + at };
  return { ...line, column, hasSign: sign !== "" || box !== undefined, box, words };
}

function noTask(line: string): string | undefined {
  if (HEADING.test(line)) return "It is a heading.";
  return RULE.test(line) ? "It is a rule or fence, without words." : undefined;
}

function noItem(words: string): string | undefined {
  const isProse = SENTENCE.test(words.trim()) || words.trim().split(/\s+/).length > MAX_WORDS;
  return isProse ? "It is prose, without the list sign of other lines." : undefined;
}

function withBox(task: QuickTask, { symbol, from }: Box): QuickTask {
  const status = statusOf(symbol);
  if (symbol === " ") return task;
  if (status !== undefined && status !== "To Do") return { ...task, status };
  const text = `[${symbol}]`;
  return {
    ...task,
    unread: [{ from, to: from + text.length, text, reason: "written as an open box" }, ...task.unread],
  };
}

function movedBy(distance: number, task: QuickTask): QuickTask {
  const moved = <Part extends { readonly from: number; readonly to: number }>(part: Part): Part => ({
    ...part,
    from: part.from + distance,
    to: part.to + distance,
  });
  return { ...task, read: task.read.map(moved), unread: task.unread.map(moved) };
}

/** Prefers the nearest earlier line to tasks of the vault. */
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
