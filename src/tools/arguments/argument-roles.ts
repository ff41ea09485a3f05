/** The table of argument roles: other accepted names, and how values are read (docs: tools, "Arguments"). */
import { priorityOf, statusOf } from "../../tasks/fields/vocabulary.js";

interface RoleRow {
  /** For the documentation. */
  readonly means: string;
  /** Other accepted names, most likely first; snake_case and camelCase are equal. */
  readonly also: readonly string[];
  readonly word?: (text: string) => string | undefined;
  /** If another argument selects what is wanted. */
  readonly fallback?: string;
}

const FILE_NAMES = ["path", "note", "file", "uri", "file_path", "note_path", "filename", "name"];
const QUERIES = ["q", "search", "text", "term", "words"];
const TEXTS = ["content", "text", "body"];

export const ROLES = {
  note: { means: "a note that is there", also: FILE_NAMES },
  noteOrPeriod: { means: "a note that is there, or a periodic note", also: FILE_NAMES },
  notePart: { means: "a note, its heading or its block", also: FILE_NAMES },
  notes: { means: "notes, or filters that select some", also: ["note", ...FILE_NAMES, "paths"] },
  file: { means: "a file that is there", also: FILE_NAMES },
  place: { means: "a file or folder that is there", also: [...FILE_NAMES, "folder", "directory", "dir"] },
  changed: { means: "a file that was changed, there or not", also: FILE_NAMES },
  newFile: { means: "where a new file goes", also: FILE_NAMES },
  source: { means: "a file or folder that is to move", also: ["from", "source", ...FILE_NAMES] },
  target: { means: "where it moves", also: ["to", "target", "destination", "name"] },
  folder: { means: "a folder that is there", also: ["directory", "dir"] },
  newFolder: { means: "a folder, made when missing", also: ["directory", "dir"] },
  task: { means: "a task", also: ["id", "task_id", "task", "name", "title"] },
  fields: { means: "fields to change, also accepted at the top level", also: [] },
  due: { means: "the day a task is due", also: ["due", "due_date", "deadline"] },
  completed: { means: "the day a task was finished", also: ["done", "finished", "done_date"] },
  projects: { means: "the projects of a task", also: ["project", "projects"] },
  project: { means: "a project", also: ["projects"] },
  status: { means: "a status, in any word of the vocabulary", also: [], word: statusOf },
  priority: { means: "a priority, in any word of the vocabulary", also: [], word: priorityOf },
  condition: { means: "a value of a property, a range of values, or several values", also: [] },
  value: { means: "a value of a property, also a list or a map as JSON", also: [] },
  words: { means: "words to find; optional where a filter is given", also: QUERIES, fallback: "*" },
  query: { means: "words or text to find", also: [...QUERIES, "pattern"] },
  paths: { means: "a pattern of paths", also: ["glob", "query"] },
  tags: { means: "tags", also: ["tag"] },
  heading: { means: "a section of a note", also: ["section"] },
  line: { means: "a line of a file", also: ["line", "line_number"] },
  count: { means: "how many changes to take back", also: ["steps", "count"] },
  plan: { means: "show, to only plan, or a plan to carry out", also: ["dry_run", "preview", "simulate"] },
  tasks: { means: "tasks, or a selection of them", also: ["ids", "task_ids"] },
  title: { means: "the title of something new", also: ["name"] },
  newName: { means: "a new name", also: ["name", "title"] },
  text: { means: "Markdown to write", also: TEXTS },
  insertion: { means: "lines to insert", also: ["insert_text", "new_str", "new_string", ...TEXTS] },
  oldText: { means: "the text to replace", also: ["old_str", "old_string"] },
  newText: { means: "the text to put there", also: ["new_str", "new_string"] },
} as const satisfies Record<string, RoleRow>;

export type Role = keyof typeof ROLES;

export function roleRow(role: Role): RoleRow {
  return ROLES[role];
}

/** With only these, a query is still required. */
export const CHOOSE_NOTHING: ReadonlySet<string> = new Set(["limit", "offset", "sort", "cursor"]);
