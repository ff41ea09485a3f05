/** The task use cases over one vault. */
import type { RefreshOptions } from "../catalog/catalog.js";
import type { ParaLook } from "../catalog/para.js";
import type { Operation } from "../history/journal.js";
import type { VaultPath } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";
import type { Vault } from "../vault/vault.js";
import { deriveTask } from "./note-format/derivation.js";
import { type Dialect, GREENFIELD, isDialect } from "./fields/dialect.js";
import { createTaskFile, newTaskNote, readBack, taskFolder, taskId } from "./note-format/new-task.js";
import type { NewCheckbox } from "./line-format/append-checkboxes.js";
import { noteFormat } from "./note-format/format.js";
import { assertNoTemplate, dropsMarker } from "./note-format/update.js";
import { sampleDialect, taskReader } from "./note-format/reader.js";
import { findTask, type Reference } from "./references.js";
import { echoDay } from "../dates/day-echo.js";
import { requireDay } from "../dates/day-words.js";
import { tasksBaseText } from "./bases/tasks-base.js";
import { dayAgenda, spanFrom } from "./day-agenda.js";
import { projectProgress } from "./project-progress.js";
import { reviewOf } from "./review.js";
import type { LocalDate } from "../clock.js";
import type { Values } from "./fields/fields.js";
import { spelledAsKnown, type SpelledValues } from "./known-names.js";
import type { Relations } from "./relations.js";
import { assertNoRing, assertUnchanged, consequencesOf, wikilinkTo, tiesOf } from "./updating.js";
import type {
  Agenda,
  Consequences,
  CreatedTask,
  DaysAnswer,
  DaysQuery,
  ProjectProgress,
  TaskDetail,
  TaskDraft,
  TaskHits,
  TaskQuery,
  TaskTies,
  Tasks,
  TaskUpdates,
  UpdatedTask,
  UpdateOptions,
} from "./api.js";
import { type CheckedUpdates, type CleanDraft, cleanDraft, type CleanUpdates, cleanUpdates } from "./arguments.js";
import { type PlaceOptions, placeBelow, TaskAdder } from "./bulk/add-tasks.js";
import type { AddedTasks, BulkOptions, BulkOutcome, QuickDraft } from "./bulk/bulk.js";
import { BulkUpdates, type WriteTaskOptions, type WrittenTask } from "./bulk/bulk-update.js";
import type { Surroundings, TaskFormat } from "./format.js";
import { isSelectionOfLines } from "./selection.js";
import { TaskFinder } from "./task-finder.js";
import { TaskIndex, type TaskLook } from "./task-index.js";
import type { Task, TaskSource } from "./task.js";
import { explainUnknown, noLongerTask, unreadable, wouldBeNoTask } from "./unknown-reference.js";

// The tools build on these through the service.
export type * from "./api.js";

export interface TaskServiceOptions {
  /** The ways in which tasks are kept in this vault; default: as notes. */
  readonly formats?: readonly TaskFormat[];
  /** From how many tasks on searches keep an index; left out, never: right for a process that answers once. */
  readonly indexFrom?: number;
}

function inlineCount(tasks: readonly Task[]): Agenda["inline"] {
  const lines = tasks.filter(({ source }) => source === "line");
  return { tasks: lines.length, notes: new Set(lines.map(({ path }) => path)).size };
}

const MARKER_KEPT = 'the tag "task" was kept: it makes the note a task';

export class TaskService implements Tasks {
  readonly #vault: Vault;
  readonly #formats: readonly TaskFormat[];
  readonly #index: TaskIndex;
  /** With the formats that the vault's settings leave out; asked only for what is theirs by its name. */
  readonly #wideIndex: TaskIndex;
  readonly #finder: TaskFinder;
  #creating: Promise<unknown> = Promise.resolve();

  /** @param vault its readers must include those of the formats */
  constructor(vault: Vault, { indexFrom, formats = [noteFormat] }: TaskServiceOptions = {}) {
    this.#vault = vault;
    this.#formats = formats;
    this.#index = new TaskIndex(vault, formats);
    this.#wideIndex = new TaskIndex(vault, formats, { readsUnused: true });
    this.#finder = new TaskFinder(vault, (isAboutLines) => this.#indexFor(isAboutLines), indexFrom);
  }

