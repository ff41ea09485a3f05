/** One task among others: what a change of it is checked against, what finishing it means, and what it has to do with them (spec: tasks-2, sections 4 and 5). */
import { VaultError } from "../errors.js";
import { isOutstanding } from "./agenda.js";
import type { Consequences, TaskTies, UpdateOptions } from "./api.js";
import type { CleanUpdates } from "./arguments.js";
import { type Relations, ringText } from "./relations.js";
import { currentDay, isInstanceOver, isUnderstood, describeRule } from "./series.js";
import type { LocalDate } from "../clock.js";
import { baseName } from "../storage/path.js";
import type { Task } from "./task.js";

/** More tasks than this are counted, not named. */
const MOST_NAMED = 5;

/**
 * That a task still is what the caller knows it as.
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

/** A link to a task, by the file name alone where that is clear. @throws VaultError INVALID_ARGUMENT when none can lead there */
export function wikilinkTo(task: Task, tasks: readonly Task[]): string {
  const [note = "", block] = task.source === "line" ? task.id.split("#") : [task.path];
  if (task.source === "line" && block === undefined)
    throw new VaultError(
      "INVALID_ARGUMENT",
      `"${task.title}" is a line without a block id, so no link can lead to it.`,
      {
        hint: "Give the line a block id such as ^paint in Obsidian first. Nothing was changed.",
      },
    );
  const name = baseName(task.path).replace(/\.md$/i, "");
  const isClear = !tasks.some(
    (other) => other.path !== task.path && baseName(other.path).toLowerCase() === baseName(task.path).toLowerCase(),
  );
  const target = isClear ? name : note.replace(/\.md$/i, "");
  return `[[${target}${block === undefined ? "" : `#${block}`}]]`;
}

/** @throws VaultError INVALID_ARGUMENT naming the ring that would close */
export function assertNoRing(task: Task, references: readonly string[], relations: Relations): void {
  const ring = relations.ringThrough(task, references);
  if (!ring) return;
  throw new VaultError("INVALID_ARGUMENT", `blockedBy would make tasks wait for each other: ${ringText(ring)}.`, {
    hint: "Leave out the one that already waits for this task. Nothing was changed.",
  });
}

/** What finishing a task meant, by the relations before and after. */
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

/** What a task has to do with others, and how its series stands. */
export function tiesOf(task: Task, relations: Relations, today: LocalDate): TaskTies {
  const { series } = task;
  return {
    series: series && {
      rule: describeRule(series),
      understood: isUnderstood(series),
      current: currentDay(task, today),
      isOver: isInstanceOver(task),
    },
    blockers: relations.blockersOf(task),
    isBlocked: relations.isBlocked(task),
    isReady: relations.isReady(task),
    blocks: relations.waitingFor(task),
    subtasks: relations.subtasksOf(task),
  };
}
