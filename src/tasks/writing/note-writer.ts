/** Writes changes of tasks into their notes: those of one note as one edit, each with what has to go with it as one operation. */
import { isVaultError, type VaultError } from "../../errors.js";
import type { Operation } from "../../history/journal.js";
import type { Vault } from "../../vault/vault.js";
import type { UpdateOptions, UpdatedTask } from "../api.js";
import type { CheckedUpdates, CleanUpdates } from "../arguments.js";
import { dropsMarker } from "../note-format/update.js";
import type { Reference } from "../references.js";
import type { Task } from "../task.js";
import type { TaskLook } from "../task-look.js";
import type { TaskLooks } from "../task-looks.js";
import { signLines } from "./line-signs.js";
import { type AskedChange, type EditResult, NoteEdit } from "./note-edit.js";
import { settleChange, type SettledChange } from "./settled-change.js";

const MARKER_KEPT = 'the tag "task" was kept: it makes the note a task';

/** A task as it was written. */
export type WrittenTask = Pick<UpdatedTask, "task" | "changed" | "series" | "undoable" | "durable" | "adjustments">;

export interface WriteTaskOptions extends UpdateOptions {
  readonly operation?: Operation | undefined;
}

export interface WriteTasksOptions {
  readonly operation?: Operation | undefined;
  /** Refuse tasks that are not as they are known. */
  readonly asKnown: boolean;
}

type Edited = Omit<WrittenTask, "adjustments">;
type StepOptions = Pick<WriteTaskOptions, "operation"> & { readonly reason: string };

export class NoteWriter {
  readonly #vault: Vault;
  readonly #looks: TaskLooks;

  constructor(vault: Vault, looks: TaskLooks) {
    this.#vault = vault;
    this.#looks = looks;
  }

  /** What writing would make of tasks of one note; nothing is written. */
  async preview(
    found: readonly Reference[],
    checked: CheckedUpdates,
    look: TaskLook,
  ): Promise<readonly (WrittenTask | VaultError)[]> {
    const { settled, refused } = await this.#settleAll(found, checked, look, { asKnown: false });
    const results = await this.#tried(settled, look);
    return found.map((one) => refused.get(one) ?? resultOf(one, settled, results, look));
  }

  /**
   * Writes updates to tasks of one note, each as it would be written by itself; those that cannot be are refused and the others stand.
   * @throws VaultError where the note cannot be changed at all
   */
  async writeAll(
    found: readonly Reference[],
    checked: CheckedUpdates,
    look: TaskLook,
    options: WriteTasksOptions,
  ): Promise<readonly (WrittenTask | VaultError)[]> {
    const { settled, refused } = await this.#settleAll(found, checked, look, options);
    if (settled.some(({ unsigned, series }) => unsigned.length > 0 || series !== undefined))
      return await this.#oneByOne(found, checked, look, options);
    const edited = await this.#edit(settled, look, { operation: options.operation, reason: reasonFor(checked) });
    return found.map((one) => refused.get(one) ?? resultOf(one, settled, edited, look));
  }

