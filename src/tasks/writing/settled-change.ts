/** Settles what a caller's updates are to one task: names in the vault's spelling, references as they are written, and what has to go with it. */
import type { Vault } from "../../vault/vault.js";
import type { CheckedUpdates, CleanUpdates } from "../arguments.js";
import type { Reference } from "../references.js";
import type { Relations } from "../relations.js";
import type { Task } from "../task.js";
import type { TaskLook } from "../task-look.js";
import type { TaskLooks } from "../task-looks.js";
import { type SignFor, writtenBlockers } from "./blockers.js";
import { spelledAsKnown } from "./known-names.js";
import type { AskedChange } from "./note-edit.js";

/** Updates as they are written to one task. */
export interface SettledChange extends AskedChange {
  readonly adjustments: readonly string[];
  /** Lines that have to get a sign, because the task is to wait for them. */
  readonly unsigned: readonly SignFor[];
  /** The series that is told what became of its instance. */
  readonly series: Task | undefined;
}

/** @throws VaultError INVALID_ARGUMENT when the updates cannot be written to this task */
export async function settleChange(
  vault: Vault,
  looks: TaskLooks,
  look: TaskLook,
  found: Reference,
  { clean, adjustments }: CheckedUpdates,
  expectedRevision: string | undefined,
): Promise<SettledChange> {
  const { task } = found;
  const relations = look.relations(vault.clock.today());
  const spelled = await spelledAsKnown(vault, () => vault.paraLook(), clean.values);
  const { blockedBy } = spelled.values;
  const find = async (reference: string): Promise<Task> => (await looks.find(reference, look)).task;
  const blockers =
    blockedBy && (await writtenBlockers(blockedBy, task.source, task, { find, relations, tasks: look.tasks }));
  const values = { ...spelled.values, ...(blockers && { blockedBy: blockers.references }) };
  return {
    found,
    clean: { ...clean, values },
    expectedRevision,
    adjustments: [...adjustments, ...spelled.adjustments],
    unsigned: blockers?.unsigned ?? [],
    series: seriesToTell(task, clean, relations),
  };
}

function seriesToTell(task: Task, { values }: CleanUpdates, relations: Relations): Task | undefined {
  if (!task.occurrence || (values.status !== "Done" && values.status !== "To Do")) return undefined;
  return relations.resolve(task, task.occurrence.parent).find((parent) => parent !== task && parent.series);
}
