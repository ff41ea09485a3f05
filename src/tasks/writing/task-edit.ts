/** One change of one task's text: made of what stands there when it is written, and refused where nothing of the task would be left. */
import { HEAD_BYTES } from "../../catalog/read-note.js";
import { VaultError } from "../../errors.js";
import type { LocalDate } from "../../clock.js";
import type { FileStat } from "../../storage/storage.js";
import type { Vault } from "../../vault/vault.js";
import type { UpdatedTask, UpdateOptions } from "../api.js";
import type { CleanUpdates } from "../arguments.js";
import type { Reference } from "../references.js";
import { currentDay } from "../series.js";
import type { Task } from "../task.js";
import type { TaskLook } from "../task-index.js";
import type { TaskLooks } from "../task-looks.js";
import { noLongerTask, unreadable, wouldBeNoTask } from "../unknown-reference.js";

/** What the task is after the change, and what became of its instance. */
export type EditResult = Pick<UpdatedTask, "task" | "series">;

export interface TaskEdit {
  /** What the look knew of the note. */
  readonly stat: FileStat;
  /** The note's text with the change in it. @throws VaultError CONFLICT or INVALID_ARGUMENT */
  readonly change: (text: string) => string;
  /** What the last `change` came to, in the file as it is now. */
  readonly result: (now: FileStat) => EditResult;
}

export function taskEdit(
  vault: Vault,
  looks: TaskLooks,
  look: TaskLook,
  { task: known, kind }: Reference,
  clean: CleanUpdates,
  options: UpdateOptions,
): TaskEdit {
  const { clock } = vault;
  const today = clock.today();
  const relations = look.relations(today);
  const format = looks.formatOf(known.source);
  const stat = look.statOf(format, known.path);
  if (stat === undefined) throw noLongerTask(known);
  const surroundings = looks.surroundings(look);
  let written: (EditResult & { readonly in: (now: FileStat) => Task | undefined }) | undefined;
  const change = (text: string): string => {
    // What stands there now counts: the note may have changed since the catalog saw it.
    const task = format.find(text, stat, known, surroundings);
    if (task === undefined) throw unreadable(text, known) ?? noLongerTask(known);
    // A line that has moved is another by its id alone.
    if (kind === "id" && task.source === "note" && task.id !== known.id) throw noLongerTask(known);
    assertUnchanged(known, task, clean, options, today);
    const { settings, tasks, dialect } = look;
    const edited = format.update(text, clean, { task, dialect, today, clock, settings, relations, tasks });
    const { gone, place, series } = edited;
    const found = (at: FileStat): Task | undefined => gone ?? format.find(edited.text, at, place, surroundings);
    const after = found(stat);
    if (after === undefined) throw wouldBeNoTask(known);
    written = { task: after, in: found, ...(series && { series }) };
    return edited.text;
  };
  const result = (now: FileStat): EditResult => {
    if (written === undefined) throw new Error("Nothing was changed yet.");
    const { series } = written;
    // The revision of a note that is too large to be known whole is made of its stat.
    const task = (now.size > HEAD_BYTES && written.in(now)) || written.task;
    return { task: { ...task, modified: now.modified }, ...(series && { series }) };
  };
  return { change, result, stat };
}

/**
 * That a task still is what the caller knows it as.
 * @param known as the look before found it, @param task as its note says now
 * @throws VaultError CONFLICT
 */
function assertUnchanged(
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
