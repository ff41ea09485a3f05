/** Where the task use cases look: at the tasks that the vault's settings make, and at lines besides where they are asked for by name. */
import type { RefreshOptions } from "../index/refresh.js";
import { isVaultError } from "../errors.js";
import type { VaultPath } from "../storage/path.js";
import type { Vault } from "../vault/vault.js";
import type { Surroundings, TaskFormat, NoteTasks } from "./format.js";
import { findTask, type Reference } from "./references.js";
import { isSelectionOfLines } from "./query/selection.js";
import { TaskLook } from "./task-look.js";
import type { TaskSource, Task, TaskProblem } from "./task.js";
import { UnknownReferences } from "./unknown-reference.js";
import { TimeSlice } from "../async/yield-to-loop.js";
import type { NoteRecord } from "../index/facts.js";
import type { IndexView } from "../index/view.js";
import type { VaultSettings } from "../index/settings.js";
import type { Dialect } from "./fields/dialect.js";
import { dialectOfNotes, noteFormat } from "./note-format/format.js";

/** The file that a reference means in words the tasks do not know: an alias, a URI, a path of the machine. Refuses or answers nothing where it means none. */
export type FindElsewhere = (reference: string) => Promise<VaultPath | undefined>;

export interface PlainCount {
  readonly boxes: number;
  readonly notes: number;
}

export class TaskLooks {
  readonly formats: readonly TaskFormat[];
  /** The tasks that the vault's settings make. */
  readonly index: TaskIndex;
  readonly #vault: Vault;
  /** With the formats that the vault's settings leave out; asked only for what is theirs by its name. */
  readonly #wideIndex: TaskIndex;
  /** With plain checkboxes too, where they are asked for. */
  readonly #plainIndex: TaskIndex;
  readonly #plainCounts = new WeakMap<TaskLook, PlainCount>();

  readonly #elsewhere: FindElsewhere | undefined;

  constructor(vault: Vault, formats: readonly TaskFormat[], elsewhere: FindElsewhere | undefined) {
    this.#vault = vault;
    this.#elsewhere = elsewhere;
    this.formats = formats;
    this.index = new TaskIndex(vault, formats);
    this.#wideIndex = new TaskIndex(vault, formats, { readsUnused: true });
    const plain = formats.map((format) => format.withPlain?.() ?? format);
    this.#plainIndex = new TaskIndex(vault, plain, { readsUnused: true });
  }

