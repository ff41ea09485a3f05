/** How forms match a text, and English forms for days. */
import {
  type CalendarPeriod,
  dateFrom,
  dayOfMonthAhead,
  dayOfMonthFrom,
  endOfPeriod,
  exactDate,
  nthWeekdayFrom,
  type Seek,
  weekdayFrom,
  MONTH_NAMES,
  nthWeekdayAhead,
  ordinal,
  shift,
  type Span,
  startOfPeriod,
  WEEKDAY_NAMES,
  weekdayInWeek,
} from "./calendar-terms.js";
import type { DayNumber, Weekday } from "./days.js";

export interface SlotValues {
  readonly count: number;
  readonly unit: Span;
  readonly weekday: Weekday;
  readonly month: number;
  readonly monthNumber: number;
  readonly day: number;
  /** `1st` or `first`. */
  readonly nth: number;
  readonly year: number;
  readonly period: CalendarPeriod;
}

type Slot = keyof SlotValues;

interface SlotWords {
  readonly words?: ReadonlyMap<string, SlotValues[Slot]>;
  readonly digits?: string;
}

export type Slots = Readonly<Partial<Record<Slot, SlotWords>>>;

/** `{slot}` is a slot, `[...]` is optional, and `(a|b)` is a choice. */
export type Form<Result> = readonly [
  form: string,
  meaning: (slots: SlotValues, today: DayNumber, seek: Seek) => Result,
];

/** The first that matches counts. */
export function formReader<Result>(slots: Slots, forms: readonly Form<Result>[]) {
  const compiled = forms.map(([form, meaning]) => ({ ...compile(form, slots), meaning }));
  return (
    text: string,
    today: DayNumber,
    seek: Seek = { direction: "ahead", day: today },
  ): { readonly result: Result } | undefined => {
    for (const { pattern, named, meaning } of compiled) {
      const found = pattern.exec(text);
      if (!found) continue;
      const values = named.map((slot, place) => [slot, valueOf(slots[slot]!, found[place + 1] ?? "")]);
      return { result: meaning(Object.fromEntries(values) as SlotValues, today, seek) };
    }
    return undefined;
  };
}

function compile(form: string, slots: Slots): { readonly pattern: RegExp; readonly named: readonly Slot[] } {
  const named: Slot[] = [];
  const source = form
    .replace(/\((?=[^)]*\|)/g, "(?:")
    .replace(/\[([^\]]*)\]/g, "(?:$1)?")
    .replace(/\{(\w+)\}/g, (_, name: Slot) => {
      named.push(name);
      return `(${patternOf(slots[name]!)})`;
    });
  return { pattern: new RegExp(`^${source}$`), named };
}

const patternOf = ({ words, digits }: SlotWords): string =>
  [...(digits === undefined ? [] : [digits]), ...(words?.keys() ?? [])].join("|");

const valueOf = ({ words }: SlotWords, text: string): SlotValues[Slot] => words?.get(text) ?? Number.parseInt(text, 10);

export const ONE_TO_TWELVE = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] as const;
export const WEEKDAYS = [0, 1, 2, 3, 4, 5, 6] as const satisfies Weekday[];

/** @param words `|` separates values, spaces synonyms */
export function wordTable<Value>(words: string, values: readonly Value[]): ReadonlyMap<string, Value> {
  const rows = words.split("|").map((row) => row.split(" "));
  return new Map(values.flatMap((value, place) => (rows[place] ?? []).map((word) => [word, value] as const)));
}

const PART = "[ (morning|afternoon|evening|night)]";

const COUNTS = wordTable("a an one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve", ONE_TO_TWELVE);

const ORDINALS = wordTable(
  "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth",
  ONE_TO_TWELVE,
);

export const WEEKDAY_WORDS = wordTable<Weekday>(
  "monday mon|tuesday tues tue|wednesday wed|thursday thurs thur thu|friday fri|saturday sat|sunday sun",
  WEEKDAYS,
);

export const MONTH_WORDS = wordTable<number>(
  "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|october oct|november nov|december dec",
  ONE_TO_TWELVE,
);

const UNITS = wordTable<Span>("day days|week weeks|fortnight fortnights|month months|year years", [
  { days: 1 },
  { days: 7 },
  { days: 14 },
  { months: 1 },
  { months: 12 },
]);

const PERIODS: readonly CalendarPeriod[] = ["week", "month", "quarter", "year"];

const SLOTS: Slots = {
  count: { words: COUNTS, digits: "\\d{1,6}" },
  unit: { words: UNITS },
  weekday: { words: WEEKDAY_WORDS },
  month: { words: MONTH_WORDS },
  day: { words: ORDINALS, digits: "\\d{1,2}(?:st|nd|rd|th)?" },
  nth: { words: ORDINALS, digits: "\\d{1,2}(?:st|nd|rd|th)" },
  year: { digits: "\\d{4}" },
  period: { words: wordTable(PERIODS.join("|"), PERIODS) },
};

