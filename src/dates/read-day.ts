/** Parses and formats days and ranges (docs: tasks, "Days in words"). */
import { type LocalDate, parseLocalDate } from "../clock.js";
import { type Argument, said, type Wording, counted } from "../text/wording.js";
import { VaultError } from "../errors.js";
import { isWritable, type Seek, WEEKDAY_NAMES } from "./calendar-terms.js";
import {
  type DayNumber,
  toDayNumber,
  toLocalDate,
  weekdayOf,
  plainDay,
  type ReadDay,
  parseWrittenDay,
} from "./days.js";
import { englishDay, englishRange, englishRule, MONTH_WORDS } from "./english.js";
import {
  DAY_FIELDS,
  DAY_KEYWORDS,
  type DayField,
  foreignMonth,
  foreignRange,
  foreignReadings,
  foreignRule,
  meansOverdue,
  NOT_ALONE,
} from "./other-languages.js";
import { readDays } from "./query-days.js";

/** Inclusive; a missing end is open. `overdue` depends on tasks. */
export type DayRange =
  | { readonly kind: "overdue" | "none" | "any" }
  | { readonly kind: "days"; readonly from?: LocalDate; readonly to?: LocalDate; readonly inWords: boolean };

/** In 1/2/2027 either number may be the month; in 3.12.2026 the day is first. */
const YEAR_LAST = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})$/;

/** Perhaps of no day that exists. */
const IN_FIGURES = /^(?:\d{4}([/-])\d{1,2}\1\d{1,2}|\d{1,2}([/.-])\d{1,2}\2\d{4})$/;

/** `2026-w49`, `2026-12`, `2026-q4`, `2026`. */
const PERIOD_IN_FIGURES = /^\d{4}(?:-(?:\d\d|q[1-4]|w\d\d))?$/;

const DAY_EXAMPLES = "tomorrow, friday, next friday, in 3 days, end of month, 15 dec, first monday of december";
const SPAN_EXAMPLES = "tomorrow, friday, this week, next month, next 14 days";
const PAST_EXAMPLES = "today, yesterday, monday, 15 nov, 2 weeks ago, last week";
const RANGE_EXAMPLES = "overdue, today, this week, next 7 days, before friday, none";
const PAST_RANGE_EXAMPLES = "today, yesterday, this week, last 7 days, last month, after monday, none";

const lookingAhead = (today: LocalDate): Seek => ({ direction: "ahead", day: toDayNumber(today) });

/** A weekday or a day without a year is the last one, today included. */
const lookingBack = (today: LocalDate): Seek => ({ direction: "back", day: toDayNumber(today) });

/** For the whole text. */
export function parseDay(text: string, today: LocalDate, seek = lookingAhead(today)): ReadDay | undefined {
  const plain = plainDay(text);
  const written = parseWrittenDay(plain);
  if (written) return written;
  const [day, other] = readingsOf(plain, today, seek);
  return day === undefined || other !== undefined ? undefined : { day, inWords: true };
}

/** Two days if the text is ambiguous. */
export function readingsOfDay(text: string, today: LocalDate): readonly LocalDate[] {
  const plain = plainDay(text);
  const written = parseWrittenDay(plain);
  return written ? [written.day] : readingsOf(plain, today, lookingAhead(today));
}

/** For the whole text. It may end before it begins. */
export function parseDayRange(text: string, today: LocalDate, seek = lookingAhead(today)): DayRange | undefined {
  const plain = plainDay(text);
  if (plain === "overdue" || plain === "none" || plain === "any") return { kind: plain };
  if (meansOverdue(withoutAccents(plain))) return { kind: "overdue" };
  const now = toDayNumber(today);
  const { month, year = month === undefined ? undefined : yearSought(month, seek) } = monthIn(plain) ?? {};
  const found =
    (year === undefined ? undefined : readDays(`${year}-${month}`, now)) ??
    englishRange(plain, now, seek)?.result ??
    foreignRange(withoutAccents(plain), now, seek) ??
    (PERIOD_IN_FIGURES.test(plain) ? readDays(plain.toUpperCase(), now) : undefined);
  if (found) return daysBetween(...found);
  const day = parseDay(plain, today, seek);
  if (day) return { kind: "days", from: day.day, to: day.day, inWords: day.inWords };
  return openRange(plain, today, seek) ?? betweenDays(plain, today, seek);
}

