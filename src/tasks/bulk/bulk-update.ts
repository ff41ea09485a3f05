/** Changes many tasks in one call: at once where few are named, else by a plan that is shown first and carried out while it fits (spec: tasks-2, section 9). */
import type { RefreshOptions } from "../../catalog/catalog.js";
import type { LocalDate } from "../../clock.js";
import { isVaultError, VaultError } from "../../errors.js";
import type { Operation } from "../../history/journal.js";
import { operationReference } from "../../history/operation-reference.js";
import type { Vault } from "../../vault/vault.js";
import type { TaskQuery, TaskHits, TaskUpdates, UpdatedTask } from "../api.js";
import { type CheckedUpdates, cleanUpdates } from "../arguments.js";
import type { FoundSince } from "../found-tasks.js";
import { laterInstances } from "../projection.js";
import type { Reference } from "../references.js";
import { isSelection, parseSelection, selectionText } from "../selection.js";
import type { TaskLook } from "../task-index.js";
import type { Task } from "../task.js";
import type { BulkOptions, BulkOutcome, BulkPlan, BulkUpdate, LeftOut, TaskChange } from "./bulk.js";
import { planOf } from "./plan.js";

/** As many tasks as one call may change. */
const MOST_TASKS = 500;
/** So many tasks named by id are changed without a plan. */
const MOST_AT_ONCE = 20;
/** Of the tasks that came to a selection or went so many are named. */
const MOST_NAMED = 5;

/** What is needed of the use cases of single tasks. */
export interface SingleUpdates {
  look(references: readonly string[], updates: CheckedUpdates, options: RefreshOptions): Promise<TaskLook>;
  search(query: TaskQuery, options: RefreshOptions): Promise<TaskHits>;
  /** What came and what went since a search found what has this fingerprint; undefined where that is not known. */
  since(fingerprint: string, now: readonly Task[]): FoundSince | undefined;
  find(reference: string, look: TaskLook): Promise<Reference>;
  /** What writing would make of a task. */
  preview(found: Reference, updates: CheckedUpdates, look: TaskLook): Promise<WrittenTask>;
  write(found: Reference, updates: CheckedUpdates, look: TaskLook, options: WriteTaskOptions): Promise<WrittenTask>;
}

export type WrittenTask = Pick<UpdatedTask, "task" | "changed" | "series" | "undoable" | "durable" | "adjustments">;

export interface WriteTaskOptions {
  readonly operation?: Operation | undefined;
  readonly expectedRevision?: string | undefined;
}

interface Selected {
  readonly isSelection: boolean;
  readonly found: readonly Reference[];
  readonly leftOut: readonly LeftOut[];
}

export class BulkUpdates {
  readonly #vault: Vault;
  readonly #single: SingleUpdates;

  constructor(vault: Vault, single: SingleUpdates) {
    this.#vault = vault;
    this.#single = single;
  }

  /**
   * @param references of tasks, or one selection's text
   * @throws VaultError INVALID_ARGUMENT for updates that cannot be, no task or too many, CONFLICT when the selection finds other
   *   tasks by now or the plan does not fit any more
   */
  async update(references: readonly string[], updates: TaskUpdates, options: BulkOptions = {}): Promise<BulkOutcome> {
    const today = this.#vault.clock.today();
    const checked = cleanUpdates(updates, { today });
    const look = await this.#single.look(references, checked, options);
    const selected = await this.#select(references, look, options);
    assertCount(selected.found.length + selected.leftOut.length);
    const plan = planOf(selected.found, checked.clean, today);
    if (options.plan !== undefined) assertFits(options.plan, plan);
    else if (selected.isSelection || selected.found.length > MOST_AT_ONCE)
      return this.#plan(plan, selected, checked, look, today);
    return this.#carryOut(selected, checked, look, options);
  }

  async #select(references: readonly string[], look: TaskLook, options: RefreshOptions): Promise<Selected> {
    const [only = ""] = references;
    if (references.length === 1 && isSelection(only))
      return { isSelection: true, found: await this.#selected(only, options), leftOut: [] };
    const found = new Map<string, Reference>();
    const leftOut: LeftOut[] = [];
    for (const reference of references) {
      if (isSelection(reference)) throw selectionAmongIds();
      try {
        const meant = await this.#single.find(reference, look);
        if (!found.has(meant.task.id)) found.set(meant.task.id, meant);
      } catch (error) {
        leftOut.push({ reference, title: undefined, reason: reasonOf(error) });
      }
    }
    return { isSelection: false, found: [...found.values()], leftOut };
  }

  async #selected(text: string, options: RefreshOptions): Promise<readonly Reference[]> {
    const { filters, fingerprint } = parseSelection(text);
    const hits = await this.#single.search(filters, options);
    if (hits.fingerprint !== fingerprint)
      throw selectsOthers(hits, selectionText(filters, hits.fingerprint), this.#single.since(fingerprint, hits.tasks));
    return hits.tasks.map((task) => ({ task, kind: "id" }));
  }