  async agenda(options: RefreshOptions = {}): Promise<Agenda> {
    const known = this.#index.latest;
    const look = await this.#index.refresh(options);
    // Since they were looked at, folders without notes may have come or gone.
    const paraFolders = look.para === known?.para ? await this.#vault.para() : look.para;
    const today = this.#vault.clock.today();
    const due = look.due(today);
    const unreadInline = await this.#unreadInline(options);
    return {
      today,
      ...due,
      ...(unreadInline !== undefined && { unreadInline }),
      inline: inlineCount(due.outstanding),
      waitsFor: look.relations(today).waitingNames(due.outstanding),
      paraFolders,
      taskCount: look.tasks.length,
      noteCount: look.view.noteCount,
      problems: look.problems(today),
    };
  }

  /** Reads no further for it: known only once lines were asked for. */
  async #unreadInline(options: RefreshOptions): Promise<number | undefined> {
    if (this.#wideIndex.latest === undefined || !(await this.#index.leavesOut())) return undefined;
    const { tasks } = await this.#wideIndex.refresh(options);
    return tasks.filter(({ source }) => source === "line").length;
  }

  async search(query: TaskQuery, options: RefreshOptions = {}): Promise<TaskHits> {
    return this.#finder.find(query, options);
  }

  async days({ date, days = 1 }: DaysQuery = {}, options: RefreshOptions = {}): Promise<DaysAnswer> {
    const today = this.#vault.clock.today();
    const read = date === undefined ? undefined : requireDay("date", date, today);
    const echo = read && echoDay("date", date ?? "", read, today);
    const span = spanFrom(read?.day ?? today, days);
    const look = await this.#index.refresh(options);
    const sections = dayAgenda(look.tasks, span, today);
    const listed = sections.flatMap(({ entries }) => entries.map(({ task }) => task));
    const waitsFor = look.relations(today).waitingNames(listed);
    return { today, ...span, sections, waitsFor, remarks: echo === undefined ? [] : [echo] };
  }

  async review({ days = 0 }: { readonly days?: number | undefined } = {}, options: RefreshOptions = {}) {
    const { clock } = this.#vault;
    const today = clock.today();
    const look = await this.#index.refresh(options);
    const relations = look.relations(today);
    const review = reviewOf(look.tasks, { today, clock, relations, days });
    return { today, ...review, waitsFor: relations.waitingNames(look.due(today).outstanding) };
  }

  async base(options: RefreshOptions = {}): Promise<string> {
    const { dialect, para } = await this.#index.refresh(options);
    return tasksBaseText({ dialect, archive: para.archive });
  }

  async projects(options: RefreshOptions = {}): Promise<readonly ProjectProgress[]> {
    const { clock } = this.#vault;
    const today = clock.today();
    const look = await this.#index.refresh(options);
    return projectProgress(look.tasks, { today, clock, relations: look.relations(today) });
  }

  async get(reference: string, options: RefreshOptions = {}): Promise<TaskDetail & TaskTies> {
    const look = await this.#lookFor(reference, options);
    const { task } = await this.#find(reference, look);
    const note = await this.#vault.read(task.path);
    const detail = this.#formatOf(task.source).detail(note, task, this.#surroundings(look));
    if (detail === undefined) throw noLongerTask(task);
    const today = this.#vault.clock.today();
    return { ...detail, ...tiesOf(task, look.relations(today), today) };
  }

