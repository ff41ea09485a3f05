/** The task operations over one vault: reads here, writes in `writing/`. */
import type { RefreshOptions } from "../index/refresh.js";
import { isVaultError } from "../errors.js";
import type { Operation } from "../history/journal-records.js";
import { isListed } from "../obsidian/ignore.js";
import { baseName, isMarkdown, type VaultPath } from "../storage/path.js";
import type { Vault } from "../vault/vault.js";
import type {
  Agenda,
  AllTasks,
  CreatedTask,
  NotCountedQuery,
  TaskDetail,
  TaskDraft,
  TaskHits,
  TaskQuery,
  TaskUpdates,
  UpdatedTask,
  UpdateOptions,
} from "./api.js";
import { nullsIgnored, withoutNulls } from "./fields/task-fields.js";
import { type BaseSettings, type BaseView, tasksBaseText, viewBaseText } from "./bases/tasks-base.js";
import { parseSelection } from "./query/selection.js";
import { type AddedTasks, type PlannedTask, type QuickDraft, TaskAdder } from "./writing/add-tasks.js";
import { type BulkOptions, type BulkOutcome, BulkUpdater } from "./writing/bulk.js";
import { dayAgenda, readSpan, type AgendaSection, type DaySpan, type DaysQuery } from "./agenda.js";
import type { TaskFormat } from "./format.js";
import { customsOf } from "./note-format/customs.js";
import { noteFormat } from "./note-format/format.js";
import { meansAll } from "./query/order.js";
import { projectProgress, type ProjectProgress, reviewOf, type Review } from "./review.js";
import { TaskFinder } from "./query/finder.js";
import { type FindElsewhere, TaskSnapshots } from "./task-snapshots.js";
import type { TaskSnapshot } from "./task-snapshot.js";
import type { Task } from "./task.js";
import { dependenciesOf, type TaskDependencies } from "./dependencies.js";
import { noLongerTask } from "./unknown-reference.js";
import type { NoteLinks } from "./writing/convert.js";
import type { ProjectRename, RenamedProject } from "./writing/renamed-project.js";
import { TaskMaker } from "./writing/task-maker.js";
import { cleanUpdates } from "./writing/arguments.js";
import { updateOfProperty } from "./fields/task-fields.js";
import { type Outcome, type TaskRequest, TaskUpdater } from "./writing/update.js";
import type { LocalDate } from "../clock.js";
import { counted } from "../text/plural.js";

export type * from "./api.js";

interface TaskServiceOptions {
  readonly formats?: readonly TaskFormat[];
  readonly elsewhere?: FindElsewhere;
  readonly links?: NoteLinks;
}

const MAX_FOUND_FOR_PLAIN = 5;

const plainWords = (count: number, open = ""): string =>
  `${count} ${open}plain ${count === 1 ? "checkbox" : "checkboxes"}`;

/** `selection`: from an answer of a search. */
type SavedView = Pick<BaseView, "name" | "group"> & { readonly selection: string };

interface SavedBase {
  readonly text: string;
  /** Tasks that it lacks: their folder makes them tasks. */
  readonly untyped: number;
}

const baseSettings = ({ dialect, para, settings }: TaskSnapshot): BaseSettings => ({
  dialect,
  archive: para.archive,
  customs: customsOf(settings),
});

export class TaskService implements Tasks {
  readonly #vault: Vault;
  readonly #snapshots: TaskSnapshots;
  readonly #finder: TaskFinder;
  readonly #maker: TaskMaker;
  readonly #adder: TaskAdder;
  readonly #updater: TaskUpdater;
  readonly #bulk: BulkUpdater;
  readonly #links: NoteLinks | undefined;

  /** @param vault must have the formats' readers */
  constructor(vault: Vault, { formats = [noteFormat], elsewhere, links }: TaskServiceOptions = {}) {
    this.#vault = vault;
    this.#links = links;
    this.#snapshots = new TaskSnapshots(vault, formats, elsewhere);
    this.#finder = new TaskFinder(vault, this.#snapshots);
    this.#maker = new TaskMaker(vault, this.#snapshots);
    this.#adder = new TaskAdder(vault, this.#snapshots, this.#maker, links);
    this.#updater = new TaskUpdater(vault, this.#snapshots);
    this.#bulk = new BulkUpdater(vault, this.#snapshots, this.#finder, this.#updater);
  }

