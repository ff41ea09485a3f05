/** What making and changing many tasks at once takes and gives (spec: tasks-2, sections 8 and 9). */
import type { RefreshOptions } from "../../catalog/catalog.js";
import type { LocalDate } from "../../clock.js";
import type { SeriesOutcome } from "../api.js";
import type { Task } from "../task.js";

export interface BulkOptions extends RefreshOptions {
  /** The plan that is to be carried out, as an earlier answer named it. */
  readonly plan?: string | undefined;
}

/** One task before and after. */
export interface TaskChange {
  readonly before: Task;
  readonly after: Task;
  /** False: it was so already. */
  readonly changed: boolean;
  readonly series?: SeriesOutcome | undefined;
  /** In a plan, of a series whose day would move to or past a later instance: that instance. */
  readonly passes?: LocalDate | undefined;
}

/** A task that is or was not changed, and why. */
export interface LeftOut {
  /** Its id, or what the caller called it where no task was found. */
  readonly reference: string;
  readonly title: string | undefined;
  readonly reason: string;
}

interface BulkReport {
  /** How many tasks were meant. */
  readonly total: number;
  /** The keys given, in the caller's order. */
  readonly updated: readonly string[];
  readonly adjustments: readonly string[];
  /** In the order in which the tasks were given or found. */
  readonly changes: readonly TaskChange[];
  readonly leftOut: readonly LeftOut[];
}

/** What would be done; nothing is written. */
export interface BulkPlan extends BulkReport {
  readonly kind: "plan";
  /** `p-` and eight hexadecimal digits of the tasks as they are and of the updates. */
  readonly plan: string;
}

/** What was done. */
export interface BulkUpdate extends BulkReport {
  readonly kind: "done";
  /** `op-...`, for undoing all of it; undefined where nothing was changed or no journal can be kept. */
  readonly operation: string | undefined;
  readonly undoable: boolean;
  readonly durable: boolean;
}

export type BulkOutcome = BulkPlan | BulkUpdate;

/** Tasks as quick text, a line each; deeper lines are subtasks. */
export interface QuickDraft {
  readonly text: string;
  /** The note that gets them as checkboxes, or `daily`; default: each is a note of its own. */
  readonly note?: string | undefined;
  /** Of that note, the heading at the end of whose section they go; made when missing. */
  readonly heading?: string | undefined;
  readonly area?: string | undefined;
  /** Names a note in the vault's templates folders, which the new notes begin as. */
  readonly template?: string | undefined;
}

export interface AddedTask {
  /** Undefined for a checkbox that the vault's settings make no task. */
  readonly task: Task | undefined;
  readonly title: string;
  /** The note's path, or path and line. */
  readonly place: string;
  /** Its line in the text, from 1. */
  readonly line: number;
}

export interface AddedTasks {
  readonly tasks: readonly AddedTask[];
  readonly adjustments: readonly string[];
  /** `op-...`, for undoing all of it; undefined where no journal can be kept. */
  readonly operation: string | undefined;
  readonly undoable: boolean;
  readonly durable: boolean;
}
