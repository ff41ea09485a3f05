/**
 * Days of a series, as texts that begin with `YYYY-MM-DD`: parsed, listed, and moved without changing a time of day.
 */
import { type LocalDate, parseLocalDate } from "../../clock.js";
import { type DayNumber, LAST_DAY, toDayNumber, toLocalDate } from "../../dates/day-number.js";

const DATE_LENGTH = 10;

/** The day of a date or date-time as its digits say it; undefined for anything else. */
export function dayOfText(text: string | undefined): DayNumber | undefined {
  const day = text === undefined ? undefined : parseLocalDate(text.slice(0, DATE_LENGTH));
  return day === undefined ? undefined : toDayNumber(day);
}

/** Another day; time and zone stay. */
export function movedTo(text: string | undefined, day: DayNumber): string {
  return `${writtenDay(day)}${text?.slice(DATE_LENGTH) ?? ""}`;
}

/** The time as DTSTART writes it: `T093000Z` for `T09:30`. */
export function clockDigits(text: string | undefined): string {
  const [, hour, minute, second = "00"] = /T(\d{2}):(\d{2})(?::(\d{2}))?/.exec(text ?? "") ?? [];
  return hour === undefined ? "" : `T${hour}${minute}${second}Z`;
}

/** At most the last day that can be written. */
export function writtenDay(day: DayNumber): LocalDate {
  return toLocalDate(Math.min(day, LAST_DAY));
}

/** Lists grow for years, so texts are compared without parsing. */
export class DayList {
  readonly #days: ReadonlySet<string>;

  constructor(texts: readonly string[]) {
    this.#days = new Set(texts.map((text) => text.slice(0, DATE_LENGTH)));
  }

  has(day: DayNumber): boolean {
    return this.#days.size > 0 && this.#days.has(toLocalDate(day));
  }

  hasBetween(after: DayNumber, before: DayNumber): boolean {
    const [first, last] = [toLocalDate(after), toLocalDate(before)];
    return [...this.#days].some((day) => day > first && day < last);
  }
}

export function without(texts: readonly string[], day: DayNumber): string[] {
  const written = toLocalDate(day);
  return texts.filter((text) => !text.startsWith(written));
}
