/** Arguments and answers of `TaskService`. */
import type { LocalDate } from "../clock.js";
import { type Wording } from "../text/said.js";
import type { Waiting } from "./dependencies.js";
import type { ParaFolders } from "../obsidian/para.js";
import type { VaultPath } from "../storage/path.js";
import type { DueLists } from "./agenda.js";
import type { ArgumentValues } from "./fields/task-fields.js";
import type { NEW_STATUSES } from "./fields/vocabulary.js";
import type { SeriesOutcome } from "./format.js";
import type { TaskFilters, TaskSort } from "./query/task-query.js";
import type { Task, TaskProblem } from "./task.js";

export type { SeriesOutcome, TaskDetail } from "./format.js";
export type { TaskDependencies } from "./dependencies.js";
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

export type WaitsFor = Pick<ReadonlyMap<Task, Waiting>, "get">;

export interface AllTasks {
  readonly today: LocalDate;
  /** The same array until a task changes. */
  readonly tasks: readonly Task[];
}

export interface TaskQuery extends TaskFilters {
  /** Default: relevance when there are words, else agenda. */
  readonly sort?: TaskSort | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface TaskHits {
  readonly tasks: readonly Task[];
  readonly total: number;
  readonly offset: number;
  /** The filters as text and the fingerprint of all matches, for `updateMany`. */
  readonly selection: string;
  readonly fingerprint: string;
  readonly today: LocalDate;
  readonly waitsFor: WaitsFor;
  /** How days in words were read, and unknown names. */
  readonly remarks: readonly Wording[];
}

export type TaskDraft = Omit<ArgumentValues<"create">, "status"> & {
  readonly status?: (typeof NEW_STATUSES)[number] | undefined;
  readonly title: string;
  readonly area: string;
  readonly description?: string | undefined;
  readonly properties?: Readonly<Record<string, string>> | undefined;
};

export interface CreatedTask {
  readonly task: Task;
  readonly waitsFor?: Waiting | undefined;
  /** Changes to the caller's values (`tag "#my tag" was written as "my-tag"`). */
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
  /** CONFLICT when the task has another revision. */
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
  readonly alsoChanged: readonly VaultPath[];
  /** `op-...`, when several edits are undone together. */
  readonly operation?: string;
}

export type NotCountedQuery = Partial<TaskFilters>;
