/** The filters of a note search, as conditions on the table `file`. */
import type { Condition, SqlValue } from "../index/subject.js";
import type { TimeSlice } from "../async/yield-to-loop.js";
import type { Clock, LocalDate } from "../clock.js";
import { requireDay, parseDay } from "../dates/read-day.js";
import { startOfDay, toDayNumber, toLocalDate } from "../dates/days.js";
import { VaultError } from "../errors.js";
import type { IndexView } from "../index/view.js";
import { parseWrittenDay } from "../dates/written-day.js";
import { fold } from "../text/fold.js";
import { bareLink, tagsMeant } from "../markdown/links/property-links.js";
import type { VaultPath } from "../storage/path.js";
import type { DayNames } from "./note-date.js";
import { FILE_OF_ROW, IS_SHOWN, nameKey, nameOf, NOTES, type NoteNameKind } from "./note-rows.js";

export interface NoteFilter {
  /** Days of 24 hours. */
  readonly sinceDays?: number | undefined;
  /** Days, also in words. `modifiedAfter` is inclusive, `modifiedBefore` is not. */
  readonly modifiedAfter?: string | undefined;
  readonly modifiedBefore?: string | undefined;
  /** The folder, or one below it. */
  readonly folder?: VaultPath | undefined;
  /** Any of these; `a` finds `a/b`. */
  readonly tags?: readonly string[] | undefined;
  /** All of these; see `propertyCondition`. */
  readonly properties?: Readonly<Record<string, string>> | undefined;
  readonly hasAttachments?: boolean | undefined;
}

export interface DateRange {
  /** Days, also in words, inclusive: the note's own date, else its last change. */
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
}

export const condition = (sql: string, ...values: SqlValue[]): Condition => ({ sql, values });

export function allOf(conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return condition("1");
  return { sql: conditions.map(({ sql }) => sql).join(" AND "), values: conditions.flatMap(({ values }) => values) };
}

/** Of more, SQLite tests the files in their order instead of finding each of these. */
const MANY = 1_000;