  /**
   * Writes updates to one task, and before it what has to go with them: a note that speaks for an instance tells its series, a line
   * that is waited for gets a sign. All of it is one operation, or none of it is done.
   * @throws VaultError
   */
  async write(
    found: Reference,
    checked: CheckedUpdates,
    look: TaskLook,
    { operation, expectedRevision }: WriteTaskOptions,
  ): Promise<WrittenTask> {
    const settled = await settleChange(this.#vault, this.#looks, look, found, checked, expectedRevision);
    const { clean, unsigned, series } = settled;
    const others = [...unsigned.map(({ task }) => task), ...(series ? [series] : [])];
    // What would be refused is, before anything else is changed for it.
    if (others.length > 0) accepted(await this.#tried([settled], look));
    const step: StepOptions = { operation, reason: reasonFor(checked) };
    const edited = await this.#together([found.task, ...others], step, async (step) => {
      const signs = await signLines(this.#vault, this.#looks, look, unsigned, step);
      const blockedBy = clean.values.blockedBy?.map((sign) => signs.get(sign) ?? sign);
      if (series) await this.#tellSeries(series, settled, look, step);
      const values = { ...clean.values, ...(blockedBy && { blockedBy }) };
      return accepted(await this.#edit([{ ...settled, clean: { ...clean, values } }], look, step));
    });
    return { ...edited, adjustments: adjustmentsOf(settled, edited.task, look) };
  }

  /** Of one note the task that is the note itself, then its lines from the last to the first: none moves another that is yet to come. */
  async #oneByOne(
    found: readonly Reference[],
    checked: CheckedUpdates,
    look: TaskLook,
    { operation, asKnown }: WriteTasksOptions,
  ): Promise<readonly (WrittenTask | VaultError)[]> {
    const lineOf = ({ task }: Reference): number => task.line ?? Number.MAX_SAFE_INTEGER;
    const outcomes = new Map<Reference, WrittenTask | VaultError>();
    for (const one of found.toSorted((a, b) => lineOf(b) - lineOf(a))) {
      const expectedRevision = asKnown ? one.task.revision : undefined;
      const outcome = this.write(one, checked, look, { operation, expectedRevision });
      outcomes.set(one, await orRefusal(outcome));
    }
    return found.flatMap((one) => outcomes.get(one) ?? []);
  }

  async #settleAll(
    found: readonly Reference[],
    checked: CheckedUpdates,
    look: TaskLook,
    { asKnown }: WriteTasksOptions,
  ): Promise<{ readonly settled: readonly SettledChange[]; readonly refused: ReadonlyMap<Reference, VaultError> }> {
    const settled: SettledChange[] = [];
    const refused = new Map<Reference, VaultError>();
    for (const one of found) {
      const outcome = await orRefusal(
        settleChange(this.#vault, this.#looks, look, one, checked, asKnown ? one.task.revision : undefined),
      );
      if (isVaultError(outcome)) refused.set(one, outcome);
      else settled.push(outcome);
    }
    return { settled, refused };
  }

  /** A note that speaks for a day of a series: the series is told what became of it. */
  async #tellSeries(task: Task, { found, clean }: SettledChange, look: TaskLook, step: StepOptions): Promise<void> {
    const instance: CleanUpdates = {
      values: { status: clean.values.status ?? "Done" },
      occurrence: { skip: false, day: found.task.occurrence?.day },
    };
    accepted(await this.#edit([{ found: { task, kind: "path" }, clean: instance }], look, step));
  }

  /** Several edits as one operation, the caller's or one of its own; a single one needs none. */
  async #together<Result>(
    tasks: readonly Task[],
    step: StepOptions,
    work: (step: StepOptions) => Promise<Result>,
  ): Promise<Result> {
    if (step.operation || tasks.length === 1) return await work(step);
    const files = [...new Set(tasks.map(({ path }) => path))];
    const operation: Operation = await this.#vault.begin({ reason: step.reason, files });
    try {
      const result = await work({ ...step, operation });
      await operation.done();
      return result;
    } catch (error) {
      await operation.takeBack();
      throw error;
    }
  }

  /** What changes of one note would come to. */
  async #tried(asked: readonly AskedChange[], look: TaskLook): Promise<readonly (Edited | VaultError)[]> {
    const [first] = asked;
    if (first === undefined) return [];
    const edit = new NoteEdit(this.#vault, this.#looks, look, asked);
    await edit.change((await this.#vault.read(first.found.task.path)).text);
    return edit.results().map((one) => written(one, { undoable: false, durable: true }));
  }

  /** Changes of one note as one edit, checked against what stands there when it is made. */
  async #edit(
    asked: readonly AskedChange[],
    look: TaskLook,
    { operation, reason }: StepOptions,
  ): Promise<readonly (Edited | VaultError)[]> {
    const [first] = asked;
    if (first === undefined) return [];
    const edit = new NoteEdit(this.#vault, this.#looks, look, asked);
    const change = (text: string): Promise<string> => edit.change(text);
    const { undoable, file } = await this.#vault.edit(first.found.task.path, change, reason, { operation });
    const { durable = true } = file ?? {};
    return edit.results(file?.stat).map((one) => written(one, { undoable, durable }));
  }
}

const reasonFor = ({ updated }: CheckedUpdates): string => `update task: ${updated.join(", ")}`;

function written(
  result: EditResult | VaultError,
  { undoable, durable }: Pick<Edited, "undoable" | "durable">,
): Edited | VaultError {
  return isVaultError(result) ? result : { ...result, undoable: undoable && result.changed, durable };
}

/** The outcome of the only one. */
function accepted([outcome]: readonly (Edited | VaultError)[]): Edited {
  if (outcome === undefined || isVaultError(outcome)) throw outcome ?? new Error("Nothing was asked for.");
  return outcome;
}

async function orRefusal<Outcome>(outcome: Promise<Outcome>): Promise<Outcome | VaultError> {
  try {
    return await outcome;
  } catch (error) {
    if (isVaultError(error)) return error;
    throw error;
  }
}

function resultOf(
  one: Reference,
  settled: readonly SettledChange[],
  edited: readonly (Edited | VaultError)[],
  look: TaskLook,
): WrittenTask | VaultError {
  const place = settled.findIndex(({ found }) => found === one);
  const outcome = edited[place];
  const of = settled[place];
  if (outcome === undefined || of === undefined) throw new Error("A task was neither written nor refused.");
  return isVaultError(outcome) ? outcome : { ...outcome, adjustments: adjustmentsOf(of, outcome.task, look) };
}

function adjustmentsOf({ clean, adjustments }: SettledChange, task: Task, { settings }: TaskLook): readonly string[] {
  const { tags } = clean.values;
  return tags !== undefined && dropsMarker(tags, task, settings) ? [...adjustments, MARKER_KEPT] : adjustments;
}
