/** Changes many tasks, named one by one or by a selection: a few immediately, more after a plan (docs: tasks, "Many at once"). */
import { Semaphore } from "../../async/semaphore.js";
import { TimeSlice } from "../../async/yield-to-loop.js";
import type { LocalDate } from "../../clock.js";
import { isVaultError, VaultError } from "../../errors.js";
import { operationReference } from "../../history/journal-records.js";
import type { ProgressOptions } from "../../index/refresh.js";
import type { VaultPath } from "../../storage/path.js";
import type { Operation } from "../../history/journal-records.js";
import { asksForPlan, assertPlanFits, planName } from "../../vault/plan.js";
import type { Vault } from "../../vault/vault.js";
import type { SeriesOutcome, TaskUpdates, TaskHits } from "../api.js";
import { laterInstances } from "../recurrence/task-series.js";
import type { Reference } from "../references.js";
import { grouped, type Task } from "../task.js";
import type { TaskFinder, FoundSince } from "../query/finder.js";
import { settingsMark } from "../note-format/customs.js";
import type { TaskRows } from "../rows/task-rows.js";
import type { TaskIndex } from "../task-index.js";
import { reasonOf } from "../unknown-reference.js";
import { type BulkRequest, NOTHING, readBulkUpdates } from "./arguments.js";
import { type TaskRequest, type Outcome, referencesIn, type TaskUpdater, type WrittenTask } from "./update.js";
import { isSelection, parseSelection, selectionText } from "../query/selection.js";

const MAX_TASKS = 500;
/** More tasks named by id need a plan. */
const MAX_WITHOUT_PLAN = 20;
/** As many as Node can flush in parallel. */
const MAX_CONCURRENT_NOTES = 4;

export interface BulkOptions extends ProgressOptions {
  readonly plan?: string | undefined;
}

export interface TaskChange {
  readonly before: Task;
  readonly after: Task;
  readonly changed: boolean;
  readonly series?: SeriesOutcome | undefined;
  readonly alsoChanged: readonly VaultPath[];
  /** Later instance of the series that the new day would reach or pass. */
  readonly passes?: LocalDate | undefined;
}

interface BulkReport {
  readonly total: number;
  readonly updated: readonly string[];
  readonly adjustments: readonly string[];
  readonly changes: readonly TaskChange[];
  readonly leftOut: readonly SkippedTask[];
}

export interface BulkPlan extends BulkReport {
  readonly kind: "plan";
  /** `p-` and a hash of the tasks' state, the updates and the day. */
  readonly plan: string;
}

export interface BulkUpdate extends BulkReport {
  readonly kind: "done";
  /** `op-...`; undefined if nothing changed, or without a journal. */
  readonly operation: string | undefined;
  readonly undoable: boolean;
  readonly durable: boolean;
}

export type BulkOutcome = BulkPlan | BulkUpdate;

export class BulkUpdater {
  readonly #vault: Vault;
  readonly #index: TaskIndex;
  readonly #finder: TaskFinder;
  readonly #updater: TaskUpdater;
  readonly #convert: ConvertTask;

  constructor(vault: Vault, index: TaskIndex, finder: TaskFinder, updater: TaskUpdater, convert: ConvertTask) {
    this.#vault = vault;
    this.#index = index;
    this.#finder = finder;
    this.#updater = updater;
    this.#convert = convert;
  }

