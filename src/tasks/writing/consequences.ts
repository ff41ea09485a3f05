/** What finishing a task meant for others: what is ready now, what it still waited for, what of it is open (spec: tasks-2, section 5). */
import { isOutstanding } from "../agenda.js";
import type { Consequences } from "../api.js";
import type { Relations } from "../relations.js";
import type { Task } from "../task.js";

/** More tasks than this are counted, not named. */
const MOST_NAMED = 5;

/** @param known the task before, @param tasks all as they are after */
export function consequencesOf(known: Task, before: Relations, after: Relations, tasks: readonly Task[]): Consequences {
  const now = new Map(tasks.map((task) => [task.id, task]));
  const nowReady = before.waitingFor(known).flatMap((waiting) => {
    const task = now.get(waiting.id);
    return task && after.isReady(task) && !before.isReady(waiting) ? [task] : [];
  });
  return {
    nowReady: nowReady.slice(0, MOST_NAMED),
    waitedFor: before.openBlockersOf(known).map(({ name }) => name),
    openSubtasks: before.subtasksOf(known).filter(isOutstanding).length,
  };
}
