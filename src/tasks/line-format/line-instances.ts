/** Finishes or skips an instance of a repeating line, as the Tasks plugin does (docs: tasks, "Series"). */
import type { LocalDate } from "../../clock.js";
import { argument, said, SAME_CALL } from "../../text/wording.js";
import { invalidArgument } from "../../errors.js";
import type { SeriesOutcome } from "../format.js";
import type { Values } from "../fields/field-table.js";
import type { Status } from "../fields/vocabulary.js";
import { parseRule, parseRuleWords, toRuleWords } from "../recurrence/rule-words.js";
import { dayOfText, movedTo, type SeriesDays, stepWordSeries, type WordStep } from "../recurrence/series.js";
import { insertedAt, type LineStyle, withField, withoutFields, withoutSpan, withSymbol } from "./edit-line.js";
import type { CheckboxSymbols } from "./line-settings.js";
import type { LineFieldName } from "./field-signs.js";
import { fieldSpan, reparsed, type TaskLine } from "./task-line.js";

export interface StatusStyle extends LineStyle {
  readonly setDoneDate: boolean;
  readonly setCancelledDate: boolean;
}

export interface RepeatStyle extends StatusStyle {
  readonly symbols: Pick<CheckboxSymbols, "afterDone">;
  readonly setCreatedDate: boolean;
  readonly removeScheduledDateOnRecurrence: boolean;
}

interface LineStep {
  readonly finished: string;
  readonly next?: TaskLine;
  readonly outcome: SeriesOutcome;
}

interface StepContext {
  readonly today: LocalDate;
  readonly style: RepeatStyle;
  readonly values: Values;
}

const DAY_FIELDS = ["due", "scheduled", "start"] as const;
type DayField = (typeof DAY_FIELDS)[number];

export function instanceDay(line: TaskLine): LocalDate | undefined {
  for (const name of DAY_FIELDS) {
    const value = fieldSpan(line, name)?.value;
    if (value !== undefined && dayOfText(value) !== undefined) return value as LocalDate;
  }
  return undefined;
}

/** Removes other statuses' days, as the plugin does. */
export function withDayOf(status: Status, line: TaskLine, today: LocalDate, style: StatusStyle): TaskLine {
  const completed = status === "Done" && style.setDoneDate ? today : undefined;
  const cancelled = status === "Cancelled" && style.setCancelledDate ? today : undefined;
  return withField(withField(line, "completed", completed, style), "cancelled", cancelled, style);
}

export function finishInstance(line: TaskLine, context: StepContext & { readonly done: string }): LineStep {
  const { today, style, done } = context;
  const step = stepOf(line, context);
  return {
    finished: withDayOf("Done", withSymbol(line, done, style), today, style).text,
    ...(step.days && { next: nextLine(line, step.days, context) }),
    outcome: outcomeOf("done", step),
  };
}

/** @throws INVALID_ARGUMENT for the last instance, and where no day could move */
export function skipInstance(line: TaskLine, context: StepContext): { readonly next: string; outcome: SeriesOutcome } {
  const step = stepOf(line, context);
  if (step.days === undefined)
    throw invalidArgument(
      `${step.day} is the last day of this series, so there is none to skip to.`,
      said`Finish it with ${argument("status")} "Done", or end the series with ${argument("recurrence")} "".`,
    );
  if (step.next === undefined)
    throw invalidArgument(
      "This task repeats but has no day, so there is none to skip.",
      said`Give its next day as ${argument("dueDate")} ${SAME_CALL}. Nothing was changed.`,
    );
  return { next: withDays(line, step.days, context.style).text, outcome: outcomeOf("skipped", step) };
}

function stepOf(line: TaskLine, { today, style, values }: StepContext): WordStep {
  const given = givenDays(line, values);
  if (given !== undefined) return given;
  const rule = fieldSpan(line, "recurrence")?.value;
  if (rule === undefined) return {};
  const words = parseRuleWords(rule);
  if (words.understood) return stepWordSeries(words, daysOf(line), today, style.removeScheduledDateOnRecurrence);
  throw invalidArgument(
    `The next day of this task cannot be computed: ${words.reason}`,
    said`Give the next day as ${argument("dueDate")} (or ${argument("scheduled")}) ${SAME_CALL}, or write the rule in words such as every week on Friday.`,
  );
}

