/** Names of periods (docs: notes-and-files, "Periodic notes"). */
import { parseLocalDate, type LocalDate } from "../clock.js";
import { type Period, PERIODICITY, PERIODS } from "./calendar-terms.js";
import { MONTH_WORDS } from "./english.js";
import { isOnlyDay, parseDay } from "./read-day.js";

export interface PeriodName {
  readonly period: Period;
  /** A day in the period, or a week of a year. */
  readonly day: LocalDate | { readonly year: number; readonly week: number };
  readonly ahead: number;
  /** Perhaps a note's name. */
  readonly isNumber: boolean;
  /** `2026` may be a title, `so` a word. */
  readonly isTitleFirst: boolean;
}

const AHEAD: Readonly<Record<string, number>> = { last: -1, this: 0, next: 1 };
const MAX_LENGTH = 60;

/** Undefined for other text. */
export function readPeriodName(text: string, today: LocalDate): PeriodName | undefined {
  const plain = text
    .trim()
    .toLowerCase()
    .replace(/\s+/g, " ")
    .replace(/ note$/, "");
  if (plain.length > MAX_LENGTH || /[[\]\\]|\.md$/.test(plain)) return undefined;
  const period = PERIODS.find((one) => PERIODICITY[one] === plain);
  if (period !== undefined) return named(period, today);
  const [, word = "", unit] = /^(last|this|next) (week|month|quarter|year)$/.exec(plain) ?? [];
  if (unit !== undefined) return named(unit as Period, today, { ahead: AHEAD[word] ?? 0 });
  return numbered(plain) ?? dayNamed(plain, today);
}

/** Also `Q3`, `week 44` and `November 2026`. */
export function likelyPeriodName(text: string, today: LocalDate): string | undefined {
  const words = text.toLowerCase().split(/[\s,./-]+/);
  const year = words.find((word) => /^\d{4}$/.test(word)) ?? today.slice(0, 4);
  const rest = words.filter((word) => word !== year && word !== "of").join(" ");
  const [, quarter] = /^(?:q|quarter|quartal|t|trimestre) ?([1-4])$/.exec(rest) ?? [];
  const [, week] = /^(?:w|wk|cw|kw|week|woche|semaine|semana) ?(\d\d?)$/.exec(rest) ?? [];
  const month = MONTH_WORDS.get(rest);
  if (quarter !== undefined) return `${year}-Q${quarter}`;
  if (week !== undefined) return `${year}-W${week.padStart(2, "0")}`;
  return month === undefined ? undefined : `${year}-${String(month).padStart(2, "0")}`;
}

function numbered(plain: string): PeriodName | undefined {
  const [, year = "", part] = /^(\d{4})(-\d\d|-q[1-4]|-w\d\d?)?$/.exec(plain) ?? [];
  const kind = part?.charAt(1);
  if (kind === "w") return named("week", { year: Number(year), week: Number(part?.slice(2)) }, { isNumber: true });
  const month = part === undefined ? 1 : kind === "q" ? 3 * Number(part.slice(2)) : Number(part.slice(1));
  const day = parseLocalDate(`${year}-${String(month).padStart(2, "0")}-01`);
  if (day === undefined) return undefined;
  const period = part === undefined ? "year" : kind === "q" ? "quarter" : "month";
  return named(period, day, { isNumber: true, isTitleFirst: kind !== "q" });
}

function dayNamed(plain: string, today: LocalDate): PeriodName | undefined {
  const read = parseDay(plain, today);
  if (read === undefined || read.time !== undefined) return undefined;
  return named("day", read.day, { isNumber: !read.inWords, isTitleFirst: !isOnlyDay(plain) });
}

function named(period: Period, day: PeriodName["day"], rest: Partial<PeriodName> = {}): PeriodName {
  return { period, day, ahead: 0, isNumber: false, isTitleFirst: false, ...rest };
}
