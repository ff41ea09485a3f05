/** Filters, states and orders of tasks (docs: tasks, "Finding"). */
import type { FilteredField } from "../fields/fields.js";
import type { Priority, StatusFilter } from "../fields/vocabulary.js";

export const TASK_SORTS = ["relevance", "agenda", "due", "priority", "modified"] as const;
export type TaskSort = (typeof TASK_SORTS)[number];

export const TASK_STATES = [
  "outstanding",
  "ready",
  "blocked",
  "recurring",
  "inline",
  "note",
  "card",
  "checkbox",
  "stale",
  "duplicate",
] as const;
export type TaskState = (typeof TASK_STATES)[number];

type DayFilters = { readonly [Name in FilteredField]?: string | undefined };

/** All must match. */
export interface TaskFilters extends DayFilters {
  /** `*` finds all. */
  readonly query: string;
  readonly status?: StatusFilter | readonly StatusFilter[] | undefined;
  readonly area?: string | undefined;
  readonly project?: string | readonly string[] | undefined;
  readonly priority?: Priority | readonly Priority[] | undefined;
  /** `@` optional. */
  readonly context?: string | undefined;
  /** Path or file name. */
  readonly note?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly is?: readonly TaskState[] | undefined;
  readonly includeArchived?: boolean | undefined;
}
