/** The days on which a series will come around again: computed for agendas, never stored (spec: tasks-2, section 7). */
import type { LocalDate } from "../clock.js";
import { toDayNumber, toLocalDate } from "../dates/day-number.js";
import { isClosed } from "./agenda.js";
import { looksLikeRRule } from "./recurrence/recurrence-rule.js";
import { projectedDays } from "./recurrence/rrule-series.js";
import { parseRuleWords } from "./recurrence/rule-words.js";
import { nextByWords } from "./recurrence/word-series.js";
import type { Task } from "./task.js";

/** A series that lies further behind than so many instances is not counted up to today. */
const MOST_STEPS = 5_000;

/** The days after its current one, from today up to and with a last day. A series that counts from when it is done has none that are known. */
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
  for (let step = 0; day !== undefined && day <= last && step < MOST_STEPS; step++) {
    if (day >= first) days.push(toLocalDate(day));
    day = nextByWords(words, day);
  }
  return days;
}
