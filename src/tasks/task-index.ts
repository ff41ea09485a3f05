/** The vault's tasks in the index, and the task meant by a reference. */
import { isVaultError } from "../errors.js";
import type { AskOptions, ProgressOptions } from "../index/refresh.js";
import type { VaultPath } from "../storage/path.js";
import type { Vault } from "../vault/vault.js";
import { fold } from "../text/fold.js";
import { onOneLine } from "./fields/property-values.js";
import type { ReferenceForm, TaskFormat } from "./format.js";
import { plainNotes } from "./query/not-counted.js";
import { isSelectionOfLines } from "./query/selection.js";
import { findTask, onlyCheckbox, type Reference, unknownReferences } from "./task-references.js";
import { isOutstanding } from "./recurrence/series.js";
import type { Task, TaskSource } from "./task.js";
import { projectNote } from "./known-names.js";
import type { TaskScope } from "./rows/task-subject.js";
import { TaskRows } from "./rows/task-rows.js";

/** Finds a file by alias, URI or absolute path; throws or returns undefined without one. */
export type FindFile = (reference: string, options?: AskOptions) => Promise<VaultPath | undefined>;

/** Notes with plain checkboxes that are searched for a title. */
const MAX_NOTES = 50;
/** Unknown references for which plain checkboxes are searched. */
const MAX_EXPLAINED = 20;

const rowsFor = (scope: TaskScope, notes?: readonly VaultPath[]) => ({
  rows: ["tasks"],
  later: scope === "plain" && (notes ?? true),
});

export class TaskIndex {
  readonly formats: readonly TaskFormat[];
  readonly #vault: Vault;
  readonly #elsewhere: FindFile | undefined;

  constructor(vault: Vault, formats: readonly TaskFormat[], findFile: FindFile | undefined) {
    this.#vault = vault;
    this.#elsewhere = findFile;
    this.formats = formats;
  }

  /**
   * For work that continues after it.
   * @param plainIn the notes whose plain checkboxes are needed; default: all
   */
  async refresh(
    options: ProgressOptions = {},
    scope: TaskScope = "tasks",
    plainIn?: readonly VaultPath[],
  ): Promise<TaskRows> {
    const view = await this.#vault.index.refresh({ ...options, ...rowsFor(scope, plainIn) });
    return new TaskRows(view, this.#vault.clock, scope);
  }

  /** Answers in one state of the index; again when the database proves damaged. */
  async ask<Answer>(
    options: ProgressOptions,
    scope: TaskScope,
    work: (rows: TaskRows) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    return await this.#vault.index.ask({ ...options, ...rowsFor(scope) }, (view) =>
      work(new TaskRows(view, this.#vault.clock, scope)),
    );
  }

  /** In the state of the last answer, if any: checks no file. */
  async askLatest<Answer>(
    options: ProgressOptions,
    work: (rows: TaskRows) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const { latest } = this.#vault.index;
    return latest?.holds("tasks")
      ? await work(new TaskRows(latest, this.#vault.clock))
      : await this.ask(options, "tasks", work);
  }

  /** To resolve references in, ids of excluded lines included. */
  async refreshFor(references: readonly string[], options: ProgressOptions = {}): Promise<TaskRows> {
    const isLine = references.some((reference) => isSelectionOfLines(reference) || this.#namesLine(reference));
    const rows = await this.refresh(options, isLine ? "lines" : "tasks");
    const unknown = references.filter(
      (reference) => this.#namesLine(reference) && findTask(reference, rows, this.formats) === undefined,
    );
    const notes = unknown.flatMap((reference) => this.#notesOf(reference, rows));
    return notes.length > 0 ? await this.refresh(options, "plain", notes) : rows;
  }

  /** @throws VaultError when the reference means no task, or several */
  async find(reference: string, rows: TaskRows): Promise<Reference> {
    return await this.#find(reference, rows, unknownReferences(rows, this.#vault)).catch((error: unknown) =>
      this.#refuse(error, reference, rows),
    );
  }

  async #refuse(error: unknown, reference: string, rows: TaskRows): Promise<never> {
    const box = isVaultError(error, "FILE_NOT_FOUND") ? await this.#checkboxNamed(reference, rows) : undefined;
    throw box === undefined ? error : onlyCheckbox(reference, box.task);
  }

  /** An open plain checkbox. */
  async #checkboxNamed(reference: string, rows: TaskRows): Promise<Reference | undefined> {
    const notes = plainNotes(rows.view, fold(onOneLine(reference)), MAX_NOTES);
    if (notes.length === 0) return undefined;
    const plain = await this.refresh({}, "plain", notes);
    const isThere = (task: Task): boolean => notes.includes(task.path) && isOutstanding(task);
    return findTask(reference, { with: (lookup) => plain.with(lookup, { plain: true }).filter(isThere) });
  }

  /** As `find`; also finds a project's note. */
  async findToUpdate(reference: string, rows: TaskRows): Promise<Reference> {
    try {
      return await this.find(reference, rows);
    } catch (error) {
      if (!isVaultError(error, "FILE_NOT_FOUND")) throw error;
      const path = await projectNote(this.#vault, reference);
      if (path === undefined) throw error;
      const { text, stat } = await this.#vault.read(path);
      // An empty file is not a project's note.
      if (text.trim() === "") throw error;
      const find = this.formatOf("note").finder(text, stat, rows.context);
      const task = find({ id: path, path, source: "note", isProject: true });
      if (!task) throw error;
      return { task, kind: "path", stat };
    }
  }

  /** As `find`, for bulk calls: suggests only plain checkboxes, for the first unknown references. */
  finder(rows: TaskRows): (reference: string) => Promise<Reference> {
    const explain = unknownReferences(rows, this.#vault, { suggests: false });
    let unknown = 0;
    return async (reference) =>
      await this.#find(reference, rows, explain).catch((error: unknown) => {
        if (unknown++ >= MAX_EXPLAINED) throw error;
        return this.#refuse(error, reference, rows);
      });
  }

  async #find(reference: string, rows: TaskRows, explain: ReturnType<typeof unknownReferences>): Promise<Reference> {
    return (
      findTask(reference, rows, this.formats) ??
      (await this.#findElsewhere(reference, rows)) ??
      (await explain(reference))
    );
  }

  async #findElsewhere(reference: string, rows: TaskRows): Promise<Reference | undefined> {
    const path = await this.fileMeant(reference, rows);
    return path === undefined ? undefined : findTask(path, rows);
  }

  /** A file by alias, path or link; undefined for none or several. */
  async fileMeant(reference: string, rows: TaskRows): Promise<VaultPath | undefined> {
    try {
      return await this.#elsewhere?.(reference, { asOf: rows.view.generation, suggests: false });
    } catch (error) {
      if (isVaultError(error)) return undefined;
      throw error;
    }
  }

  formatOf(source: TaskSource): TaskFormat {
    const format = this.formats.find((format) => format.source === source);
    if (!format) throw new Error(`No format keeps tasks as ${source}.`);
    return format;
  }

  #namesLine(reference: string): boolean {
    return this.#lineWays(reference).length > 0;
  }

  #lineWays(reference: string): readonly ReferenceForm[] {
    return this.formats.flatMap((format) => format.referenceForms?.(reference.trim()) ?? []);
  }

  #notesOf(reference: string, { view }: TaskRows): readonly VaultPath[] {
    const names = this.#lineWays(reference).flatMap(({ lookup }) =>
      lookup.by === "block" ? lookup.note : "path" in lookup ? lookup.path : [],
    );
    return names.flatMap((name) => view.filesNamed(name).map(({ path }) => path));
  }
}