/** `october`, `Oktober 2026`, `octubre de 2026`. */
function monthIn(plain: string): { readonly month: string; readonly year: string | undefined } | undefined {
  const [, word = "", year] = /^(\p{L}+)(?:,? (?:del? )?(\d{4}))?$/u.exec(plain) ?? [];
  const month = MONTH_WORDS.get(word) ?? foreignMonth(withoutAccents(word));
  return month === undefined ? undefined : { month: String(month).padStart(2, "0"), year };
}

/** Looking back the last, at a range's end the first; ahead either. */
function yearSought(month: string, { direction, day }: Seek): string | undefined {
  if (direction === "ahead") return undefined;
  const [year, now = ""] = toLocalDate(day).split("-");
  const turn = direction === "back" ? -Number(month > now) : Number(month < now);
  return String(Number(year) + turn).padStart(4, "0");
}

export const isMonth = (text: string): boolean => monthIn(plainDay(text)) !== undefined;

const KEYWORDS = DAY_KEYWORDS.flatMap((row) =>
  DAY_FIELDS.map((field) => ({ field, pattern: new RegExp(`^(?:${row[field]})(?::\\s*|\\s+)`) })),
);

/** `due friday`, `am Freitag`. */
export function fieldBeforeDay(text: string): { readonly field?: DayField; readonly rest: string } {
  const plain = withoutAccents(text.toLowerCase());
  if (plain.length !== text.length) return { rest: text };
  for (const { field, pattern } of KEYWORDS) {
    const [keyword] = pattern.exec(plain) ?? [];
    if (keyword !== undefined) return { field, rest: text.slice(keyword.length) };
  }
  return { rest: text };
}

/** As in checkbox lines. */
export function ruleInWords(text: string): string | undefined {
  const plain = plainDay(text);
  const [, words = plain, done = ""] = /^(.*?)( when done)$/.exec(plain) ?? [];
  const found = englishRule(words, 0);
  const rule = found ? found.result : foreignRule(withoutAccents(words));
  return rule === undefined ? undefined : rule + done;
}

/** `so` (Sunday in German), `hier` (yesterday in French) and `first` are probably none. */
export const isOnlyDay = (text: string): boolean => !NOT_ALONE.has(text.toLowerCase());

/** @param isRange it is no range either */
export function requireDay(
  argument: Wording | Argument,
  text: string,
  today: LocalDate,
  { isRange = false }: { readonly isRange?: boolean } = {},
): ReadDay {
  const day = parseDay(text, today);
  if (day) return day;
  throw new VaultError(
    "INVALID_ARGUMENT",
    isRange
      ? refusal(argument, text, today, "a day or range", "YYYY-MM-DD, YYYY-MM-DD..YYYY-MM-DD", SPAN_EXAMPLES, true)
      : refusal(argument, text, today, "a day", "YYYY-MM-DD", DAY_EXAMPLES),
  );
}

/** Or one end of a range. @param start of the range that it ends */
export function requirePastDay(
  argument: Wording | Argument,
  text: string,
  today: LocalDate,
  { end = "from", start }: { readonly end?: "from" | "to"; readonly start?: LocalDate | undefined } = {},
): ReadDay {
  const seek = start === undefined ? lookingBack(today) : seekFrom(start);
  const day = parseDay(text, today, seek);
  if (day) return day;
  const range = parseDayRange(text, today, seek);
  const limit = range?.kind === "days" ? range[end] : undefined;
  if (limit !== undefined) return { day: limit, inWords: true };
  throw new VaultError("INVALID_ARGUMENT", refusal(argument, text, today, "a day", "YYYY-MM-DD", PAST_EXAMPLES, true));
}

