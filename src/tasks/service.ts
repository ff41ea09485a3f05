/** The task operations over one vault. */
import { Mutex } from "async-mutex";
import { meansAll } from "../search/words.js";
import { call, said, type Wording, counted } from "../text/wording.js";
import { TimeSlice } from "../async/timers.js";
import type { ProgressOptions } from "../index/refresh.js";
import type { IndexView } from "../index/view.js";
import { orIfFailed } from "../errors.js";
import type { Operation } from "../history/journal-records.js";
import { isListed } from "../obsidian/ignore.js";
import { baseName, isMarkdown, type VaultPath } from "../storage/path.js";
import type { Vault } from "../vault/vault.js";
import type {
  AddedTasks,
  Agenda,
  AgendaOptions,
  AllTasks,
  BaseSelection,
  BulkOptions,
  BulkOutcome,
  CreatedTask,
  DaysAnswer,
  NamedTasks,
  NotCountedQuery,
  PlannedTask,
  ProjectsOptions,
  QuickDraft,
  ReviewAnswer,
  ReviewQuery,
  SavedBase,
  TaskDetail,
  TaskDraft,
  TaskHits,
  TaskQuery,
  TaskUpdates,
  Tasks,
  UpdateOptions,
  UpdatedTask,
  UnreadQuery,
  WaitsFor,
} from "./api.js";
import { isFieldKey, isOneOfSeveral, nullsIgnored, withoutNulls } from "./fields/task-fields.js";
import type { BaseSettings } from "./bases/tasks-base.js";
import { taskConditions } from "./query/filter.js";
import { excludedLines, inlineCount, plainCount, plainWith, problemsIn, unreadIn } from "./query/not-counted.js";
import { parseSelection } from "./query/selection.js";
import { addQuickTasks, planQuickTasks } from "./writing/add-tasks.js";
import { changeTasks } from "./writing/bulk.js";
import { dayAgenda, type DaysQuery, dueLists, readSpan } from "./agenda.js";
import type { TaskFormat } from "./format.js";
import { conventionsOf, isReserved, withOwnWords } from "./note-format/note-settings.js";
import { noteFormat } from "./note-format/format.js";
import { fieldChanges } from "./note-format/properties.js";
import type { ProjectProgress } from "./review.js";
import { TaskFinder } from "./query/finder.js";
import { type FindFile, TaskIndex } from "./task-index.js";
import type { TaskRows } from "./rows/task-rows.js";
import type { Task, TaskProblem } from "./task.js";
import { momentsOf } from "./fields/reminders.js";
import type { SettingsProblem } from "../obsidian/settings-values.js";
import { dependenciesOf, type TaskDependencies, relationsOf } from "./relations.js";
import { noLongerTask } from "./task-references.js";
import { applyEach } from "./writing/change-set.js";
import type { NoteLinks, WriteContext } from "./writing/edit-note.js";
import type { Companions, Renaming } from "../vault/new-path.js";
import { makeTask } from "./writing/create.js";
import { waitsOf, changeTask, type Outcome, planUpdates } from "./writing/update.js";
import { cleanUpdates } from "./writing/arguments.js";
import { readFrontmatter, splitNote } from "../markdown/frontmatter/frontmatter.js";
import type { Spelling } from "./fields/spelling.js";

export type * from "./api.js";

interface TaskServiceOptions {
  readonly formats?: readonly TaskFormat[];
  readonly findFile?: FindFile;
  readonly links?: NoteLinks;
}

const LIST_PLAIN = call("search_tasks", { is: ["checkbox"] }, 'search_tasks is ["checkbox"]');

const plainWords = (count: number, open = ""): string =>
  `${count} ${open}plain ${count === 1 ? "checkbox" : "checkboxes"}`;

const withList = (what: string, list: string, boxes: number): Wording =>
  said`${what}${list} ${boxes === 1 ? "it" : "them"}: ${LIST_PLAIN}.`.or(`${what}.`);

