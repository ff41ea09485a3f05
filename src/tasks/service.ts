/** The task use cases over one vault. */
import type { RefreshOptions } from "../catalog/catalog.js";
import type { ParaLook } from "../catalog/para.js";
import type { Vault } from "../vault/vault.js";
import { deriveTask } from "./note-format/derivation.js";
import { type Dialect, GREENFIELD, isDialect } from "./fields/dialect.js";
import { createTaskFile, newTaskNote, readBack, taskFolder, taskId } from "./note-format/new-task.js";
import { noteFormat } from "./note-format/format.js";
import { assertNoTemplate, dropsMarker } from "./note-format/update.js";
import { sampleDialect, taskReader } from "./note-format/reader.js";
import { findTask, type Reference } from "./references.js";
import { echoDay } from "../dates/day-echo.js";
import { requireDay } from "../dates/day-words.js";
import { dayAgenda, spanFrom } from "./day-agenda.js";
import { projectProgress } from "./project-progress.js";
import { reviewOf } from "./review.js";
import type {
  Agenda,
  CreatedTask,
  DaysAnswer,
  DaysQuery,
  ProjectProgress,
  TaskDetail,
  TaskDraft,
  TaskHits,
  TaskQuery,
  Tasks,
  TaskUpdates,
  UpdatedTask,
} from "./api.js";
import { type CleanDraft, cleanDraft, cleanUpdates } from "./arguments.js";
import type { Surroundings, TaskFormat } from "./format.js";
import { TaskFinder } from "./task-finder.js";
import { TaskIndex, type TaskLook } from "./task-index.js";
import type { Task, TaskPlace, TaskSource } from "./task.js";
import { explainUnknown, noLongerTask, unreadable } from "./unknown-reference.js";

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
    return {
      today,
      ...due,
      inline: inlineCount(due.outstanding),
      waitsFor: look.relations(today).waitingNames(due.outstanding),
      paraFolders,
      taskCount: look.tasks.length,
      noteCount: look.view.noteCount,
      problems: look.problems(today),
    };
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

  async projects(options: RefreshOptions = {}): Promise<readonly ProjectProgress[]> {
    const { clock } = this.#vault;
    const today = clock.today();
    const look = await this.#index.refresh(options);
    return projectProgress(look.tasks, { today, clock, relations: look.relations(today) });
  }

  async get(reference: string, options: RefreshOptions = {}): Promise<TaskDetail> {
    const look = await this.#lookFor(reference, options);
    const { task } = await this.#find(reference, look);
    const note = await this.#vault.read(task.path);
    const detail = this.#formatOf(task.source).detail(note, task, this.#surroundings(look));
    if (detail === undefined) throw noLongerTask(task);
    return detail;
  }

  /** Reads folders and the catalog's digest, without one a few notes, so that it costs about the same in every vault. */
  async create(draft: TaskDraft): Promise<CreatedTask> {
    const clean = cleanDraft(draft, { today: this.#vault.clock.today() });
    // One after the other, so that two titles that differ only in case see each other's file.
    const turn = this.#creating.then(() => this.#create(clean));
    this.#creating = turn.catch(() => undefined);
    return await turn;
  }

  async #create(clean: CleanDraft): Promise<CreatedTask> {
    const [look, dialect] = await this.#lookAndDialect();
    const id = taskId(clean.title, this.#vault.ids.next());
    const text = newTaskNote(clean, id, this.#vault.clock.today(), dialect);
    assertNoTemplate(text);
    const facts = readBack(text);
    const folder = await taskFolder(this.#vault, look, clean.values.projects ?? []);
    const file = await createTaskFile(this.#vault, folder, clean.title, text, look.seen.get(folder));
    const task = deriveTask(facts, file.stat, { para: look.para, clock: this.#vault.clock });
    if (task === undefined) throw noLongerTask({ path: file.stat.path });
    return { task, adjustments: clean.adjustments, undoable: file.undoable, durable: file.durable };
  }

  async update(reference: string, updates: TaskUpdates): Promise<UpdatedTask> {
    const { clock } = this.#vault;
    const today = clock.today();
    const { updated, clean, adjustments } = cleanUpdates(updates, { today });
    const look = await this.#lookFor(reference);
    const { task: known, kind } = await this.#find(reference, look);
    const format = this.#formatOf(known.source);
    const stat = look.view.get(format.reader, known.path)?.stat;
    if (stat === undefined) throw noLongerTask(known);
    const surroundings = this.#surroundings(look);
    let place: TaskPlace = known;
    let gone: Task | undefined;
    const change = (text: string): string => {
      // What stands there now counts: the note may have changed since the catalog saw it.
      const task = format.find(text, stat, known, surroundings);
      if (task === undefined) throw unreadable(text, known) ?? noLongerTask(known);
      // A line that has moved is another by its id alone.
      if (kind === "id" && task.source === "note" && task.id !== known.id) throw noLongerTask(known);
      const { settings, tasks } = look;
      const edited = format.update(text, clean, { task, dialect: look.dialect, today, clock, settings, tasks });
      ({ place, gone } = { gone: undefined, ...edited });
      return edited.text;
    };
    const outcome = await this.#vault.edit(known.path, change, `update task: ${updated.join(", ")}`);
    const task = gone ?? format.find(outcome.text, outcome.file?.stat ?? stat, place, surroundings);
    if (task === undefined) throw noLongerTask(known);
    const { changed, file } = outcome;
    const kept = clean.values.tags !== undefined && dropsMarker(clean.values.tags, task) ? [MARKER_KEPT] : [];
    return {
      task,
      updated,
      adjustments: [...adjustments, ...kept],
      changed,
      undoable: outcome.undoable,
      durable: file?.durable ?? true,
    };
  }

  /** The tasks among which a reference is to be found: the id of a line is good wherever it was read. */
  async #lookFor(reference: string, options: RefreshOptions = {}): Promise<TaskLook> {
    const isLine = this.#formats.some((format) => (format.ways?.(reference.trim()) ?? []).length > 0);
    return (await this.#indexFor(isLine)).refresh(options);
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
