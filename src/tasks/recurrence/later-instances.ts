/** Future days of a series, computed for agendas and never stored (docs: tasks, "Finding"). */
import type { LocalDate } from "../../clock.js";
import { toDayNumber, toLocalDate } from "../../dates/day-number.js";
import { isClosed, type Task } from "../task.js";
import { looksLikeRRule } from "./recurrence-rule.js";
import { projectedDays } from "./rrule-series.js";
import { parseRuleWords } from "./rule-words.js";
import { nextByWords } from "./word-series.js";

/** A series further behind than this is not counted up to today. */
const MAX_STEPS = 5_000;

/** Days after the current one, from today to `until`. A series that counts from completion has none. */
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
