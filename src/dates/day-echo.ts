/** Says days so that a reader cannot mistake them: with weekday and distance from today, and what words were taken to mean. */
import type { LocalDate } from "../clock.js";
import { toDayNumber, weekdayOf } from "./day-number.js";
import type { DayRange, ReadDay } from "./day-words.js";

const WEEKDAY_NAMES = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

export const weekdayName = (day: LocalDate): string => WEEKDAY_NAMES[weekdayOf(toDayNumber(day))];

/** `Fri 2026-11-27 (in 6 days)`, `(today)` or `(2 days ago)`. */
export function describeDay(day: LocalDate, today: LocalDate): string {
  return `${weekdayName(day)} ${day} (${distance(toDayNumber(day) - toDayNumber(today))})`;
}

/** `Read dueDate "next friday" as Fri 2026-11-27 (in 6 days).`, or undefined for a day that was not written in words. */
export function echoDay(argument: string, text: string, read: ReadDay, today: LocalDate): string | undefined {
  return read.inWords ? `Read ${argument} "${text}" as ${describeDay(read.day, today)}.` : undefined;
}

/** `Read due "next week" as 2026-11-23..2026-11-29.`, or undefined for a range that was not written in words. */
export function echoDayRange(argument: string, text: string, range: DayRange, today: LocalDate): string | undefined {
  if (range.kind !== "days" || !range.inWords) return undefined;
  const { from, to } = range;
  const days = from !== undefined && from === to ? describeDay(from, today) : `${from ?? ""}..${to ?? ""}`;
  return `Read ${argument} "${text}" as ${days}.`;
}

function distance(days: number): string {
  if (days === 0) return "today";
  const length = Math.abs(days) === 1 ? "1 day" : `${Math.abs(days)} days`;
  return days > 0 ? `in ${length}` : `${length} ago`;
}
