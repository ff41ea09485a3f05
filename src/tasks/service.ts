/** The task use cases over one vault: those that only look are here, `writing/` makes and changes tasks. */
import type { RefreshOptions } from "../catalog/catalog.js";
import { echoDay } from "../dates/day-echo.js";
import { requireDay } from "../dates/day-words.js";
import type { Vault } from "../vault/vault.js";
import type {
  Agenda,
  AllTasks,
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
import { tasksBaseText } from "./bases/tasks-base.js";
import type { AddedTasks, BulkOptions, BulkOutcome, QuickDraft } from "./bulk/bulk.js";
import { dayAgenda, spanFrom } from "./day-agenda.js";
import type { TaskFormat } from "./format.js";
import { noteFormat } from "./note-format/format.js";
import { projectProgress } from "./project-progress.js";
import { reviewOf } from "./review.js";
import { TaskFinder } from "./task-finder.js";
import { type FindElsewhere, TaskLooks } from "./task-looks.js";
import type { Task } from "./task.js";
import { tiesOf } from "./ties.js";
import { noLongerTask } from "./unknown-reference.js";
import { TaskMaker } from "./writing/task-maker.js";
import { TaskWriter } from "./writing/task-writer.js";

// The tools build on these through the service.
export type * from "./api.js";

export interface TaskServiceOptions {
  /** The ways in which tasks are kept in this vault; default: as notes. */
  readonly formats?: readonly TaskFormat[];
  /** From how many tasks on searches keep an index; left out, never: right for a process that answers once. */
  readonly indexFrom?: number;
  readonly elsewhere?: FindElsewhere;
}

export class TaskService implements Tasks {
  readonly #vault: Vault;
  readonly #looks: TaskLooks;
  readonly #finder: TaskFinder;
  readonly #maker: TaskMaker;
  readonly #writer: TaskWriter;

  /** @param vault its readers must include those of the formats */
  constructor(vault: Vault, { indexFrom, formats = [noteFormat], elsewhere }: TaskServiceOptions = {}) {
    this.#vault = vault;
    this.#looks = new TaskLooks(vault, formats, { elsewhere, answersOnce: indexFrom === undefined });
    this.#finder = new TaskFinder(vault, (isAboutLines) => this.#looks.indexFor(isAboutLines), indexFrom);
    this.#maker = new TaskMaker(vault, this.#looks);
    this.#writer = new TaskWriter(vault, this.#looks, this.#finder);
  }

  async all(options: RefreshOptions = {}): Promise<AllTasks> {
    const { tasks } = await this.#looks.index.refresh(options);
    return { today: this.#vault.clock.today(), tasks };
  }

  async agenda(options: RefreshOptions = {}): Promise<Agenda> {
    const { index } = this.#looks;
    const known = index.latest;
    const look = await index.refresh(options);
    // Since they were looked at, folders without notes may have come or gone.
    const paraFolders = look.para === known?.para ? await this.#vault.para() : look.para;
    const today = this.#vault.clock.today();
    const due = look.due(today);
    const unreadInline = await this.#looks.unreadLines(options);
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

  async search(query: TaskQuery, options: RefreshOptions = {}): Promise<TaskHits> {
    return this.#finder.find(query, options);
  }

  async days({ date, days = 1 }: DaysQuery = {}, options: RefreshOptions = {}): Promise<DaysAnswer> {
    const today = this.#vault.clock.today();
    const read = date === undefined ? undefined : requireDay("date", date, today);
    const echo = read && echoDay("date", date ?? "", read, today);
    const span = spanFrom(read?.day ?? today, days);
    const look = await this.#looks.index.refresh(options);
    const sections = dayAgenda(look.tasks, span, today);
    const listed = sections.flatMap(({ entries }) => entries.map(({ task }) => task));
    const waitsFor = look.relations(today).waitingNames(listed);
    return { today, ...span, sections, waitsFor, remarks: echo === undefined ? [] : [echo] };
  }

  async review({ days = 0 }: { readonly days?: number | undefined } = {}, options: RefreshOptions = {}) {
    const { clock } = this.#vault;
    const today = clock.today();
    const look = await this.#looks.index.refresh(options);
    const relations = look.relations(today);
    const review = reviewOf(look.tasks, { today, clock, relations, days });
    return { today, ...review, waitsFor: relations.waitingNames(look.due(today).outstanding) };
  }

  async base(options: RefreshOptions = {}): Promise<string> {
    const { dialect, para } = await this.#looks.index.refresh(options);
    return tasksBaseText({ dialect, archive: para.archive });
  }

  async projects(options: RefreshOptions = {}): Promise<readonly ProjectProgress[]> {
    const { clock } = this.#vault;
    const today = clock.today();
    const look = await this.#looks.index.refresh(options);
    return projectProgress(look.tasks, { today, clock, relations: look.relations(today) });
  }

  async get(reference: string, options: RefreshOptions = {}): Promise<TaskDetail & TaskTies> {
    const look = await this.#looks.among([reference], options);
    const { task } = await this.#looks.find(reference, look);
    const note = await this.#vault.read(task.path);
    const detail = this.#looks.formatOf(task.source).detail(note, task, this.#looks.surroundings(look));
    if (detail === undefined) throw noLongerTask(task);
    const today = this.#vault.clock.today();
    return { ...detail, ...tiesOf(task, look.relations(today), today) };
  }

  async create(draft: TaskDraft): Promise<CreatedTask> {
    const created = await this.#maker.create(draft);
    return { ...created, ...(await this.#writer.waits(created.task)) };
  }

  async addMany(draft: QuickDraft): Promise<AddedTasks> {
    return await this.#maker.addMany(draft);
  }

  async update(reference: string, updates: TaskUpdates, options: UpdateOptions = {}): Promise<UpdatedTask> {
    return await this.#writer.update(reference, updates, options);
  }

  async updateMany(tasks: readonly string[], updates: TaskUpdates, options: BulkOptions = {}): Promise<BulkOutcome> {
    return await this.#writer.updateMany(tasks, updates, options);
  }
}

function inlineCount(tasks: readonly Task[]): Agenda["inline"] {
  const lines = tasks.filter(({ source }) => source === "line");
  return { tasks: lines.length, notes: new Set(lines.map(({ path }) => path)).size };
}
