/** Changes tasks, one or many, and says what finishing one means for others. */
import type { LocalDate } from "../../clock.js";
import type { Vault } from "../../vault/vault.js";
import type { Consequences, TaskUpdates, UpdatedTask, UpdateOptions } from "../api.js";
import { type CheckedUpdates, cleanUpdates } from "../arguments.js";
import type { BulkOptions, BulkOutcome } from "../bulk/bulk.js";
import { BulkUpdates } from "../bulk/bulk-update.js";
import type { Selecting } from "../bulk/selected-tasks.js";
import type { Task } from "../task.js";
import type { TaskFinder } from "../task-finder.js";
import type { TaskLook } from "../task-look.js";
import type { TaskLooks } from "../task-looks.js";
import { consequencesOf } from "./consequences.js";
import { NoteWriter } from "./note-writer.js";

export class TaskWriter {
  readonly #vault: Vault;
  readonly #looks: TaskLooks;
  readonly #finder: TaskFinder;
  readonly #notes: NoteWriter;

  constructor(vault: Vault, looks: TaskLooks, finder: TaskFinder) {
    this.#vault = vault;
    this.#looks = looks;
    this.#finder = finder;
    this.#notes = new NoteWriter(vault, looks);
  }

  async update(reference: string, updates: TaskUpdates, options: UpdateOptions): Promise<UpdatedTask> {
    const today = this.#vault.clock.today();
    const checked = cleanUpdates(updates, { today });
    const look = await this.#looks.among([reference, ...namedBy(checked)]);
    const found = await this.#looks.find(reference, look);
    const written = await this.#notes.write(found, checked, look, options);
    const isFinished = checked.clean.values.status === "Done" && written.changed;
    return {
      ...written,
      updated: checked.updated,
      ...(await this.waits(written.task)),
      ...(isFinished && { consequences: await this.#consequences(found.task, look, today) }),
    };
  }

  async updateMany(tasks: readonly string[], updates: TaskUpdates, options: BulkOptions): Promise<BulkOutcome> {
    const selecting: Selecting = {
      search: (query, options) => this.#finder.find(query, options),
      since: (fingerprint, now) => this.#finder.since(fingerprint, now),
      finder: (look) => this.#looks.finder(look),
    };
    const bulk = new BulkUpdates(this.#vault, selecting, {
      look: (references, checked, options) => this.#looks.among([...references, ...namedBy(checked)], options),
      preview: (found, checked, look) => this.#notes.preview(found, checked, look),
      write: (found, checked, look, options) => this.#notes.writeAll(found, checked, look, options),
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

  async #consequences(known: Task, look: TaskLook, today: LocalDate): Promise<Consequences> {
    const before = look.relations(today);
    const concerned = before.waitingFor(known).length > 0;
    const now = concerned ? await this.#looks.among([known.id]) : undefined;
    return consequencesOf(known, before, now?.relations(today) ?? before, now?.tasks ?? []);
  }
}

/** The tasks that updates name besides the one they are for. */
const namedBy = ({ clean }: CheckedUpdates): readonly string[] => clean.values.blockedBy ?? [];