export const isOneOf = (column: "file.id" | "file.path", values: readonly (string | number)[]): Condition =>
  condition(`${values.length > MANY ? "+" : ""}${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(values));

type Filter<Wanted> = (wanted: Wanted, view: IndexView, clock: Clock) => Condition;

const FILTERS: { readonly [Name in keyof NoteFilter]-?: Filter<NonNullable<NoteFilter[Name]>> } = {
  folder: (folder) => condition("file.path > ? AND file.path < ?", `${folder}/`, `${folder}0`),
  sinceDays: (days, _, clock) => condition("file.modified >= ?", clock.now() - days * DAY_MS),
  modifiedAfter: (text, _, clock) =>
    condition("file.modified >= ?", startOfDay(day("modified_after", text, clock), clock)),
  modifiedBefore: (text, _, clock) =>
    condition("file.modified < ?", startOfDay(day("modified_before", text, clock), clock)),
  tags: (tags) =>
    withRow(
      "note_name WHERE kind IN ('tag', 'outer') AND key IN (SELECT value FROM json_each(?))",
      JSON.stringify(tags.flatMap(tagsMeant).map((tag) => nameKey("tag", tag))),
    ),
  properties: (properties, view, clock) =>
    allOf(Object.entries(properties).map(([key, text]) => propertyFilter(key, text, view, clock.today()))),
  hasAttachments: (has) => withRow("note WHERE attachments = ?", Number(has)),
};

const withRow = (rows: string, ...values: SqlValue[]): Condition =>
  condition(`file.id IN (SELECT ${FILE_OF_ROW} FROM ${rows})`, ...values);

/** @throws VaultError INVALID_ARGUMENT for a day that does not exist, or an empty range */
export function conditionsOf(filter: NoteFilter, view: IndexView, clock: Clock): Condition[] {
  assertRange(filter, clock);
  return (Object.keys(FILTERS) as (keyof NoteFilter)[]).flatMap((name) => {
    const wanted = filter[name];
    const isAll = wanted === undefined || wanted === "" || (Array.isArray(wanted) && wanted.length === 0);
    return isAll ? [] : [(FILTERS[name] as Filter<unknown>)(wanted, view, clock)];
  });
}

function assertRange({ modifiedAfter, modifiedBefore }: NoteFilter, clock: Clock): void {
  if (modifiedAfter === undefined || modifiedBefore === undefined) return;
  const [after, before] = [day("modified_after", modifiedAfter, clock), day("modified_before", modifiedBefore, clock)];
  if (after >= before) throw emptyRange(`modified_after (${after}) is not before modified_before (${before})`);
}

const DAY_MS = 24 * 60 * 60 * 1000;

function day(name: string, text: string, clock: Clock): LocalDate {
  return requireDay(name, text, clock.today()).day;
}

function emptyRange(what: string): VaultError {
  return new VaultError("INVALID_ARGUMENT", `${what}: no note can match.`, { hint: "Give the earlier day first." });
}

/**
 * The notes of a range of days. SQL cannot read the days in names.
 * @throws VaultError INVALID_ARGUMENT as `conditionsOf`
 */
export async function datedCondition(
  view: IndexView,
  { dateFrom, dateTo }: DateRange,
  names: DayNames,
  { clock, slice }: { readonly clock: Clock; readonly slice: TimeSlice },
): Promise<Condition> {
  const from = dateFrom === undefined ? FIRST : day("date_from", dateFrom, clock);
  const to = dateTo === undefined ? LAST : day("date_to", dateTo, clock);
  if (from > to) throw emptyRange(`date_from (${from}) is after date_to (${to})`);
  const [named, inRange]: [number[], number[]] = [[], []];
  for (const [id, path] of view.list<readonly [number, VaultPath]>(
    "json_array(id, path)",
    `file WHERE ${IS_SHOWN} AND ${names.condition}`,
  )) {
    const date = names.read(path);
    if (date === undefined) continue;
    named.push(id);
    if (date >= from && date <= to) inRange.push(id);
    if (slice.isOver) await slice.yield();
  }
  const [byName, others] = [isOneOf("file.id", inRange), isOneOf("file.id", named)];
  return condition(
    `(${byName.sql} OR NOT (${others.sql}) AND (note.day BETWEEN ? AND ? OR
      note.day IS NULL AND file.modified >= ? AND file.modified < ?))`,
    ...byName.values,
    ...others.values,
    from,
    to,
    from === FIRST ? Number.MIN_SAFE_INTEGER : startOfDay(from, clock),
    to === LAST ? Number.MAX_SAFE_INTEGER : startOfDay(toLocalDate(toDayNumber(to) + 1), clock),
  );
}

const FIRST = "0001-01-01" as LocalDate;
const LAST = "9999-12-31" as LocalDate;

/** In their order. */
export function noteIds(view: IndexView, { sql, values }: Condition): number[] {
  if (sql === "1") return view.list<number>(FILE_OF_ROW, "note").sort((a, b) => a - b);
  return view.list<number>("file.id", `${NOTES} WHERE ${IS_SHOWN} AND ${sql}`, ...values).sort((a, b) => a - b);
}

/** Conditions on properties also accept links to notes that have the value as an alias. */
function propertyFilter(key: string, text: string, view: IndexView, today: LocalDate): Condition {
  const meant = namesByAlias(view, bareLink(text).trim());
  const accepts = propertyCondition(meant.length === 0 ? text : JSON.stringify([text, ...meant]), today);
  const property = fold(key.trim());
  const kind = NAMED.get(property);
  const [column, rows, value] = kind
    ? (["shown", "note_name WHERE kind = ?", kind] as const)
    : (["text", "value WHERE property = ?", property] as const);
  const texts = view.list<string>(column, `(SELECT DISTINCT ${column} FROM ${rows})`, value).filter(accepts);
  return withRow(`${rows} AND ${column} IN (SELECT value FROM json_each(?))`, value, JSON.stringify(texts));
}

function namesByAlias(view: IndexView, alias: string): string[] {
  const paths = view.list<VaultPath>(
    "path",
    `(SELECT DISTINCT path FROM file WHERE id IN (SELECT ${FILE_OF_ROW} FROM note_name WHERE kind = 'alias' AND key = ?))`,
    nameKey("alias", alias),
  );
  return [...new Set(paths.map(nameOf))];
}

/** Properties that are stored as names. */
const NAMED: ReadonlyMap<string, NoteNameKind> = new Map([
  ["tags", "tag"],
  ["tag", "tag"],
  ["aliases", "alias"],
  ["alias", "alias"],
  ["title", "title"],
]);

type Accepts = (value: string) => boolean;

const COMPARISON = /^\s*(>=|<=|>|<)\s*([^<>=,]+?)\s*(?:,|(?=[<>])|$)/;
const SPAN = /^\s*(?:(\S.*?)\s*\.\.\s*(\S.*?)|(\d\S*) to (\d\S*))\s*$/;

const HOLDS: Readonly<Record<string, (order: number) => boolean>> = {
  ">=": (order) => order >= 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  "<": (order) => order < 0,
};

/**
 * `draft`, `*` for any value, `["a", "b"]`, `>=4`, `>=2 <5`, `2..5`, `2 to 5`, `> 2025-01-01`. Other text is an ordinary value.
 */
export function propertyCondition(text: string, today: LocalDate): Accepts {
  const list = listIn(text);
  if (list !== undefined) {
    const tests = list.map((one) => propertyCondition(one, today));
    return (value) => tests.some((test) => test(value));
  }
  return rangeIn(text, today) ?? equality(text);
}

/** Ignores case and accents; a link also equals its target. */
function equality(text: string): Accepts {
  const wanted = folded(text);
  return (value) => wanted === "*" || folded(value) === wanted || folded(bareLink(value)) === wanted;
}

function listIn(text: string): readonly string[] | undefined {
  if (!text.trim().startsWith("[")) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((one) => typeof one === "string") ? list : undefined;
  } catch {
    return undefined;
  }
}

function rangeIn(text: string, today: LocalDate): Accepts | undefined {
  const [from, to] = SPAN.exec(text)?.slice(1).filter(Boolean) ?? [];
  const comparisons = from === undefined || to === undefined ? comparisonsIn(text) : [">=", from, "<=", to];
  if (comparisons === undefined) return undefined;
  const tests: Accepts[] = [];
  for (let at = 0; at < comparisons.length; at += 2) {
    const test = comparison(HOLDS[comparisons[at] ?? ""], comparisons[at + 1] ?? "", today);
    if (test === undefined) return undefined;
    tests.push(test);
  }
  return (value) => tests.every((test) => test(value));
}

/** Alternating comparison signs and operands. */
function comparisonsIn(text: string): readonly string[] | undefined {
  const found: string[] = [];
  for (let rest = text; rest.trim() !== "";) {
    const [all, sign, operand] = COMPARISON.exec(rest) ?? [];
    if (all === undefined || sign === undefined || operand === undefined) return undefined;
    found.push(sign, operand);
    rest = rest.slice(all.length);
  }
  return found.length === 0 ? undefined : found;
}

function comparison(
  holds: ((order: number) => boolean) | undefined,
  operand: string,
  today: LocalDate,
): Accepts | undefined {
  const number = numberIn(operand);
  if (holds && number !== undefined)
    return (value) => {
      const other = numberIn(value);
      return other !== undefined && holds(other - number);
    };
  const day = parseDay(operand, today)?.day;
  if (!holds || day === undefined) return undefined;
  return (value) => {
    const other = parseWrittenDay(bareLink(value).slice(0, 40))?.day;
    return other !== undefined && holds(other < day ? -1 : other > day ? 1 : 0);
  };
}

function numberIn(text: string): number | undefined {
  const plain = text.trim();
  return /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)$/.test(plain) ? Number(plain) : undefined;
}

function folded(text: string): string {
  return fold(text.replace(/\s+/gu, " ").trim());
}
