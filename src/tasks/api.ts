/** What the task use cases of `TaskService` take and give. What callers may set is in the field table alone (fields/fields.ts). */
import type { LocalDate } from "../clock.js";
import type { ParaFolders } from "../index/para.js";
import type { Checklist } from "../markdown/checklist.js";
import type { VaultPath } from "../storage/path.js";
import type { Revision } from "../storage/storage.js";
import type { ArgumentValues } from "./fields/arguments-table.js";
import type { TaskFilters } from "./query/filter.js";
import type { TaskSort } from "./query/order.js";
import type { Task, TaskProblem } from "./task.js";

export type { TaskTies } from "./dependencies.js";
export type { AgendaEntry, AgendaSection, DaysQuery } from "./agenda.js";
export type { ProjectProgress } from "./review.js";
export type { DayCount, Review } from "./review.js";
export type { Task } from "./task.js";

export interface Agenda {
  readonly today: LocalDate;
  /** Outstanding tasks in the order of docs: tasks, "scan_vault". */
  readonly outstanding: readonly Task[];
  readonly overdue: readonly Task[];
  readonly dueThisWeek: readonly Task[];
  /** How many of the outstanding tasks are checkboxes, and in how many notes. */
  readonly inline: { readonly tasks: number; readonly notes: number };
  /** Marked checkboxes that do not count, where they are off; missing as well while nobody has asked for lines and they are not read. */
  readonly unreadInline?: number;
  /** The names of what holds tasks up, of the outstanding ones that are. */
  readonly waitsFor: ReadonlyMap<Task, readonly string[]>;
  readonly paraFolders: ParaFolders;
  /** All tasks, done and archived ones included. */
  readonly taskCount: number;
  readonly noteCount: number;
  readonly problems: readonly TaskProblem[];
}

export interface AllTasks {
  readonly today: LocalDate;
  /** Done and archived ones included; the same list as long as nothing has changed. */
  readonly tasks: readonly Task[];
}

export interface TaskQuery extends TaskFilters {
  /** Default: relevance for words, agenda for all. */
  readonly sort?: TaskSort | undefined;
  /** The most tasks to give; default all. */
  readonly limit?: number | undefined;
  /** Where an earlier answer said that the list goes on. */
  readonly cursor?: string | undefined;
}

export interface TaskHits {
  /** The matches in order, from the cursor's place on, at most `limit`. */
  readonly tasks: readonly Task[];
  /** How many match, those before and beyond included. */
  readonly total: number;
  /** How many matches come before the first of `tasks`. */
  readonly offset: number;
  /** The filters as text, with the fingerprint of all that match: it names this set of tasks for changing many at once. */
  readonly selection: string;
  readonly fingerprint: string;
  readonly today: LocalDate;
  /** The names of what holds tasks up, of those that are. */
  readonly waitsFor: ReadonlyMap<Task, readonly string[]>;
  /** How days in words were read, which names no task has, and the like: sentences. */
  readonly remarks: readonly string[];
}

export interface TaskDetail {
  readonly task: Task;
  /** In words: which rule made the note a task, and by which key and value. */
  readonly why: string;
  /** The whole description: the body without the title heading. */
  readonly description: string;
  /** Every frontmatter property as read: key to value. */
  readonly properties: Readonly<Record<string, unknown>>;
  readonly revision: Revision;
  readonly problems: readonly TaskProblem[];
  /** The checkboxes of its text. */
  readonly checklist: Checklist;
}

/** Beside `title` and `area` what the field table lets callers set. */
export type TaskDraft = ArgumentValues<"create"> & {
  readonly title: string;
  readonly area: string;
  readonly description?: string | undefined;
};

export interface CreatedTask {
  readonly task: Task;
  /** Open tasks it waits for, by title. */
  readonly waitsFor?: readonly string[];
  /** What was changed in the caller's values, in words (`tag "#my tag" was written as "my-tag"`). */
  readonly adjustments: readonly string[];
  /** Whether the vault's `undo` can take it back. */
  readonly undoable: boolean;
  readonly durable: boolean;
}

/** What the field table lets callers change; a day, a list or a text of `""` clears it. */
export type TaskUpdates = ArgumentValues<"update"> & {
  readonly description?: string | undefined;
  /** Of a series the instance that `status` means, `skip`, or `skip` and a day. */
  readonly occurrence?: string | undefined;
  /** Of a card on a Kanban board the lane it goes to, or `Archive`. */
  readonly lane?: string | undefined;
  /** Properties that are no task fields, by name; `""` clears. */
  readonly properties?: Readonly<Record<string, string>> | undefined;
};

export interface UpdateOptions {
  /** The task's `revision` as the caller knows it; CONFLICT when it is another by now. */
  readonly expectedRevision?: string | undefined;
}

/** What a call did to a series, or found done already. */
export interface SeriesOutcome {
  /** `closed`: no instance was left, and the note's status says done now. */
  readonly kind: "done" | "skipped" | "reopened" | "unchanged" | "closed";
  /** What was asked for, where nothing changed. */
  readonly action?: "done" | "skip" | "reopen";
  /** The instance; where nothing changed the one that was finished before. */
  readonly day?: LocalDate;
  /** The day of the instance to come. */
  readonly next?: LocalDate;
  /** Its line, where each instance is a checkbox of its own. */
  readonly nextLine?: number;
  /** That was the last one. */
  readonly ended: boolean;
}

/** What finishing a task means for others. */
export interface Consequences {
  /** Tasks that waited for it and for nothing else. */
  readonly nowReady: readonly Task[];
  /** What it still waited for, by name. */
  readonly waitedFor: readonly string[];
  /** Its subtasks that are not done. */
  readonly openSubtasks: number;
}

export interface UpdatedTask {
  readonly task: Task;
  /** Open tasks it waits for, by title. */
  readonly waitsFor?: readonly string[];
  /** The keys given, in the caller's order. */
  readonly updated: readonly string[];
  readonly adjustments: readonly string[];
  /** False when every value was so already and nothing was written. */
  readonly changed: boolean;
  /** Present when the call was about an instance of a series. */
  readonly series?: SeriesOutcome;
  /** Present when the task was finished. */
  readonly consequences?: Consequences;
  /** Other notes that the same call changed: that of its series, those of lines it waits for. */
  readonly alsoChanged: readonly VaultPath[];
  /** `op-...`, when the call made several edits that are undone as one. */
  readonly operation?: string;
  /** Whether the vault's `undo` can take it back. */
  readonly undoable: boolean;
  readonly durable: boolean;
}

/** What an answer was about that may have left out plain checkboxes. */
export interface NotCountedQuery {
  readonly query?: string | undefined;
  /** How many tasks the query found. */
  readonly found?: number;
  readonly is?: readonly string[] | undefined;
}
