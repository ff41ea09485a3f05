/** Creates snapshots of the vault's tasks from facts, and refreshes them when notes change. */
import type { RefreshOptions } from "../index/refresh.js";
import { isVaultError } from "../errors.js";
import type { VaultPath } from "../storage/path.js";
import type { Vault } from "../vault/vault.js";
import type { Surroundings, TaskFormat, NoteTasks } from "./format.js";
import { findTask, onlyCheckbox, type Reference } from "./references.js";
import { isSelectionOfLines } from "./query/selection.js";
import { projectAreaReader } from "./project-areas.js";
import { TaskSnapshot } from "./task-snapshot.js";
import { projectNote } from "./writing/known-names.js";
import type { TaskSource, Task, TaskProblem } from "./task.js";
import { UnknownReferences } from "./unknown-reference.js";
import { TimeSlice } from "../async/yield-to-loop.js";
import type { NoteRecord } from "../index/facts.js";
import type { IndexView } from "../index/view.js";
import type { VaultSettings } from "../obsidian/settings.js";
import type { Dialect } from "./fields/dialect.js";
import { dialectOfNotes, noteFormat } from "./note-format/format.js";

/** Finds a file by alias, URI or absolute path. Throws or returns undefined when it finds none. */
export type FindElsewhere = (reference: string) => Promise<VaultPath | undefined>;

interface PlainCount {
  readonly boxes: number;
  readonly notes: number;
}

/** `lines` adds lines that the settings exclude; `plain` adds checkboxes without a mark. */
export type TaskScope = "tasks" | "lines" | "plain";

export class TaskSnapshots {
  readonly formats: readonly TaskFormat[];
  readonly #index: SnapshotReader;
  readonly #vault: Vault;
  readonly #wideIndex: SnapshotReader;
  readonly #plainIndex: SnapshotReader;
  readonly #plainCounts = new WeakMap<TaskSnapshot, PlainCount>();

  readonly #elsewhere: FindElsewhere | undefined;

  constructor(vault: Vault, formats: readonly TaskFormat[], elsewhere: FindElsewhere | undefined) {
    this.#vault = vault;
    this.#elsewhere = elsewhere;
    this.formats = formats;
    this.#index = new SnapshotReader(vault, formats);
    this.#wideIndex = new SnapshotReader(vault, formats, { readsUnused: true });
    const plain = formats.map((format) => format.withPlain?.() ?? format);
    this.#plainIndex = new SnapshotReader(vault, plain, { readsUnused: true });
  }

