/** Finishes or skips an instance of a rule in words, as the Tasks plugin does (docs: tasks, "Series"). */
import type { LocalDate } from "../../clock.js";
import { addMonths, type DayNumber, LAST_DAY, toDayNumber } from "../../dates/day-number.js";
import { Occurrences } from "./occurrences.js";
import { clampsToMonth, type WordRule } from "./rule-words.js";
import { dayOfText, movedTo, writtenDay } from "./series-days.js";

/** Each begins with `YYYY-MM-DD`. */
export interface SeriesDays {
  readonly due?: string;
  readonly scheduled?: string;
  readonly start?: string;
}

/** `day` and `next` are undefined for a task without days. */
export interface WordStep {
  readonly day?: LocalDate | undefined;
  readonly next?: LocalDate | undefined;
  /** Undefined at the end of the series. */
  readonly days?: SeriesDays;
}

type DayField = keyof SeriesDays;

/** A rule counts from the first that the task has. */
const REFERENCES: readonly DayField[] = ["due", "scheduled", "start"];
const REFERENCES_WITHOUT_SCHEDULED: readonly DayField[] = ["due", "start", "scheduled"];

/**
 * Moves all days by the same distance, even into the past.
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
  if (next === undefined) return { day: writtenDay(reference) };
  const kept = REFERENCES.filter((each) => !(removesScheduled && each === "scheduled" && field !== "scheduled"));
  const moved = kept.flatMap((each) => {
    const day = dayOfText(days[each]);
    return day === undefined ? [] : [[each, movedTo(days[each], day + next - reference)]];
  });
  return { day: writtenDay(reference), next: writtenDay(next), days: Object.fromEntries(moved) };
}

/** Undefined past the rule's end. */
export function nextByWords({ rule }: WordRule, day: DayNumber): DayNumber | undefined {
  if (!clampsToMonth(rule)) return new Occurrences(rule, day).next(day + 1);
  const next = addMonths(day, rule.interval * (rule.frequency === "YEARLY" ? 12 : 1));
  const { until = LAST_DAY, count = 2 } = rule;
  return next <= until && count > 1 ? next : undefined;
}