/** @throws INVALID_ARGUMENT, also for a range that ends before it begins */
export function requireDayRange(
  argument: Wording | Argument,
  text: string,
  today: LocalDate,
  looks?: "back",
): DayRange {
  const seek = looks === undefined ? lookingAhead(today) : lookingBack(today);
  const range = parseDayRange(text, today, seek);
  if (range?.kind === "days" && range.from !== undefined && range.to !== undefined && range.from > range.to)
    throw new VaultError("INVALID_ARGUMENT", said`${argument} "${text}" ends before it begins: no day is in it.`, {
      hint: `Write ${range.to}..${range.from}.`,
    });
  if (range) return range;
  const forms = "YYYY-MM-DD, YYYY-MM-DD..YYYY-MM-DD";
  const examples = looks === undefined ? RANGE_EXAMPLES : PAST_RANGE_EXAMPLES;
  throw new VaultError("INVALID_ARGUMENT", refusal(argument, text, today, "a day or range", forms, examples, true));
}

export function isInRange(day: LocalDate, range: DayRange & { readonly kind: "days" }): boolean {
  return (range.from === undefined || day >= range.from) && (range.to === undefined || day <= range.to);
}

/** With its distance in days. */
const OPEN_RANGES: ReadonlyMap<string, readonly [end: "from" | "to", days: number]> = new Map([
  ["before", ["to", -1]],
  ["<", ["to", -1]],
  ["until", ["to", 0]],
  ["by", ["to", 0]],
  ["<=", ["to", 0]],
  ["after", ["from", 1]],
  [">", ["from", 1]],
  ["since", ["from", 0]],
  ["from", ["from", 0]],
  [">=", ["from", 0]],
]);

function openRange(plain: string, today: LocalDate, seek: Seek): DayRange | undefined {
  const [, word = "", rest = ""] = /^([<>]=?|\p{L}+(?= )) ?(.+)$/u.exec(plain) ?? [];
  const range = OPEN_RANGES.get(word);
  if (!range) return undefined;
  const [end, days] = range;
  const day = parseDay(rest, today, seek) ?? endOfMonth(rest, word, today, seek);
  if (!day) return undefined;
  const limit = toDayNumber(day.day) + days;
  return isWritable(limit) ? { kind: "days", [end]: toLocalDate(limit), inWords: day.inWords } : undefined;
}

/** From which `since` counts. */
function endOfMonth(text: string, word: string, today: LocalDate, seek: Seek): ReadDay | undefined {
  const month = isMonth(text) ? parseDayRange(text, today, seek) : undefined;
  if (month?.kind !== "days") return undefined;
  const day = TO_THE_END.has(word) ? month.to : month.from;
  return day && { day, inWords: true };
}

const TO_THE_END: ReadonlySet<string> = new Set(["until", "by", "<=", "after", ">"]);

const seekFrom = (day: LocalDate): Seek => ({ direction: "from", day: toDayNumber(day) });

/** The end is the first such day from the beginning on. */
function betweenDays(plain: string, today: LocalDate, seek: Seek): DayRange | undefined {
  const [first = "", last, more] = plain.replace(/^from /, "").split(/ ?\.\. ?| to /);
  const from = parseDay(first, today, seek);
  const to = last === undefined || !from ? undefined : parseDay(last, today, seekFrom(from.day));
  if (!from || !to || more !== undefined) return undefined;
  return { kind: "days", from: from.day, to: to.day, inWords: from.inWords || to.inWords };
}

function daysBetween(from: DayNumber, to: DayNumber): DayRange | undefined {
  if (!isWritable(from) || !isWritable(to)) return undefined;
  return { kind: "days", from: toLocalDate(from), to: toLocalDate(to), inWords: true };
}

