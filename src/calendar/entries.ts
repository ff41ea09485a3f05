/**
 * A calendar's entries: dated tasks, nearest to today first; a series as one RFC 5545 rule, if
 * possible (docs: calendar, "The feed").
 */
import { TimeSlice } from "../async/timers.js";
import type { LocalDate } from "../clock.js";
import { addMonths, toDayNumber, toLocalDate, type DayNumber, LAST_DAY } from "../dates/days.js";
import { isOutstanding, laterInstances } from "../tasks/recurrence/series.js";
import { compareText } from "../tasks/agenda.js";
import type { AllTasks } from "../tasks/api.js";
import type { Task, Series } from "../tasks/task.js";
import type { CalendarFilters } from "./link-folder.js";
import { withoutTrailingTags } from "../tasks/line-format/task-line.js";
import { sha256 } from "../text/hash.js";
import { Occurrences } from "../tasks/recurrence/rule-days.js";
import { formatRRule, looksLikeRRule, parseRRule, type RecurrenceRule } from "../tasks/recurrence/recurrence-rule.js";
import { parseRuleWords, toRRule } from "../tasks/recurrence/rule-words.js";

export interface CalendarEntry {
  readonly uid: string;
  readonly task: Task;
  /** A series' first day. */
  readonly day: LocalDate;
  readonly isDone: boolean;
  readonly series?: FixedSeries;
  /** Minutes from the day's beginning, or an instant (`2026-12-01T08:00:00Z`). */
  readonly reminders?: readonly (number | string)[];
}

const DAYS_BACK = 30;
const MONTHS_AHEAD = 12;
const MAX_ENTRIES = 2000;

/** By day. @param vaultId tells equal paths apart @param accepts by area, project and tags */
export async function calendarEntries(
  { tasks, today }: AllTasks,
  filters: CalendarFilters,
  vaultId: string,
  accepts: (task: Task) => boolean = () => true,
): Promise<readonly CalendarEntry[]> {
  const span = spanAround(today);
  const uidOf = uidsOf(tasks, vaultId);
  const found: CalendarEntry[] = [];
  const slice = new TimeSlice();
  for (const task of tasks) {
    if (slice.isOver) await slice.yield();
    if (isShown(task, filters) && accepts(task)) found.push(...entriesOf(task, filters, span, () => uidOf(task)));
  }
  return nearest(found, today).sort((a, b) => compareText(a.day, b.day) || compareText(a.uid, b.uid));
}

function spanAround(today: LocalDate): CalendarSpan {
  const day = toDayNumber(today);
  return { from: toLocalDate(day - DAYS_BACK), today, to: toLocalDate(addMonths(day, MONTHS_AHEAD)) };
}

const isShown = (task: Task, { done }: CalendarFilters): boolean =>
  isOutstanding(task) || (done === true && task.status === "Done" && !task.archived);

function entriesOf(task: Task, filters: CalendarFilters, span: CalendarSpan, uidOf: () => string): CalendarEntry[] {
  const days = daysOf(task, filters);
  if (days.length === 0) return [];
  const isDone = task.status === "Done";
  // As in the agenda.
  const own = filters.component === "todo" ? undefined : seriesDay(task);
  const series = !isDone && own !== undefined && days.some(({ day }) => day === own) && fixedSeries(task, span);
  const entries: CalendarEntry[] = [];
  for (const [place, { day, suffix }] of days.entries()) {
    const alarms = remindersFrom(task, day, days, place === 0);
    const entry = { uid: `${uidOf()}${suffix}`, task, isDone, ...(alarms.length > 0 && { reminders: alarms }) };
    if (series && day === own) {
      entries.push({ ...entry, day: series.first, series });
      if (series.isMoved && isWithin(day, span)) entries.push({ ...entry, uid: `${entry.uid}-moved`, day });
    } else if (isWithin(day, span)) entries.push({ ...entry, day });
  }
  if (filters.done === true)
    for (const day of task.series?.completed ?? [])
      if (isWithin(day, span)) entries.push({ uid: `${uidOf()}-${day}`, task, day, isDone: true });
  return entries;
}

/** The first entry also has those whose own day has no entry. */
function remindersFrom(
  { reminders, due, scheduled }: Task,
  day: LocalDate,
  days: readonly NamedDay[],
  isFirst: boolean,
): readonly (number | string)[] {
  return reminders.flatMap<number | string>(({ at, base, instant }) => {
    const from = base && { due, scheduled }[base];
    const hasEntry = days.some((one) => one.day === from);
    if (at === undefined || (hasEntry ? from !== day : !isFirst)) return [];
    if (instant !== undefined) return [instant];
    const [hours = 0, minutes = 0] = at.slice(11).split(":").map(Number);
    return [1440 * (toDayNumber(at.slice(0, 10) as LocalDate) - toDayNumber(day)) + 60 * hours + minutes];
  });
}

