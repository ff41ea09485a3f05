/** A task's series: instances, and steps by an RFC 5545 rule or as in the Tasks plugin (docs: tasks, "Series"). */
import { type LocalDate, parseLocalDate } from "../../clock.js";
import { type DayNumber, LAST_DAY, toDayNumber, toLocalDate } from "../../dates/days.js";
import { isClosed, type Series, type Task } from "../task.js";
import {
  formatDayDigits,
  looksLikeRRule,
  type NotUnderstood,
  parseRRule,
  type RecurrenceAnchor,
  withStart,
} from "./recurrence-rule.js";
import { parseRule, parseRuleWords, toRuleWords, type WordRule } from "./rule-words.js";
import { nextByWords, Occurrences } from "./rule-days.js";

/** Days begin with `YYYY-MM-DD`; lists are in the note's order. */
export interface RRuleSeries {
  readonly recurrence: string;
  readonly anchor: RecurrenceAnchor;
  readonly scheduled?: string;
  readonly due?: string;
  readonly created?: string;
  readonly completed: readonly string[];
  readonly skipped: readonly string[];
}

export interface SeriesChange {
  readonly action: "done" | "skip" | "reopen";
  readonly today: LocalDate;
  readonly occurrence?: LocalDate | undefined;
  /** With anchor `completion`, the rule's new origin. */
  readonly finishedOn?: LocalDate | undefined;
  /** Required if the rule is not understood. */
  readonly next?: LocalDate | undefined;
  /** TaskNotes' `maintainDueDateOffsetInRecurring`: due always moves with the series. */
  readonly movesDue: boolean;
}

export type RRuleSeriesOutcome =
  /** Without `next` the day stays. */
  | {
      readonly kind: "changed";
      readonly day: LocalDate;
      readonly next?: LocalDate;
      readonly ended: boolean;
      /** The rule excludes this day. */
      readonly isOffRule?: boolean;
      readonly series: RRuleSeries;
    }
  | { readonly kind: "unchanged"; readonly day?: LocalDate }
  /** No day is left: the note's status closes. */
  | { readonly kind: "closes" }
  /** The rule has no such day to skip; `near` are its neighbours. */
  | { readonly kind: "no instance"; readonly near: readonly LocalDate[] }
  | ({ readonly kind: "not understood" } & NotUnderstood);

export function changeRRuleSeries(series: RRuleSeries, change: SeriesChange): RRuleSeriesOutcome {
  if (change.action === "reopen") return reopened(series, change);
  const read = readSeries(series, change.today);
  if (!read.understood) {
    if (change.next === undefined) return { kind: "not understood", ...read };
    const day = dayOfText(change.occurrence ?? series.scheduled ?? series.due ?? change.today);
    return settled(series, change, day ?? toDayNumber(change.today));
  }
  const current = currentInstance(read);
  const day = change.occurrence === undefined ? current : toDayNumber(change.occurrence);
  if (day === undefined) return { kind: "closes" };
  const already = settledBefore(read, change, day);
  if (already) return already;
  if (day !== current && series.anchor !== "completion") {
    const isOffRule = !read.occurrences.includes(day);
    if (isOffRule && change.action !== "done") return { kind: "no instance", near: daysAround(read, day) };
    return { ...onlyListed(series, change, day), isOffRule };
  }
  return settled(series, change, day);
}

function daysAround({ occurrences }: ReadSeries, day: DayNumber): readonly LocalDate[] {
  const near = [occurrences.previous(day, () => true), occurrences.next(day + 1, () => true)];
  return near.flatMap((one) => (one === undefined ? [] : toLocalDate(one)));
}

export function* projectedDays(series: RRuleSeries, today: LocalDate, until: LocalDate): Generator<LocalDate, void> {
  const read = readSeries(series, today);
  if (!read.understood) return;
  const last = toDayNumber(until);
  for (const day of read.occurrences.from(Math.max(read.current ?? read.start, read.today - 1) + 1)) {
    if (day > last) return;
    if (isOpen(read, day)) yield toLocalDate(day);
  }
}

interface ReadSeries {
  readonly understood: true;
  readonly series: RRuleSeries;
  readonly today: DayNumber;
  readonly scheduled: DayNumber | undefined;
  readonly current: DayNumber | undefined;
  readonly start: DayNumber;
  readonly hasStart: boolean;
  readonly occurrences: Occurrences;
  readonly completed: Days;
  readonly skipped: Days;
}

function readSeries(series: RRuleSeries, todayText: LocalDate): ReadSeries | NotUnderstood {
  const rule = parseRRule(series.recurrence);
  if (!rule.understood) return rule;
  const [today, scheduled, due] = [toDayNumber(todayText), dayOfText(series.scheduled), dayOfText(series.due)];
  const start = rule.start ?? scheduled ?? dayOfText(series.created) ?? due ?? today;
  return {
    understood: true,
    series,
    today,
    scheduled,
    current: scheduled ?? due,
    start,
    hasStart: rule.start !== undefined,
    occurrences: new Occurrences(rule.rule, start),
    completed: daysIn(series.completed),
    skipped: daysIn(series.skipped),
  };
}

