/** The days of a series as one RFC 5545 rule, if possible (docs: calendar, "The feed"). */
import { type DayNumber, LAST_DAY, toDayNumber, toLocalDate } from "../dates/day-number.js";
import type { LocalDate } from "../clock.js";
import { Occurrences } from "../tasks/recurrence/occurrences.js";
import { formatRRule, looksLikeRRule, parseRRule, type RecurrenceRule } from "../tasks/recurrence/recurrence-rule.js";
import { parseRuleWords, toRRule } from "../tasks/recurrence/rule-words.js";
import { laterInstances } from "../tasks/recurrence/series.js";
import type { Series, Task } from "../tasks/task.js";

export interface FixedSeries {
  /** Without COUNT; begins on `first`. */
  readonly rule: string;
  readonly first: LocalDate;
  readonly leftOut: readonly LocalDate[];
  /** The current instance was moved off the rule and needs its own event. */
  readonly isMoved: boolean;
}

/** Inclusive. */
export interface CalendarSpan {
  readonly from: LocalDate;
  readonly today: LocalDate;
  readonly to: LocalDate;
}

/** Days from today after which the end of a rule is ignored. */
const FAR = 3660;

export function seriesDay({ series, due, scheduled }: Task): LocalDate | undefined {
  if (series === undefined) return undefined;
  return looksLikeRRule(series.rule) ? (scheduled ?? due) : (due ?? scheduled);
}

/**
 * @returns undefined if no rule gives the agenda's days: it is not understood, counts from completion, or ends before
 * the span
 */
export function fixedSeries(task: Task, span: CalendarSpan): FixedSeries | undefined {
  const { series } = task;
  const day = seriesDay(task);
  if (series === undefined || day === undefined || series.anchor === "completion") return undefined;
  const read = ruleOf(task, series, toDayNumber(day));
  if (read === undefined || !isPlain(read.rule)) return undefined;
  const occurrences = new Occurrences(read.rule, read.start);
  const over = new Set<LocalDate>([...series.completed, ...series.skipped]);
  const current = toDayNumber(day);
  const isMoved = !occurrences.includes(current);
  const earliest = Math.max(isMoved ? current + 1 : current, toDayNumber(span.from));
  const first = occurrences.next(earliest, (each) => !over.has(toLocalDate(each)));
  if (first === undefined || first > toDayNumber(span.to)) return undefined;
  const rule = endingByDay(read.rule, occurrences, toDayNumber(span.today));
  const leftOut = [...over].filter((each) => toDayNumber(each) > first && occurrences.includes(toDayNumber(each)));
  const found: FixedSeries = { rule: formatRRule(rule), first: toLocalDate(first), leftOut: leftOut.sort(), isMoved };
  return saysTheSame(task, found, rule, span) ? found : undefined;
}

function ruleOf({ scheduled, created, due }: Task, { rule }: Series, current: DayNumber) {
  if (looksLikeRRule(rule)) {
    const read = parseRRule(rule);
    if (!read.understood) return undefined;
    const written = scheduled ?? created ?? due;
    return { rule: read.rule, start: read.start ?? (written === undefined ? current : toDayNumber(written)) };
  }
  const words = parseRuleWords(rule);
  if (!words.understood || words.whenDone) return undefined;
  const read = parseRRule(toRRule(words, current).recurrence);
  return read.understood ? { rule: read.rule, start: current } : undefined;
}

/** Calendar programs disagree on other BYSETPOS values. */
function isPlain({ bySetPos, frequency }: RecurrenceRule): boolean {
  if (bySetPos.length === 0) return true;
  return frequency !== "WEEKLY" && bySetPos.every((position) => Math.abs(position) === 1);
}

/** COUNT starts before the calendar does, so UNTIL replaces it. */
function endingByDay({ count, ...rule }: RecurrenceRule, occurrences: Occurrences, today: DayNumber): RecurrenceRule {
  if (count === undefined) return rule;
  const last = occurrences.previous(LAST_DAY + 1);
  return last === undefined || last > today + FAR ? rule : { ...rule, until: last };
}

function saysTheSame(task: Task, { first, leftOut }: FixedSeries, rule: RecurrenceRule, span: CalendarSpan): boolean {
  const foreseen = laterInstances(task, span.today, span.to);
  const current = seriesDay(task) ?? first;
  const given: LocalDate[] = [];
  for (const each of new Occurrences(rule, toDayNumber(first)).from(toDayNumber(first))) {
    const day = toLocalDate(each);
    if (day > span.to) break;
    if (day > current && day >= span.today && !leftOut.includes(day)) given.push(day);
  }
  return given.length === foreseen.length && given.every((day, at) => day === foreseen[at]);
}
