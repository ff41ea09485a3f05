/** Instances of a series in a note, and changes of its rule (docs: tasks, "Series"). */
import type { LocalDate } from "../../clock.js";
import { argument, said, SAME_CALL } from "../../text/wording.js";
import { toDayNumber } from "../../dates/days.js";
import { NOTHING_CHANGED, type VaultError, invalidArgument } from "../../errors.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import type { SeriesOutcome, FinishedInstance } from "../format.js";
import { readNoteDate, bareName, firstText, isLink } from "../fields/property-values.js";
import type { RuleStyle } from "../fields/dialect.js";
import type { FieldName, Values } from "../fields/field-table.js";
import {
  formatDayDigits,
  looksLikeRRule,
  parseRRule,
  type RecurrenceAnchor,
  withStart,
} from "../recurrence/recurrence-rule.js";
import { parseRuleWords, toRRule, toRuleWords } from "../recurrence/rule-words.js";
import { changeRRuleSeries, type RRuleSeries, type SeriesChange, stepWordSeries } from "../recurrence/series.js";
import type { Series } from "../task.js";

type FieldPlaces = ReadonlyMap<FieldName, Property>;

interface InstanceRequest extends Omit<SeriesChange, "occurrence"> {
  readonly day?: LocalDate | undefined;
  /** For notes without a list of finished instances. */
  readonly lastFinished?: FinishedInstance | undefined;
}

interface InstanceEdit {
  readonly values: Values;
  readonly status?: "Done" | "To Do";
  readonly outcome: SeriesOutcome;
}

/** @throws INVALID_ARGUMENT for a day off the rule, or a rule not understood without `next` */
export function instanceEdit(series: Series, places: FieldPlaces, request: InstanceRequest): InstanceEdit {
  return looksLikeRRule(series.rule) ? rruleEdit(series, places, request) : wordsEdit(series, places, request);
}

function rruleEdit(series: Series, places: FieldPlaces, request: InstanceRequest): InstanceEdit {
  const before: RRuleSeries = {
    recurrence: series.rule,
    anchor: series.anchor,
    ...daysOf(places, ["scheduled", "due", "created"]),
    completed: series.completed,
    skipped: series.skipped,
  };
  const { action, day: occurrence, ...change } = request;
  const outcome = changeRRuleSeries(before, { ...change, action, occurrence, finishedOn: request.today });
  if (outcome.kind === "not understood") throw notUnderstood(series.rule, outcome.reason);
  if (outcome.kind === "no instance")
    throw invalidArgument(`The series has no instance on ${occurrence ?? "this day"} to skip.`, [
      ...(outcome.near.length === 0 ? [] : [`Days of it: ${outcome.near.join(", ")}.`]),
      NOTHING_CHANGED,
    ]);
  if (outcome.kind === "closes") return { values: {}, status: "Done", outcome: { kind: "closed", ended: true } };
  if (outcome.kind === "unchanged") return unchanged(action, outcome);
  const { day, next, ended, isOffRule } = outcome;
  return {
    values: differences(valuesOf(before), valuesOf(outcome.series)),
    outcome: { kind: OUTCOME_KINDS[action], day, ended, ...(next && { next }), ...(isOffRule && { isOffRule }) },
  };
}

const OUTCOME_KINDS = { done: "done", skip: "skipped", reopen: "reopened" } as const;

const unchanged = (
  action: InstanceRequest["action"],
  { day, next }: Pick<SeriesOutcome, "day" | "next">,
): InstanceEdit => ({
  values: {},
  outcome: { kind: "unchanged", action, ended: false, ...(day && { day }), ...(next && { next }) },
});

const valuesOf = ({ recurrence, scheduled, due, completed, skipped }: RRuleSeries) => ({
  recurrence,
  scheduled,
  due,
  completeInstances: completed,
  skippedInstances: skipped,
});

function differences<After extends object>(before: NoInfer<After>, after: After): Values {
  const isChanged = ([name, value]: [string, unknown]): boolean =>
    value !== undefined && JSON.stringify(value) !== JSON.stringify(before[name as keyof After]);
  return Object.fromEntries(Object.entries(after).filter(isChanged));
}

