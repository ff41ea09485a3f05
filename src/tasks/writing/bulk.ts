/** Changes many tasks in one call, note by note: at once where few are named, else by a plan that is shown first (docs: tasks, "Many at once"). */
import { Semaphore } from "../../async/semaphore.js";
import { TimeSlice } from "../../async/yield-to-loop.js";
import type { LocalDate } from "../../clock.js";
import { isVaultError, VaultError } from "../../errors.js";
import { operationReference } from "../../history/journal.js";
import type { RefreshOptions } from "../../index/refresh.js";
import { contentRevision } from "../../storage/content-revision.js";
import type { VaultPath } from "../../storage/path.js";
import type { Vault } from "../../vault/vault.js";
import type { SeriesOutcome, TaskUpdates } from "../api.js";
import { laterInstances } from "../recurrence/later-instances.js";
import type { Reference } from "../references.js";
import type { Task } from "../task.js";
import type { TaskFinder } from "../query/finder.js";
import type { TaskSnapshot } from "../task-snapshot.js";
import type { TaskSnapshots } from "../task-snapshots.js";
import { type BulkRequest, readBulkUpdates } from "./relative-days.js";
import { reasonOf, type Selected, selectTasks, type LeftOut } from "./selected-tasks.js";
import { type TaskRequest, type Outcome, referencesIn, type TaskUpdater, type WrittenTask } from "./update.js";

/** How many tasks one call may change. */
const MAX_TASKS = 500;
/** How many tasks named by id are changed without a plan. */
const MAX_WITHOUT_PLAN = 20;
/** How many notes are written at a time: as many as Node lets the disk flush at once. */
const MAX_CONCURRENT_NOTES = 4;
const PLAN_DIGITS = 8;

export interface BulkOptions extends RefreshOptions {
  /** The plan to carry out, as an earlier answer named it. */
  readonly plan?: string | undefined;
}

/** One task before and after. */
export interface TaskChange {
  readonly before: Task;
  readonly after: Task;
  /** False: it was so already. */
  readonly changed: boolean;
  readonly series?: SeriesOutcome | undefined;
  /** Other notes that go with it, such as that of its series. */
  readonly alsoChanged: readonly VaultPath[];
  /** In a plan, of a series whose day would move to or past a later instance: that instance. */
  readonly passes?: LocalDate | undefined;
}

interface BulkReport {
  /** How many tasks were meant. */
  readonly total: number;
  /** The keys given, in the caller's order. */
  readonly updated: readonly string[];
  readonly adjustments: readonly string[];
  /** In the order in which the tasks were given or found. */
  readonly changes: readonly TaskChange[];
  readonly leftOut: readonly LeftOut[];
}

/** What would be done; nothing is written. */
export interface BulkPlan extends BulkReport {
  readonly kind: "plan";
  /** `p-` and eight hexadecimal digits of the tasks as they are and of the updates. */
  readonly plan: string;
}

/** What was done. */
export interface BulkUpdate extends BulkReport {
  readonly kind: "done";
  /** `op-...`, for undoing all of it; undefined where nothing was changed or no journal can be kept. */
  readonly operation: string | undefined;
  readonly undoable: boolean;
  readonly durable: boolean;
}

export type BulkOutcome = BulkPlan | BulkUpdate;

export class BulkUpdater {
  readonly #vault: Vault;
  readonly #snapshots: TaskSnapshots;
  readonly #finder: TaskFinder;
  readonly #updater: TaskUpdater;

  constructor(vault: Vault, snapshots: TaskSnapshots, finder: TaskFinder, updater: TaskUpdater) {
    this.#vault = vault;
    this.#snapshots = snapshots;
    this.#finder = finder;
    this.#updater = updater;
  }

