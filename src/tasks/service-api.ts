/** What `TaskService` does for its callers. */
import type { LocalDate } from "../clock.js";
import type { ProgressOptions } from "../index/refresh.js";
import type { AgendaSection, DaySpan, DaysQuery, PageOptions } from "./agenda.js";
import type {
  Agenda,
  AllTasks,
  CreatedTask,
  NotCountedQuery,
  TaskDraft,
  TaskHits,
  TaskQuery,
  TaskUpdates,
  UpdatedTask,
  UpdateOptions,
  WaitsFor,
} from "./api.js";
import type { BaseView } from "./bases/tasks-base.js";
import type { TaskDependencies } from "./dependencies.js";
import type { TaskDetail } from "./format.js";
import type { ProjectProgress, Review } from "./review.js";
import type { Wording } from "../text/said.js";
import type { Task } from "./task.js";
import type { AddedTasks, PlannedTask, QuickDraft } from "./writing/add-tasks.js";
import type { BulkOptions, BulkOutcome } from "./writing/bulk.js";

/** `selection`: from an answer of a search. */
export type BaseSelection = Pick<BaseView, "name" | "group"> & { readonly selection: string };

export interface SavedBase {
  readonly text: string;
  /** Tasks that it lacks: their folder makes them tasks. */
  readonly untyped: number;
}

export interface AgendaOptions extends ProgressOptions {
  /** Of each list; default all. */
  readonly limit?: number | undefined;
}

export interface ProjectsOptions extends ProgressOptions {
  /** Which of all are wanted; default all. */
  readonly shown?: (all: readonly ProjectProgress[]) => readonly ProjectProgress[];
}

export interface ReviewQuery extends PageOptions {
  readonly days?: number | undefined;
  readonly date?: string | undefined;
}

export interface DaysAnswer extends DaySpan {
  readonly today: LocalDate;
  readonly sections: readonly AgendaSection[];
  readonly waitsFor: WaitsFor;
  readonly remarks: readonly Wording[];
}

export interface ReviewAnswer extends Review {
  readonly today: LocalDate;
  readonly done?: DaySpan;
  readonly remarks: readonly Wording[];
  readonly waitsFor: WaitsFor;
}

export interface NamedTasks {
  readonly tasks: ReadonlyMap<string, Task>;
  readonly waitsFor: WaitsFor;
}

/** All methods throw VaultError. A reference is an id, a path (`.md` optional), a `[[wikilink]]` or a unique title. */
export interface Tasks {
  all(options?: ProgressOptions): Promise<AllTasks>;
  agenda(options?: AgendaOptions): Promise<Agenda>;
  search(query: TaskQuery, options?: ProgressOptions): Promise<TaskHits>;
  unreadDays?(options?: ProgressOptions): Promise<Wording | undefined>;
  notCounted?(about?: NotCountedQuery, options?: ProgressOptions): Promise<Wording | undefined>;
  days(query?: DaysQuery, options?: ProgressOptions): Promise<DaysAnswer>;
  review(query?: ReviewQuery, options?: ProgressOptions): Promise<ReviewAnswer>;
  base(options?: ProgressOptions): Promise<string>;
  /** A base with one table: the notes that the selection's filters find. */
  viewBase(view: BaseSelection, options?: ProgressOptions): Promise<SavedBase>;
  projects(options?: ProjectsOptions): Promise<readonly ProjectProgress[]>;
  projectStates?(names: readonly string[], options?: ProgressOptions): Promise<ReadonlyMap<string, string>>;
  get(reference: string, options?: ProgressOptions): Promise<TaskDetail & TaskDependencies>;
  /** Those of the ids and paths that are tasks. */
  named?(references: readonly string[], options?: ProgressOptions): Promise<NamedTasks>;
  create(draft: TaskDraft): Promise<CreatedTask>;
  /**
   * As notes, or as checkboxes of one note. @throws VaultError INVALID_ARGUMENT naming every invalid line; nothing is
   * written
   */
  addMany(draft: QuickDraft): Promise<AddedTasks>;

  /** A dry run of `addMany`. */
  planMany(draft: QuickDraft): Promise<readonly PlannedTask[]>;
  update(reference: string, updates: TaskUpdates, options?: UpdateOptions): Promise<UpdatedTask>;
  /**
   * One selection, or more than twenty tasks, returns a plan; the same call with that plan carries it out. @throws
   * VaultError CONFLICT when the plan no longer fits
   */
  updateMany(tasks: readonly string[], updates: TaskUpdates, options?: BulkOptions): Promise<BulkOutcome>;
}
