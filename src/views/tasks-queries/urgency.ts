/** The urgency of a task, as the Tasks plugin counts it. */
import type { DayNumber } from "../../dates/days.js";
import type { CheckboxLine, LineColumn } from "../../tasks/rows/checkbox-rows.js";
import { INVALID_DAY } from "../../tasks/rows/checkbox-subject.js";

/** What it depends on. */
export const URGENCY: readonly LineColumn[] = ["due", "scheduled", "start", "priority"];
const URGENCY_OF_PRIORITY = [1.5 * 6, 1 * 6, 0.65 * 6, 0.325 * 6, 0, -0.3 * 6];

/** Up to 12 for a due day, 5 for a scheduled day that has come, -3 before the start. */
export function urgencyOf({ due, scheduled, start, priority }: CheckboxLine, today: DayNumber): number {
  let urgency = 0;
  if (due !== null && due !== INVALID_DAY) {
    const overdue = today - due;
    urgency += (overdue >= 7 ? 1 : overdue >= -14 ? ((overdue + 14) * 0.8) / 21 + 0.2 : 0.2) * 12;
  }
  if (scheduled !== null && scheduled !== INVALID_DAY && scheduled <= today) urgency += 5;
  if (start !== null && start > today) urgency -= 3;
  return urgency + (URGENCY_OF_PRIORITY[priority] ?? 0);
}
