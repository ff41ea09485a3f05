/** Changes many tasks in one call: at once where few are named, else by a plan that is shown first and carried out while it fits (spec: tasks-2, section 9). */
import { Semaphore } from "../../async/semaphore.js";
import { TimeSlice } from "../../async/yield-to-loop.js";
import type { RefreshOptions } from "../../catalog/catalog.js";
import type { LocalDate } from "../../clock.js";
import { isVaultError, VaultError } from "../../errors.js";
import { operationReference } from "../../history/operation-reference.js";
import type { Vault } from "../../vault/vault.js";
import type { TaskUpdates } from "../api.js";
import { type CheckedUpdates, cleanUpdates } from "../arguments.js";
import { laterInstances } from "../projection.js";
import type { Reference } from "../references.js";
import type { TaskLook } from "../task-look.js";
import type { Task } from "../task.js";
import type { WriteTasksOptions, WrittenTask } from "../writing/note-writer.js";
import type { BulkOptions, BulkOutcome, BulkPlan, BulkUpdate, LeftOut, TaskChange } from "./bulk.js";
import { planOf } from "./plan.js";
import { reasonOf, type Selected, type Selecting, selectTasks } from "./selected-tasks.js";

/** As many tasks as one call may change. */
const MOST_TASKS = 500;
/** So many tasks named by id are changed without a plan. */
const MOST_AT_ONCE = 20;

/** So many notes are written at a time: as many as Node lets the disk flush at once. */
const SIDE_BY_SIDE = 4;

/** What is needed of those who change the tasks of one note; the outcomes are in the order of the tasks. */
export interface NoteChanges {
  look(references: readonly string[], updates: CheckedUpdates, options: RefreshOptions): Promise<TaskLook>;
  /** What writing would make of tasks of one note. */
  preview(
    found: readonly Reference[],
    updates: CheckedUpdates,
    look: TaskLook,
  ): Promise<readonly (WrittenTask | VaultError)[]>;
  write(
    found: readonly Reference[],
    updates: CheckedUpdates,
    look: TaskLook,
    options: WriteTasksOptions,
  ): Promise<readonly (WrittenTask | VaultError)[]>;
}

export class BulkUpdates {
  readonly #vault: Vault;
  readonly #selecting: Selecting;
  readonly #writes: NoteChanges;

  constructor(vault: Vault, selecting: Selecting, writes: NoteChanges) {
    this.#vault = vault;
    this.#selecting = selecting;
    this.#writes = writes;
  }

  /**
   * @param references of tasks, or one selection's text
   * @throws VaultError INVALID_ARGUMENT for updates that cannot be, no task or too many, CONFLICT when the selection finds other
   *   tasks by now or the plan does not fit any more
   */
  async update(references: readonly string[], updates: TaskUpdates, options: BulkOptions = {}): Promise<BulkOutcome> {
    const today = this.#vault.clock.today();
    const checked = cleanUpdates(updates, { today });
    const look = await this.#writes.look(references, checked, options);
    const selected = await selectTasks(references, look, this.#selecting, options);
    assertCount(selected.found.length + selected.leftOut.length);
    const plan = planOf(selected.found, checked.clean, today);
    if (options.plan !== undefined) assertFits(options.plan, plan);
    else if (selected.isSelection || selected.found.length > MOST_AT_ONCE)
      return this.#plan(plan, selected, checked, look, options);
    return this.#carryOut(selected, checked, look, options);
  }

  async #plan(
    plan: string,
    { found, leftOut }: Selected,
    checked: CheckedUpdates,
    look: TaskLook,
    { signal, onProgress }: BulkOptions,
  ): Promise<BulkPlan> {
    const today = this.#vault.clock.today();
    const outcomes = new Outcomes();
    const slice = new TimeSlice(signal);
    for (const ofNote of byNote(found)) {
      await outcomes.gather(ofNote, this.#writes.preview(ofNote, checked, look));
      onProgress?.({ done: outcomes.count, total: found.length });
      if (slice.isOver) await slice.yield();
    }
    const changes = outcomes.changes(found).map((change) => plannedChange(change, today));
    const total = found.length + leftOut.length;
    const { updated } = checked;
    const adjustments = outcomes.adjustments(checked);
    return {
      kind: "plan",
      plan,
      total,
      updated,
      adjustments,
      changes,
      leftOut: [...leftOut, ...outcomes.refused(found)],
    };
  }

  /** Where one cannot be changed the others are all the same; tasks of one note are one edit of it, several notes go side by side. */
  async #carryOut(
    { found, leftOut }: Selected,
    checked: CheckedUpdates,
    look: TaskLook,
    { plan, signal, onProgress }: BulkOptions,
  ): Promise<BulkUpdate> {
    const reason = `update ${found.length} tasks: ${checked.updated.join(", ")}`;
    const files = [...new Set(found.map(({ task }) => task.path))];
    const operation = await this.#vault.begin({ reason, files });
    const outcomes = new Outcomes();
    const write = async (ofNote: readonly Reference[]) => {
      signal?.throwIfAborted();
      return await this.#writes.write(ofNote, checked, look, { operation, asKnown: plan !== undefined });
    };
    const turns = new Semaphore(touchesOthers(found, checked) ? 1 : SIDE_BY_SIDE, Infinity);
    const all = Array.from(byNote(found), (ofNote) =>
      turns.run(async () => {
        await outcomes.gather(ofNote, write(ofNote));
        onProgress?.({ done: outcomes.count, total: found.length });
      }),
    );
    // Whatever becomes of one, the operation has ended only when all have.
    await Promise.allSettled(all);
    await operation.done();
    await Promise.all(all);
    const { written } = outcomes;
    const changed = written.filter((one) => one.changed);
    return {
      kind: "done",
      operation: changed.length === 0 ? undefined : operationReference(operation.id),
      total: found.length + leftOut.length,
      updated: checked.updated,
      adjustments: outcomes.adjustments(checked),
      changes: outcomes.changes(found),
      leftOut: [...leftOut, ...outcomes.refused(found)],
      undoable: changed.length > 0 && changed.every(({ undoable }) => undoable),
      durable: written.every(({ durable }) => durable),
    };
  }
}

