/** The last 53 weeks by day, from the server's counts. */
import type { ToolAnswers } from "../transport/transport.js";
import { dayAfter, daysBetween, mondayOf } from "../state/days.js";

export const WEEKS_SHOWN = 53;

type ReviewDay = NonNullable<ToolAnswers["get_agenda"]["days"]>[number];
export interface YearDay extends ReviewDay {}

/** From the Monday 52 weeks ago to today. */
export function yearDays(counted: readonly ReviewDay[], today: string): readonly YearDay[] {
  const first = dayAfter(mondayOf(today), -7 * (WEEKS_SHOWN - 1));
  const known = new Map(counted.map((row) => [row.day, row]));
  let open = counted.findLast(({ day }) => day <= first)?.open ?? 0;
  return Array.from({ length: daysBetween(first, today) + 1 }, (_, index) => {
    const day = dayAfter(first, index);
    const { done = 0, created = 0 } = known.get(day) ?? {};
    open = known.get(day)?.open ?? open;
    return { day, done, created, open };
  });
}

/** A week's sums under its Monday; `open` as at its end. */
export function yearWeeks(days: readonly YearDay[]): readonly YearDay[] {
  const weeks = Array.from({ length: Math.ceil(days.length / 7) }, (_, week) => days.slice(week * 7, week * 7 + 7));
  return weeks.map((week) => ({
    day: week[0]?.day ?? "",
    done: sumOf(week, "done"),
    created: sumOf(week, "created"),
    open: week.at(-1)?.open ?? 0,
  }));
}

export function sumOf(days: readonly YearDay[], what: "done" | "created"): number {
  return days.reduce((sum, day) => sum + day[what], 0);
}

/** Whole numbers from 0, or from near `least` where 0 would flatten the line, to at least `greatest`. */
export function axisTicks(least: number, greatest: number): readonly number[] {
  const from = least > greatest / 2 && least < greatest ? least : 0;
  const gap = Math.max(1, (greatest - from) / 4);
  const power = 10 ** Math.floor(Math.log10(gap));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= gap) ?? 1;
  const first = Math.floor(from / step);
  const count = Math.max(1, Math.ceil(greatest / step) - first) + 1;
  return Array.from({ length: count }, (_, index) => (first + index) * step);
}

/** The value of the strongest colour, chosen so that one busy day does not pale all others. */
export function strongest(days: readonly YearDay[]): number {
  const counts = days.map(({ done }) => done).filter((done) => done > 0);
  counts.sort((a, b) => a - b);
  return Math.max(4, counts[Math.floor(counts.length * 0.95)] ?? 0);
}
