/** Names a plan by what it was made from, so that it can be seen whether it still fits: tasks, their revisions, the updates and the day. */
import type { LocalDate } from "../../clock.js";
import { contentRevision } from "../../storage/content-revision.js";
import type { CleanUpdates } from "../arguments.js";
import type { Reference } from "../references.js";

const DIGITS = 8;

/** `p-` and eight hexadecimal digits, whatever the order of the tasks. */
export function planOf(found: readonly Reference[], updates: CleanUpdates, today: LocalDate): string {
  const tasks = found.map(({ task }) => [task.id, task.revision]).sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  const made = JSON.stringify([today, tasks, updates]);
  return `p-${contentRevision(Buffer.from(made)).slice(0, DIGITS)}`;
}
