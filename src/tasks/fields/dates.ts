/** Reads dates in notes as calendar days without time zone shifts (docs: tasks, "Fields"). */
import { type Clock, parseLocalDate, type LocalDate } from "../../clock.js";
import { LAST_DAY, toDayNumber, toLocalDate } from "../../dates/day-number.js";
import { remembered } from "../../text/memo.js";

/** A day; for a time with `Z` or an offset, the ISO 8601 instant, whose day depends on the reader's time zone. */
export type NoteDate = string;

const DATE = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/;
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt]|[ \t]+)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?[ \t]*([Zz]|[+-]\d{2}(?::?\d{2})?)?$/;

/** Reads `2025-09-01`, `2025/9/1` or a date-time. Undefined for anything else, such as days that do not exist. */
export const readNoteDate: (text: string) => NoteDate | undefined = remembered(readDate);

function readDate(text: string): NoteDate | undefined {
  const plain = text.trim();
  const day = parseLocalDate(plain);
  if (day !== undefined) return day;
  const date = DATE.exec(plain);
  if (date) return parseLocalDate(`${date[1]}-${date[2]?.padStart(2, "0")}-${date[3]?.padStart(2, "0")}`);
  const time = DATE_TIME.exec(plain);
  return time ? readDateTime(time) : undefined;
}

function readDateTime([, day = "", hour = "", minute = "", second = "00", zone]: RegExpExecArray):
  | NoteDate
  | undefined {
  const written = parseLocalDate(day);
  if (written === undefined || Number(hour) > 24 || Number(minute) > 59 || Number(second) > 60) return undefined;
  if (zone === undefined) return written;
  const digits = zone.replace(/\D/g, "").padEnd(4, "0");
  const offset = digits === "0000" ? "Z" : `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
  const instant = `${day}T${hour.padStart(2, "0")}:${minute}:00${offset}`;
  return Number.isNaN(Date.parse(instant)) ? written : instant;
}

/** In the clock's time zone. */
export function dayOf(date: NoteDate, clock: Pick<Clock, "dayOf">): LocalDate {
  return date.length === 10 ? (date as LocalDate) : clock.dayOf(Date.parse(date));
}

/** The last day is in the year 9999. */
export function addDays(day: LocalDate, days: number): LocalDate {
  return toLocalDate(Math.min(toDayNumber(day) + days, LAST_DAY));
}
