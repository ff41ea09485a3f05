/** The task operations over one vault: reads here, writes in `writing/`. */
import { meansAll } from "../search/query.js";
import { TimeSlice } from "../async/yield-to-loop.js";
import type { ProgressOptions } from "../index/refresh.js";
import type { IndexView } from "../index/view.js";
import { isVaultError, orIfFailed } from "../errors.js";
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
  WaitsFor,
} from "./api.js";
import { nullsIgnored, withoutNulls } from "./fields/task-fields.js";
import { type BaseSettings, type BaseView, tasksBaseText, viewBaseText } from "./bases/tasks-base.js";
import { parseSelection } from "./query/selection.js";
import { type AddedTasks, type PlannedTask, type QuickDraft, TaskAdder } from "./writing/add-tasks.js";
import { type BulkOptions, type BulkOutcome, BulkUpdater } from "./writing/bulk.js";
import {
  type AgendaSection,
  dayAgenda,
  type DaySpan,
  type DaysQuery,
  dueLists,
  type PageOptions,
  readSpan,
} from "./agenda.js";
import type { TaskFormat } from "./format.js";
import { customsOf, isReserved, withOwnWords } from "./note-format/customs.js";
import { noteFormat } from "./note-format/format.js";
import { projectProgress, type ProjectProgress, reviewOf, type Review } from "./review.js";
import { TaskFinder } from "./query/finder.js";
import { type FindElsewhere, TaskIndex } from "./rows/task-index.js";
import type { TaskRows } from "./rows/task-rows.js";
import type { Task, TaskProblem } from "./task.js";
import { momentText } from "./fields/reminders.js";
import type { SettingsProblem } from "../obsidian/settings-values.js";
import { type Clock, localTimeOf, type LocalDate } from "../clock.js";
import { dependenciesOf, type TaskDependencies, relationsOf } from "./dependencies.js";
import { noLongerTask } from "./unknown-reference.js";
import type { NoteLinks } from "./writing/convert.js";
import type { ProjectRename, RenamedProject } from "./writing/renamed-project.js";
import { TaskMaker } from "./writing/task-maker.js";
import { cleanUpdates } from "./writing/arguments.js";
import { isFieldKey, updateOfProperty } from "./fields/task-fields.js";
import { type Outcome, type TaskRequest, TaskUpdater } from "./writing/update.js";
import { readFrontmatter, splitNote } from "../markdown/frontmatter/frontmatter.js";
import type { Spelling } from "./fields/spelling.js";
import { counted } from "../text/plural.js";

export type * from "./api.js";

interface TaskServiceOptions {
  readonly formats?: readonly TaskFormat[];
  readonly elsewhere?: FindElsewhere;
  readonly links?: NoteLinks;
}

const MAX_DAYS_NAMED = 3;
const LIST_PLAIN = 'search_tasks is ["checkbox"].';

const plainWords = (count: number, open = ""): string =>
  `${count} ${open}plain ${count === 1 ? "checkbox" : "checkboxes"}`;

/** `selection`: from an answer of a search. */
type SavedView = Pick<BaseView, "name" | "group"> & { readonly selection: string };

interface SavedBase {
  readonly text: string;
  /** Tasks that it lacks: their folder makes them tasks. */
  readonly untyped: number;
}

/** What a base does not find by tag, property or type. */
const UNMARKED: ReadonlySet<string> = new Set(["status-in-para", "mdbase-type"]);

const baseSettings = ({ dialect, para, settings }: TaskRows): BaseSettings => ({
  dialect: withOwnWords(dialect, settings),
  archive: para.archive,
  customs: customsOf(settings),
});

export class TaskService implements Tasks {
  readonly #vault: Vault;
  readonly #index: TaskIndex;
  readonly #finder: TaskFinder;
  readonly #maker: TaskMaker;
  readonly #adder: TaskAdder;
  readonly #updater: TaskUpdater;
  readonly #bulk: BulkUpdater;
  readonly #links: NoteLinks | undefined;
  readonly #all = new WeakMap<IndexView, readonly Task[]>();