  /**
   * @param references of tasks, or one selection's text
   * @throws VaultError INVALID_ARGUMENT for updates that cannot be, no task or too many, CONFLICT when the selection finds other
   *   tasks by now or the plan does not fit any more
   */
  async update(references: readonly string[], updates: TaskUpdates, options: BulkOptions): Promise<BulkOutcome> {
    const today = this.#vault.clock.today();
    const request = readBulkUpdates(updates, today);
    const snapshot = await this.#snapshots.among([...references, ...referencesIn(request.checked)], options);
    const selected = await selectTasks(references, this.#finder, this.#snapshots.finder(snapshot), options);
    assertCount(selected.found.length + selected.leftOut.length);
    const plan = planName(selected.found, request, today);
    if (options.plan !== undefined) assertFits(options.plan, plan);
    else if (selected.isSelection || selected.found.length > MAX_WITHOUT_PLAN)
      return { kind: "plan", plan, ...(await this.#plan(selected, request, snapshot, options)) };
    return await this.#carryOut(selected, request, snapshot, options);
  }

  async #plan({ found, leftOut }: Selected, request: BulkRequest, snapshot: TaskSnapshot, options: BulkOptions) {
    const today = this.#vault.clock.today();
    const results = new Results(found, leftOut, request);
    const slice = new TimeSlice(options.signal);
    for (const ofNote of byNote(found)) {
      await results.gather(ofNote, (changes) => this.#updater.preview(changes, snapshot));
      options.onProgress?.({ done: results.count, total: found.length });
      if (slice.isOver) await slice.yield();
    }
    const report = results.report();
    const withPassed = (change: TaskChange): TaskChange => ({ ...change, passes: passedInstance(change, today) });
    return { ...report, changes: report.changes.map(withPassed) };
  }

  /** Where one cannot be changed the others are; tasks of one note are one edit of it, several notes are written at a time. */
  async #carryOut(
    { found, leftOut }: Selected,
    request: BulkRequest,
    snapshot: TaskSnapshot,
    { plan, signal, onProgress }: BulkOptions,
  ): Promise<BulkUpdate> {
    const reason = `update ${found.length} tasks: ${request.updated.join(", ")}`;
    const files = [...new Set(found.map(({ task }) => task.path))];
    const operation = await this.#vault.history.begin({ reason, files });
    const results = new Results(found, leftOut, request, { asKnown: plan !== undefined });
    const turns = new Semaphore(concernsOtherNotes(found, request) ? 1 : MAX_CONCURRENT_NOTES, Infinity);
    const all = Array.from(byNote(found), (ofNote) =>
      turns.run(async () => {
        await results.gather(ofNote, async (changes) => {
          signal?.throwIfAborted();
          return await this.#updater.writeNote(changes, snapshot, operation);
        });
        onProgress?.({ done: results.count, total: found.length });
      }),
    );
    // Even after a fault in one of them the operation ends only when all have ended.
    await Promise.allSettled(all);
    const undoable = await operation.done();
    await Promise.all(all);
    const changed = results.written.filter((one) => one.changed);
    return {
      kind: "done",
      operation: changed.length === 0 ? undefined : operationReference(operation.id),
      ...results.report(),
      undoable,
      durable: results.written.every(({ durable }) => durable),
    };
  }
}

/** What became of each task of a call. */
class Results {
  readonly #found: readonly Reference[];
  readonly #leftOut: readonly LeftOut[];
  readonly #request: BulkRequest;
  readonly #asKnown: boolean;
  readonly #results = new Map<Reference, WrittenTask | string>();

  /** @param options.asKnown refuse tasks that have another revision by now */
  constructor(
    found: readonly Reference[],
    leftOut: readonly LeftOut[],
    request: BulkRequest,
    { asKnown = false }: { readonly asKnown?: boolean } = {},
  ) {
    this.#found = found;
    this.#leftOut = leftOut;
    this.#request = request;
    this.#asKnown = asKnown;
  }

  get count(): number {
    return this.#results.size;
  }

  get written(): readonly WrittenTask[] {
    return [...this.#results.values()].filter((result) => typeof result !== "string");
  }

  /** Changes tasks of one note; where the note cannot be changed at all, none of them is. */
  async gather(
    found: readonly Reference[],
    change: (changes: readonly TaskRequest[]) => Promise<readonly Outcome[]>,
  ): Promise<void> {
    const changes: TaskRequest[] = [];
    for (const one of found)
      try {
        const expectedRevision = this.#asKnown ? one.task.revision : undefined;
        changes.push({ found: one, checked: this.#request.forTask(one.task), expectedRevision });
      } catch (error) {
        this.#results.set(one, reasonOf(error));
      }
    try {
      const outcomes = changes.length === 0 ? [] : await change(changes);
      for (const [at, outcome] of outcomes.entries()) {
        const one = changes[at]?.found;
        if (one) this.#results.set(one, isVaultError(outcome) ? reasonOf(outcome) : outcome);
      }
    } catch (error) {
      for (const one of changes) this.#results.set(one.found, reasonOf(error));
    }
  }

  /** In the order in which the tasks were given or found. */
  report(): BulkReport {
    const { updated, checked } = this.#request;
    const changes: TaskChange[] = [];
    const refused: LeftOut[] = [];
    for (const one of this.#found) {
      const result = this.#results.get(one);
      const { id, title } = one.task;
      if (typeof result === "string") refused.push({ reference: id, title, reason: result });
      else if (result !== undefined) changes.push(changeFrom(one.task, result));
    }
    const own = this.written.flatMap(({ adjustments }) => adjustments);
    return {
      total: this.#found.length + this.#leftOut.length,
      updated,
      adjustments: [...new Set([...checked.adjustments, ...own])],
      changes,
      leftOut: [...this.#leftOut, ...refused],
    };
  }
}

function changeFrom(before: Task, { task: after, changed, series, alsoChanged }: WrittenTask): TaskChange {
  return { before, after, changed, alsoChanged, ...(series && { series }) };
}

/** `p-` and eight hexadecimal digits of the tasks as they are, in any order, of the updates and of the day. */
function planName(found: readonly Reference[], { updates }: BulkRequest, today: LocalDate): string {
  const tasks = found.map(({ task }) => [task.id, task.revision]).sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  const made = JSON.stringify([today, tasks, updates]);
  return `p-${contentRevision(Buffer.from(made)).slice(0, PLAN_DIGITS)}`;
}

/** Whether changing some may change other notes too, which are then written in their order. */
function concernsOtherNotes(found: readonly Reference[], { checked }: BulkRequest): boolean {
  return checked.clean.values.blockedBy !== undefined || found.some(({ task }) => task.occurrence !== undefined);
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

/** The next instance of a series that a day moved by hand would reach or pass. */
function passedInstance({ before, after }: TaskChange, today: LocalDate): LocalDate | undefined {
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
  if (count > MAX_TASKS)
    throw new VaultError(
      "INVALID_ARGUMENT",
      `These are ${count} tasks; at most ${MAX_TASKS} are changed in one call.`,
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
