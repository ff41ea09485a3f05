/** Parses, lists and moves days of a series: texts that begin with `YYYY-MM-DD`. */
import { type LocalDate, parseLocalDate } from "../../clock.js";
import { type DayNumber, LAST_DAY, toDayNumber, toLocalDate } from "../../dates/day-number.js";

const DATE_LENGTH = 10;

/** Ignores time and time zone. */
export function dayOfText(text: string | undefined): DayNumber | undefined {
  const day = text === undefined ? undefined : parseLocalDate(text.slice(0, DATE_LENGTH));
  return day === undefined ? undefined : toDayNumber(day);
}

/** Keeps time and time zone. */
export function movedTo(text: string | undefined, day: DayNumber): string {
  return `${writtenDay(day)}${text?.slice(DATE_LENGTH) ?? ""}`;
}

/** `T09:30` becomes DTSTART's `T093000Z`. */
export function clockDigits(text: string | undefined): string {
  const [, hour, minute, second = "00"] = /T(\d{2}):(\d{2})(?::(\d{2}))?/.exec(text ?? "") ?? [];
  return hour === undefined ? "" : `T${hour}${minute}${second}Z`;
}

export function writtenDay(day: DayNumber): LocalDate {
  return toLocalDate(Math.min(day, LAST_DAY));
}

/** Compares texts without parsing, because lists grow for years. */
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