  /** @param vault must have the subject of these formats */
  constructor(vault: Vault, { formats = [noteFormat], elsewhere, links }: TaskServiceOptions = {}) {
    this.#vault = vault;
    this.#links = links;
    this.#index = new TaskIndex(vault, formats, elsewhere);
    this.#finder = new TaskFinder(vault, this.#index);
    this.#maker = new TaskMaker(vault, this.#index);
    this.#adder = new TaskAdder(vault, this.#index, this.#maker, links);
    this.#updater = new TaskUpdater(vault, this.#index);
    this.#bulk = new BulkUpdater(vault, this.#index, this.#finder, this.#updater, async (task, updates, operation) =>
      this.#convert(task, updates, {}, operation),
    );
  }

  async all(options: ProgressOptions = {}): Promise<AllTasks> {
    return await this.#index.ask(options, "tasks", async (rows) => {
      const known = this.#all.get(rows.view) ?? (await rows.decodeSome(rows.everyId(), new TimeSlice(options.signal)));
      this.#all.set(rows.view, known);
      return { today: this.#vault.clock.today(), tasks: known };
    });
  }

  async agenda({ limit = -1, ...options }: AgendaOptions = {}): Promise<Agenda> {
    return await this.#index.ask(options, "tasks", async (rows) => {
      const today = this.#vault.clock.today();
      const due = await dueLists(rows, today, { limit, slice: new TimeSlice(options.signal) });
      return {
        today,
        ...due,
        unreadInline: rows.excludedLines(),
        inline: rows.inlineCount(),
        waitsFor: waitsFor(rows),
        paraFolders: rows.para,
        taskCount: rows.total([]),
        noteCount: rows.view.noteCount,
        problems: [...allProblems(rows), ...relationsOf(rows).problems()],
      };
    });
  }

  async search(query: TaskQuery, options: ProgressOptions = {}): Promise<TaskHits> {
    return this.#finder.find(query, options);
  }

  async notCounted(about: NotCountedQuery = {}, options: ProgressOptions = {}): Promise<string | undefined> {
    const { query = "*", is = [], ...filters } = about;
    if (is.includes("checkbox") || is.includes("inline")) return undefined;
    const { boxes, notes } = await this.#index.askLatest(options, (rows) => rows.plainCount());
    if (boxes === 0) return undefined;
    const isFiltered = is.length > 0 || Object.values(filters).some((value) => value !== undefined && value !== false);
    if (meansAll(query) && !isFiltered)
      return `Not counted: ${plainWords(boxes, "open ")} in ${counted(notes, "note")}. List them: ${LIST_PLAIN}`;
    const plain = { ...filters, query, is: [...is, "checkbox", "outstanding"] as const, limit: 0 };
    const { total } = await this.#finder.find(plain, options);
    if (total === 0) return undefined;
    return meansAll(query)
      ? `Not counted: ${plainWords(total, "open ")} with these filters. List them: ${LIST_PLAIN}`
      : `${plainWords(total)} ${total === 1 ? "matches" : "match"} ${JSON.stringify(query)}; list them: ${LIST_PLAIN}`;
  }

  /** Days of open tasks that cannot be read, in one line: the tasks are missing where days are asked for. */
  async unreadDays(options: ProgressOptions = {}): Promise<string | undefined> {
    const { first, total } = await this.#index.askLatest(options, (rows) => rows.unreadDays(MAX_DAYS_NAMED));
    if (total === 0) return undefined;
    const named = first.map(({ path, line, message }) => `${path}${line === undefined ? "" : `:${line}`}: ${message}`);
    const rest = total > first.length ? ` And ${total - first.length} more: scan_vault names them.` : "";
    return `Not counted: ${counted(total, "day")} that cannot be read. ${named.join(" ")}${rest}`;
  }

  async days(query: DaysQuery = {}, options: ProgressOptions = {}): Promise<DaysAnswer> {
    const today = this.#vault.clock.today();
    const { echo, ...span } = readSpan(query, today);
    return await this.#index.ask(options, "tasks", (rows) => ({
      today,
      ...span,
      sections: dayAgenda(rows, span, today, query),
      waitsFor: waitsFor(rows),
      remarks: echo === undefined ? [] : [echo],
    }));
  }

  async review({ date, days = 0, ...page }: ReviewQuery = {}, options: ProgressOptions = {}): Promise<ReviewAnswer> {
    const { clock } = this.#vault;
    const today = clock.today();
    const { echo, ...done } = date === undefined ? { echo: undefined } : readSpan({ date }, today);
    return await this.#index.ask(options, "tasks", async (rows) => {
      const projectNames = await this.#projectNames(rows);
      const span = "from" in done ? { done } : {};
      return {
        today,
        ...span,
        ...reviewOf(rows, { today, clock, days, projectNames, ...span, ...page }),
        waitsFor: waitsFor(rows),
        remarks: echo === undefined ? [] : [echo],
      };
    });
  }

  async base(options: ProgressOptions = {}): Promise<string> {
    return tasksBaseText(baseSettings(await this.#index.refresh(options)));
  }

  async viewBase({ selection, ...shown }: SavedView, options: ProgressOptions = {}): Promise<SavedBase> {
    const { filters } = parseSelection(selection);
    const settings = baseSettings(await this.#index.refresh(options));
    const text = viewBaseText(settings, { ...shown, filters, today: this.#vault.clock.today() });
    const { tasks } = await this.#finder.find(filters, options);
    return { text, untyped: tasks.filter(({ rule }) => UNMARKED.has(rule)).length };
  }

  async projects(options: ProgressOptions = {}): Promise<readonly ProjectProgress[]> {
    const { clock } = this.#vault;
    const today = clock.today();
    return await this.#index.ask(options, "tasks", async (rows) => {
      const projectNames = await this.#projectNames(rows);
      return projectProgress(rows, { today, clock, projectNames });
    });
  }

  /** What the notes of these projects say of their state, by name; of those that say something. */
  async projectStates(names: readonly string[], options: ProgressOptions = {}): Promise<ReadonlyMap<string, string>> {
    return await this.#index.ask(options, "tasks", async (rows) => {
      const states = new Map<string, string>();
      for (const name of names) {
        const found = rows.view.filesNamed(name).map(({ path }) => path);
        const path = found.find((one) => rows.para.projects.some((folder) => one.startsWith(`${folder}/`))) ?? found[0];
        const text = path === undefined ? undefined : (await this.#vault.read(path).catch(() => undefined))?.text;
        const state = text === undefined ? undefined : statusIn(text, customsOf(rows.settings).spelling);
        if (state !== undefined) states.set(name, state);
      }
      return states;
    });
  }

  /** Project folders, and notes in them that are not tasks. */
  async #projectNames(rows: TaskRows): Promise<readonly string[]> {
    const { para } = rows;
    const isTask = (path: VaultPath): boolean => rows.with({ by: "path", value: path.normalize("NFC") }).length > 0;
    const entries = await Promise.all(para.projects.map(async (folder) => (await this.#vault.children(folder)) ?? []));
    return entries
      .flat()
      .filter(({ kind, path }) => kind === "folder" || (isListed(path, kind) && isMarkdown(path) && !isTask(path)))
      .map(({ path }) => baseName(path).replace(/\.md$/i, ""))
      .filter((name) => !name.startsWith("."));
  }

  async get(reference: string, options: ProgressOptions = {}): Promise<TaskDetail & TaskDependencies> {
    const rows = await this.#index.among([reference], options);
    const { task } = await this.#index.find(reference, rows);
    const note = await this.#vault.read(task.path);
    const detail = this.#index.formatOf(task.source).detail(note, task, rows.surroundings);
    if (detail === undefined) throw noLongerTask(task);
    const today = this.#vault.clock.today();
    return {
      ...detail,
      task: rows.withArea(detail.task),
      ...dependenciesOf(task, relationsOf(rows), today),
    };
  }

  async create(draft: TaskDraft): Promise<CreatedTask> {
    const created = await this.#maker.create(draft);
    const moments = draft.reminders ? momentsOf(created.task, this.#vault.clock) : [];
    const waits = await orIfFailed(this.#updater.waits(created.task), {});
    return this.#withNotices({ ...created, ...waits }, moments);
  }

  async addMany(draft: QuickDraft): Promise<AddedTasks> {
    const { clock } = this.#vault;
    const added = await this.#adder.add(draft);
    const moments = added.tasks.flatMap(({ task }) => (task ? momentsOf(task, clock, added.tasks.length > 1) : []));
    return this.#withNotices(added, moments);
  }

  /** What the answer of a write says besides: when it reminds, and that TaskNotes' settings could not be read. */
  #withNotices<Outcome extends { readonly adjustments: readonly string[] }>(
    outcome: Outcome,
    moments: readonly string[] = [],
  ): Outcome {
    const problems = this.#vault.index.latest?.settings.taskNotes.problems ?? [];
    const notices = [...moments, ...problems.map(problemText)];
    return notices.length === 0 ? outcome : { ...outcome, adjustments: [...outcome.adjustments, ...notices] };
  }

  async planMany(draft: QuickDraft): Promise<readonly PlannedTask[]> {
    return await this.#adder.plan(draft);
  }

  async update(reference: string, given: TaskUpdates, options: UpdateOptions = {}): Promise<UpdatedTask> {
    const { updates, ignored } = withoutNulls(given);
    const updated = await this.#update(reference, updates, options);
    const moments = updates["reminders"] ? momentsOf(updated.task, this.#vault.clock) : [];
    return withIgnored(ignored, this.#withNotices(updated, moments));
  }

  async #update(reference: string, updates: TaskUpdates, options: UpdateOptions): Promise<UpdatedTask> {
    if (updates.convert === undefined) return await this.#updater.update(reference, updates, options);
    return await this.#convert(reference, updates, options);
  }

  async #convert(reference: string, updates: TaskUpdates, options: UpdateOptions, within?: Operation) {
    if (!this.#links) return await this.#updater.update(reference, updates, options);
    const { TaskConverter } = await import("./writing/convert.js");
    const converter = new TaskConverter(this.#vault, this.#index, this.#maker, this.#links);
    return await converter.convert(reference, updates, options, within);
  }

  /**
   * The task fields among the properties, and a step of an operation that changes them by the rules of tasks. Undefined
   * when the note is no task, or no property is a field.
   */
  async fieldsOf(path: VaultPath, properties: Readonly<Record<string, string>>) {
    if (!Object.keys(properties).some(isFieldKey)) return undefined;
    const rows = await this.#index.among([path]);
    const [task] = rows.with({ by: "path", value: path.normalize("NFC") });
    if (task === undefined) return undefined;
    const remarks: string[] = [];
    const updates = Object.entries(properties).flatMap(([key, text]) => {
      const update = updateOfProperty(key, text, rows.settings.taskNotes);
      if (update?.unknown !== undefined) remarks.push(update.unknown);
      return update?.change === undefined ? [] : [[key, update.change] as const];
    });
    if (updates.length === 0) return { keys: [], remarks, preview: async () => false, write: async () => false };
    const found = await this.#index.find(task.id, rows);
    const given: TaskUpdates = Object.fromEntries(updates.map(([, update]) => update));
    const request = (): TaskRequest[] => [
      { found, checked: cleanUpdates(given, { today: this.#vault.clock.today() }) },
    ];
    remarks.push(...request().flatMap(({ checked }) => checked.adjustments));
    const settled = (outcomes: readonly Outcome[]): boolean => {
      for (const outcome of outcomes) if (isVaultError(outcome)) throw outcome;
      return outcomes.some((outcome) => !isVaultError(outcome) && outcome.changed);
    };
    return {
      keys: updates.map(([key]) => key),
      remarks,
      preview: async () => settled(await this.#updater.preview(request(), rows)),
      write: async (operation: Operation) => settled(await this.#updater.writeNote(request(), rows, operation)),
    };
  }

  /** What is renamed with files: a project's folder, and plain names of projects and blockers. */
  async renamedWith(request: ProjectRename): Promise<RenamedProject | undefined> {
    const { renamedWith } = await import("./writing/renamed-project.js");
    return await renamedWith(this.#vault, () => this.#index.refresh(), request);
  }

  async updateMany(tasks: readonly string[], given: TaskUpdates, options: BulkOptions = {}): Promise<BulkOutcome> {
    const { updates, ignored } = withoutNulls(given);
    return withIgnored(ignored, this.#withNotices(await this.#bulk.update(tasks, updates, options)));
  }
}

function statusIn(text: string, spelling: Spelling): string | undefined {
  const { properties } = readFrontmatter(text, splitNote(text));
  const status = spelling.fieldProperties(properties).get("status")?.text?.trim();
  return status === "" ? undefined : status;
}

function withIgnored<Outcome extends { readonly adjustments: readonly string[] }>(
  ignored: readonly string[],
  outcome: Outcome,
): Outcome {
  if (ignored.length === 0) return outcome;
  return { ...outcome, adjustments: [...outcome.adjustments, `Read ${nullsIgnored(ignored)}.`] };
}

const waitsFor = (rows: TaskRows): WaitsFor => ({ get: (task) => relationsOf(rows).waitingOf(task) });

function allProblems(rows: TaskRows): readonly TaskProblem[] {
  const { settings } = rows;
  const own = settings.taskNotes.problems.map(({ file, ...problem }) => ({ path: file, ...problem }));
  return [...own, ...rows.problems().filter(({ path }) => !isReserved(path as VaultPath, settings))];
}

const problemText = ({ file, line, message }: SettingsProblem): string =>
  `${file}${line === undefined ? "" : `, line ${line}`}: ${message}`;

/** `Reminds Thu 2026-12-03 23:45: due has no clock time, so it counts from 00:00.` */
function momentsOf({ title, reminders }: Task, clock: Clock, hasTitle = false): readonly string[] {
  const now = localTimeOf(clock).text.slice(0, 16).replace("T", " ");
  return reminders.map(({ text, at, base, fromMidnight }) => {
    const of = hasTitle ? `"${title}": ` : "";
    if (at === undefined) return `${of}No reminder yet: ${text}, and the task has no such day.`;
    const past = at < now ? " (in the past)" : "";
    const why = fromMidnight && base ? `: ${base} has no clock time, so it counts from 00:00` : "";
    return `${of}Reminds ${momentText(at)}${past}${why}.`;
  });
}

interface AgendaOptions extends ProgressOptions {
  /** Of each list; default all. */
  readonly limit?: number | undefined;
}

interface ReviewQuery extends PageOptions {
  readonly days?: number | undefined;
  /** A day or range whose done tasks are listed; default the last seven days. */
  readonly date?: string | undefined;
}

export interface DaysAnswer extends DaySpan {
  readonly today: LocalDate;
  readonly sections: readonly AgendaSection[];
  readonly waitsFor: WaitsFor;
  readonly remarks: readonly string[];
}

export interface ReviewAnswer extends Review {
  readonly today: LocalDate;
  /** The days asked for. */
  readonly done?: DaySpan;
  readonly remarks: readonly string[];
  readonly waitsFor: WaitsFor;
}

/** All methods throw VaultError. A reference is an id, a path (`.md` optional), a `[[wikilink]]` or a unique title. */
export interface Tasks {
  all(options?: ProgressOptions): Promise<AllTasks>;
  agenda(options?: AgendaOptions): Promise<Agenda>;
  search(query: TaskQuery, options?: ProgressOptions): Promise<TaskHits>;
  /** A sentence on open checkboxes that are not tasks; undefined if there are none. */
  unreadDays?(options?: ProgressOptions): Promise<string | undefined>;
  notCounted?(about?: NotCountedQuery, options?: ProgressOptions): Promise<string | undefined>;
  days(query?: DaysQuery, options?: ProgressOptions): Promise<DaysAnswer>;
  review(query?: ReviewQuery, options?: ProgressOptions): Promise<ReviewAnswer>;
  base(options?: ProgressOptions): Promise<string>;
  /** A base with one table: the notes that the selection's filters find. */
  viewBase(view: SavedView, options?: ProgressOptions): Promise<SavedBase>;
  projects(options?: ProgressOptions): Promise<readonly ProjectProgress[]>;
  projectStates?(names: readonly string[], options?: ProgressOptions): Promise<ReadonlyMap<string, string>>;
  get(reference: string, options?: ProgressOptions): Promise<TaskDetail & TaskDependencies>;
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
