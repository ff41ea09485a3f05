/** How the task tools show a task: the schema pieces, the structured form and the words they share. */
import { PRIORITY_NAMES } from "../../tasks/fields/fields.js";
import type { Task, TaskProblem } from "../../tasks/task.js";
import { deepLink } from "../deep-link.js";
import type { Infer, Schema } from "../schema.js";
import { excerpt } from "../text.js";
import type { OpenVault } from "../workspace.js";

/** No list in an answer is longer; its total stands beside it. */
export const LIST_LIMIT = 100;

/** What every answer says of a task. */
export const TASK_PROPERTIES = {
  id: { type: "string", description: "Task id; give it to get_task and update_task" },
  path: { type: "string", description: "The note's path in the vault" },
  title: { type: "string", description: "Title, on one line" },
  status: {
    type: "string",
    description: "To Do, In Progress, Blocked, Done or Cancelled; or the note's own word when it is none of these",
  },
  priority: { type: "string", enum: PRIORITY_NAMES, description: "Priority" },
  due: { type: "string", description: "Due date, YYYY-MM-DD; absent when there is none" },
  area: { type: "string", description: "Area; absent when unassigned" },
  parentProjects: { type: "array", items: { type: "string" }, description: "Parent projects" },
  tags: { type: "array", items: { type: "string" }, description: "Tags without #" },
  archived: { type: "boolean", description: "True for an archived task; otherwise absent" },
  link: { type: "string", description: "Opens the note in Obsidian" },
} as const satisfies Record<string, Schema>;

export const TASK_REQUIRED = ["id", "path", "title", "status", "priority", "parentProjects", "tags"] as const;

export const TASK_SCHEMA = {
  type: "object",
  description: "A task",
  properties: TASK_PROPERTIES,
  required: TASK_REQUIRED,
  additionalProperties: false,
} as const satisfies Schema;

export type TaskView = Infer<typeof TASK_SCHEMA>;

/** Longest title, status or name that is shown whole, in characters. */
const SHOWN_LENGTH = 500;

/** A note's words as an answer shows them: on one line, and not endless. */
export function shown(text: string): string {
  return excerpt(text, SHOWN_LENGTH);
}

/** The task as structured content shows it: id and path exactly, the note's words on one line. */
export function viewOf(task: Task, vault: OpenVault): TaskView {
  const link = deepLink(task.path, vault.linkName);
  return {
    id: task.id,
    path: task.path,
    title: shown(task.title),
    status: shown(task.status),
    priority: task.priority,
    ...(task.due === undefined ? {} : { due: task.due }),
    ...(task.area === undefined ? {} : { area: shown(task.area) }),
    parentProjects: task.parentProjects.slice(0, LIST_LIMIT).map(shown),
    tags: task.tags.slice(0, LIST_LIMIT).map(shown),
    ...(task.archived ? { archived: true } : {}),
    ...(link === undefined ? {} : { link }),
  };
}

export const PROBLEM_SCHEMA = {
  type: "object",
  description: "A note or folder that could not be read whole",
  properties: {
    path: { type: "string", description: "The note's path in the vault" },
    line: { type: "integer", description: "Line, from 1" },
    column: { type: "integer", description: "Column, from 1" },
    message: { type: "string", description: "What is wrong" },
  },
  required: ["path", "message"],
  additionalProperties: false,
} as const satisfies Schema;

export function problemView(problem: TaskProblem): Infer<typeof PROBLEM_SCHEMA> {
  return {
    path: problem.path,
    message: shown(problem.message),
    ...(problem.line === undefined ? {} : { line: problem.line }),
    ...(problem.column === undefined ? {} : { column: problem.column }),
  };
}

/** ` - Project: <first parent project>`, or nothing. */
export function projectSuffix(task: TaskView): string {
  const project = task.parentProjects[0];
  return project === undefined ? "" : ` - Project: ${project}`;
}
