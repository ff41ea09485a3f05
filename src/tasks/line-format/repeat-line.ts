/**
 * Finishes or skips an instance of a series in a checkbox line, as the Tasks plugin does (docs: tasks, "Checkbox
 * lines").
 */
import type { LocalDate } from "../../clock.js";
import { parseRuleWords } from "../recurrence/rule-words.js";
import { type SeriesDays, stepWordSeries } from "../recurrence/word-series.js";
import { insertedAt, type LineStyle, withField, withoutSpan, withSymbol } from "./edit-line.js";
import type { CheckboxSymbols } from "./checkbox-symbols.js";
import type { LineFieldName } from "./field-signs.js";
import { fieldSpan, parseTaskLine, type TaskLine } from "./task-line.js";

export interface RepeatStyle extends LineStyle {
  readonly symbols: CheckboxSymbols;
  readonly setCreatedDate: boolean;
  readonly setDoneDate: boolean;
  readonly removeScheduledDateOnRecurrence: boolean;
}

export type NextOfLine =
  | { readonly kind: "moved"; readonly day?: LocalDate; readonly next?: LocalDate; readonly days: SeriesDays }
  | { readonly kind: "ended"; readonly day: LocalDate }
  /** The plugin cannot read the rule, or reads it differently. */
  | { readonly kind: "unknown"; readonly reason: string };

export function nextOfLine(line: TaskLine, today: LocalDate, removesScheduled: boolean): NextOfLine | undefined {
  const rule = fieldSpan(line, "recurrence")?.value;
  if (rule === undefined) return undefined;
  const words = parseRuleWords(rule);
  if (!words.understood) return { kind: "unknown", reason: words.reason };
  return stepWordSeries(words, daysOf(line), today, removesScheduled);
}

function daysOf(line: TaskLine): SeriesDays {
  const days: Record<string, string> = {};
  for (const name of MOVING) {
    const value = fieldSpan(line, name)?.value;
    if (value !== undefined) days[name] = value;
  }
  return days;
}

export function finishedLine(line: TaskLine, today: LocalDate, style: RepeatStyle, symbol: string): string {
  const marked = reparsed(withSymbol(line, symbol), style);
  return style.setDoneDate ? withField(marked, "completed", today, style) : marked.text;
}

/** A copy with new days and box, without what belongs to the finished instance. */
export function nextLine(line: TaskLine, days: SeriesDays, today: LocalDate, style: RepeatStyle, done: string): string {
  let next = reparsed(withSymbol(line, style.symbols.afterDone(done)), style);
  if (next.blockId !== undefined) next = reparsed(withoutBlockId(next), style);
  for (const name of LEFT) next = withoutAll(next, name, style);
  for (const name of MOVING) next = moved(next, name, days[name], style);
  return withCreated(next, today, style).text;
}

/** A skipped instance leaves no line. */
export function skippedLine(line: TaskLine, days: SeriesDays, style: RepeatStyle): string {
  return MOVING.reduce((now, name) => moved(now, name, days[name], style), line).text;
}

const MOVING = ["due", "scheduled", "start"] as const;
const LEFT: readonly LineFieldName[] = ["id", "blockedBy", "completed", "cancelled"];

function moved(line: TaskLine, name: LineFieldName, day: string | undefined, style: RepeatStyle): TaskLine {
  const span = fieldSpan(line, name);
  if (span === undefined) return line;
  return reparsed(day === undefined ? withoutSpan(line, span) : withField(line, name, day, style), style);
}

/** Sets the creation date to today or removes it, by the plugin's setting. */
function withCreated(line: TaskLine, today: LocalDate, style: RepeatStyle): TaskLine {
  if (!style.setCreatedDate) return withoutAll(line, "created", style);
  if (fieldSpan(line, "created") !== undefined) return reparsed(withField(line, "created", today, style), style);
  const anchor = line.fields.findLast(({ name }) => BEFORE_CREATED.has(name));
  if (anchor === undefined) return line;
  return reparsed(insertedAt(line, anchor.end, "created", today, anchor.form), style);
}

const BEFORE_CREATED: ReadonlySet<LineFieldName> = new Set(["priority", "recurrence", "onCompletion"]);

function withoutAll(line: TaskLine, name: LineFieldName, style: LineStyle): TaskLine {
  let now = line;
  for (let span = fieldSpan(now, name); span !== undefined; span = fieldSpan(now, name)) {
    now = reparsed(withoutSpan(now, span), style);
  }
  return now;
}

const withoutBlockId = ({ text }: TaskLine): string => text.replace(/[ \t]+\^[A-Za-z0-9-]+(?=[ \t]*$)/, "");

function reparsed(text: string, style: LineStyle): TaskLine {
  const line = parseTaskLine(text, style);
  if (line === undefined) throw new Error("A changed checkbox line is no checkbox any more.");
  return line;
}
