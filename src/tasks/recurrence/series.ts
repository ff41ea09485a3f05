/** The state of a task's series: its rule in words, its current instance and its later ones (docs: tasks, "Series"). */
import type { LocalDate } from "../../clock.js";
import { toDayNumber, toLocalDate } from "../../dates/day-number.js";
import { isClosed, type Series, type Task } from "../task.js";
import { looksLikeRRule } from "./recurrence-rule.js";
import { projectedDays } from "./rrule-series.js";
import { parseRule, parseRuleWords, toRuleWords } from "./rule-words.js";
import { nextByWords } from "./word-series.js";

/** `every week on Monday`; as written if it has no words. */
export function describeRule({ rule, anchor }: Series): string {
  const read = parseRule(rule);
  if (!read.understood) return rule;
  const whenDone = read.whenDone ?? anchor === "completion";
  return toRuleWords(read.rule, whenDone ? "completion" : "scheduled") ?? rule;
}

export function currentDay({ series, scheduled, due }: Task, today: LocalDate): LocalDate | undefined {
  return series && (scheduled ?? due ?? today);
}

/** At the end of a series, the last instance stays current. */
export function isInstanceOver({ series, scheduled, due }: Task): boolean {
  const day = scheduled ?? due;
  return series !== undefined && day !== undefined && (series.completed.includes(day) || series.skipped.includes(day));
}

const MAX_STEPS = 5_000;

/**
 * Days after the current one, from today to `until` (docs: tasks, "Finding"). None for a series that counts from
 * completion.
 */
export function laterInstances(task: Task, today: LocalDate, until: LocalDate): readonly LocalDate[] {
  const { series, archived, status } = task;
  if (series === undefined || series.anchor === "completion" || archived || isClosed(status)) return [];
  if (!looksLikeRRule(series.rule)) return instancesByWords(task, series.rule, today, until);
  const { scheduled, due, created } = task;
  const note = {
    recurrence: series.rule,
    anchor: series.anchor,
    completed: series.completed,
    skipped: series.skipped,
    ...(scheduled && { scheduled }),
    ...(due && { due }),
    ...(created && { created }),
  };
  return [...projectedDays(note, today, until)];
}

function instancesByWords({ due, scheduled, start }: Task, rule: string, today: LocalDate, until: LocalDate) {
  const reference = due ?? scheduled ?? start;
  const words = parseRuleWords(rule);
  if (reference === undefined || !words.understood || words.whenDone) return [];
  const [first, last] = [toDayNumber(today), toDayNumber(until)];
  const days: LocalDate[] = [];
  let day = nextByWords(words, toDayNumber(reference));
  for (let step = 0; day !== undefined && day <= last && step < MAX_STEPS; step++) {
    if (day >= first) days.push(toLocalDate(day));
    day = nextByWords(words, day);
  }
  return days;
}