  /** The snapshot to resolve references in: ids of excluded lines resolve too. */
  async among(references: readonly string[], options: RefreshOptions = {}): Promise<TaskSnapshot> {
    const isLine = references.some((reference) => isSelectionOfLines(reference) || this.#namesLine(reference));
    const snapshot = await this.refresh(options, isLine ? "lines" : "tasks");
    const isUnknown = (reference: string): boolean =>
      this.#namesLine(reference) && findTask(reference, snapshot, this.formats) === undefined;
    return isLine && references.some(isUnknown) ? await this.#plainIndex.refresh(options) : snapshot;
  }

  /** Open checkboxes that are not tasks; none where bodies are not read, or all checkboxes are tasks. */
  plainCount(snapshot: TaskSnapshot): PlainCount {
    const known = this.#plainCounts.get(snapshot);
    if (known !== undefined) return known;
    let [boxes, notes] = [0, 0];
    for (const format of this.formats) {
      if (format.countPlain === undefined || format.isUsed?.(snapshot.settings) === false) continue;
      for (const record of snapshot.view.records(format.readerFor(snapshot.settings))) {
        const { facts } = record;
        const count = facts === undefined ? 0 : (format.countPlain(facts, record.stat, snapshot.settings) ?? 0);
        boxes += count;
        if (count > 0) notes += 1;
      }
    }
    this.#plainCounts.set(snapshot, { boxes, notes });
    return { boxes, notes };
  }

  async refresh(options: RefreshOptions = {}, scope: TaskScope = "tasks"): Promise<TaskSnapshot> {
    if (scope === "plain") return await this.#plainIndex.refresh(options);
    const isWide = scope === "lines" && (await this.#index.leavesOut());
    return await (isWide ? this.#wideIndex : this.#index).refresh(options);
  }

  get latest(): TaskSnapshot | undefined {
    return this.#index.latest;
  }

  /** Marked lines that the settings exclude; undefined if none, or until lines were requested. */
  async unreadLines(options: RefreshOptions): Promise<number | undefined> {
    if (this.#wideIndex.latest === undefined || !(await this.#index.leavesOut())) return undefined;
    const { tasks } = await this.#wideIndex.refresh(options);
    return tasks.filter(({ source }) => source === "line").length;
  }

  /** @throws VaultError when the reference means no task, or several */
  async find(reference: string, snapshot: TaskSnapshot): Promise<Reference> {
    try {
      return await this.#find(reference, snapshot, new UnknownReferences(snapshot, this.#vault));
    } catch (error) {
      if (!isVaultError(error, "FILE_NOT_FOUND")) throw error;
      const box = findTask(reference, await this.#plainIndex.refresh(), this.formats);
      throw box === undefined ? error : onlyCheckbox(reference, box.task);
    }
  }

  /** As `find`; also finds the note of a project, which can be closed, archived and reopened. */
  async findToUpdate(reference: string, snapshot: TaskSnapshot): Promise<Reference> {
    try {
      return await this.find(reference, snapshot);
    } catch (error) {
      if (!isVaultError(error, "FILE_NOT_FOUND")) throw error;
      const path = await projectNote(this.#vault, reference);
      if (path === undefined) throw error;
      const { text, stat } = await this.#vault.read(path);
      // An empty file is not a project's note.
      if (text.trim() === "") throw error;
      const find = this.formatOf("note").finder(text, stat, this.surroundings(snapshot));
      const task = find({ id: path, path, source: "note", isProject: true });
      if (!task) throw error;
      return { task, kind: "path", stat };
    }
  }

  /** As `find`, for bulk calls: suggests no alternatives. */
  finder(snapshot: TaskSnapshot): (reference: string) => Promise<Reference> {
    const unknown = new UnknownReferences(snapshot, this.#vault, { suggests: false });
    return async (reference) => await this.#find(reference, snapshot, unknown);
  }

  async #find(reference: string, snapshot: TaskSnapshot, unknown: UnknownReferences): Promise<Reference> {
    return (
      findTask(reference, snapshot, this.formats) ??
      (await this.#findElsewhere(reference, snapshot)) ??
      (await unknown.explain(reference))
    );
  }

  async #findElsewhere(reference: string, snapshot: TaskSnapshot): Promise<Reference | undefined> {
    try {
      const path = await this.#elsewhere?.(reference);
      return path === undefined ? undefined : findTask(path, snapshot);
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

  surroundings({ para, settings }: TaskSnapshot): Surroundings {
    return { para, settings, clock: this.#vault.clock };
  }

  #namesLine(reference: string): boolean {
    return this.formats.some((format) => (format.ways?.(reference.trim()) ?? []).length > 0);
  }
}

interface Stretches {
  readonly surroundings: Surroundings;
  /** Valid for these surroundings, which may change while the derivation yields. */
  readonly derived: WeakMap<NoteRecord<unknown>, NoteTasks>;
  readonly slice: TimeSlice;
}

/** The dialect is recomputed once 1 in this many tasks has changed. */
const MIN_SHARE = 50;

export class SnapshotReader {
  readonly #vault: Vault;
  readonly #formats: readonly TaskFormat[];
  readonly #readsUnused: boolean;
  #snapshot: TaskSnapshot | undefined;
  #settings: VaultSettings | undefined;
  #making:
    | { readonly view: IndexView; readonly settings: VaultSettings; readonly snapshot: Promise<TaskSnapshot> }
    | undefined;
  #counted: { readonly dialect: Dialect; readonly tasks: number } | undefined;
  /** Since the dialect was computed. */
  #derivations = 0;
  #para = "";
  /** A note's record is the same object until the note changes. */
  #derived = new WeakMap<NoteRecord<unknown>, NoteTasks>();

  constructor(vault: Vault, formats: readonly TaskFormat[] = [noteFormat], { readsUnused = false } = {}) {
    this.#vault = vault;
    this.#formats = formats;
    this.#readsUnused = readsUnused;
  }

  get latest(): TaskSnapshot | undefined {
    return this.#snapshot;
  }

  async refresh(options: RefreshOptions = {}): Promise<TaskSnapshot> {
    const { settings, formats, view } = await this.#view(options);
    const known = this.#snapshot?.settings === settings ? this.#snapshot : undefined;
    if (known?.view.generation === view.generation) return known;
    if (this.#making?.view !== view || this.#making.settings !== settings)
      this.#making = { view, settings, snapshot: this.#make(known, view, settings, formats) };
    const making = this.#making;
    try {
      return await making.snapshot;
    } finally {
      if (this.#making === making) this.#making = undefined;
    }
  }

  async #make(
    known: TaskSnapshot | undefined,
    view: IndexView,
    settings: VaultSettings,
    formats: readonly TaskFormat[],
  ): Promise<TaskSnapshot> {
    const surroundings = await this.#surroundings(known, view, settings);
    const found = await this.#collect(view, formats, surroundings);
    const snapshot = new TaskSnapshot(view, surroundings, found, (of) => this.#dialectOf(of));
    // A newer snapshot may have been finished first.
    if (view.generation >= (this.#snapshot?.view.generation ?? 0)) this.#snapshot = snapshot;
    return snapshot;
  }

  async #view(options: RefreshOptions) {
    let settings = this.#settings ?? (await this.#vault.settings());
    for (;;) {
      const formats = this.#formatsIn(settings);
      const facts = [...formats.map((format) => format.readerFor(settings)), projectAreaReader];
      const view = await this.#vault.index.refresh({ ...options, facts });
      this.#settings = view.settings;
      if (view.settings === settings) return { settings, formats, view };
      settings = view.settings;
    }
  }

  async #surroundings(
    known: TaskSnapshot | undefined,
    view: IndexView,
    settings: VaultSettings,
  ): Promise<Surroundings> {
    // PARA folders change only when files appear, disappear or move.
    const para = known?.view.arrangement === view.arrangement ? known.para : await this.#vault.para();
    const folders = JSON.stringify(para);
    if (known === undefined || this.#para !== folders) this.#derived = new WeakMap();
    this.#para = folders;
    return { para, settings, clock: this.#vault.clock };
  }

  async leavesOut(): Promise<boolean> {
    return this.#formatsIn(await this.#vault.settings()).length < this.#formats.length;
  }

  #formatsIn(settings: VaultSettings): readonly TaskFormat[] {
    return this.#formats.filter((format) => this.#readsUnused || format.isUsed?.(settings) !== false);
  }

  async #collect(view: IndexView, formats: readonly TaskFormat[], surroundings: Surroundings): Promise<NoteTasks> {
    const tasks: Task[] = [];
    const problems: TaskProblem[] = [];
    const [derived, slice] = [this.#derived, new TimeSlice()];
    for (const format of formats)
      for (const record of view.records(format.readerFor(surroundings.settings))) {
        const found = derived.get(record) ?? (await this.#derive(format, record, { surroundings, derived, slice }));
        for (const task of found.tasks) tasks.push(task);
        for (const problem of found.problems) problems.push(problem);
        if (slice.isOver) await slice.yield();
      }
    return { tasks, problems };
  }

  #dialectOf({ view, settings, tasks }: TaskSnapshot): Dialect {
    const last = this.#counted;
    const drift = last === undefined ? Infinity : this.#derivations + Math.abs(tasks.length - last.tasks);
    if (last !== undefined && drift * MIN_SHARE < tasks.length) return last.dialect;
    const dialect = dialectOfNotes(view, settings);
    this.#counted = { dialect, tasks: tasks.length };
    this.#derivations = 0;
    return dialect;
  }

  async #derive(
    format: TaskFormat,
    record: NoteRecord<unknown>,
    { surroundings, derived, slice }: Stretches,
  ): Promise<NoteTasks> {
    this.#derivations++;
    const derivation = format.derive(record.facts, record.stat, surroundings);
    const found = "tasks" in derivation ? derivation : await inTurns(derivation, slice);
    derived.set(record, found);
    return found;
  }
}

async function inTurns(derivation: Generator<void, NoteTasks>, slice: TimeSlice): Promise<NoteTasks> {
  for (;;) {
    const step = derivation.next();
    if (step.done === true) return step.value;
    if (slice.isOver) await slice.yield();
  }
}