export const englishDay = formReader<DayNumber | undefined>(SLOTS, [
  ["(today|tonight)", (_, today) => today],
  [`(tomorrow|tmrw|tmr)${PART}`, (_, today) => today + 1],
  ["[the ]day after tomorrow", (_, today) => today + 2],
  ["yesterday", (_, today) => today - 1],
  ["[the ]day before yesterday", (_, today) => today - 2],
  [`{weekday}${PART}`, ({ weekday }, _, seek) => weekdayFrom(seek, weekday)],
  [`this {weekday}${PART}`, ({ weekday }, today) => weekdayInWeek(today, weekday, 0)],
  [`next {weekday}${PART}`, ({ weekday }, today) => weekdayInWeek(today, weekday, 1)],
  ["last {weekday}", ({ weekday }, today) => weekdayInWeek(today, weekday, -1)],
  ["(in |\\+ ?){count} {unit}", ({ count, unit }, today) => shift(today, count, unit)],
  ["{count} {unit} from (now|today)", ({ count, unit }, today) => shift(today, count, unit)],
  ["{count} {unit} from tomorrow", ({ count, unit }, today) => shift(today + 1, count, unit)],
  [
    "{count} {unit} from {weekday}",
    ({ count, unit, weekday }, _, seek) => shift(weekdayFrom(seek, weekday), count, unit),
  ],
  ["{weekday}[,] next week", ({ weekday }, today) => weekdayInWeek(today, weekday, 1)],
  ["next week[,] {weekday}", ({ weekday }, today) => weekdayInWeek(today, weekday, 1)],
  ["{count} {unit} ago", ({ count, unit }, today) => shift(today, -count, unit)],
  ["next week", (_, today) => startOfPeriod(today, "week", 1)],
  ["next month", (_, today) => startOfPeriod(today, "month", 1)],
  ["next quarter", (_, today) => startOfPeriod(today, "quarter", 1)],
  ["next year", (_, today) => startOfPeriod(today, "year", 1)],
  ["this (morning|afternoon|evening)", (_, today) => today],
  ["end of [the ]day", (_, today) => today],
  ["[the ]{nth}[ day] of next month", ({ nth }, today) => dayOfMonthAhead(today, 1, nth)],
  ["next month[,] [the ]{nth}", ({ nth }, today) => dayOfMonthAhead(today, 1, nth)],
  ["[the ]{nth}[ day] of (this|the) month", ({ nth }, today) => dayOfMonthAhead(today, 0, nth)],
  ["this month[,] [the ]{nth}", ({ nth }, today) => dayOfMonthAhead(today, 0, nth)],
  ["[the ]last day of (this|the) month", (_, today) => endOfPeriod(today, "month", 0)],
  ["[the ]last day of next month", (_, today) => endOfPeriod(today, "month", 1)],
  ["start of [the ]{period}", ({ period }, today) => startOfPeriod(today, period, 0)],
  ["start of next {period}", ({ period }, today) => startOfPeriod(today, period, 1)],
  ["end of [the ]{period}", ({ period }, today) => endOfPeriod(today, period, 0)],
  ["end of next {period}", ({ period }, today) => endOfPeriod(today, period, 1)],
  ["[the ]{nth}", ({ nth }, _, seek) => dayOfMonthFrom(seek, nth)],
  ["[the ]{nth} of {month}", ({ nth, month }, _, seek) => dateFrom(seek, month, nth)],
  ["{month} {day}", ({ month, day }, _, seek) => dateFrom(seek, month, day)],
  ["{day} {month}", ({ month, day }, _, seek) => dateFrom(seek, month, day)],
  ["{month} {day}[,] {year}", ({ year, month, day }) => exactDate(year, month, day)],
  ["{day} {month} {year}", ({ year, month, day }) => exactDate(year, month, day)],
  ["[the ]{nth} {weekday} of {month}", ({ nth, weekday, month }, _, seek) => nthWeekdayFrom(seek, month, nth, weekday)],
  ["[the ]{nth} {weekday} of next month", ({ nth, weekday }, today) => nthWeekdayAhead(today, 1, nth, weekday)],
  ["[the ]{nth} {weekday} of [(this|the) ]month", ({ nth, weekday }, today) => nthWeekdayAhead(today, 0, nth, weekday)],
  ["[the ]last {weekday} of {month}", ({ weekday, month }, _, seek) => nthWeekdayFrom(seek, month, -1, weekday)],
  ["[the ]last {weekday} of next month", ({ weekday }, today) => nthWeekdayAhead(today, 1, -1, weekday)],
  ["[the ]last {weekday} of [(this|the) ]month", ({ weekday }, today) => nthWeekdayAhead(today, 0, -1, weekday)],
]);