  /** Reads folders and the catalog's digest, without one a few notes, so that it costs about the same in every vault. */
  async create(draft: TaskDraft): Promise<CreatedTask> {
    const clean = cleanDraft(draft, { today: this.#vault.clock.today() });
    const created = await this.#inCreatingOrder(async () => this.#create(await this.#prepare(clean)));
    return { ...created, ...(await this.#waits(created.task)) };
  }

  async addMany(draft: QuickDraft): Promise<AddedTasks> {
    const adder = new TaskAdder(this.#vault, {
      prepare: (clean) => this.#prepare(clean),
      place: (clean, options) => this.#create(clean, options),
      append: (text, heading, boxes) => this.#append(text, heading, boxes),
      tasksAt: (path, lines) => this.#tasksAt(path, lines),
    });
    return await this.#inCreatingOrder(() => adder.add(draft));
  }

  /** One after the other, so that two titles that differ only in case see each other's file. */
  async #inCreatingOrder<Made>(make: () => Promise<Made>): Promise<Made> {
    const turn = this.#creating.then(make);
    this.#creating = turn.catch(() => undefined);
    return await turn;
  }

  /** A draft in the vault's spelling, with references as links. @throws VaultError INVALID_ARGUMENT when it cannot be a note */
  async #prepare(given: CleanDraft): Promise<CleanDraft> {
    const [look, dialect] = await this.#lookAndDialect();
    const spelled = await spelledAsKnown(this.#vault, look, given.values);
    const values = await this.#withLinks(spelled.values);
    const clean = { ...given, values, adjustments: [...given.adjustments, ...spelled.adjustments] };
    const text = newTaskNote(clean, taskId(clean.title, ""), this.#vault.clock, dialect);
    assertNoTemplate(text);
    readBack(text);
    return clean;
  }

  async #create(clean: CleanDraft, { operation, parent, template }: Partial<PlaceOptions> = {}): Promise<CreatedTask> {
    const [look, dialect] = await this.#lookAndDialect();
    const above = parent && placeBelow(parent);
    const projects = [...(clean.values.projects ?? []), ...(above ? [above.name] : [])];
    const values = projects.length === 0 ? clean.values : { ...clean.values, projects };
    const given = above && clean.given && new Set([...clean.given, "projects"]);
    const id = taskId(clean.title, this.#vault.ids.next());
    const text = newTaskNote(
      { ...clean, values, given: given ?? clean.given },
      id,
      this.#vault.clock,
      dialect,
      template,
    );
    assertNoTemplate(text);
    const facts = readBack(text);
    const folder = above?.folder ?? (await taskFolder(this.#vault, look, projects));
    const file = await createTaskFile(this.#vault, folder, clean.title, text, look.seen.get(folder), { operation });
    const task = deriveTask(facts, file.stat, { para: look.para, clock: this.#vault.clock });
    if (task === undefined) throw noLongerTask({ path: file.stat.path });
    return { task, adjustments: clean.adjustments, undoable: file.undoable, durable: file.durable };
  }

  async #append(text: string, heading: string | undefined, boxes: readonly NewCheckbox[]) {
    const format = this.#formats.find((one) => one.append !== undefined);
    if (!format?.append) throw new Error("No format keeps tasks as lines.");
    const [settings, today] = [await this.#vault.settings(), this.#vault.clock.today()];
    return format.append(text, heading, boxes, { settings, today });
  }

  async #tasksAt(path: VaultPath, lines: readonly number[]): Promise<readonly (Task | undefined)[]> {
    const { tasks } = await (await this.#indexFor(true)).refresh();
    const ofNote = tasks.filter((task) => task.path === path && task.line !== undefined);
    return lines.map((line) => ofNote.find((task) => task.line === line));
  }

  /** The tasks that a new one waits for, as links. */
  async #withLinks(values: Values): Promise<Values> {
    if (values.blockedBy === undefined || values.blockedBy.length === 0) return values;
    const look = await this.#index.refresh();
    return { ...values, blockedBy: await this.#linksTo(values.blockedBy, look) };
  }

  async #linksTo(references: readonly string[], look: TaskLook): Promise<readonly string[]> {
    const links: string[] = [];
    for (const reference of references) links.push(wikilinkTo((await this.#find(reference, look)).task, look.tasks));
    return [...new Set(links)];
  }

  async update(reference: string, updates: TaskUpdates, options: UpdateOptions = {}): Promise<UpdatedTask> {
    const today = this.#vault.clock.today();
    const checked = cleanUpdates(updates, { today });
    const look = await this.#lookFor(reference);
    const found = await this.#find(reference, look);
    const written = await this.#write(found, checked, look, options);
    const isFinished = checked.clean.values.status === "Done" && written.changed;
    return {
      ...written,
      updated: checked.updated,
      ...(await this.#waits(written.task)),
      ...(isFinished && { consequences: await this.#consequences(found.task, look.relations(today), today) }),
    };
  }

  async updateMany(tasks: readonly string[], updates: TaskUpdates, options: BulkOptions = {}): Promise<BulkOutcome> {
    const bulk = new BulkUpdates(this.#vault, {
      look: (references, options) => this.#lookForAll(references, options),
      search: (query, options) => this.#finder.find(query, options),
      find: (reference, look) => this.#find(reference, look),
      preview: (found, checked, look) => this.#preview(found, checked, look),
      write: (found, checked, look, options) => this.#write(found, checked, look, options),
    });
    return await bulk.update(tasks, updates, options);
  }

  /** Updates as they are written to one task among those of a look. @throws VaultError INVALID_ARGUMENT when they cannot be */
  async #settled({ task: known }: Reference, { clean: given, adjustments }: CheckedUpdates, look: TaskLook) {
    const relations = look.relations(this.#vault.clock.today());
    const spelled = await this.#spelled(given.values);
    const values = { ...spelled.values };
    if (values.blockedBy !== undefined && known.source === "note") {
      values.blockedBy = await this.#linksTo(values.blockedBy, look);
      assertNoRing(known, values.blockedBy, relations);
    }
    const clean: CleanUpdates = { ...given, values };
    return { clean, adjustments: [...adjustments, ...spelled.adjustments] };
  }

  /** What writing would make of a task. */
  async #preview(found: Reference, checked: CheckedUpdates, look: TaskLook): Promise<WrittenTask> {
    const { clean, adjustments } = await this.#settled(found, checked, look);
    const { change, result } = await this.#changing(found, clean, look, {});
    const { text, stat } = await this.#vault.read(found.task.path);
    const now = change(text);
    return { ...result(stat), adjustments, changed: now !== text, undoable: false, durable: true };
  }

  /** Writes updates to one task; of a note that speaks for an instance also to its series. */
  async #write(
    found: Reference,
    checked: CheckedUpdates,
    look: TaskLook,
    options: WriteTaskOptions,
  ): Promise<WrittenTask> {
    const { task: known } = found;
    const { clean, adjustments } = await this.#settled(found, checked, look);
    const { values } = clean;
    const relations = look.relations(this.#vault.clock.today());
    const series =
      values.status === "Done" || values.status === "To Do" ? this.#seriesOfInstance(known, relations) : undefined;
    const step = { ...options, reason: `update task: ${checked.updated.join(", ")}` };
    const edit = series
      ? await this.#writeBoth(found, series, clean, look, step)
      : await this.#edit(found, clean, look, step);
    const kept = values.tags !== undefined && dropsMarker(values.tags, edit.task) ? [MARKER_KEPT] : [];
    return { ...edit, adjustments: [...adjustments, ...kept] };
  }

  /**
   * A note that speaks for a day of a series: the series is told of it too, or the note stays as it was. Among other tasks of one
   * operation the series comes first, so that its refusal finds the note untouched.
   */
  async #writeBoth(
    found: Reference,
    series: Task,
    clean: CleanUpdates,
    look: TaskLook,
    step: WriteTaskOptions & { readonly reason: string },
  ): Promise<Omit<WrittenTask, "adjustments">> {
    const { task } = found;
    const { operation: shared, reason } = step;
    const instance = {
      values: { status: clean.values.status ?? "Done" },
      occurrence: { skip: false, day: task.occurrence?.day },
    };
    const tell = (operation: Operation) =>
      this.#edit({ task: series, kind: "path" }, instance, look, { operation, reason });
    if (shared) {
      await tell(shared);
      return await this.#edit(found, clean, look, step);
    }
    const operation = await this.#vault.begin({ reason, files: [task.path, series.path] });
    try {
      const edit = await this.#edit(found, clean, look, { ...step, operation });
      await tell(operation);
      await operation.done();
      return edit;
    } catch (error) {
      await operation.takeBack();
      throw error;
    }
  }

  async #waits(task: Task): Promise<{ readonly waitsFor?: readonly string[] }> {
    if (task.blockedBy.length === 0) return {};
    const look = await this.#index.refresh();
    const relations = look.relations(this.#vault.clock.today());
    return { waitsFor: relations.openBlockersOf(task).map(({ name }) => name) };
  }

  /** One edit of one task's text, checked against what stands there when it is made. */
  async #edit(
    found: Reference,
    clean: CleanUpdates,
    look: TaskLook,
    options: WriteTaskOptions & { readonly reason: string },
  ): Promise<Omit<WrittenTask, "adjustments">> {
    const { change, result, stat } = await this.#changing(found, clean, look, options);
    const { operation, reason } = options;
    const { changed, undoable, file } = await this.#vault.edit(found.task.path, change, reason, { operation });
    return { ...result(file?.stat ?? stat), changed, undoable, durable: file?.durable ?? true };
  }

  /** The change of a note's text that updates one task, and what the task is in the text that came of it. */
  async #changing({ task: known, kind }: Reference, clean: CleanUpdates, look: TaskLook, options: UpdateOptions) {
    const { clock } = this.#vault;
    const today = clock.today();
    const relations = look.relations(today);
    const format = this.#formatOf(known.source);
    const stat = look.view.get(format.reader, known.path)?.stat;
    if (stat === undefined) throw noLongerTask(known);
    const surroundings = this.#surroundings(look);
    let written: Pick<UpdatedTask, "task" | "series"> | undefined;
    const change = (text: string): string => {
      // What stands there now counts: the note may have changed since the catalog saw it.
      const task = format.find(text, stat, known, surroundings);
      if (task === undefined) throw unreadable(text, known) ?? noLongerTask(known);
      // A line that has moved is another by its id alone.
      if (kind === "id" && task.source === "note" && task.id !== known.id) throw noLongerTask(known);
      assertUnchanged(known, task, clean, options, today);
      const { settings, tasks, dialect } = look;
      const edited = format.update(text, clean, { task, dialect, today, clock, settings, relations, tasks });
      const { gone, place, series } = edited;
      const after = gone ?? format.find(edited.text, stat, place, surroundings);
      if (after === undefined) throw wouldBeNoTask(known);
      written = { task: after, ...(series && { series }) };
      return edited.text;
    };
    const result = ({ modified }: FileStat): Pick<UpdatedTask, "task" | "series"> => {
      if (written === undefined) throw new Error("Nothing was changed yet.");
      return { ...written, task: { ...written.task, modified } };
    };
    return { change, result, stat };
  }

  async #spelled(values: Values): Promise<SpelledValues> {
    if (values.area === undefined && values.projects === undefined) return { values, adjustments: [] };
    return spelledAsKnown(this.#vault, await this.#vault.paraLook(), values);
  }

  /** The task whose series a note speaks for, where it speaks for one. */
  #seriesOfInstance(task: Task, relations: Relations): Task | undefined {
    if (!task.occurrence) return undefined;
    return relations.resolve(task, task.occurrence.parent).find((parent) => parent !== task && parent.series);
  }

  async #consequences(known: Task, before: Relations, today: LocalDate): Promise<Consequences> {
    const concerned = before.waitingFor(known).length > 0;
    const look = concerned ? await this.#index.refresh() : undefined;
    return consequencesOf(known, before, look?.relations(today) ?? before, look?.tasks ?? []);
  }

  /** The tasks among which a reference is to be found: the id of a line is good wherever it was read. */
  async #lookFor(reference: string, options: RefreshOptions = {}): Promise<TaskLook> {
    return (await this.#indexFor(this.#namesLine(reference))).refresh(options);
  }

  async #lookForAll(references: readonly string[], options: RefreshOptions): Promise<TaskLook> {
    const isLine = references.some((reference) => isSelectionOfLines(reference) || this.#namesLine(reference));
    return (await this.#indexFor(isLine)).refresh(options);
  }

  #namesLine(reference: string): boolean {
    return this.#formats.some((format) => (format.ways?.(reference.trim()) ?? []).length > 0);
  }

  async #indexFor(isAboutLines: boolean): Promise<TaskIndex> {
    return isAboutLines && (await this.#index.leavesOut()) ? this.#wideIndex : this.#index;
  }

  async #find(reference: string, look: TaskLook): Promise<Reference> {
    return findTask(reference, look.tasks, this.#formats) ?? (await explainUnknown(reference, look, this.#vault));
  }

  #formatOf(source: TaskSource): TaskFormat {
    const format = this.#formats.find((format) => format.source === source);
    if (!format) throw new Error(`No format keeps tasks as ${source}.`);
    return format;
  }

  #surroundings({ para, settings }: TaskLook): Surroundings {
    return { para, settings, clock: this.#vault.clock };
  }

  async #lookAndDialect(): Promise<[ParaLook, Dialect]> {
    const [look, summary] = await Promise.all([this.#vault.paraLook(), this.#vault.catalog.summary(taskReader)]);
    if (isDialect(summary) && summary.tasks > 0) return [look, summary];
    return [look, (await sampleDialect(this.#vault, look)) ?? GREENFIELD];
  }
}
