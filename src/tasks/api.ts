/** `TaskService` as its callers see it. */
import type { LocalDate } from "../clock.js";
import type { ProgressOptions } from "../index/refresh.js";
import type { ParaFolders } from "../obsidian/para.js";
import type { VaultPath } from "../storage/path.js";
import type { Wording } from "../text/wording.js";
import type { AgendaSection, DaySpan, DaysQuery, DueLists, PageOptions } from "./agenda.js";
import type { BaseView } from "./bases/tasks-base.js";
import type { TaskDependencies, Waiting } from "./relations.js";
import type { ArgumentValues } from "./fields/task-fields.js";
import type { FilteredField } from "./fields/field-table.js";
import type { NEW_STATUSES } from "./fields/vocabulary.js";
import type { SeriesOutcome, TaskDetail } from "./format.js";
import type { QuickTask } from "./quick-add/quick-line.js";
import type { ProjectProgress, Review } from "./review.js";
import type { Task, TaskFilters, TaskProblem, TaskSort } from "./task.js";

export type { SeriesOutcome, TaskDetail } from "./format.js";
export type { TaskDependencies } from "./relations.js";
export type { AgendaEntry, AgendaSection, DaysQuery } from "./agenda.js";
export type { ProjectProgress } from "./review.js";
export type { DayCount, Review } from "./review.js";
export type { Task } from "./task.js";

/** The lists are in the order of docs: tasks, "scan_vault". */
export interface Agenda extends DueLists {
  readonly today: LocalDate;
  readonly inline: { readonly tasks: number; readonly notes: number };
  /** Marked checkboxes that the settings exclude. */
  readonly unreadInline?: number;
  readonly waitsFor: WaitsFor;
  readonly paraFolders: ParaFolders;
  /** Including done and archived ones. */
  readonly taskCount: number;
  readonly noteCount: number;
  readonly problems: readonly TaskProblem[];
}

/** Undefined for a task without open blockers. */
export type WaitsFor = Pick<ReadonlyMap<Task, Waiting>, "get">;

export interface AllTasks {
  readonly today: LocalDate;
  /** Including done and archived ones; the same array until a task changes. */
  readonly tasks: readonly Task[];
}

