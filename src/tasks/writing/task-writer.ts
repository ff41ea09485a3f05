/** Changes tasks, one or many: settles what is to be written, makes each change, and what has to go with it as one operation. */
import type { LocalDate } from "../../clock.js";
import type { Operation } from "../../history/journal.js";
import type { Vault } from "../../vault/vault.js";
import type { Consequences, TaskUpdates, UpdatedTask, UpdateOptions } from "../api.js";
import { type CheckedUpdates, type CleanUpdates, cleanUpdates } from "../arguments.js";
import type { BulkOptions, BulkOutcome } from "../bulk/bulk.js";
import { BulkUpdates, type WriteTaskOptions, type WrittenTask } from "../bulk/bulk-update.js";
import { dropsMarker } from "../note-format/update.js";
import type { Reference } from "../references.js";
import type { Task } from "../task.js";
import type { TaskFinder } from "../task-finder.js";
import type { TaskLook } from "../task-index.js";
import type { TaskLooks } from "../task-looks.js";
import { type SignFor, writtenBlockers } from "./blockers.js";
import { consequencesOf } from "./consequences.js";
import { spelledAsKnown } from "./known-names.js";
import { signLines } from "./line-signs.js";
import { taskEdit } from "./task-edit.js";

const MARKER_KEPT = 'the tag "task" was kept: it makes the note a task';

/** Updates as they are written to one task. */
interface Settled {
  readonly clean: CleanUpdates;
  readonly adjustments: readonly string[];
  readonly unsigned: readonly SignFor[];
}

type Edited = Omit<WrittenTask, "adjustments">;
type StepOptions = WriteTaskOptions & { readonly reason: string };

export class TaskWriter {
  readonly #vault: Vault;
  readonly #looks: TaskLooks;
  readonly #finder: TaskFinder;

  constructor(vault: Vault, looks: TaskLooks, finder: TaskFinder) {
    this.#vault = vault;
    this.#looks = looks;
    this.#finder = finder;
  }

