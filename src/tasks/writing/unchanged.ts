/** Whether a task still is what its caller knows it as. */
import type { LocalDate } from "../../clock.js";
import { VaultError } from "../../errors.js";
import type { UpdateOptions } from "../api.js";
import type { CleanUpdates } from "../arguments.js";
import { currentDay } from "../series.js";
import type { Task } from "../task.js";

/**
 * @param known as the look before found it, @param task as its note says now
 * @throws VaultError CONFLICT
 */
export function assertUnchanged(
  known: Task,
  task: Task,
  updates: CleanUpdates,
  { expectedRevision }: UpdateOptions,
  today: LocalDate,
): void {
  if (expectedRevision !== undefined && task.revision !== expectedRevision)
    throw conflict(`"${task.title}" has changed since it had the revision you know.`, task);
  const finishes = updates.values.status === "Done" && updates.occurrence === undefined;
  if (finishes && known.series && currentDay(known, today) !== currentDay(task, today))
    throw conflict(`"${task.title}" was moved on to another day meanwhile, so nothing was finished.`, task);
}

function conflict(message: string, { path }: Task): VaultError {
  return new VaultError("CONFLICT", message, { path, hint: "Look at the task with get_task and decide anew." });
}