/** As in checkbox lines. */
export function everySpan(count: number, span: Span): string {
  const [size, [short, long]] = "days" in span ? [span.days, ["day", "week"]] : [span.months, ["month", "year"]];
  const isLong = size % (short === "day" ? 7 : 12) === 0;
  const number = count * (isLong ? size / (short === "day" ? 7 : 12) : size);
  const unit = isLong ? long : short;
  return number === 1 ? `every ${unit}` : `every ${number} ${unit}s`;
}

export const everyWeekday = (weekday: Weekday): string => `every ${WEEKDAY_NAMES[weekday]}`;

/** Undefined if no year has the day. */
export function everyDate(month: number, day: number): string | undefined {
  if (exactDate(LEAP_YEAR, month, day) === undefined) return undefined;
  return `every ${MONTH_NAMES[month - 1]} on the ${ordinal(day)}`;
}

const LEAP_YEAR = 2000;
const EVERY = "(every|each)";
const OF_MONTH = "[ of (the|each|every) month]";

/** Undefined if ambiguous, such as `every second monday`. */
export const englishRule = formReader<string | undefined>(SLOTS, [
  [`${EVERY} {unit}`, ({ unit }) => everySpan(1, unit)],
  [`${EVERY} (morning|evening|night)`, () => "every day"],
  [`${EVERY} other {unit}`, ({ unit }) => everySpan(2, unit)],
  [`${EVERY} {count} {unit}`, ({ count, unit }) => everySpan(count, unit)],
  [`${EVERY} quarter`, () => "every 3 months"],
  [`${EVERY} {nth} {unit}`, ({ nth, unit }) => everySpan(nth, unit)],
  [`${EVERY} {weekday}`, ({ weekday }) => everyWeekday(weekday)],
  [`${EVERY} other {weekday}`, ({ weekday }) => `every 2 weeks on ${WEEKDAY_NAMES[weekday]}`],
  [`${EVERY} {month} {day}`, ({ month, day }) => everyDate(month, day)],
  [`${EVERY} {day} {month}`, ({ month, day }) => everyDate(month, day)],
  [`${EVERY} {nth} of {month}`, ({ month, nth }) => everyDate(month, nth)],
  [`${EVERY} {nth} {weekday} of (the|each|every) month`, ({ nth, weekday }) => nthOfMonth(nth, weekday)],
  [`[on ][the ]{nth} {weekday} of ${EVERY} month`, ({ nth, weekday }) => nthOfMonth(nth, weekday)],
  [`[on ][the ]{nth} of ${EVERY} month`, ({ nth }) => `every month on the ${ordinal(nth)}`],
  [`[on ][the ]last {weekday} of ${EVERY} month`, ({ weekday }) => `every month on the last ${WEEKDAY_NAMES[weekday]}`],
  [`[on ][the ]last day of ${EVERY} month`, () => "every month on the last"],
  [`${EVERY} {nth} {weekday}`, ({ nth, weekday }) => (nth === 2 ? undefined : nthOfMonth(nth, weekday))],
  [`${EVERY} last {weekday}${OF_MONTH}`, ({ weekday }) => `every month on the last ${WEEKDAY_NAMES[weekday]}`],
  [`${EVERY} last day${OF_MONTH}`, () => "every month on the last"],
  [`${EVERY} {nth}${OF_MONTH}`, ({ nth }) => `every month on the ${ordinal(nth)}`],
]);

const nthOfMonth = (nth: number, weekday: Weekday): string =>
  `every month on the ${ordinal(nth)} ${WEEKDAY_NAMES[weekday]}`;

export type FirstAndLast = readonly [from: DayNumber, to: DayNumber];

/** This week ahead is the next seven days, as in scan_vault. */
export function spanOfPeriod(
  today: DayNumber,
  period: CalendarPeriod,
  ahead: number,
  { direction }: Seek,
): FirstAndLast {
  return period === "week" && ahead === 0 && direction === "ahead"
    ? [today, today + 7]
    : [startOfPeriod(today, period, ahead), endOfPeriod(today, period, ahead)];
}

export const englishRange = formReader<FirstAndLast>(SLOTS, [
  ["next {count} (day|days)", ({ count }, today) => [today, today + count]],
  ["last {count} (day|days)", ({ count }, today) => [today - count, today]],
  ["this {period}", ({ period }, today, seek) => spanOfPeriod(today, period, 0, seek)],
  ["next {period}", ({ period }, today, seek) => spanOfPeriod(today, period, 1, seek)],
  ["last {period}", ({ period }, today, seek) => spanOfPeriod(today, period, -1, seek)],
  ["(this|the) weekend", (_, today) => [endOfPeriod(today, "week", 0) - 1, endOfPeriod(today, "week", 0)]],
  ["last weekend", (_, today) => [endOfPeriod(today, "week", -1) - 1, endOfPeriod(today, "week", -1)]],
  ["next weekend", (_, today) => [endOfPeriod(today, "week", 1) - 1, endOfPeriod(today, "week", 1)]],
]);