  /** The tasks among which references are to be found: the id of a line is good wherever it was read. */
  async among(references: readonly string[], options: RefreshOptions = {}): Promise<TaskLook> {
    const isLine = references.some((reference) => isSelectionOfLines(reference) || this.#namesLine(reference));
    const look = await (await this.indexFor(isLine)).refresh(options);
    const isUnknown = (reference: string): boolean =>
      this.#namesLine(reference) && findTask(reference, look, this.formats) === undefined;
    return isLine && references.some(isUnknown) ? await this.#plainIndex.refresh(options) : look;
  }

  /** The open checkboxes that are no tasks; undefined where bodies are not read, or all of them count. */
  plainCount(look: TaskLook): PlainCount | undefined {
    const known = this.#plainCounts.get(look);
    if (known !== undefined) return known;
    let [boxes, notes] = [0, 0];
    for (const format of this.formats) {
      if (format.countPlain === undefined || format.isUsed?.(look.settings) === false) continue;
      for (const record of look.view.records(format.readerFor(look.settings))) {
        const { facts } = record;
        const count = facts === undefined ? 0 : (format.countPlain(facts, record.stat, look.settings) ?? 0);
        boxes += count;
        if (count > 0) notes += 1;
      }
    }
    this.#plainCounts.set(look, { boxes, notes });
    return { boxes, notes };
  }

  /** @param about lines that the settings leave out; plain checkboxes as well */
  async indexFor(about: "tasks" | "lines" | "plain" | boolean): Promise<TaskIndex> {
    if (about === "plain") return this.#plainIndex;
    const isAboutLines = about === true || about === "lines";
    return isAboutLines && (await this.index.leavesOut()) ? this.#wideIndex : this.index;
  }

  /** Marked lines that the settings leave out; undefined where none are left out, or while nobody has asked for lines: it reads no further. */
  async unreadLines(options: RefreshOptions): Promise<number | undefined> {
    if (this.#wideIndex.latest === undefined || !(await this.index.leavesOut())) return undefined;
    const { tasks } = await this.#wideIndex.refresh(options);
    return tasks.filter(({ source }) => source === "line").length;
  }

  /** The task a reference means. @throws VaultError that says why none, or which several */
  async find(reference: string, look: TaskLook): Promise<Reference> {
    return await this.#find(reference, look, new UnknownReferences(look, this.#vault));
  }

  /** As `find`, for a call about many: it does not look for what else each may have meant. */
  finder(look: TaskLook): (reference: string) => Promise<Reference> {
    const unknown = new UnknownReferences(look, this.#vault, { suggests: false });
    return async (reference) => await this.#find(reference, look, unknown);
  }

  async #find(reference: string, look: TaskLook, unknown: UnknownReferences): Promise<Reference> {
    return (
      findTask(reference, look, this.formats) ??
      (await this.#findElsewhere(reference, look)) ??
      (await unknown.explain(reference))
    );
  }

  async #findElsewhere(reference: string, look: TaskLook): Promise<Reference | undefined> {
    try {
      const path = await this.#elsewhere?.(reference);
      return path === undefined ? undefined : findTask(path, look);
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

  surroundings({ para, settings }: TaskLook): Surroundings {
    return { para, settings, clock: this.#vault.clock };
  }

  #namesLine(reference: string): boolean {
    return this.formats.some((format) => (format.ways?.(reference.trim()) ?? []).length > 0);
  }
}

/** What making tasks takes between whose stretches others have their turns. */
interface Stretches {
  readonly surroundings: Surroundings;
  /** Those that are made already; they go with the surroundings, which may be others after a turn. */
  readonly derived: WeakMap<NoteRecord<unknown>, NoteTasks>;
  readonly slice: TimeSlice;
}

/** The dialect is counted again once one task in this many has changed. */
const MIN_SHARE = 50;

export class TaskIndex {
  readonly #vault: Vault;
  readonly #formats: readonly TaskFormat[];
  readonly #readsUnused: boolean;
  #look: TaskLook | undefined;
  /** As of the last look at the notes, which reads them too. */
  #settings: VaultSettings | undefined;
  #making: { readonly view: IndexView; readonly settings: VaultSettings; readonly look: Promise<TaskLook> } | undefined;
  #counted: { readonly dialect: Dialect; readonly tasks: number } | undefined;
  /** Notes that were new or changed since the dialect was counted. */
  #derivations = 0;
  #para = "";
  /** By the record, which is one as long as its note is unchanged: a changed note costs one derivation, not all. */
  #derived = new WeakMap<NoteRecord<unknown>, NoteTasks>();

  /**
   * @param formats the ways in which tasks are kept in this vault
   * @param readsUnused whether those count as well that the vault's settings do not use
   */
  constructor(vault: Vault, formats: readonly TaskFormat[] = [noteFormat], { readsUnused = false } = {}) {
    this.#vault = vault;
    this.#formats = formats;
    this.#readsUnused = readsUnused;
  }

  /** The look that was taken last. */
  get latest(): TaskLook | undefined {
    return this.#look;
  }

  /** The tasks as of now. */
  async refresh(options: RefreshOptions = {}): Promise<TaskLook> {
    const { settings, formats, view } = await this.#view(options);
    const known = this.#look?.settings === settings ? this.#look : undefined;
    if (known?.view.generation === view.generation) return known;
    // Who asks while a look is made waits for that one.
    if (this.#making?.view !== view || this.#making.settings !== settings)
      this.#making = { view, settings, look: this.#make(known, view, settings, formats) };
    const making = this.#making;
    try {
      return await making.look;
    } finally {
      if (this.#making === making) this.#making = undefined;
    }
  }

  async #make(
    known: TaskLook | undefined,
    view: IndexView,
    settings: VaultSettings,
    formats: readonly TaskFormat[],
  ): Promise<TaskLook> {
    const surroundings = await this.#surroundings(known, view, settings);
    const found = await this.#collect(view, formats, surroundings);
    const look = new TaskLook(view, surroundings, found, (of) => this.#dialectOf(of));
    // A later one may have been made sooner.
    if (view.generation >= (this.#look?.view.generation ?? 0)) this.#look = look;
    return look;
  }

  /** The notes as of now, and the formats that the settings of now use. */
  async #view(options: RefreshOptions) {
    let settings = this.#settings ?? (await this.#vault.settings());
    for (;;) {
      const formats = this.#formatsIn(settings);
      const facts = formats.map((format) => format.readerFor(settings));
      const view = await this.#vault.index.refresh({ ...options, facts });
      this.#settings = view.settings;
      if (view.settings === settings) return { settings, formats, view };
      settings = view.settings;
    }
  }

  /** What tasks depend on besides their notes. Where that has changed since a look was made, all are to be made anew. */
  async #surroundings(known: TaskLook | undefined, view: IndexView, settings: VaultSettings): Promise<Surroundings> {
    // Folders matter by the notes in them, and no note can come to lie in another folder without a new arrangement.
    const para = known?.view.arrangement === view.arrangement ? known.para : await this.#vault.para();
    const folders = JSON.stringify(para);
    if (known === undefined || this.#para !== folders) this.#derived = new WeakMap();
    this.#para = folders;
    return { para, settings, clock: this.#vault.clock };
  }

  /** Whether the vault's settings leave a format out. */
  async leavesOut(): Promise<boolean> {
    return this.#formatsIn(await this.#vault.settings()).length < this.#formats.length;
  }

  #formatsIn(settings: VaultSettings): readonly TaskFormat[] {
    return this.#formats.filter((format) => this.#readsUnused || format.isUsed?.(settings) !== false);
  }

  /** A vault may hold very many: others have their turns between notes, and in one that holds many itself. */
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

  /** Counts again only when it could matter: in a vault of many tasks a few changed ones do not turn its customs. */
  #dialectOf({ view, settings, tasks }: TaskLook): Dialect {
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
