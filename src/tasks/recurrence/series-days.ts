/** The days a series carries, as texts that begin with `YYYY-MM-DD`: read, listed, and moved without touching a clock time behind them. */
import { type LocalDate, parseLocalDate } from "../../clock.js";
import { type DayNumber, LAST_DAY, toDayNumber, toLocalDate } from "../../dates/day-number.js";

const DATE_LENGTH = 10;

/** The day of a date or date-time as its digits say it, or undefined for anything else. */
export function dayOfText(text: string | undefined): DayNumber | undefined {
  const day = text === undefined ? undefined : parseLocalDate(text.slice(0, DATE_LENGTH));
  return day === undefined ? undefined : toDayNumber(day);
}

/** The text with another day; clock digits and zone stay as they are. */
export function movedTo(text: string | undefined, day: DayNumber): string {
  return `${writtenDay(day)}${text?.slice(DATE_LENGTH) ?? ""}`;
}

/** The clock time of a date-time as DTSTART writes it, digit by digit: `T093000Z` for `T09:30`. */
export function clockDigits(text: string | undefined): string {
  const [, hour, minute, second = "00"] = /T(\d{2}):(\d{2})(?::(\d{2}))?/.exec(text ?? "") ?? [];
  return hour === undefined ? "" : `T${hour}${minute}${second}Z`;
}

/** `YYYY-MM-DD`, at most the last day that can be written. */
export function writtenDay(day: DayNumber): LocalDate {
  return toLocalDate(Math.min(day, LAST_DAY));
}

/** A list of days as a note has it. Lists grow for years, so that their texts are compared and not read. */
export class DayList {
  readonly #days: ReadonlySet<string>;

  constructor(texts: readonly string[]) {
    this.#days = new Set(texts.map((text) => text.slice(0, DATE_LENGTH)));
  }

  has(day: DayNumber): boolean {
    return this.#days.size > 0 && this.#days.has(toLocalDate(day));
  }

  /** Whether a day of the list lies after the first and before the second one. */
  hasBetween(after: DayNumber, before: DayNumber): boolean {
    const [first, last] = [toLocalDate(after), toLocalDate(before)];
    return [...this.#days].some((day) => day > first && day < last);
  }
}

/** The list without a day. */
export function without(texts: readonly string[], day: DayNumber): string[] {
  const written = toLocalDate(day);
  return texts.filter((text) => !text.startsWith(written));
}