  async #plan(
    plan: string,
    { found, leftOut }: Selected,
    checked: CheckedUpdates,
    look: TaskLook,
    today: LocalDate,
  ): Promise<BulkPlan> {
    const changes: TaskChange[] = [];
    const refused = [...leftOut];
    const adjustments = new Set(checked.adjustments);
    for (const one of found) {
      const { task: before } = one;
      try {
        const written = await this.#single.preview(one, checked, look);
        for (const adjustment of written.adjustments) adjustments.add(adjustment);
        changes.push({ ...changeOf(before, written), passes: passedInstance(before, written.task, today) });
      } catch (error) {
        refused.push({ reference: before.id, title: before.title, reason: reasonOf(error) });
      }
    }
    const total = found.length + leftOut.length;
    const { updated } = checked;
    return { kind: "plan", plan, total, updated, adjustments: [...adjustments], changes, leftOut: refused };
  }

  /** Where one cannot be changed the others are all the same. */
  async #carryOut(
    { found, leftOut }: Selected,
    checked: CheckedUpdates,
    look: TaskLook,
    { plan, signal, onProgress }: BulkOptions,
  ): Promise<BulkUpdate> {
    const reason = `update ${found.length} tasks: ${checked.updated.join(", ")}`;
    const files = [...new Set(found.map(({ task }) => task.path))];
    const operation = await this.#vault.begin({ reason, files });
    const written = new Map<Reference, WrittenTask>();
    const refused = new Map<Reference, LeftOut>();
    try {
      for (const one of inWritingOrder(found)) {
        const { task } = one;
        try {
          signal?.throwIfAborted();
          const expectedRevision = plan === undefined ? undefined : task.revision;
          written.set(one, await this.#single.write(one, checked, look, { operation, expectedRevision }));
        } catch (error) {
          refused.set(one, { reference: task.id, title: task.title, reason: reasonOf(error) });
        }
        onProgress?.({ done: written.size + refused.size, total: found.length });
      }
    } finally {
      await operation.done();
    }
    const all = [...written.values()];
    const changed = all.filter((one) => one.changed);
    return {
      kind: "done",
      operation: changed.length === 0 ? undefined : operationReference(operation.id),
      total: found.length + leftOut.length,
      updated: checked.updated,
      adjustments: [...new Set([...checked.adjustments, ...all.flatMap(({ adjustments }) => adjustments)])],
      changes: found.flatMap((one) => {
        const outcome = written.get(one);
        return outcome === undefined ? [] : [changeOf(one.task, outcome)];
      }),
      leftOut: [...leftOut, ...found.flatMap((one) => refused.get(one) ?? [])],
      undoable: changed.length > 0 && changed.every(({ undoable }) => undoable),
      durable: all.every(({ durable }) => durable),
    };
  }
}

function changeOf(before: Task, { task: after, changed, series }: WrittenTask): TaskChange {
  return { before, after, changed, ...(series && { series }) };
}

/** Of one note the task that is the note itself, then its lines from the last to the first: none moves another that is yet to come. */
function inWritingOrder(found: readonly Reference[]): readonly Reference[] {
  const notes = [...new Set(found.map(({ task }) => task.path))];
  const placeOf = new Map(notes.map((path, place) => [path, place]));
  const place = ({ task }: Reference): number => placeOf.get(task.path) ?? 0;
  const lineOf = ({ task }: Reference): number => task.line ?? Number.MAX_SAFE_INTEGER;
  return found.toSorted((a, b) => place(a) - place(b) || lineOf(b) - lineOf(a));
}

/** The next instance of a series that a day moved by hand would reach or pass. */
function passedInstance(before: Task, after: Task, today: LocalDate): LocalDate | undefined {
  const day = after.scheduled ?? after.due;
  const was = before.scheduled ?? before.due;
  if (before.series === undefined || after.status !== before.status || day === undefined || day === was)
    return undefined;
  return laterInstances(before, today, day).find((instance) => was === undefined || instance > was);
}

/** What is no refusal must not be taken for one. @returns a refusal in words, with what to do about it */
function reasonOf(error: unknown): string {
  if (isVaultError(error)) return inSentences(error);
  if (error instanceof Error && error.name === "AbortError") return "The call was stopped before its turn.";
  throw error;
}

/** Some messages are the documents' and end without a full stop. */
function inSentences({ message, hint }: VaultError): string {
  if (hint === undefined) return message;
  return `${message}${/[.!?]$/.test(message) ? "" : "."} ${hint}`;
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

function selectsOthers({ total }: TaskHits, now: string, since: FoundSince | undefined): VaultError {
  const changes = since ? ` ${named("New", since.came)}${named("Gone", since.went)}`.trimEnd() : "";
  return new VaultError("CONFLICT", `The selection finds other tasks by now: ${total} of them.${changes}`, {
    hint: `Look at them with search_tasks; they are selected by ${now}. Nothing was changed.`,
  });
}

/** `New: Call Anna, Paint and 3 more. ` */
function named(what: string, titles: readonly string[]): string {
  if (titles.length === 0) return "";
  const rest = titles.length > MOST_NAMED ? ` and ${titles.length - MOST_NAMED} more` : "";
  return `${what}: ${titles.slice(0, MOST_NAMED).join(", ")}${rest}. `;
}

function selectionAmongIds(): VaultError {
  return new VaultError("INVALID_ARGUMENT", "A selection stands beside other tasks.", {
    hint: "Give one selection alone, or ids.",
  });
}
