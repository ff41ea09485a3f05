/** A task as lists show it, the fields that a person may set, and the columns of statuses. */
import type { TaskView } from "../../tools/tasks/task-view.js";

export type TaskRow = TaskView & { readonly statuses?: readonly string[] | undefined };

/** The statuses that can be set, in the order of the board and of the keys 1 to 4. */
export const COLUMN_STATUSES = ["To Do", "In Progress", "Blocked", "Done"] as const;
export type ColumnStatus = (typeof COLUMN_STATUSES)[number];

export const ROW_PRIORITIES = ["High", "Medium", "Low"] as const;

/** The part of `update_task`'s arguments that the page sets. */
export interface RowUpdates {
  readonly title?: string;
  readonly status?: ColumnStatus | "Cancelled";
  readonly priority?: (typeof ROW_PRIORITIES)[number];
  readonly dueDate?: string;
  readonly scheduled?: string;
  readonly start?: string;
  readonly recurrence?: string;
  readonly blockedBy?: readonly string[];
  /** Of a card: the lane of its board, or Archive. */
  readonly lane?: string;
  /** Other properties of the note; the estimate and the archive mark are among them. */
  readonly properties?: Readonly<Record<string, string>>;
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
  start: "start",
  recurrence: "repeats",
  blockedBy: "blockedBy",
  lane: "lane",
  properties: "timeEstimate",
  area: "area",
  parentProjects: "parentProjects",
  tags: "tags",
  description: "description",
} as const satisfies Record<keyof RowUpdates, string>;

/** The value that a task shows for an argument, as comparable text. */
export function shownValue(task: object, argument: string): string {
  const property = SHOWN_AS[argument as keyof RowUpdates];
  const value: unknown = Reflect.get(task, property);
  if (Array.isArray(value))
    return value
      .map((one: string | { readonly name: string }) => (typeof one === "string" ? one : one.name))
      .join(", ");
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** A revision that no task has, so that the server checks field by field. */
const OUTDATED = "outdated";

/** The task with the value of a field at the time when typing began. */
export function asShown<Task extends TaskRow>(task: Task, argument: keyof RowUpdates, was: string): Task {
  if (shownValue(task, argument) === was) return task;
  return { ...task, [SHOWN_AS[argument]]: was, revision: OUTDATED };
}

/** The task with changes that can be drawn before the server has answered; days in words cannot. */
export function drawnAtOnce(task: TaskRow, updates: RowUpdates): TaskRow {
  const { title, status, priority, dueDate, scheduled, area, parentProjects, tags, lane } = updates;
  const row = withDay(withDay(task, "due", dueDate), "scheduled", scheduled);
  return {
    ...row,
    ...(title !== undefined && { title }),
    ...(status !== undefined && { status }),
    ...(priority !== undefined && { priority }),
    ...(area !== undefined && area !== "" && { area }),
    ...(parentProjects && { parentProjects: [...parentProjects] }),
    ...(tags && { tags: tags.map((tag) => tag.replace(/^#/, "")) }),
    ...(lane !== undefined && { lane }),
  };
}

function withDay(task: TaskRow, property: "due" | "scheduled", given: string | undefined): TaskRow {
  if (given === undefined || !/^(\d{4}-\d\d-\d\d)?$/.test(given)) return task;
  const { [property]: _day, [`${property}In` as const]: _text, overdue, ...rest } = task;
  const isLate = property === "scheduled" && overdue === true;
  return { ...rest, ...(isLate && { overdue }), ...(given !== "" && { [property]: given }) };
}

export function isColumnStatus(status: string): status is ColumnStatus {
  return (COLUMN_STATUSES as readonly string[]).includes(status);
}

/** Whether a task can have a status: a checkbox line or a card of a board may have fewer. */
export function canHold({ statuses }: TaskRow, status: string): boolean {
  return statuses === undefined || statuses.includes(status);
}

/** The status `step` columns on, or undefined beyond the first and the last. */
export function neighbourStatus(status: string, step: -1 | 1): ColumnStatus | undefined {
  const at = COLUMN_STATUSES.findIndex((one) => one === status);
  return at < 0 ? undefined : COLUMN_STATUSES[at + step];
}