/** Without a list of done days the days move, and the last instance closes the note. */
function wordsEdit(series: Series, places: FieldPlaces, request: InstanceRequest): InstanceEdit {
  const { action, today, day, next, lastFinished } = request;
  if (action === "reopen") return { values: {}, status: "To Do", outcome: { kind: "reopened", ended: false } };
  const kind = OUTCOME_KINDS[action];
  const before = daysOf(places, ["due", "scheduled", "start"]);
  const reference = (before.due ?? before.scheduled ?? before.start)?.slice(0, 10) as LocalDate | undefined;
  if (day !== undefined && reference !== undefined && day !== reference)
    return unchanged(action, { day, next: reference });
  const isRepeated = action === "done" && day === undefined && next === undefined;
  // A repeated call must not finish the next instance.
  if (isRepeated && lastFinished !== undefined && lastFinished.next === reference && reference > today)
    return unchanged(action, lastFinished);
  const over = reference !== undefined && { day: reference };
  if (next !== undefined) return { values: {}, status: "To Do", outcome: { kind, ended: false, next, ...over } };
  const rule = parseRuleWords(series.rule);
  if (!rule.understood) throw notUnderstood(series.rule, rule.reason);
  const stepped = stepWordSeries(rule, before, today);
  if (stepped.days === undefined) return { values: {}, status: "Done", outcome: { kind, ...over, ended: true } };
  if (stepped.next === undefined) throw withoutDay("This task repeats but has no day that its rule could count from.");
  return {
    values: differences(before, stepped.days),
    status: "To Do",
    outcome: { kind, ended: false, next: stepped.next, ...over },
  };
}

/** Keeps the time of ISO dates; other forms become plain days. */
function daysOf<Name extends "scheduled" | "due" | "start" | "created">(
  places: FieldPlaces,
  names: readonly Name[],
): { readonly [Key in Name]?: string } {
  const days: { [Key in Name]?: string } = {};
  for (const name of names) {
    const property = places.get(name);
    const raw = property && firstText(property);
    if (raw === undefined) continue;
    const text = isLink(raw) ? bareName(raw) : raw;
    const day = readNoteDate(text);
    if (day !== undefined) days[name] = /^\d{4}-\d{2}-\d{2}/.test(text) ? text : day;
  }
  return days;
}

interface RuleEdit {
  readonly recurrence: string;
  readonly anchor?: RecurrenceAnchor;
}

/**
 * @param style of the note's rule, else the vault's
 * @param start the day it counts from
 * @throws INVALID_ARGUMENT without a day, or when words cannot express the rule
 */
export function ruleEdit(given: string, style: RuleStyle, start: LocalDate | undefined): RuleEdit {
  if (looksLikeRRule(given))
    return style === "rrule" ? { recurrence: started(given, start) } : { recurrence: inWords(given) };
  const words = parseRuleWords(given);
  if (!words.understood) throw notUnderstood(given, words.reason);
  assertDay(start);
  return style === "words" ? { recurrence: given } : toRRule(words, toDayNumber(start));
}

function started(rule: string, start: LocalDate | undefined): string {
  const read = parseRRule(rule);
  if (!read.understood) throw notUnderstood(rule, read.reason);
  if (read.start !== undefined) return rule;
  assertDay(start);
  return withStart(rule, formatDayDigits(toDayNumber(start)));
}

function inWords(rule: string): string {
  const read = parseRRule(rule);
  if (!read.understood) throw notUnderstood(rule, read.reason);
  const words = toRuleWords(read.rule, "scheduled");
  if (words !== undefined) return words;
  throw invalidArgument(
    "recurrence cannot be said in words, as this note says its rule.",
    'Give words such as "every week on Friday", or first take the rule away with recurrence "".',
  );
}

function assertDay(day: LocalDate | undefined): asserts day is LocalDate {
  if (day === undefined) throw withoutDay("recurrence needs a day to count from, and the task has none.");
}

function withoutDay(message: string): VaultError {
  return invalidArgument(message, [
    said`Give ${argument("scheduled")} or ${argument("dueDate")} as well.`,
    NOTHING_CHANGED,
  ]);
}

const MAX_SHOWN_LENGTH = 100;

function notUnderstood(rule: string, reason: string): VaultError {
  const shown = rule.length > MAX_SHOWN_LENGTH ? `${rule.slice(0, MAX_SHOWN_LENGTH)}…` : rule;
  const why = reason.includes(rule.slice(0, 20)) ? "" : ` ${reason}`;
  return invalidArgument(`This task repeats ("${shown}") by a rule that is not understood.${why}`, [
    said`Name the next day with ${argument("scheduled")} or ${argument("dueDate")} ${SAME_CALL}, or give another ${argument("recurrence")}.`,
    NOTHING_CHANGED,
  ]);
}