function currentInstance(read: ReadSeries): DayNumber | undefined {
  if (read.series.anchor === "completion") return read.today;
  return instanceAt(read, (day) => isOpen(read, day));
}

/** `scheduled` if it is an occurrence, else the nearest accepted one, earlier first. Without it due, else from today. */
function instanceAt({ scheduled, current, today, occurrences }: ReadSeries, accepts: (day: DayNumber) => boolean) {
  if (scheduled === undefined && current !== undefined) return current;
  const day = scheduled ?? today;
  return occurrences.includes(day) ? day : (occurrences.previous(day, accepts) ?? occurrences.next(day + 1, accepts));
}

function settledBefore(read: ReadSeries, change: SeriesChange, day: DayNumber): RRuleSeriesOutcome | undefined {
  const isNamed = change.occurrence !== undefined;
  const list = change.action === "done" ? read.completed : read.skipped;
  if (!isNamed && change.action === "done" && change.next === undefined && hasEnded(read)) return { kind: "closes" };
  if (hasDay(list, day)) {
    return !isNamed && takesSkipBack(read, change, day) ? undefined : { kind: "unchanged", day: toLocalDate(day) };
  }
  const last = isNamed || change.next !== undefined ? undefined : lastSettled(read, change, day);
  return last === undefined ? undefined : { kind: "unchanged", day: toLocalDate(last) };
}

/** A repeated call must not settle the day after the one that the first call settled. */
function lastSettled(read: ReadSeries, { action }: SeriesChange, day: DayNumber): DayNumber | undefined {
  const { series, today, scheduled, occurrences } = read;
  const last = dayOfText((action === "done" ? series.completed : series.skipped).at(-1));
  if (last === undefined || day <= today || day !== scheduled || last >= day) return undefined;
  const others = action === "done" ? read.skipped : read.completed;
  const [after, before] = [toLocalDate(last), toLocalDate(day)];
  if ([...others].some((one) => one > after && one < before)) return undefined;
  const following = occurrences.next(Math.max(today, last), (each) => isOpen(read, each));
  return occurrences.includes(last) && following === day ? last : undefined;
}

/** As in TaskNotes, skipping a day twice removes the skip if the rule counts from completion. */
function takesSkipBack(read: ReadSeries, { action }: SeriesChange, day: DayNumber): boolean {
  return action === "skip" && read.series.anchor === "completion" && day === read.scheduled && !hasEnded(read);
}

function hasEnded(read: ReadSeries): boolean {
  const { series, current, today, start, occurrences } = read;
  if (series.anchor === "completion") {
    const isOver = hasDay(read.completed, start) || (current !== undefined && hasDay(read.skipped, current));
    return isOver && occurrences.next(Math.max(start + 1, today), (day) => !hasDay(read.skipped, day)) === undefined;
  }
  const instance = instanceAt(read, () => true);
  if (instance === undefined || isOpen(read, instance)) return false;
  return occurrences.next(Math.max(instance, today), (day) => isOpen(read, day)) === undefined;
}

const isOpen = ({ completed, skipped }: ReadSeries, day: DayNumber): boolean =>
  !hasDay(completed, day) && !hasDay(skipped, day);

function onlyListed(before: RRuleSeries, change: SeriesChange, day: DayNumber) {
  const series = withInstance(before, change, day);
  return { kind: "changed", day: toLocalDate(day), ended: false, series } as const;
}

function withInstance(series: RRuleSeries, change: SeriesChange, day: DayNumber): RRuleSeries {
  const lists = listed(series, change, day);
  if (change.action !== "done") return lists;
  const isNewStart = series.anchor === "completion" && parseRRule(series.recurrence).understood;
  const recurrence = isNewStart
    ? withStart(series.recurrence, formatDayDigits(finishedOn(series, change) ?? day))
    : startedRule(series, change.today);
  return { ...lists, recurrence };
}

function finishedOn({ anchor }: RRuleSeries, { action, finishedOn: day }: SeriesChange): DayNumber | undefined {
  return anchor === "completion" && action === "done" && day !== undefined ? toDayNumber(day) : undefined;
}

function listed(series: RRuleSeries, { action }: SeriesChange, day: DayNumber): RRuleSeries {
  const completed = withoutDay(series.completed, day);
  const skipped = withoutDay(series.skipped, day);
  if (action === "done") return { ...series, completed: [...completed, toLocalDate(day)], skipped };
  const isTakenBack = skipped.length < series.skipped.length;
  return { ...series, completed, skipped: isTakenBack ? skipped : [...skipped, toLocalDate(day)] };
}

