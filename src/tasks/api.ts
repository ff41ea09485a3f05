/** Arguments and answers of `TaskService`. What callers may set is in the field table (fields/fields.ts). */
import type { LocalDate } from "../clock.js";
import type { ParaFolders } from "../index/para.js";
import type { Checklist } from "../markdown/checklist.js";
import type { VaultPath } from "../storage/path.js";
import type { Revision } from "../storage/storage.js";
import type { ArgumentValues } from "./fields/arguments-table.js";
import type { NEW_STATUSES } from "./fields/vocabulary.js";
import type { TaskFilters } from "./query/filter.js";
import type { TaskSort } from "./query/order.js";
import type { Task, TaskProblem } from "./task.js";

export type { TaskDependencies } from "./dependencies.js";
export type { AgendaEntry, AgendaSection, DaysQuery } from "./agenda.js";
export type { ProjectProgress } from "./review.js";
export type { DayCount, Review } from "./review.js";
export type { Task } from "./task.js";

export interface Agenda {
  readonly today: LocalDate;
  /** In the order of docs: tasks, "scan_vault". */
  readonly outstanding: readonly Task[];
  readonly overdue: readonly Task[];
  readonly dueThisWeek: readonly Task[];
  /** Outstanding tasks that are checkboxes, and the notes they are in. */
  readonly inline: { readonly tasks: number; readonly notes: number };
  /** Marked checkboxes that the settings exclude; undefined while nobody has asked for lines. */
  readonly unreadInline?: number;
  /** Names of what blocks a task, for tasks that something blocks. */
  readonly waitsFor: ReadonlyMap<Task, readonly string[]>;
  readonly paraFolders: ParaFolders;
  /** Done and archived ones included. */
  readonly taskCount: number;
  readonly noteCount: number;
  readonly problems: readonly TaskProblem[];
}

export interface AllTasks {
  readonly today: LocalDate;
  /** Done and archived ones included; the same array until something changes. */
  readonly tasks: readonly Task[];
}

export interface TaskQuery extends TaskFilters {
  /** Default: relevance for words, agenda for all. */
  readonly sort?: TaskSort | undefined;
  readonly limit?: number | undefined;
  /** From an earlier answer. */
  readonly cursor?: string | undefined;
}

export interface TaskHits {
  readonly tasks: readonly Task[];
  /** Of all pages. */
  readonly total: number;
  /** Matches before the first of `tasks`. */
  readonly offset: number;
  /** The filters as text, with the fingerprint of all matches; `updateMany` accepts it. */
  readonly selection: string;
  readonly fingerprint: string;
  readonly today: LocalDate;
  /** Names of what blocks a task, for tasks that something blocks. */
  readonly waitsFor: ReadonlyMap<Task, readonly string[]>;
  /** Sentences: how days in words were read, which names no task has. */
  readonly remarks: readonly string[];
}

export interface TaskDetail {
  readonly task: Task;
  /** In words: the rule that made it a task, with key and value. */
  readonly why: string;
  /** The body without the title heading. */
  readonly description: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly revision: Revision;
  readonly problems: readonly TaskProblem[];
  readonly checklist: Checklist;
}

/** Also what the field table lets callers set. */
export type TaskDraft = Omit<ArgumentValues<"create">, "status"> & {
  readonly status?: (typeof NEW_STATUSES)[number] | undefined;
  readonly title: string;
  readonly area: string;
  readonly description?: string | undefined;
};

export interface CreatedTask {
  readonly task: Task;
  readonly waitsFor?: readonly string[];
  /** What was changed in the caller's values (`tag "#my tag" was written as "my-tag"`). */
  readonly adjustments: readonly string[];
  readonly undoable: boolean;
  readonly durable: boolean;
}

/** What the field table lets callers change; `""` clears a day, a list or a text. */
export type TaskUpdates = ArgumentValues<"update"> & {
  readonly description?: string | undefined;
  /** The instance of a series that `status` is about, `skip`, or `skip` and a day. */
  readonly occurrence?: string | undefined;
  /** The lane of a Kanban board that the card moves to, or `Archive`. */
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

export interface SeriesOutcome {
  /** `closed`: no instance was left, and the note's status is now done. */
  readonly kind: "done" | "skipped" | "reopened" | "unchanged" | "closed";
  /** What was requested, where nothing changed. */
  readonly action?: "done" | "skip" | "reopen";
  /** The instance; where nothing changed, the one that was finished before. */
  readonly day?: LocalDate;
  /** The day of the next instance. */
  readonly next?: LocalDate;
  /** Its line, where each instance is a checkbox. */
  readonly nextLine?: number;
  /** It was the last instance. */
  readonly ended: boolean;
}

export interface Consequences {
  readonly nowReady: readonly Task[];
  /** What it still waited for, by name. */
  readonly waitedFor: readonly string[];
  readonly openSubtasks: number;
}

export interface UpdatedTask {
  readonly task: Task;
  readonly waitsFor?: readonly string[];
  readonly updated: readonly string[];
  readonly adjustments: readonly string[];
  /** False when every value was already set; nothing was written. */
  readonly changed: boolean;
  readonly series?: SeriesOutcome;
  readonly consequences?: Consequences;
  /** Other notes that the call changed: its series, lines it waits for. */
  readonly alsoChanged: readonly VaultPath[];
  /** `op-...`, when the call made several edits that are undone together. */
  readonly operation?: string;
  readonly undoable: boolean;
  readonly durable: boolean;
}

/** For answers that may have omitted plain checkboxes. */
export interface NotCountedQuery {
  readonly query?: string | undefined;
  readonly found?: number;
  readonly is?: readonly string[] | undefined;
}
