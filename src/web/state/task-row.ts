/** Tasks in lists: their rows, editable fields and column statuses. */
import { isDay } from "./days.js";
import type { TaskView } from "../../tools/tasks/task-view.js";

/** Most ids begin with it. */
export function rowPath({ id, path }: Pick<TaskView, "id" | "path">): string {
  return path ?? id.replace(/\.md:[^/]*$/i, ".md");
}

export type TaskRow = TaskView & {
  readonly statuses?: readonly string[] | undefined;
  /** The status from a click, while the task stays in its old list. */
  readonly ticked?: string | undefined;
};

/** In the order of the board and of the keys 1 to 4. */
export const COLUMN_STATUSES = ["To Do", "In Progress", "Blocked", "Done"] as const;
export type ColumnStatus = (typeof COLUMN_STATUSES)[number];

/** The page can set these. */
export const OFFERED_STATUSES = [...COLUMN_STATUSES, "Cancelled"] as const;
export type OfferedStatus = (typeof OFFERED_STATUSES)[number];

export const ROW_PRIORITIES = ["High", "Medium", "Low"] as const;

/** Arguments of `update_task`. */
export interface RowUpdates {
  readonly title?: string;
  readonly status?: OfferedStatus;
  readonly priority?: (typeof ROW_PRIORITIES)[number];
  readonly dueDate?: string;
  readonly scheduled?: string;
  readonly start?: string;
  readonly recurrence?: string;
  readonly blockedBy?: readonly string[];
  /** A lane, or `Archive`. */
  readonly lane?: string;
  readonly estimate?: string;
  /** Such as the archive mark. */
  readonly properties?: Readonly<Record<string, string>>;
  readonly area?: string;
  readonly parentProjects?: readonly string[];
  readonly tags?: readonly string[];
  readonly description?: string;
}

export type RowField = Exclude<keyof RowUpdates, "properties">;

/** Properties named differently than their arguments. */
const SHOWN_AS: { readonly [argument in keyof RowUpdates]?: string } = {
  dueDate: "due",
  recurrence: "repeats",
  estimate: "timeEstimate",
};

export function shownValue(task: object, argument: string): string {
  const value: unknown = Reflect.get(task, SHOWN_AS[argument as keyof RowUpdates] ?? argument);
  if (Array.isArray(value))
    return value
      .map((one: string | { readonly name: string }) => (typeof one === "string" ? one : one.name))
      .join(", ");
  if (value === undefined && argument === "priority") return "Medium";
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Matches no task, so that the conflict check compares fields. */
export const OUTDATED = "outdated";

/** With the field's value from when typing began. */
export function asShown<Task extends TaskRow>(task: Task, argument: keyof RowUpdates, was: string): Task {
  if (shownValue(task, argument) === was) return task;
  return { ...task, [SHOWN_AS[argument] ?? argument]: was, revision: OUTDATED };
}

/** Omits days in words, which the server must read. */
export function drawnAtOnce(task: TaskRow, updates: RowUpdates): TaskRow {
  const { title, status, priority, dueDate: due, scheduled, area, parentProjects, lane, tags } = updates;
  const isRead = (day = "-") => day === "" || isDay(day);
  const days = { ...(isRead(due) && { due }), ...(isRead(scheduled) && { scheduled }) };
  const names = tags?.map((tag) => tag.replace(/^#/, ""));
  const row = { status, priority, area, parentProjects, lane, tags: names, ...days };
  const drawn = Object.entries(row).filter(([, value]) => value !== undefined);
  const entries = drawn.map(([name, value]) => [name, value || undefined]);
  return { ...task, ...Object.fromEntries(entries), title: title ?? task.title };
}

export function isColumnStatus(status: string): status is ColumnStatus {
  return (COLUMN_STATUSES as readonly string[]).includes(status);
}

/** Lines and cards may have fewer statuses. */
export function canHold({ statuses }: TaskRow, status: string): boolean {
  return statuses === undefined || statuses.includes(status);
}

/** Undefined beyond the first and last column. */
export function neighbourStatus(status: string, step: -1 | 1): ColumnStatus | undefined {
  return isColumnStatus(status) ? COLUMN_STATUSES[COLUMN_STATUSES.indexOf(status) + step] : undefined;
}
