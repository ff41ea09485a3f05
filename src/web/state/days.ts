/** Calendar days as `YYYY-MM-DD`, without hours or zones. */
import { WORDS } from "../words.js";

const DAY_MS = 86_400_000;

/** In the browser's time zone. */
export function localToday(): string {
  const now = new Date();
  return isoDay(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()));
}

/** `YYYY-MM-DD`, of a day that exists. */
export const isDay = (text: string): boolean => !Number.isNaN(Date.parse(text)) && dayAfter(text, 0) === text;

export function dayAfter(day: string, days: number): string {
  return isoDay(Date.parse(day) + days * DAY_MS);
}

function mondayAfter(day: string): string {
  const weekday = new Date(day).getUTCDay();
  return dayAfter(day, (8 - weekday) % 7 || 7);
}

/** Clamped to the month's last day. */
export function monthAfter(day: string, months: number): string {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  const lastDate = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return isoDay(Date.UTC(year, month - 1 + months, Math.min(date, lastDate)));
}

export function mondayOf(day: string): string {
  return dayAfter(mondayAfter(day), -7);
}

/** The empty day means no date. */
export function nearDays(today: string): readonly (readonly [name: string, day: string])[] {
  return [
    [WORDS.capital(WORDS.dayToday), today],
    [WORDS.capital(WORDS.dayTomorrow), dayAfter(today, 1)],
    [WORDS.weekend, dayAfter(mondayAfter(dayAfter(today, 2)), -2)],
    [WORDS.nextWeek, mondayAfter(today)],
    [WORDS.noDate, ""],
  ];
}

/** Negative if `to` is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Creates the formatter at first use, because that takes milliseconds. */
function writer(locale: string, options: Intl.DateTimeFormatOptions): (ms: number) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (ms) => (format ??= new Intl.DateTimeFormat(locale, options)).format(ms);
}

function dayWriter(options: Intl.DateTimeFormatOptions, locale = "en-GB"): (day: string) => string {
  const write = writer(locale, { ...options, timeZone: "UTC" });
  return (day) => write(Date.parse(day));
}

const weekday = dayWriter({ weekday: "long" }, "en");
const near = dayWriter({ weekday: "short", day: "numeric", month: "short" });
const far = dayWriter({ day: "numeric", month: "short", year: "numeric" });
/** `Friday, 27 November`. */
export const longDay = dayWriter({ weekday: "long", day: "numeric", month: "long" });
/** `Fri, 27 Nov 2026`. */
export const fullDay = dayWriter({ weekday: "short", day: "numeric", month: "short", year: "numeric" });
/** `November 2026`. */
export const monthName = dayWriter({ month: "long", year: "numeric" });
/** `27 Nov`. */
export const dayMonth = dayWriter({ day: "numeric", month: "short" });
/** `Nov`. */
export const monthText = dayWriter({ month: "short" });
/** `Fri`. */
export const weekdayText = dayWriter({ weekday: "short" });
/** `14:05`, from epoch milliseconds. */
export const clockText = writer("en-GB", { hour: "2-digit", minute: "2-digit" });

/** `4 Dec 2027`, which the server reads as the same day; other text unchanged. */
export const datedText = (text: string): string => (isDay(text) ? far(text) : text);

export const timeText = (day: string, time?: string): string => (time === undefined ? day : `${day} ${time}`);

/** `today`, `Friday`, `Fri 4 Dec`, `4 Dec 2027`; a nonexistent day unchanged. */
export function dayText(day: string, today: string): string {
  if (!isDay(day)) return day;
  const distance = daysBetween(today, day);
  if (distance === 0) return WORDS.dayToday;
  if (distance === 1) return WORDS.dayTomorrow;
  if (distance === -1) return WORDS.dayYesterday;
  if (distance > 1 && distance < 7) return weekday(day);
  return (day.slice(0, 4) === today.slice(0, 4) ? near : far)(day);
}
