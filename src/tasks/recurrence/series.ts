/** A task's series: instances, and steps as in the Tasks plugin (docs: tasks, "Series"). */
import type { LocalDate } from "../../clock.js";
import { toDayNumber, toLocalDate } from "../../dates/days.js";
import { isClosed, type Series, type Task } from "../task.js";
import { looksLikeRRule } from "./recurrence-rule.js";
import { projectedDays, dayOfText, movedTo, localDay } from "./rrule-series.js";
import { parseRule, parseRuleWords, toRuleWords, type WordRule } from "./rule-words.js";
import { nextByWords } from "./occurrences.js";

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

/** The last instance of a series stays current. */
export function isInstanceOver({ series, scheduled, due }: Task): boolean {
  const day = scheduled ?? due;
  return series !== undefined && day !== undefined && (series.completed.includes(day) || series.skipped.includes(day));
}

export const isOutstanding = (task: Task): boolean => !task.archived && !isClosed(task.status) && !isInstanceOver(task);

const MAX_STEPS = 5_000;

/** After the current one. Empty for a series that counts from completion. */
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

/** Each begins with `YYYY-MM-DD`. */
export interface SeriesDays {
  readonly due?: string;
  readonly scheduled?: string;
  readonly start?: string;
}

/** Undefined for a task without days. */
export interface WordStep {
  readonly day?: LocalDate | undefined;
  readonly next?: LocalDate | undefined;
  /** Undefined at the end. */
  readonly days?: SeriesDays;
}

type DayField = keyof SeriesDays;

/** A rule counts from the task's first of these. */
const REFERENCES: readonly DayField[] = ["due", "scheduled", "start"];
const REFERENCES_WITHOUT_SCHEDULED: readonly DayField[] = ["due", "start", "scheduled"];

/**
 * Moves all days equally, even into the past.
 * @param removesScheduled the plugin's setting: the next instance has no scheduled day if it has another
 */
export function stepWordSeries(
  words: WordRule,
  days: SeriesDays,
  today: LocalDate,
  removesScheduled = false,
): WordStep {
  const references = removesScheduled ? REFERENCES_WITHOUT_SCHEDULED : REFERENCES;
  const field = references.find((each) => dayOfText(days[each]) !== undefined);
  const reference = field && dayOfText(days[field]);
  if (reference === undefined) return { days };
  const next = nextByWords(words, words.whenDone ? toDayNumber(today) : reference);
  if (next === undefined) return { day: localDay(reference) };
  const kept = REFERENCES.filter((each) => !(removesScheduled && each === "scheduled" && field !== "scheduled"));
  const moved = kept.flatMap((each) => {
    const day = dayOfText(days[each]);
    return day === undefined ? [] : [[each, movedTo(days[each], day + next - reference)]];
  });
  return { day: localDay(reference), next: localDay(next), days: Object.fromEntries(moved) };
}