  /** @param references of tasks, or one selection @throws VaultError as `Tasks.updateMany` */
  async update(references: readonly string[], updates: TaskUpdates, options: BulkOptions): Promise<BulkOutcome> {
    if (updates.convert !== undefined) return await this.#convertAll(references, updates, options);
    const today = this.#vault.clock.today();
    const request = readBulkUpdates(updates, today);
    const rows = await this.#index.among([...references, ...referencesIn(request.checked)], options);
    const selected = await selectTasks(references, this.#finder, this.#index.finder(rows), options);
    assertCount(selected.found.length + selected.leftOut.length);
    const plan = planName(planBasis(selected.found, request, today, rows));
    const isPlanned = options.plan !== undefined && !asksForPlan(options.plan);
    if (isPlanned) assertPlanFits(options.plan, plan, "tasks, updates, the day or TaskNotes' settings");
    else if (options.plan !== undefined || selected.found.length > MAX_WITHOUT_PLAN)
      return { kind: "plan", plan, ...(await this.#plan(selected, request, rows, options)) };
    return await this.#carryOut(selected, request, rows, options);
  }

  /** One after the other, in one operation: a note that gets or loses lines is changed several times. */
  async #convertAll(
    references: readonly string[],
    updates: TaskUpdates,
    { plan, signal, onProgress }: BulkOptions,
  ): Promise<BulkUpdate> {
    const rows = await this.#index.among(references, { signal, onProgress });
    const selected = await selectTasks(references, this.#finder, this.#index.finder(rows), { signal });
    const { found } = selected;
    assertCount(found.length + selected.leftOut.length);
    if (plan !== undefined || found.length > MAX_WITHOUT_PLAN) throw withoutPlan(found.length);
    const updated = Object.keys(updates);
    const request: BulkRequest = { updates, updated, checked: NOTHING, forTask: () => NOTHING };
    const results = new Results(selected, request);
    const files = [...new Set(found.map(({ task }) => task.path))];
    const reason = `convert ${found.length} tasks to ${updates.convert}s`;
    const operation = await this.#vault.history.begin({ reason, asOne: true, files });
    for (const one of found)
      await results.gather([one], async () => {
        signal?.throwIfAborted();
        return [await this.#convert(one.task.id, updates, operation)];
      });
    const undoable = await operation.done();
    return {
      kind: "done",
      operation: results.written.length === 0 ? undefined : operationReference(operation.id),
      ...results.report(),
      undoable,
      durable: results.written.every(({ durable }) => durable),
    };
  }

  async #plan(selected: Selected, request: BulkRequest, rows: TaskRows, options: BulkOptions) {
    const today = this.#vault.clock.today();
    const { found } = selected;
    const results = new Results(selected, request);
    const slice = new TimeSlice(options.signal);
    for (const ofNote of byNote(found)) {
      await results.gather(ofNote, (changes) => this.#updater.preview(changes, rows));
      options.onProgress?.({ done: results.count, total: found.length });
      if (slice.isOver) await slice.yield();
    }
    const report = results.report();
    const withPassed = (change: TaskChange): TaskChange => ({ ...change, passes: passedInstance(change, today) });
    return { ...report, changes: report.changes.map(withPassed) };
  }

  /** A refused task does not stop the others. Each note is one edit. */
  async #carryOut(
    selected: Selected,
    request: BulkRequest,
    rows: TaskRows,
    { plan, signal, onProgress }: BulkOptions,
  ): Promise<BulkUpdate> {
    const { found } = selected;
    const reason = `update ${found.length} tasks: ${request.updated.join(", ")}`;
    const files = [...new Set(found.map(({ task }) => task.path))];
    // One task is changed whole, as update_task does: a card with its note.
    const operation = await this.#vault.history.begin({ reason, asOne: found.length === 1, files });
    const results = new Results(selected, request, { asKnown: plan !== undefined });
    const turns = new Semaphore(concernsOtherNotes(found, request) ? 1 : MAX_CONCURRENT_NOTES, Infinity);
    const all = Array.from(byNote(found), (ofNote) =>
      turns.run(async () => {
        await results.gather(ofNote, async (changes) => {
          signal?.throwIfAborted();
          return await this.#updater.writeNote(changes, rows, operation);
        });
        onProgress?.({ done: results.count, total: found.length });
      }),
    );
    // The operation ends after all edits, even if one fails.
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

/** Converts one task as a step of an operation. */
type ConvertTask = (reference: string, updates: TaskUpdates, operation: Operation) => Promise<WrittenTask>;

function withoutPlan(count: number): VaultError {
  return new VaultError(
    "INVALID_ARGUMENT",
    `convert has no plan, and changes at most ${MAX_WITHOUT_PLAN} tasks; these are ${count}.`,
    {
      hint: "Give fewer ids, without plan. undo_edit takes the whole call back.",
    },
  );
}

class Results {
  readonly #selected: Selected;
  readonly #request: BulkRequest;
  readonly #asKnown: boolean;
  readonly #results = new Map<Reference, WrittenTask | string>();

  /** @param options.asKnown refuse tasks with another revision */
  constructor(selected: Selected, request: BulkRequest, { asKnown = false } = {}) {
    this.#selected = selected;
    this.#request = request;
    this.#asKnown = asKnown;
  }

  get count(): number {
    return this.#results.size;
  }

  get written(): readonly WrittenTask[] {
    return [...this.#results.values()].filter((result) => typeof result !== "string");
  }

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

  report(): BulkReport {
    const { updated, checked } = this.#request;
    const { found, leftOut } = this.#selected;
    const changes: TaskChange[] = [];
    const refused: SkippedTask[] = [];
    for (const one of found) {
      const result = this.#results.get(one);
      const { id, title } = one.task;
      if (typeof result === "string") refused.push({ reference: id, title, reason: result });
      else if (result !== undefined) changes.push(changeFrom(one.task, result));
    }
    const { written } = this;
    const adjustments = written.length === 0 ? checked.adjustments : written.flatMap((one) => one.adjustments);
    return {
      total: found.length + leftOut.length,
      updated,
      adjustments: [...new Set(adjustments)],
      changes,
      leftOut: [...leftOut, ...refused],
    };
  }
}

function changeFrom(before: Task, { task: after, changed, series, alsoChanged }: WrittenTask): TaskChange {
  return { before, after, changed, alsoChanged, ...(series && { series }) };
}

function planBasis(
  found: readonly Reference[],
  { updates }: BulkRequest,
  today: LocalDate,
  { settings: { taskNotes } }: TaskRows,
): unknown {
  const tasks = found.map(({ task }) => [task.id, task.revision]).sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  return [today, tasks, updates, ...(taskNotes.enabled ? [settingsMark(taskNotes)] : [])];
}

/** Such changes must be written in order. */
function concernsOtherNotes(found: readonly Reference[], { checked }: BulkRequest): boolean {
  return checked.clean.values.blockedBy !== undefined || found.some(({ task }) => task.occurrence !== undefined);
}

const byNote = (found: readonly Reference[]): Iterable<readonly Reference[]> =>
  grouped(found, ({ task }) => task.path).values();

/** The next instance that a manually moved day would reach or pass. */
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

const MAX_NAMED = 5;

export interface Selected {
  readonly isSelection: boolean;
  readonly found: readonly Reference[];
  readonly leftOut: readonly SkippedTask[];
}

/**
 * @param references of tasks, or one selection
 * @throws VaultError CONFLICT when the selection finds other tasks now
 */
async function selectTasks(
  references: readonly string[],
  finder: TaskFinder,
  find: (reference: string) => Promise<Reference>,
  options: ProgressOptions,
): Promise<Selected> {
  const [only = ""] = references;
  if (references.length === 1 && isSelection(only))
    return { isSelection: true, found: await selected(only, finder, options), leftOut: [] };
  const found = new Map<string, Reference>();
  const leftOut: SkippedTask[] = [];
  const slice = new TimeSlice(options.signal);
  for (const reference of references) {
    if (isSelection(reference)) throw selectionAmongIds();
    try {
      const meant = await find(reference);
      if (!found.has(meant.task.id)) found.set(meant.task.id, meant);
    } catch (error) {
      leftOut.push({ reference, title: undefined, reason: reasonOf(error) });
    }
    options.onProgress?.({ done: found.size + leftOut.length, total: references.length });
    if (slice.isOver) await slice.yield();
  }
  return { isSelection: false, found: [...found.values()], leftOut };
}

async function selected(text: string, finder: TaskFinder, options: ProgressOptions): Promise<readonly Reference[]> {
  const { filters, fingerprint } = parseSelection(text);
  const hits = await finder.find(filters, options);
  if (hits.fingerprint !== fingerprint)
    throw selectsOthers(hits, selectionText(filters, hits.fingerprint), finder.since(fingerprint, hits.tasks));
  return hits.tasks.map((task) => ({ task, kind: "id" }));
}

function selectsOthers({ total }: TaskHits, now: string, since: FoundSince | undefined): VaultError {
  const changes = since ? ` ${named("New", since.came)}${named("Gone", since.went)}`.trimEnd() : "";
  return new VaultError("CONFLICT", `The selection finds other tasks by now: ${total} of them.${changes}`, {
    hint: `Look at them with search_tasks; they are selected by ${now}. Nothing was changed.`,
  });
}

function named(what: string, titles: readonly string[]): string {
  if (titles.length === 0) return "";
  const rest = titles.length > MAX_NAMED ? ` and ${titles.length - MAX_NAMED} more` : "";
  return `${what}: ${titles.slice(0, MAX_NAMED).join(", ")}${rest}. `;
}

function selectionAmongIds(): VaultError {
  return new VaultError("INVALID_ARGUMENT", "A selection is given together with other tasks.", {
    hint: "Give one selection alone, or ids.",
  });
}

export interface SkippedTask {
  /** The caller's reference if no task was found. */
  readonly reference: string;
  readonly title: string | undefined;
  readonly reason: string;
}