function settled(before: RRuleSeries, change: SeriesChange, day: DayNumber): RRuleSeriesOutcome {
  const after = withInstance(before, change, day);
  const from = toLocalDate(Math.max(toDayNumber(change.today), finishedOn(before, change) ?? day));
  const next = change.next ?? nextOpenDay(after, from);
  const over = { kind: "changed", day: toLocalDate(day) } as const;
  if (next === undefined) return { ...over, ended: true, series: after };
  const days = movedDays(before, change, day, toDayNumber(next));
  return { ...over, next, ended: false, series: { ...after, ...days } };
}

/** @param today the start if the series has no other day */
export function startedRule(series: RRuleSeries, today: LocalDate): string {
  const read = readSeries(series, today);
  if (!read.understood || read.hasStart) return series.recurrence;
  const source = [series.scheduled, series.created].find((text) => dayOfText(text) !== undefined);
  return withStart(series.recurrence, `${formatDayDigits(read.start)}${clockDigits(source)}`);
}

/** Neither done nor skipped; done days count if the rule counts from completion. */
export function nextOpenDay(series: RRuleSeries, from: LocalDate): LocalDate | undefined {
  const read = readSeries(series, from);
  if (!read.understood) return undefined;
  const next =
    series.anchor === "completion"
      ? read.occurrences.next(Math.max(read.today, read.start + 1), (day) => !hasDay(read.skipped, day))
      : read.occurrences.next(read.today, (day) => isOpen(read, day));
  return next === undefined ? undefined : toLocalDate(next);
}

/** Due keeps its distance, or stays if `movesDue` is false and it is not before `next`. */
function movedDays(
  { scheduled, due, anchor }: RRuleSeries,
  { movesDue }: Pick<SeriesChange, "movesDue">,
  day: DayNumber,
  next: DayNumber,
): { scheduled: string; due?: string } {
  const dueDay = dayOfText(due);
  const moved = { scheduled: movedTo(scheduled, next) };
  if (dueDay === undefined || (!movesDue && dueDay >= next)) return moved;
  const reference = anchor === "completion" ? (dayOfText(scheduled) ?? day) : day;
  return { ...moved, due: movedTo(due, dueDay + next - reference) };
}

/** Reopens the named or last finished day; the last one becomes current again. */
function reopened(series: RRuleSeries, { occurrence, movesDue }: SeriesChange): RRuleSeriesOutcome {
  const last = dayOfText(series.completed.at(-1));
  const day = occurrence === undefined ? last : toDayNumber(occurrence);
  if (day === undefined) return { kind: "unchanged" };
  if (instanceState(series, toLocalDate(day)) === "open") return { kind: "unchanged", day: toLocalDate(day) };
  const lists = { ...series, completed: withoutDay(series.completed, day), skipped: withoutDay(series.skipped, day) };
  const over = { kind: "changed", day: toLocalDate(day), ended: false } as const;
  const scheduled = dayOfText(series.scheduled);
  if (day !== last || scheduled === undefined || day >= scheduled) return { ...over, series: lists };
  const days = movedDays(series, { movesDue }, scheduled, day);
  return { ...over, next: toLocalDate(day), series: { ...lists, ...days } };
}

export function instanceState(series: RRuleSeries, day: LocalDate): "completed" | "skipped" | "open" {
  const has = (list: readonly string[]) => list.some((text) => text.startsWith(day));
  if (has(series.completed)) return "completed";
  return has(series.skipped) ? "skipped" : "open";
}

const DATE_LENGTH = 10;

/** Ignores time and time zone. */
export function dayOfText(text: string | undefined): DayNumber | undefined {
  const day = text === undefined ? undefined : parseLocalDate(text.slice(0, DATE_LENGTH));
  return day === undefined ? undefined : toDayNumber(day);
}

/** Keeps time and time zone. */
export function movedTo(text: string | undefined, day: DayNumber): string {
  return `${localDay(day)}${text?.slice(DATE_LENGTH) ?? ""}`;
}

/** `T09:30` becomes DTSTART's `T093000Z`. */
export function clockDigits(text: string | undefined): string {
  const [, hour, minute, second = "00"] = /T(\d{2}):(\d{2})(?::(\d{2}))?/.exec(text ?? "") ?? [];
  return hour === undefined ? "" : `T${hour}${minute}${second}Z`;
}

const localDay = (day: DayNumber): LocalDate => toLocalDate(Math.min(day, LAST_DAY));

/** Sets, because the lists grow for years. */
type Days = ReadonlySet<string>;

const daysIn = (texts: readonly string[]): Days => new Set(texts.map((text) => text.slice(0, DATE_LENGTH)));
const hasDay = (days: Days, day: DayNumber): boolean => days.size > 0 && days.has(toLocalDate(day));

function withoutDay(texts: readonly string[], day: DayNumber): string[] {
  const written = toLocalDate(day);
  return texts.filter((text) => !text.startsWith(written));
}

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