interface NamedDay {
  readonly day: LocalDate;
  readonly suffix: "" | "-scheduled";
}

function daysOf(task: Task, { dates, component }: CalendarFilters): NamedDay[] {
  const { due, scheduled } = task;
  const named = (day: LocalDate | undefined, suffix: NamedDay["suffix"] = ""): NamedDay[] =>
    day === undefined ? [] : [{ day, suffix }];
  if (dates === "due") return named(due);
  if (dates === "scheduled") return named(scheduled);
  if (dates === "both" && component !== "todo")
    return [...named(due), ...(scheduled === due ? [] : named(scheduled, "-scheduled"))];
  return named(seriesDay(task) ?? due ?? scheduled);
}

const isWithin = (day: LocalDate, { from, to }: CalendarSpan): boolean => day >= from && day <= to;

function nearest(entries: CalendarEntry[], today: LocalDate): CalendarEntry[] {
  if (entries.length <= MAX_ENTRIES) return entries;
  const now = toDayNumber(today);
  const distances = new Map(entries.map((entry) => [entry, Math.abs(toDayNumber(entry.day) - now)]));
  const distance = (entry: CalendarEntry): number => distances.get(entry) ?? 0;
  return entries
    .sort((a, b) => distance(a) - distance(b) || compareText(a.day, b.day) || compareText(a.uid, b.uid))
    .slice(0, MAX_ENTRIES);
}

const DIGITS = 32;

const SHORT_DIGITS = 12;

const BLOCK = /#\^([A-Za-z0-9-]+)$/;

function uidsOf(tasks: readonly Task[], vaultId: string): (task: Task) => string {
  // Copies share an id, which then identifies none.
  const owners = new Map<string, number>();
  const ordinals = new Map<Task, number>();
  const met = new Map<string, number>();
  for (const task of tasks) {
    const id = givenId(task);
    if (id !== undefined) count(owners, ownerKey(task, id));
    if (task.source === "line") ordinals.set(task, count(met, `${task.path}\n${withoutTrailingTags(task.title)}`));
  }
  return (task) => {
    const id = givenId(task);
    const isOwn = id !== undefined && owners.get(ownerKey(task, id)) === 1;
    if (isOwn && task.source === "note") return id;
    const path = sha256(`${vaultId}\n${task.path}`).slice(0, DIGITS);
    if (task.source === "note") return path;
    if (isOwn) return `${path}-${id}`;
    return `${path}-${sha256(withoutTrailingTags(task.title)).slice(0, SHORT_DIGITS)}-${ordinals.get(task) ?? 0}`;
  };
}

function givenId({ id, path, source, sign }: Task): string | undefined {
  if (source === "note") return id === path ? undefined : id;
  return BLOCK.exec(id)?.[1] ?? sign;
}

function count(counts: Map<string, number>, key: string): number {
  const before = counts.get(key) ?? 0;
  counts.set(key, before + 1);
  return before;
}

/** Line ids are unique within their note, note ids within the vault. */
const ownerKey = ({ source, path }: Task, id: string): string => (source === "note" ? `\n${id}` : `${path}\n^${id}`);

interface FixedSeries {
  /** An RRULE without COUNT. */
  readonly rule: string;
  readonly first: LocalDate;
  readonly leftOut: readonly LocalDate[];
  /** The current instance needs its own event. */
  readonly isMoved: boolean;
}

/** Inclusive. */
interface CalendarSpan {
  readonly from: LocalDate;
  readonly today: LocalDate;
  readonly to: LocalDate;
}

/** Days; a later end is ignored. */
const FAR = 3660;

function seriesDay({ series, due, scheduled }: Task): LocalDate | undefined {
  if (series === undefined) return undefined;
  return looksLikeRRule(series.rule) ? (scheduled ?? due) : (due ?? scheduled);
}

/** @returns undefined if no rule gives the agenda's days: not understood, counts from completion, or ends too early */
function fixedSeries(task: Task, span: CalendarSpan): FixedSeries | undefined {
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

/** Programs disagree on others. */
function isPlain({ bySetPos, frequency }: RecurrenceRule): boolean {
  if (bySetPos.length === 0) return true;
  return frequency !== "WEEKLY" && bySetPos.every((position) => Math.abs(position) === 1);
}

/** COUNT would begin before the calendar. */
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