  async update(reference: string, updates: TaskUpdates, options: UpdateOptions): Promise<UpdatedTask> {
    const today = this.#vault.clock.today();
    const checked = cleanUpdates(updates, { today });
    const look = await this.#looks.among([reference, ...namedBy(checked)]);
    const found = await this.#looks.find(reference, look);
    const written = await this.#write(found, checked, look, options);
    const isFinished = checked.clean.values.status === "Done" && written.changed;
    return {
      ...written,
      updated: checked.updated,
      ...(await this.waits(written.task)),
      ...(isFinished && { consequences: await this.#consequences(found.task, look, today) }),
    };
  }

  async updateMany(tasks: readonly string[], updates: TaskUpdates, options: BulkOptions): Promise<BulkOutcome> {
    const bulk = new BulkUpdates(this.#vault, {
      look: (references, checked, options) => this.#looks.among([...references, ...namedBy(checked)], options),
      search: (query, options) => this.#finder.find(query, options),
      since: (fingerprint, now) => this.#finder.since(fingerprint, now),
      find: (reference, look) => this.#looks.find(reference, look),
      preview: (found, checked, look) => this.#preview(found, checked, look),
      write: (found, checked, look, options) => this.#write(found, checked, look, options),
    });
    return await bulk.update(tasks, updates, options);
  }

  /** The open tasks that one waits for, by title; nothing for a task that names none. */
  async waits(task: Task): Promise<{ readonly waitsFor?: readonly string[] }> {
    if (task.blockedBy.length === 0) return {};
    const look = await this.#looks.among([task.id]);
    const relations = look.relations(this.#vault.clock.today());
    return { waitsFor: relations.openBlockersOf(task).map(({ name }) => name) };
  }

  /** @throws VaultError INVALID_ARGUMENT when the updates cannot be written to this task */
  async #settled({ task }: Reference, { clean, adjustments }: CheckedUpdates, look: TaskLook): Promise<Settled> {
    const spelled = await spelledAsKnown(this.#vault, () => this.#vault.paraLook(), clean.values);
    const values = { ...spelled.values };
    const { blockedBy } = values;
    const blockers = blockedBy && (await this.#blockers(task, blockedBy, look));
    if (blockers) values.blockedBy = blockers.references;
    return {
      clean: { ...clean, values },
      adjustments: [...adjustments, ...spelled.adjustments],
      unsigned: blockers?.unsigned ?? [],
    };
  }

  #blockers(task: Task, given: readonly string[], look: TaskLook) {
    return writtenBlockers(given, task.source, task, {
      find: async (reference) => (await this.#looks.find(reference, look)).task,
      relations: look.relations(this.#vault.clock.today()),
      tasks: look.tasks,
    });
  }

  /** What writing would make of a task. */
  async #preview(found: Reference, checked: CheckedUpdates, look: TaskLook): Promise<WrittenTask> {
    const { clean, adjustments } = await this.#settled(found, checked, look);
    return { ...(await this.#tried(found, clean, look, {})), adjustments };
  }

  async #tried(found: Reference, clean: CleanUpdates, look: TaskLook, options: UpdateOptions): Promise<Edited> {
    const { change, result, stat } = taskEdit(this.#vault, this.#looks, look, found, clean, options);
    const { text } = await this.#vault.read(found.task.path);
    const now = change(text);
    return { ...result(stat), changed: now !== text, undoable: false, durable: true };
  }

  /**
   * Writes updates to one task, and before it what has to go with them: a note that speaks for an instance tells its series, a line
   * that is waited for gets a sign. All of it is one operation, or none of it is done.
   */
  async #write(
    found: Reference,
    checked: CheckedUpdates,
    look: TaskLook,
    options: WriteTaskOptions,
  ): Promise<WrittenTask> {
    const { task: known } = found;
    const { clean, adjustments, unsigned } = await this.#settled(found, checked, look);
    const { values } = clean;
    const step: StepOptions = { ...options, reason: `update task: ${checked.updated.join(", ")}` };
    const series = this.#seriesToTell(known, clean, look);
    const others = [...unsigned.map(({ task }) => task), ...(series ? [series] : [])];
    // What would be refused is, before anything else is changed for it.
    if (others.length > 0) await this.#tried(found, clean, look, options);
    const edit = await this.#together([known, ...others], step, async (options) => {
      const signs = await signLines(this.#vault, this.#looks, look, unsigned, options);
      const blockedBy = values.blockedBy?.map((sign) => signs.get(sign) ?? sign);
      if (series) await this.#tellSeries(series, found, clean, look, options);
      return await this.#edit(
        found,
        { ...clean, values: { ...values, ...(blockedBy && { blockedBy }) } },
        look,
        options,
      );
    });
    const kept = values.tags !== undefined && dropsMarker(values.tags, edit.task, look.settings) ? [MARKER_KEPT] : [];
    return { ...edit, adjustments: [...adjustments, ...kept] };
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

  #seriesToTell(task: Task, { values }: CleanUpdates, look: TaskLook): Task | undefined {
    if (!task.occurrence || (values.status !== "Done" && values.status !== "To Do")) return undefined;
    const relations = look.relations(this.#vault.clock.today());
    return relations.resolve(task, task.occurrence.parent).find((parent) => parent !== task && parent.series);
  }

  /** A note that speaks for a day of a series: the series is told what became of it. */
  async #tellSeries(
    series: Task,
    { task }: Reference,
    { values }: CleanUpdates,
    look: TaskLook,
    { operation, reason }: StepOptions,
  ): Promise<void> {
    const instance: CleanUpdates = {
      values: { status: values.status ?? "Done" },
      occurrence: { skip: false, day: task.occurrence?.day },
    };
    await this.#edit({ task: series, kind: "path" }, instance, look, { operation, reason });
  }

  /** One edit of one task's text, checked against what stands there when it is made. */
  async #edit(found: Reference, clean: CleanUpdates, look: TaskLook, options: StepOptions): Promise<Edited> {
    const { change, result, stat } = taskEdit(this.#vault, this.#looks, look, found, clean, options);
    const { operation, reason } = options;
    const { changed, undoable, file } = await this.#vault.edit(found.task.path, change, reason, { operation });
    return { ...result(file?.stat ?? stat), changed, undoable, durable: file?.durable ?? true };
  }

  async #consequences(known: Task, look: TaskLook, today: LocalDate): Promise<Consequences> {
    const before = look.relations(today);
    const concerned = before.waitingFor(known).length > 0;
    const now = concerned ? await this.#looks.among([known.id]) : undefined;
    return consequencesOf(known, before, now?.relations(today) ?? before, now?.tasks ?? []);
  }
}

/** The tasks that updates name besides the one they are for. */
const namedBy = ({ clean }: CheckedUpdates): readonly string[] => clean.values.blockedBy ?? [];