function daysOf(line: TaskLine): SeriesDays {
  const days: Partial<Record<DayField, string>> = {};
  for (const name of DAY_FIELDS) {
    const value = fieldSpan(line, name)?.value;
    if (value !== undefined) days[name] = value;
  }
  return days;
}

/** Days not given keep their distance. */
function givenDays(line: TaskLine, values: Values): WordStep | undefined {
  const named = DAY_FIELDS.filter((name) => values[name] !== undefined && values[name] !== "");
  if (named.length === 0) return undefined;
  const before = (name: DayField): number | undefined => dayOfText(fieldSpan(line, name)?.value);
  const anchor = named.find((name) => before(name) !== undefined);
  const distance = anchor === undefined ? undefined : (dayOfText(values[anchor]) ?? 0) - (before(anchor) ?? 0);
  const days: Partial<Record<DayField, string>> = {};
  for (const name of DAY_FIELDS) {
    const [old, given] = [before(name), values[name]];
    if (given !== undefined && given !== "") days[name] = given;
    else if (old !== undefined && distance !== undefined) days[name] = movedTo(undefined, old + distance);
  }
  return { day: instanceDay(line), next: values[anchor ?? named[0] ?? "due"] as LocalDate, days };
}

const OF_FINISHED: readonly LineFieldName[] = ["id", "blockedBy", "completed", "cancelled"];

function nextLine(line: TaskLine, days: SeriesDays, context: StepContext & { readonly done: string }): TaskLine {
  const { today, style, done } = context;
  let next = withSymbol(line, style.symbols.afterDone(done), style);
  if (next.blockId !== undefined) next = reparsed(next.text.replace(/[ \t]+\^[A-Za-z0-9-]+(?=[ \t]*$)/, ""), style);
  for (const name of OF_FINISHED) next = withoutFields(next, name, style);
  return withDays(withCreated(next, today, style), days, style);
}

function withDays(line: TaskLine, days: SeriesDays, style: RepeatStyle): TaskLine {
  let now = line;
  for (const name of DAY_FIELDS) {
    const [span, day] = [fieldSpan(now, name), days[name]];
    if (day !== undefined) now = withField(now, name, day, style);
    else if (span !== undefined) now = withoutSpan(now, span, style);
  }
  return now;
}

const BEFORE_CREATED: ReadonlySet<LineFieldName> = new Set(["priority", "recurrence", "onCompletion"]);

/** By the plugin's setting. */
function withCreated(line: TaskLine, today: LocalDate, style: RepeatStyle): TaskLine {
  if (!style.setCreatedDate) return withoutFields(line, "created", style);
  if (fieldSpan(line, "created") !== undefined) return withField(line, "created", today, style);
  const anchor = line.fields.findLast(({ name }) => BEFORE_CREATED.has(name));
  if (anchor === undefined) return line;
  return reparsed(insertedAt(line, anchor.end, "created", today, anchor.form), style);
}

function outcomeOf(kind: "done" | "skipped", { day, next, days }: WordStep): SeriesOutcome {
  return { kind, ...(day && { day }), ...(next && { next }), ended: days === undefined };
}

/** @throws INVALID_ARGUMENT for a rule without words */
export function ruleForLine(given: string): string {
  const read = parseRule(given);
  if (read.understood && /^every\s/i.test(given)) return given;
  const words = read.understood ? toRuleWords(read.rule, read.whenDone ? "completion" : "scheduled") : undefined;
  if (words !== undefined) return words;
  throw invalidArgument(
    `A checkbox line cannot say the rule "${given.slice(0, 100)}".`,
    "Write it in words: every day, every 2 weeks on Friday, every month on the 1st, every week when done.",
  );
}
