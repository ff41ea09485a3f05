/** Finishes or skips an instance of a repeating checkbox line (docs: tasks, "Series", "Checkbox lines"). */
import type { LocalDate } from "../../clock.js";
import { VaultError } from "../../errors.js";
import type { SeriesOutcome } from "../api.js";
import type { Values } from "../fields/fields.js";
import { looksLikeRRule, parseRRule } from "../recurrence/recurrence-rule.js";
import { parseRuleWords, toRuleWords } from "../recurrence/rule-words.js";
import { dayOfText, movedTo } from "../recurrence/series-days.js";
import type { SeriesDays } from "../recurrence/word-series.js";
import { withField } from "./edit-line.js";
import { finishedLine, nextLine, nextOfLine, type RepeatStyle, skippedLine } from "./repeat-line.js";
import { fieldSpan, parseTaskLine, type TaskLine } from "./task-line.js";

export interface LineStep {
  readonly finished?: string;
  readonly next?: string;
  readonly outcome: SeriesOutcome;
}

const DAY_FIELDS = ["due", "scheduled", "start"] as const;
type DayField = (typeof DAY_FIELDS)[number];

/** Due, else scheduled, else start. */
export function instanceDay(line: TaskLine): LocalDate | undefined {
  for (const name of DAY_FIELDS) {
    const value = fieldSpan(line, name)?.value;
    if (value !== undefined && dayOfText(value) !== undefined) return value as LocalDate;
  }
  return undefined;
}

/** @param values days of the next instance */
export function finishInstance(
  line: TaskLine,
  { today, done, style, values }: StepContext & { readonly done: string },
): LineStep {
  const step = stepOf(line, today, style, values);
  const finished = finishedLine(line, today, style, done);
  if (step.days === undefined) return { finished, outcome: outcomeOf("done", step) };
  const next = withDays(nextLine(line, step.days, today, style, done), step.days, style);
  return { finished, next, outcome: outcomeOf("done", step) };
}

/** @throws VaultError INVALID_ARGUMENT for the last instance */
export function skipInstance(line: TaskLine, { today, style, values }: StepContext): LineStep {
  const step = stepOf(line, today, style, values);
  if (step.days === undefined)
    throw new VaultError(
      "INVALID_ARGUMENT",
      `${step.day} is the last day of this series, so there is none to skip to.`,
      {
        hint: 'Finish it with status "Done", or end the series with recurrence "".',
      },
    );
  return { next: withDays(skippedLine(line, step.days, style), step.days, style), outcome: outcomeOf("skipped", step) };
}

interface StepContext {
  readonly today: LocalDate;
  readonly style: RepeatStyle;
  readonly values: Values;
}

interface Step {
  readonly day?: LocalDate | undefined;
  readonly next?: LocalDate | undefined;
  /** Undefined at the end of the series. */
  readonly days?: SeriesDays;
}

function stepOf(line: TaskLine, today: LocalDate, style: RepeatStyle, values: Values): Step {
  const given = givenDays(line, values);
  if (given !== undefined) return given;
  const step = nextOfLine(line, today, style.removeScheduledDateOnRecurrence);
  if (step === undefined) return {};
  if (step.kind === "unknown")
    throw new VaultError("INVALID_ARGUMENT", `The next day of this task cannot be computed: ${step.reason}`, {
      hint: "Give the next day as dueDate (or scheduled) in the same call, or write the rule in words such as every week on Friday.",
    });
  return step.kind === "ended" ? { day: step.day } : step;
}

/** Days not given keep their distance. */
function givenDays(line: TaskLine, values: Values): Step | undefined {
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

function withDays(text: string, days: SeriesDays, style: RepeatStyle): string {
  let now = text;
  for (const name of DAY_FIELDS) {
    const line = parseTaskLine(now, style);
    const day = days[name];
    if (line !== undefined && day !== undefined && fieldSpan(line, name) === undefined)
      now = withField(line, name, day, style);
  }
  return now;
}

function outcomeOf(kind: "done" | "skipped", { day, next, days }: Step): SeriesOutcome {
  return { kind, ...(day && { day }), ...(next && { next }), ended: days === undefined };
}

/**
 * Converts an RRULE to words.
 * @throws VaultError INVALID_ARGUMENT for a rule without words
 */
export function ruleForLine(given: string): string {
  const words = looksLikeRRule(given) ? wordsOfRRule(given) : wordsOf(given);
  if (words !== undefined) return words;
  throw new VaultError("INVALID_ARGUMENT", `A checkbox line cannot say the rule "${given.slice(0, 100)}".`, {
    hint: "Write it in words: every day, every 2 weeks on Friday, every month on the 1st, every week when done.",
  });
}

function wordsOfRRule(given: string): string | undefined {
  const read = parseRRule(given);
  return read.understood ? toRuleWords(read.rule, "scheduled") : undefined;
}

function wordsOf(given: string): string | undefined {
  const read = parseRuleWords(given);
  if (!read.understood) return undefined;
  return /^every\s/i.test(given) ? given : toRuleWords(read.rule, read.whenDone ? "completion" : "scheduled");
}
