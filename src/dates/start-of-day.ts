/** When a calendar day begins. */
import type { Clock, LocalDate } from "../clock.js";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The first millisecond of a day in the clock's zone. A day begins within 36 hours of midnight UTC, and later moments never have earlier
 * days.
 */
export function startOfDay(date: LocalDate, clock: Clock): number {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  let [low, high] = [midnight - 1.5 * DAY_MS, midnight + 1.5 * DAY_MS];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (clock.dayOf(middle) >= date) high = middle;
    else low = middle + 1;
  }
  return low;
}
