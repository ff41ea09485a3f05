/** Creates task objects by copying an empty task with all properties. */
import type { Task } from "../task.js";
import type { FieldProperties } from "./fields.js";
import { EMPTY_FIELDS } from "./task-fields.js";

export type TaskRecord = { -readonly [Property in keyof Task]: Task[Property] };
export type OwnProperties = Omit<Task, keyof FieldProperties>;

const NOTHING: readonly never[] = [];
const BLANK: Task = {
  ...EMPTY_FIELDS,
  id: "",
  path: "" as Task["path"],
  source: "note",
  line: undefined,
  parent: undefined,
  board: undefined,
  lane: undefined,
  statuses: undefined,
  linksTo: undefined,
  card: undefined,
  sign: undefined,
  rule: "checkbox",
  title: "",
  status: "To Do",
  priority: "Medium",
  area: undefined,
  parentProjects: NOTHING,
  series: undefined,
  occurrence: undefined,
  archived: false,
  excerpt: "",
  properties: {},
  revision: "",
  modified: 0,
};

/** Copying one object is much faster than spreading into a larger one. */
export function taskRecord(own: OwnProperties): TaskRecord {
  const task: TaskRecord = { ...BLANK };
  task.id = own.id;
  task.path = own.path;
  task.source = own.source;
  task.line = own.line;
  task.parent = own.parent;
  task.sign = own.sign;
  task.rule = own.rule;
  task.title = own.title;
  task.status = own.status;
  task.priority = own.priority;
  task.area = own.area;
  task.parentProjects = own.parentProjects;
  task.series = own.series;
  task.occurrence = own.occurrence;
  task.archived = own.archived;
  task.excerpt = own.excerpt;
  task.properties = own.properties;
  task.revision = own.revision;
  task.modified = own.modified;
  return task;
}
