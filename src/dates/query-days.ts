/** Days in words as the Tasks plugin reads them. */
import { parseLocalDate } from "../clock.js";
import { endOfPeriod, exactDate, startOfPeriod } from "./calendar-terms.js";
import { addMonths, civilDate, type DayNumber, dayNumber, toDayNumber, weekdayOf } from "./days.js";
import { MONTH_WORDS, WEEKDAY_WORDS } from "./english.js";

type DaySpan = readonly [first: DayNumber, last: DayNumber];

const AHEAD: ReadonlyMap<string, number> = new Map([
  ["last", -1],
  ["this", 0],
  ["next", 1],
]);
const NUMBERS = "a one two three four five six seven eight nine ten eleven twelve".split(" ");
const COUNT = `\\d{1,4}|${NUMBERS.join("|")}`;
const UNIT = "day|week|month|quarter|year";
const WEEKDAY = [...WEEKDAY_WORDS.keys()].filter((word) => word !== "tues").join("|");
const MONTH = [...MONTH_WORDS.keys()].join("|");
const ORDINAL = "(\\d{1,2})(?:st|nd|rd|th)?";

type Meaning = (parts: readonly string[], today: DayNumber) => DayNumber | DaySpan | undefined;

const FORMS: readonly (readonly [form: RegExp, meaning: Meaning])[] = [
  // The plugin knows these only in lower case, with one blank.
  [/^(last|this|next) (week|month|quarter|year)$/, ([word = "", unit = ""], today) => periodAt(today, word, unit)],
  [/^(\d{4})$/, ([year]) => daysOf(Number(year), 1, 12)],
  [/^(\d{4})-(\d\d)$/, ([year, month]) => daysOf(Number(year), Number(month), 1)],
  [/^(\d{4})-Q([1-4])$/, ([year, quarter]) => daysOf(Number(year), Number(quarter) * 3 - 2, 3)],
  [/^(\d{4})-W(\d\d)$/, ([year, week]) => isoWeek(Number(year), Number(week))],
  [/^(\d{4}-\d\d-\d\d)$/, ([day = ""]) => written(day)],
  [/^(\d{4}-\d\d-\d\d)\s+(\d{4}-\d\d-\d\d)$/, ([one = "", other = ""]) => between(written(one), written(other))],
  [/^today$/i, (_, today) => today],
  [/^tomorrow$/i, (_, today) => today + 1],
  [/^yesterday$/i, (_, today) => today - 1],
  [wordsForm(`(?:(last|this|next)\\s+)?(${WEEKDAY})`), ([word, day = ""], today) => weekday(today, word, day)],
  [wordsForm(`in\\s+(${COUNT})\\s+(${UNIT})s?`), ([count = "", unit = ""], today) => shifted(today, count, unit, 1)],
  [wordsForm(`(${COUNT})\\s+(${UNIT})s?\\s+ago`), ([count = "", unit = ""], today) => shifted(today, count, unit, -1)],
  [
    wordsForm(`(${COUNT})\\s+(${UNIT})s?\\s+from\\s+now`),
    ([count = "", unit = ""], today) => shifted(today, count, unit, 1),
  ],
  [
    wordsForm(`${ORDINAL}\\s+(${MONTH})(?:\\s+(\\d{4}))?`),
    ([day, month = "", year], today) => dateIn(today, year, month, Number(day)),
  ],
  [
    wordsForm(`(${MONTH})\\s+${ORDINAL}(?:(?:\\s*,\\s*|\\s+)(\\d{4}))?`),
    ([month = "", day, year], today) => dateIn(today, year, month, Number(day)),
  ],
];

function wordsForm(source: string): RegExp {
  return new RegExp(`^${source}$`, "i");
}

export function readDays(text: string, today: DayNumber): DaySpan | undefined {
  for (const [form, meaning] of FORMS) {
    const match = form.exec(text);
    if (match === null) continue;
    const days = meaning(match.slice(1), today);
    if (days !== undefined) return typeof days === "number" ? [days, days] : days;
  }
  return undefined;
}

/** Without the longest run that is understood. */
export function wordsBesideDays(text: string, today: DayNumber): string | undefined {
  const words = text.split(/\s+/);
  for (let length = words.length - 1; length > 0; length--)
    for (let from = 0; from + length <= words.length; from++) {
      const run = words.slice(from, from + length).join(" ");
      if (readDays(run.replace(/[,.;:]$/, ""), today) !== undefined)
        return [...words.slice(0, from), ...words.slice(from + length)].join(" ");
    }
  return undefined;
}

function periodAt(today: DayNumber, word: string, unit: string): DaySpan {
  const [period, ahead] = [unit as Parameters<typeof startOfPeriod>[1], AHEAD.get(word) ?? 0];
  return [startOfPeriod(today, period, ahead), endOfPeriod(today, period, ahead)];
}

function daysOf(year: number, month: number, months: number): DaySpan | undefined {
  const first = exactDate(year, month, 1);
  return first === undefined ? undefined : [first, addMonths(first, months) - 1];
}

/** The week with 4 January is the first. */
function isoWeek(year: number, week: number): DaySpan | undefined {
  const firstWeek = startOfPeriod(dayNumber(year, 1, 4), "week", 0);
  const monday = firstWeek + (week - 1) * 7;
  return week < 1 || civilDate(monday + 3).year !== year ? undefined : [monday, monday + 6];
}

function written(text: string): DayNumber | undefined {
  const day = parseLocalDate(text);
  return day && toDayNumber(day);
}

const between = (one: DayNumber | undefined, other: DayNumber | undefined): DaySpan | undefined =>
  one === undefined || other === undefined ? undefined : [Math.min(one, other), Math.max(one, other)];

/** From Sunday; without a word the nearest such day. */
function weekday(today: DayNumber, word: string | undefined, name: string): DayNumber {
  const fromSunday = (day: number): number => (day + 1) % 7;
  const away = fromSunday(WEEKDAY_WORDS.get(name.toLowerCase()) ?? 0) - fromSunday(weekdayOf(today));
  if (word !== undefined) return today + away + 7 * (AHEAD.get(word.toLowerCase()) ?? 0);
  return today + (away > 3 ? away - 7 : away < -3 ? away + 7 : away);
}

function shifted(today: DayNumber, word: string, unit: string, sign: 1 | -1): DayNumber {
  const named = NUMBERS.indexOf(word.toLowerCase());
  const count = sign * (named < 0 ? Number(word) : Math.max(named, 1));
  const [days, months] = { day: [1, 0], week: [7, 0], month: [0, 1], quarter: [0, 3], year: [0, 12] }[
    unit.toLowerCase() as "day"
  ] as [number, number];
  return months === 0 ? today + count * days : addMonths(today, count * months);
}

/** Without a year the nearest, if it has the day. */
function dateIn(today: DayNumber, year: string | undefined, word: string, day: number): DayNumber | undefined {
  const month = MONTH_WORDS.get(word.toLowerCase()) ?? 0;
  if (year !== undefined) return exactDate(Number(year), month, day);
  const near = dayNumber(civilDate(today).year, month, day);
  const [nearest = near] = [near, addMonths(near, 12), addMonths(near, -12)].toSorted(
    (one, other) => Math.abs(one - today) - Math.abs(other - today),
  );
  return exactDate(civilDate(nearest).year, month, day);
}