/** What a base does not find by tag, property or type. */
const UNMARKED: ReadonlySet<string> = new Set(["status-in-para"]);

const baseSettings = ({ dialect, para, settings }: TaskRows): BaseSettings => ({
  dialect: withOwnWords(dialect, settings),
  archive: para.archive,
  conventions: conventionsOf(settings),
  archiveTag: settings.taskNotes.archiveTag,
  excluded: settings.taskNotes.excludedFolders,
});

export class TaskService implements Tasks {
  readonly #vault: Vault;
  readonly #index: TaskIndex;
  readonly #finder: TaskFinder;
  readonly #writing: WriteContext;
  readonly #all = new WeakMap<IndexView, readonly Task[]>();

  /** @param vault must have the subject of these formats */
  constructor(vault: Vault, { formats = [noteFormat], findFile, links }: TaskServiceOptions = {}) {
    this.#vault = vault;
    this.#index = new TaskIndex(vault, formats, findFile);
    this.#finder = new TaskFinder(vault, this.#index);
    this.#writing = { vault, index: this.#index, finder: this.#finder, links, creating: new Mutex() };
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
        unreadInline: excludedLines(rows.view),
        inline: inlineCount(rows),
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

  async notCounted(about: NotCountedQuery = {}, options: ProgressOptions = {}): Promise<Wording | undefined> {
    const { query = "*", is = [], ...filters } = about;
    if (is.includes("checkbox") || is.includes("inline")) return undefined;
    const isAll = meansAll(query);
    const { clock } = this.#vault;
    const { boxes, notes } = await this.#index.askLatest(options, async (rows) => {
      const { filters: meant } = await this.#finder.withNamesMeant(filters, rows);
      const { conditions } = taskConditions(
        { ...meant, query, ...(is.length > 0 && { is }) },
        { rows, today: clock.today(), clock },
      );
      return isAll ? plainCount(rows, conditions) : plainWith(query, rows, conditions);
    });
    if (boxes === 0) return undefined;
    if (!isAll)
      return withList(
        `${plainWords(boxes)} ${boxes === 1 ? "matches" : "match"} ${JSON.stringify(query)}`,
        "; list",
        boxes,
      );
    const isFiltered = is.length > 0 || Object.values(filters).some((value) => value !== undefined && value !== false);
    const where = isFiltered ? "with these filters" : `in ${counted(notes, "note")}`;
    return withList(`Not counted: ${plainWords(boxes, "open ")} ${where}`, ". List", boxes);
  }

  async unread(about: UnreadQuery, options: ProgressOptions = {}): Promise<readonly Wording[]> {
    return await this.#index.askLatest(options, (rows) => unreadIn(rows, about));
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
    const { echo, ...done } = date === undefined ? { echo: undefined } : readSpan({ date }, today, "back");
    return await this.#index.ask(options, "tasks", async (rows) => {
      const { madeWithoutDay, reviewOf } = await import("./review.js");
      const projectNames = await this.#projectNames(rows);
      const span = "from" in done ? { done } : {};
      return {
        today,
        ...span,
        ...reviewOf(rows, { today, clock, days, projectNames, ...span, ...page }),
        waitsFor: waitsFor(rows),
        remarks: [echo ?? [], days === 0 ? [] : madeWithoutDay(rows)].flat(),
      };
    });
  }

  async base(options: ProgressOptions = {}): Promise<string> {
    const { tasksBaseText } = await import("./bases/tasks-base.js");
    return tasksBaseText(baseSettings(await this.#index.refresh(options)));
  }

  async viewBase({ selection, ...shown }: BaseSelection, options: ProgressOptions = {}): Promise<SavedBase> {
    const rows = await this.#index.refresh(options);
    const { filters } = await this.#finder.withNamesMeant(parseSelection(selection).filters, rows);
    const settings = baseSettings(rows);
    const { viewBaseText } = await import("./bases/tasks-base.js");
    const text = viewBaseText(settings, { ...shown, filters, today: this.#vault.clock.today() });
    const { tasks } = await this.#finder.find(filters, options);
    return { text, untyped: tasks.filter(({ rule }) => UNMARKED.has(rule)).length };
  }

  async projects({ shown = (all) => all, ...options }: ProjectsOptions = {}): Promise<readonly ProjectProgress[]> {
    const { clock } = this.#vault;
    const today = clock.today();
    return await this.#index.ask(options, "tasks", async (rows) => {
      const { projectProgress, withNext } = await import("./review.js");
      const projectNames = await this.#projectNames(rows);
      return withNext(shown(projectProgress(rows, { today, clock, projectNames })), rows, today);
    });
  }

  /** What the projects' notes say of their state. */
  async projectStates(names: readonly string[], options: ProgressOptions = {}): Promise<ReadonlyMap<string, string>> {
    return await this.#index.askLatest(options, async (rows) => {
      const states = new Map<string, string>();
      for (const name of names) {
        const found = rows.view.filesNamed(name).map(({ path }) => path);
        const path = found.find((one) => rows.para.projects.some((folder) => one.startsWith(`${folder}/`))) ?? found[0];
        const text = path === undefined ? undefined : (await this.#vault.read(path).catch(() => undefined))?.text;
        const state = text === undefined ? undefined : statusIn(text, conventionsOf(rows.settings).spelling);
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
    const rows = await this.#index.refreshFor([reference], options);
    const { task } = await this.#index.find(reference, rows);
    const note = await this.#vault.read(task.path);
    const detail = this.#index.formatOf(task.source).detail(note, task, rows.context);
    if (detail === undefined) throw noLongerTask(task);
    const today = this.#vault.clock.today();
    return {
      ...detail,
      task: rows.withArea(detail.task),
      ...dependenciesOf(task, relationsOf(rows), today),
    };
  }

  async named(references: readonly string[], options: ProgressOptions = {}): Promise<NamedTasks> {
    const rows = await this.#index.refreshFor(references, options);
    const tasks = new Map<string, Task>();
    for (const reference of references) {
      const [task] = (["ref", "path"] as const).flatMap((by) => rows.with({ by, value: reference }));
      if (task) tasks.set(reference, task);
    }
    return { tasks, waitsFor: waitsFor(rows) };
  }

  async create(draft: TaskDraft): Promise<CreatedTask> {
    const created = await makeTask(this.#writing, draft);
    const moments = draft.reminders ? momentsOf(created.task, this.#vault.clock) : [];
    const waits = await orIfFailed(waitsOf(this.#writing, created.task), {});
    return this.#withNotices({ ...created, ...waits }, moments);
  }

  async addMany(draft: QuickDraft): Promise<AddedTasks> {
    const { clock } = this.#vault;
    const added = await addQuickTasks(this.#writing, draft);
    const moments = added.tasks.flatMap(({ task }) => (task ? momentsOf(task, clock, added.tasks.length > 1) : []));
    return this.#withNotices(added, moments);
  }

  #withNotices<Outcome extends { readonly adjustments: readonly Wording[] }>(
    outcome: Outcome,
    moments: readonly string[] = [],
  ): Outcome {
    const problems = this.#vault.index.latest?.settings.taskNotes.problems ?? [];
    const notices = [...moments, ...problems.map(problemText)];
    return notices.length === 0 ? outcome : { ...outcome, adjustments: [...outcome.adjustments, ...notices] };
  }

  async planMany(draft: QuickDraft): Promise<readonly PlannedTask[]> {
    return await planQuickTasks(this.#writing, draft);
  }

  async update(reference: string, given: TaskUpdates, options: UpdateOptions = {}): Promise<UpdatedTask> {
    const { updates, ignored } = withoutNulls(given);
    const write = updates.convert === undefined ? changeTask : (await import("./writing/convert.js")).convertTask;
    const updated = await write(this.#writing, reference, updates, options);
    const moments = updates["reminders"] ? momentsOf(updated.task, this.#vault.clock) : [];
    return withIgnored(ignored, this.#withNotices(updated, moments));
  }

  /** Which of a task's properties holds the field that another key spells. */
  async fieldKeys(path: VaultPath): Promise<(key: string, keys: readonly string[]) => string | undefined> {
    const { spelling } = conventionsOf(await this.#vault.settings());
    const rows = await this.#index.refreshFor([path]);
    if (rows.with({ by: "path", value: path.normalize("NFC") }).length === 0) return () => undefined;
    const fieldOf = (key: string) => spelling.fieldsSpelled(key)[0]?.name;
    return (key, keys) => (fieldOf(key) && keys.find((one) => fieldOf(one) === fieldOf(key))) || undefined;
  }

  /**
   * The task fields among the properties, and their change. Undefined when the note is no task, or no property is a
   * field.
   */
  async fieldsOf(path: VaultPath, properties: Readonly<Record<string, string>>) {
    const settings = await this.#vault.settings();
    const { spelling } = conventionsOf(settings);
    const mayChange =
      settings.taskNotes.type !== undefined || Object.keys(properties).some((key) => isFieldKey(key, spelling));
    if (!mayChange) return undefined;
    const rows = await this.#index.refreshFor([path]);
    const [task] = rows.with({ by: "path", value: path.normalize("NFC") });
    if (task === undefined) return undefined;
    const keys = readFrontmatter((await this.#vault.read(path)).text).properties.map((property) => property.key);
    const { changes, remarks } = fieldChanges(properties, rows.settings);
    const updates = changes.filter(([key]) => !isOneOfSeveral(key, keys, spelling));
    if (updates.length === 0) return { keys: [], remarks, preview: async () => false, write: async () => false };
    const found = await this.#index.find(task.id, rows);
    const given: TaskUpdates = Object.fromEntries(updates.map(([, update]) => update));
    const checked = cleanUpdates(given, { today: this.#vault.clock.today() });
    remarks.push(...checked.adjustments);
    const plan = async () => await planUpdates(this.#writing, [{ found, checked }], rows);
    const settled = (outcomes: readonly Outcome[]): boolean => {
      for (const outcome of outcomes) if (outcome instanceof Error) throw outcome;
      return outcomes.some((outcome) => !(outcome instanceof Error) && outcome.changed);
    };
    return {
      keys: updates.map(([key]) => key),
      remarks,
      preview: async () => settled((await plan()).outcomes),
      write: async (operation: Operation) => settled(await applyEach(this.#writing, await plan(), { operation })),
    };
  }

  /** A project's folder, and plain names of projects and blockers. */
  async renamedWith(request: Renaming): Promise<Companions | undefined> {
    const { renamedWith } = await import("./writing/renamed-project.js");
    return await renamedWith(this.#vault, () => this.#index.refresh(), request);
  }

  async updateMany(tasks: readonly string[], given: TaskUpdates, options: BulkOptions = {}): Promise<BulkOutcome> {
    const { updates, ignored } = withoutNulls(given);
    return withIgnored(ignored, this.#withNotices(await changeTasks(this.#writing, tasks, updates, options)));
  }
}

function statusIn(text: string, spelling: Spelling): string | undefined {
  const { properties } = readFrontmatter(text, splitNote(text));
  const status = spelling.fieldProperties(properties).get("status")?.text?.trim();
  return status === "" ? undefined : status;
}

function withIgnored<Outcome extends { readonly adjustments: readonly Wording[] }>(
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
  return [...own, ...problemsIn(rows.view).filter(({ path }) => !isReserved(path as VaultPath, settings))];
}

const problemText = ({ file, line, message }: SettingsProblem): string =>
  `${file}${line === undefined ? "" : `, line ${line}`}: ${message}`;