  async all(options: RefreshOptions = {}): Promise<AllTasks> {
    const { tasks } = await this.#snapshots.refresh(options);
    return { today: this.#vault.clock.today(), tasks };
  }

  async agenda(options: RefreshOptions = {}): Promise<Agenda> {
    const known = this.#snapshots.latest;
    const snapshot = await this.#snapshots.refresh(options);
    // A new folder without notes does not change the snapshot.
    const paraFolders = snapshot.para === known?.para ? await this.#vault.para() : snapshot.para;
    const today = this.#vault.clock.today();
    const due = snapshot.due(today);
    const unreadInline = await this.#snapshots.unreadLines(options);
    return {
      today,
      ...due,
      ...(unreadInline !== undefined && { unreadInline }),
      inline: inlineCount(due.outstanding),
      waitsFor: snapshot.relations(today).waitingNames(due.outstanding),
      paraFolders,
      taskCount: snapshot.tasks.length,
      noteCount: snapshot.view.noteCount,
      problems: snapshot.problems(today),
    };
  }

  async search(query: TaskQuery, options: RefreshOptions = {}): Promise<TaskHits> {
    return this.#finder.find(query, options);
  }

  async notCounted(about: NotCountedQuery = {}, options: RefreshOptions = {}): Promise<string | undefined> {
    const { query = "*", found = 0, is = [] } = about;
    if (is.includes("checkbox") || is.includes("inline")) return undefined;
    const { latest } = this.#snapshots;
    // The count accompanies an answer, so it must be of the same view.
    const isCurrent = latest !== undefined && latest.view === this.#vault.index.latest;
    const { boxes, notes } = this.#snapshots.plainCount(isCurrent ? latest : await this.#snapshots.refresh(options));
    if (boxes === 0) return undefined;
    if (!meansAll(query) && found < MAX_FOUND_FOR_PLAIN) {
      const { total } = await this.#finder.find({ query, is: ["checkbox", "outstanding"], limit: 0 }, options);
      if (total === 0) return undefined;
      return `${plainWords(total)} ${total === 1 ? "matches" : "match"} ${JSON.stringify(query)}; list them: search_tasks is ["checkbox"].`;
    }
    return `Not counted: ${plainWords(boxes, "open ")} in ${counted(notes, "note")}. List them: search_tasks is ["checkbox"].`;
  }

  async days(query: DaysQuery = {}, options: RefreshOptions = {}): Promise<DaysAnswer> {
    const today = this.#vault.clock.today();
    const { echo, ...span } = readSpan(query, today);
    const snapshot = await this.#snapshots.refresh(options);
    const sections = dayAgenda(snapshot.tasks, span, today);
    const listed = sections.flatMap(({ entries }) => entries.map(({ task }) => task));
    const waitsFor = snapshot.relations(today).waitingNames(listed);
    return { today, ...span, sections, waitsFor, remarks: echo === undefined ? [] : [echo] };
  }

  async review({ days = 0 }: { readonly days?: number | undefined } = {}, options: RefreshOptions = {}) {
    const { clock } = this.#vault;
    const today = clock.today();
    const snapshot = await this.#snapshots.refresh(options);
    const relations = snapshot.relations(today);
    const review = reviewOf(snapshot.tasks, { today, clock, relations, days });
    return { today, ...review, waitsFor: relations.waitingNames(snapshot.due(today).outstanding) };
  }

  async base(options: RefreshOptions = {}): Promise<string> {
    return tasksBaseText(baseSettings(await this.#snapshots.refresh(options)));
  }

  async viewBase({ selection, ...shown }: SavedView, options: RefreshOptions = {}): Promise<SavedBase> {
    const { filters } = parseSelection(selection);
    const settings = baseSettings(await this.#snapshots.refresh(options));
    const text = viewBaseText(settings, { ...shown, filters, today: this.#vault.clock.today() });
    const { tasks } = await this.#finder.find(filters, options);
    return { text, untyped: tasks.filter(({ rule }) => rule === "status-in-para").length };
  }

  async projects(options: RefreshOptions = {}): Promise<readonly ProjectProgress[]> {
    const { clock } = this.#vault;
    const today = clock.today();
    const snapshot = await this.#snapshots.refresh(options);
    const projectNames = await this.#projectNames(snapshot);
    return projectProgress(snapshot.tasks, { today, clock, relations: snapshot.relations(today), projectNames });
  }

  /** Project folders, and notes in them that are not tasks. */
  async #projectNames({ tasks, para }: TaskSnapshot): Promise<readonly string[]> {
    const taskNotes = new Set(tasks.flatMap(({ path, source }) => (source === "note" ? [path] : [])));
    const entries = await Promise.all(para.projects.map(async (folder) => (await this.#vault.children(folder)) ?? []));
    return entries
      .flat()
      .filter(
        ({ kind, path }) => kind === "folder" || (isListed(path, kind) && isMarkdown(path) && !taskNotes.has(path)),
      )
      .map(({ path }) => baseName(path).replace(/\.md$/i, ""))
      .filter((name) => !name.startsWith("."));
  }

  async get(reference: string, options: RefreshOptions = {}): Promise<TaskDetail & TaskDependencies> {
    const snapshot = await this.#snapshots.among([reference], options);
    const { task } = await this.#snapshots.find(reference, snapshot);
    const note = await this.#vault.read(task.path);
    const detail = this.#snapshots.formatOf(task.source).detail(note, task, this.#snapshots.surroundings(snapshot));
    if (detail === undefined) throw noLongerTask(task);
    const today = this.#vault.clock.today();
    return {
      ...detail,
      task: snapshot.withArea(detail.task),
      ...dependenciesOf(task, snapshot.relations(today), today),
    };
  }

  async create(draft: TaskDraft): Promise<CreatedTask> {
    const created = await this.#maker.create(draft);
    return { ...created, ...(await this.#updater.waits(created.task)) };
  }

  async addMany(draft: QuickDraft): Promise<AddedTasks> {
    return await this.#adder.add(draft);
  }

  async planMany(draft: QuickDraft): Promise<readonly PlannedTask[]> {
    return await this.#adder.plan(draft);
  }

  async update(reference: string, given: TaskUpdates, options: UpdateOptions = {}): Promise<UpdatedTask> {
    const { updates, ignored } = withoutNulls(given);
    return withIgnored(ignored, await this.#update(reference, updates, options));
  }

  async #update(reference: string, updates: TaskUpdates, options: UpdateOptions): Promise<UpdatedTask> {
    if (updates.convert === undefined || !this.#links) return await this.#updater.update(reference, updates, options);
    const { TaskConverter } = await import("./writing/convert.js");
    return await new TaskConverter(this.#vault, this.#snapshots, this.#maker, this.#links).convert(
      reference,
      updates,
      options,
    );
  }

  /**
   * The task fields among the properties, and a step of an operation that changes them by the rules of tasks. Undefined
   * when the note is no task, or no property is a field.
   */
  async fieldsOf(path: VaultPath, properties: Readonly<Record<string, string>>) {
    const updates = Object.entries(properties).flatMap(([key, text]) => {
      const update = updateOfProperty(key, text);
      return update === undefined ? [] : [[key, update] as const];
    });
    if (updates.length === 0) return undefined;
    const snapshot = await this.#snapshots.among([path]);
    const task = snapshot.tasks.find((one) => one.path === path && one.source === "note");
    if (task === undefined) return undefined;
    const found = await this.#snapshots.find(task.id, snapshot);
    const request = (): TaskRequest[] => {
      const given: TaskUpdates = Object.fromEntries(updates.map(([, update]) => update));
      return [{ found, checked: cleanUpdates(given, { today: this.#vault.clock.today() }) }];
    };
    const settled = (outcomes: readonly Outcome[]): boolean => {
      for (const outcome of outcomes) if (isVaultError(outcome)) throw outcome;
      return outcomes.some((outcome) => !isVaultError(outcome) && outcome.changed);
    };
    return {
      keys: updates.map(([key]) => key),
      preview: async () => settled(await this.#updater.preview(request(), snapshot)),
      write: async (operation: Operation) => settled(await this.#updater.writeNote(request(), snapshot, operation)),
    };
  }

  /** What is renamed with a project's note; undefined for other notes. */
  async renamedProject(request: ProjectRename): Promise<RenamedProject | undefined> {
    const { renamedProject } = await import("./writing/renamed-project.js");
    return await renamedProject(this.#vault, () => this.#snapshots.refresh(), request);
  }

  async updateMany(tasks: readonly string[], given: TaskUpdates, options: BulkOptions = {}): Promise<BulkOutcome> {
    const { updates, ignored } = withoutNulls(given);
    return withIgnored(ignored, await this.#bulk.update(tasks, updates, options));
  }
}

function withIgnored<Outcome extends { readonly adjustments: readonly string[] }>(
  ignored: readonly string[],
  outcome: Outcome,
): Outcome {
  if (ignored.length === 0) return outcome;
  return { ...outcome, adjustments: [...outcome.adjustments, `Read ${nullsIgnored(ignored)}.`] };
}

function inlineCount(tasks: readonly Task[]): Agenda["inline"] {
  const lines = tasks.filter(({ source }) => source === "line");
  return { tasks: lines.length, notes: new Set(lines.map(({ path }) => path)).size };
}

export interface DaysAnswer extends DaySpan {
  readonly today: LocalDate;
  readonly sections: readonly AgendaSection[];
  readonly waitsFor: ReadonlyMap<Task, readonly string[]>;
  readonly remarks: readonly string[];
}

export interface ReviewAnswer extends Review {
  readonly today: LocalDate;
  readonly waitsFor: ReadonlyMap<Task, readonly string[]>;
}

/** All methods throw VaultError. A reference is an id, a path (`.md` optional), a `[[wikilink]]` or a unique title. */
export interface Tasks {
  all(options?: RefreshOptions): Promise<AllTasks>;
  agenda(options?: RefreshOptions): Promise<Agenda>;
  search(query: TaskQuery, options?: RefreshOptions): Promise<TaskHits>;
  /** A sentence on open checkboxes that are not tasks; undefined if there are none. */
  notCounted?(about?: NotCountedQuery, options?: RefreshOptions): Promise<string | undefined>;
  days(query?: DaysQuery, options?: RefreshOptions): Promise<DaysAnswer>;
  review(query?: { readonly days?: number | undefined }, options?: RefreshOptions): Promise<ReviewAnswer>;
  base(options?: RefreshOptions): Promise<string>;
  /** A base with one table: the notes that the selection's filters find. */
  viewBase(view: SavedView, options?: RefreshOptions): Promise<SavedBase>;
  projects(options?: RefreshOptions): Promise<readonly ProjectProgress[]>;
  get(reference: string, options?: RefreshOptions): Promise<TaskDetail & TaskDependencies>;
  create(draft: TaskDraft): Promise<CreatedTask>;
  /**
   * Creates tasks from quick text in one operation, as notes or as checkboxes of one note.
   * @throws VaultError INVALID_ARGUMENT naming every invalid line; nothing is written
   */
  addMany(draft: QuickDraft): Promise<AddedTasks>;

  /** A dry run of `addMany`. */
  planMany(draft: QuickDraft): Promise<readonly PlannedTask[]>;
  update(reference: string, updates: TaskUpdates, options?: UpdateOptions): Promise<UpdatedTask>;
  /**
   * Changes many tasks, given by reference or by one selection, in one operation. A selection, or more than twenty
   * tasks, returns a plan; the same call with that plan carries it out.
   * @throws VaultError CONFLICT when the selection finds other tasks or the plan no longer fits
   */
  updateMany(tasks: readonly string[], updates: TaskUpdates, options?: BulkOptions): Promise<BulkOutcome>;
}