function refusal(
  argument: Wording | Argument,
  text: string,
  today: LocalDate,
  wanted: string,
  forms: string,
  examples: string,
  takesMonths = false,
): Wording {
  const shown = said`${argument} "${text}"`;
  const readings = readingsOf(plainDay(text), today, lookingAhead(today));
  if (readings.length > 1) {
    const days = readings.map((day) => describeDay(day, today)).join(" or ");
    return said`${shown} can mean ${days}. Write ${readings.join(" or ")}.`;
  }
  const { month } = monthIn(plainDay(text)) ?? {};
  if (month !== undefined && takesMonths) {
    const year = Number(today.slice(0, 4)) - Number(month > today.slice(5, 7));
    return said`${shown} does not say which year. Write ${year}-${month} or ${year + 1}-${month}.`;
  }
  const [, quarter] = /^q(?:uarter )?([1-4])$/.exec(plainDay(text)) ?? [];
  if (quarter !== undefined && takesMonths) {
    const year = Number(today.slice(0, 4)) - Number(Number(quarter) * 3 - 2 > Number(today.slice(5, 7)));
    return said`${shown} does not say which year. Write ${year}-Q${quarter} or ${year + 1}-Q${quarter}.`;
  }
  const padded = parseLocalDate(
    plainDay(text)
      .split(/[-/]/)
      .map((part) => part.padStart(2, "0"))
      .join("-"),
  );
  if (padded !== undefined) return said`${shown} is not written YYYY-MM-DD. Write ${padded}.`;
  const now = `Today is ${weekdayName(today)} ${today}.`;
  const known = IN_FIGURES.test(text.trim()) ? "a day that exists" : `${wanted} I know`;
  return said`${shown} is not ${known}. ${now} Write ${forms}, or words such as: ${examples}.`;
}

function readingsOf(plain: string, today: LocalDate, seek: Seek): LocalDate[] {
  const numbers = YEAR_LAST.exec(plain);
  if (numbers) return readingsOfNumbers(numbers);
  const now = toDayNumber(today);
  const found = englishDay(plain, now, seek);
  const days = found ? [found.result] : foreignReadings(withoutAccents(plain), now, seek);
  const writable = days.flatMap((one) => (one !== undefined && isWritable(one) ? [toLocalDate(one)] : []));
  return writable.length > 0 || found ? writable : dayBehindWeekday(plain, today, seek);
}

/** They must match: `Friday 4 December`. */
function dayBehindWeekday(plain: string, today: LocalDate, seek: Seek): LocalDate[] {
  const [, weekday, rest] = /^((?:\p{L}+ )?\p{L}+),? (\d.*|\p{L}+ \d.*)$/u.exec(plain) ?? [];
  if (weekday === undefined || rest === undefined) return [];
  const [named] = readingsOf(weekday, today, seek);
  const day = parseDay(rest, today, seek)?.day;
  const agrees = named !== undefined && day !== undefined && weekdayName(named) === weekdayName(day);
  return agrees ? [day] : [];
}

function readingsOfNumbers([, first = "", mark, second = "", year = ""]: RegExpExecArray): LocalDate[] {
  const orders =
    mark === "."
      ? [[second, first]]
      : [
          [first, second],
          [second, first],
        ];
  const readings = orders.flatMap(
    ([month = "", day = ""]) => parseLocalDate(`${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`) ?? [],
  );
  return [...new Set(readings)];
}

const withoutAccents = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").replace(/’/g, "'");

export const weekdayName = (day: LocalDate): string => WEEKDAY_NAMES[weekdayOf(toDayNumber(day))].slice(0, 3);

/** `Fri 2026-11-27 (in 6 days)`, `(today)` or `(2 days ago)`. */
export function describeDay(day: LocalDate, today: LocalDate): string {
  return `${weekdayName(day)} ${day} (${distance(toDayNumber(day) - toDayNumber(today))})`;
}

/** `Read dueDate "next friday" as Fri 2026-11-27 (in 6 days).` */
export function echoDay(
  argument: Wording | Argument,
  text: string,
  read: ReadDay,
  today: LocalDate,
): Wording | undefined {
  return read.inWords ? said`Read ${argument} "${text}" as ${describeDay(read.day, today)}.` : undefined;
}

/** `Read due "next week" as 2026-11-23..2026-11-29.` */
export function echoDayRange(
  argument: Wording | Argument,
  text: string,
  range: DayRange,
  today: LocalDate,
): Wording | undefined {
  if (range.kind !== "days" || !range.inWords) return undefined;
  const { from, to } = range;
  const days = from !== undefined && from === to ? describeDay(from, today) : `${from ?? ""}..${to ?? ""}`;
  return said`Read ${argument} "${text}" as ${days}.`;
}

function distance(days: number): string {
  if (days === 0) return "today";
  const length = counted(Math.abs(days), "day");
  return days > 0 ? `in ${length}` : `${length} ago`;
}