export interface TaskQuery extends TaskFilters {
  /** Default: relevance with words, else agenda. */
  readonly sort?: TaskSort | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface TaskHits {
  readonly tasks: readonly Task[];
  readonly total: number;
  readonly offset: number;
  /** For `updateMany`: the filters as text, and the fingerprint of all matches. */
  readonly selection: string;
  readonly fingerprint: string;
  readonly today: LocalDate;
  readonly waitsFor: WaitsFor;
  readonly remarks: readonly Wording[];
}

export type TaskDraft = Omit<ArgumentValues<"create">, "status"> & {
  readonly status?: (typeof NEW_STATUSES)[number] | undefined;
  readonly title: string;
  readonly area: string;
  readonly description?: string | undefined;
  /** That are not task fields. */
  readonly properties?: Readonly<Record<string, string>> | undefined;
};

export interface CreatedTask {
  readonly task: Task;
  readonly waitsFor?: Waiting | undefined;
  /** Changes to given values. */
  readonly adjustments: readonly Wording[];
  readonly undoable: boolean;
  readonly durable: boolean;
}

/** `""` clears a day, a list or a text. */
export type TaskUpdates = ArgumentValues<"update"> & {
  readonly description?: string | undefined;
  /** A day, or `skip` and optionally a day. */
  readonly occurrence?: string | undefined;
  /** A Kanban lane, or `Archive`. */
  readonly lane?: string | undefined;
  /** Makes a line a note, or a note a line of `note`. */
  readonly convert?: "note" | "line" | undefined;
  readonly note?: string | undefined;
  /** Properties that are not task fields; `""` clears. */
  readonly properties?: Readonly<Record<string, string>> | undefined;
};

export interface UpdateOptions {
  /** CONFLICT when the task's revision differs. */
  readonly expectedRevision?: string | undefined;
}

export interface Consequences {
  readonly nowReady: readonly Task[];
  readonly waitedFor: readonly string[];
  readonly openSubtasks: number;
}

export interface UpdatedTask extends CreatedTask {
  readonly updated: readonly string[];
  readonly changed: boolean;
  readonly series?: SeriesOutcome;
  readonly consequences?: Consequences;
  /** Other notes, for example of its series. */
  readonly alsoChanged: readonly VaultPath[];
  /** `op-...`, when several edits are undone together. */
  readonly operation?: string;
}

type NotCountedQuery = Partial<TaskFilters>;

export interface UnreadQuery {
  /** The days that are asked for. */
  readonly days: readonly FilteredField[];
}

type BaseSelection = Pick<BaseView, "name" | "group"> & { readonly selection: string };

interface SavedBase {
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
  /** Days before today that are counted one by one; with `date`, its days are. */
  readonly days?: number | undefined;
  /** A day or range whose done tasks are listed; default the last seven days. */
  readonly date?: string | undefined;
}

interface DaysAnswer extends DaySpan {
  readonly today: LocalDate;
  readonly sections: readonly AgendaSection[];
  readonly waitsFor: WaitsFor;
  readonly remarks: readonly Wording[];
}

export interface ReviewAnswer extends Review {
  readonly today: LocalDate;
  /** The days asked for. */
  readonly done?: DaySpan;
  readonly remarks: readonly Wording[];
  readonly waitsFor: WaitsFor;
}

interface NamedTasks {
  readonly tasks: ReadonlyMap<string, Task>;
  readonly waitsFor: WaitsFor;
}

/** One task per line; deeper lines are subtasks. */
export interface QuickDraft {
  readonly text: string;
  /** Gets checkboxes: a path, or a periodic note. Default: each task is a note. */
  readonly note?: string | undefined;
  /** Section for the checkboxes; created if missing. */
  readonly heading?: string | undefined;
  readonly area?: string | undefined;
  readonly template?: string | undefined;
}

export interface AddedTask {
  /** Undefined if the settings exclude the checkbox. */
  readonly task: Task | undefined;
  readonly title: string;
  /** The note's path, or the id of the checkbox. */
  readonly place: string;
  /** In the text, from 1. */
  readonly line: number;
}

export interface RefusedLine {
  /** In the text, from 1. */
  readonly line: number;
  readonly title: string;
  readonly reason: Wording;
}

export interface AddedTasks {
  readonly refused: readonly RefusedLine[];
  readonly tasks: readonly AddedTask[];
  readonly adjustments: readonly Wording[];
  /** Unread parts, and open tasks of the same titles. */
  readonly remarks: readonly string[];
  /** `op-...`; undefined without a journal. */
  readonly operation: string | undefined;
  readonly undoable: boolean;
  readonly durable: boolean;
}

export interface PlannedTask extends Pick<QuickTask, "title" | "read" | "unread"> {
  readonly line: number;
  readonly problem?: string | undefined;
  readonly open?: Task | undefined;
}

export interface BulkOptions extends ProgressOptions {
  readonly plan?: string | undefined;
  /** By task, as given. A task with another revision is left out. */
  readonly expectedRevisions?: Readonly<Record<string, string>> | undefined;
}

export interface TaskChange {
  readonly before: Task;
  readonly after: Task;
  readonly changed: boolean;
  readonly series?: SeriesOutcome | undefined;
  readonly alsoChanged: readonly VaultPath[];
  /** Later instance of the series that the new day reaches or passes. */
  readonly passes?: LocalDate | undefined;
}

export interface SkippedTask {
  /** The caller's reference if no task was found. */
  readonly reference: string;
  readonly title: string | undefined;
  readonly reason: string;
}

export interface BulkReport {
  readonly total: number;
  readonly updated: readonly string[];
  readonly adjustments: readonly Wording[];
  readonly changes: readonly TaskChange[];
  readonly leftOut: readonly SkippedTask[];
}

export interface BulkPlan extends BulkReport {
  readonly kind: "plan";
  /** `p-` and a hash of the tasks' state, the updates and the day. */
  readonly plan: string;
}

export interface BulkUpdate extends BulkReport {
  readonly kind: "done";
  /** `op-...`; undefined if nothing changed, or without a journal. */
  readonly operation: string | undefined;
  readonly undoable: boolean;
  readonly durable: boolean;
}

export type BulkOutcome = BulkPlan | BulkUpdate;

/** All methods throw VaultError. A reference is an id, path, `[[wikilink]]` or unique title. */
export interface Tasks {
  all(options?: ProgressOptions): Promise<AllTasks>;
  agenda(options?: AgendaOptions): Promise<Agenda>;
  search(query: TaskQuery, options?: ProgressOptions): Promise<TaskHits>;
  /** What a list of tasks may lack, a line each. */
  unread?(about: UnreadQuery, options?: ProgressOptions): Promise<readonly Wording[]>;
  /** On open checkboxes that are not tasks; undefined if there are none. */
  notCounted?(about?: NotCountedQuery, options?: ProgressOptions): Promise<Wording | undefined>;
  days(query?: DaysQuery, options?: ProgressOptions): Promise<DaysAnswer>;
  review(query?: ReviewQuery, options?: ProgressOptions): Promise<ReviewAnswer>;
  base(options?: ProgressOptions): Promise<string>;
  /** A base with one table: the notes that match the selection's filters. */
  viewBase(view: BaseSelection, options?: ProgressOptions): Promise<SavedBase>;
  projects(options?: ProjectsOptions): Promise<readonly ProjectProgress[]>;
  projectStates?(names: readonly string[], options?: ProgressOptions): Promise<ReadonlyMap<string, string>>;
  get(reference: string, options?: ProgressOptions): Promise<TaskDetail & TaskDependencies>;
  /** Those of the ids and paths that are tasks. */
  named?(references: readonly string[], options?: ProgressOptions): Promise<NamedTasks>;
  create(draft: TaskDraft): Promise<CreatedTask>;
  /**
   * One operation. `refused` are lines that cannot be added.
   * @throws INVALID_ARGUMENT when no line can be added
   */
  addMany(draft: QuickDraft): Promise<AddedTasks>;

  planMany(draft: QuickDraft): Promise<readonly PlannedTask[]>;
  update(reference: string, updates: TaskUpdates, options?: UpdateOptions): Promise<UpdatedTask>;
  /**
   * One operation. A selection, or more than twenty tasks, returns a plan; the same call with that plan carries it out.
   * @throws CONFLICT when the selection finds other tasks or the plan no longer fits
   */
  updateMany(tasks: readonly string[], updates: TaskUpdates, options?: BulkOptions): Promise<BulkOutcome>;
}