/** What became of each task. */
class Outcomes {
  readonly #outcomes = new Map<Reference, WrittenTask | string>();

  get count(): number {
    return this.#outcomes.size;
  }

  get written(): readonly WrittenTask[] {
    return [...this.#outcomes.values()].filter((outcome) => typeof outcome !== "string");
  }

  /** Where a note cannot be changed at all, none of its tasks is. */
  async gather(found: readonly Reference[], work: Promise<readonly (WrittenTask | VaultError)[]>): Promise<void> {
    try {
      const outcomes = await work;
      for (const [at, one] of found.entries()) {
        const outcome = outcomes[at];
        if (outcome) this.#outcomes.set(one, isVaultError(outcome) ? reasonOf(outcome) : outcome);
      }
    } catch (error) {
      for (const one of found) this.#outcomes.set(one, reasonOf(error));
    }
  }

  changes(found: readonly Reference[]): readonly TaskChange[] {
    return found.flatMap((one) => {
      const outcome = this.#outcomes.get(one);
      return outcome === undefined || typeof outcome === "string" ? [] : [changeOf(one.task, outcome)];
    });
  }

  refused(found: readonly Reference[]): readonly LeftOut[] {
    return found.flatMap((one) => {
      const reason = this.#outcomes.get(one);
      const { id, title } = one.task;
      return typeof reason === "string" ? [{ reference: id, title, reason }] : [];
    });
  }

  adjustments(checked: CheckedUpdates): readonly string[] {
    return [...new Set([...checked.adjustments, ...this.written.flatMap(({ adjustments }) => adjustments)])];
  }
}

function changeOf(before: Task, { task: after, changed, series }: WrittenTask): TaskChange {
  return { before, after, changed, ...(series && { series }) };
}

/** Whether changing some may change the notes of others, which are then to be written in their order. */
function touchesOthers(found: readonly Reference[], { clean }: CheckedUpdates): boolean {
  return clean.values.blockedBy !== undefined || found.some(({ task }) => task.occurrence !== undefined);
}

/** The tasks of each note together, the notes in the order in which they come first. */
function byNote(found: readonly Reference[]): Iterable<readonly Reference[]> {
  const notes = new Map<string, Reference[]>();
  for (const one of found) {
    const ofNote = notes.get(one.task.path);
    if (ofNote) ofNote.push(one);
    else notes.set(one.task.path, [one]);
  }
  return notes.values();
}

function plannedChange(change: TaskChange, today: LocalDate): TaskChange {
  return { ...change, passes: passedInstance(change.before, change.after, today) };
}

/** The next instance of a series that a day moved by hand would reach or pass. */
function passedInstance(before: Task, after: Task, today: LocalDate): LocalDate | undefined {
  const day = after.scheduled ?? after.due;
  const was = before.scheduled ?? before.due;
  if (before.series === undefined || after.status !== before.status || day === undefined || day === was)
    return undefined;
  return laterInstances(before, today, day).find((instance) => was === undefined || instance > was);
}

function assertCount(count: number): void {
  if (count === 0)
    throw new VaultError("INVALID_ARGUMENT", "tasks names no task.", {
      hint: "Give ids of search_tasks, or the text behind its `Selection:`.",
    });
  if (count > MOST_TASKS)
    throw new VaultError(
      "INVALID_ARGUMENT",
      `These are ${count} tasks; at most ${MOST_TASKS} are changed in one call.`,
      {
        hint: "Narrow the filters of the selection, or give the ids in several calls.",
      },
    );
}

function assertFits(given: string, plan: string): void {
  if (
    given
      .trim()
      .replace(/^Plan:\s*/i, "")
      .toLowerCase() === plan
  )
    return;
  throw new VaultError(
    "CONFLICT",
    `Plan "${given.trim().slice(0, 40)}" does not fit any more: tasks, updates or the day have changed since.`,
    {
      hint: "Make the same call without plan to see what would be done now. Nothing was changed.",
    },
  );
}
