/** A task as lists show it, what a person may set in it, and the columns its status puts it in. */
import type { TaskView } from "../../tools/tasks/task-view.js";

export type TaskRow = TaskView;

/** The statuses that can be set, in the order of the board and of the keys 1 to 4. */
export const COLUMN_STATUSES = ["To Do", "In Progress", "Blocked", "Done"] as const;
export type ColumnStatus = (typeof COLUMN_STATUSES)[number];

export const ROW_PRIORITIES = ["High", "Medium", "Low"] as const;

/** What `update_task` takes, as far as the page sets it. */
export interface RowUpdates {
  readonly title?: string;
  readonly status?: ColumnStatus;
  readonly priority?: (typeof ROW_PRIORITIES)[number];
  readonly dueDate?: string;
  readonly scheduled?: string;
  readonly area?: string;
  readonly parentProjects?: readonly string[];
  readonly tags?: readonly string[];
  readonly description?: string;
}

/** From an argument to the property of a task that shows it. */
const SHOWN_AS = {
  title: "title",
  status: "status",
  priority: "priority",
  dueDate: "due",
  scheduled: "scheduled",
  area: "area",
  parentProjects: "parentProjects",
  tags: "tags",
  description: "description",
} as const satisfies Record<keyof RowUpdates, string>;

/** What a task shows for an argument, as one comparable text. */
export function shownValue(task: object, argument: string): string {
  const property = SHOWN_AS[argument as keyof RowUpdates];
  const value: unknown = Reflect.get(task, property);
  return Array.isArray(value) ? value.join(", ") : typeof value === "string" ? value : "";
}

/** A revision that no task has: what is written by it is checked field by field. */
const OUTDATED = "outdated";

/** A task as it was shown when somebody began to change a field of it: it may say something else by now. */
export function asShown<Task extends TaskRow>(task: Task, argument: keyof RowUpdates, was: string): Task {
  if (shownValue(task, argument) === was) return task;
  return { ...task, [SHOWN_AS[argument]]: was, revision: OUTDATED };
}

/** Changes that can be drawn before the server has answered; days in words are not among them. */
export function drawnAtOnce(task: TaskRow, updates: RowUpdates): TaskRow {
  const { title, status, priority, dueDate, area } = updates;
  const { due: _due, dueIn: _dueIn, ...rest } = task;
  const isDay = dueDate !== undefined && /^(\d{4}-\d\d-\d\d)?$/.test(dueDate);
  const day = dueDate === "" ? {} : { due: dueDate as string };
  return {
    ...(isDay ? { ...rest, ...day } : task),
    ...(title !== undefined && { title }),
    ...(status !== undefined && { status }),
    ...(priority !== undefined && { priority }),
    ...(area !== undefined && area !== "" && { area }),
  };
}

export function isColumnStatus(status: string): status is ColumnStatus {
  return (COLUMN_STATUSES as readonly string[]).includes(status);
}

/** The status so many columns further, or undefined beyond the first and the last. */
export function neighbourStatus(status: string, step: -1 | 1): ColumnStatus | undefined {
  const at = COLUMN_STATUSES.findIndex((one) => one === status);
  return at < 0 ? undefined : COLUMN_STATUSES[at + step];
}
