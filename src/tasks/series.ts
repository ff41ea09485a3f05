/** What a task's series comes to: the day of its current instance, and whether anything is left of it (spec: tasks-2, section 4). */
import type { LocalDate } from "../clock.js";
import type { Task } from "./task.js";

/** The day of the instance that is next to be done; undefined for a task that does not repeat. */
export function currentDay({ series, scheduled, due }: Task, today: LocalDate): LocalDate | undefined {
  return series && (scheduled ?? due ?? today);
}

/** Whether the current instance is done or skipped already, which is so at the end of a series. */
export function isInstanceOver({ series, scheduled, due }: Task): boolean {
  const day = scheduled ?? due;
  return series !== undefined && day !== undefined && (series.completed.includes(day) || series.skipped.includes(day));
}
