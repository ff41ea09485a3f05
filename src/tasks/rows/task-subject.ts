/** The tables of tasks, and a note's rows (docs: architecture, "The index"). */
import type { TimeSlice } from "../../async/timers.js";
import { idHash } from "../../text/hash.js";
import type { Clock } from "../../clock.js";
import {
  type Condition,
  condition,
  type NoteSource,
  type RowContext,
  type Rows,
  type SqlValue,
  type Subject,
  type SubjectRow,
  type Table,
} from "../../index/subject.js";
import { folderAround } from "../../obsidian/para.js";
import { foldDocument, type SearchField } from "../../search/score.js";
import { fileTitle, foldName, linkKey } from "../../storage/path.js";
import { isReserved } from "../note-format/note-settings.js";
import { fold } from "../../text/fold.js";
import { isOutstanding } from "../recurrence/series.js";
import { bareName } from "../fields/property-values.js";
import { FIELDS, fieldNamed } from "../fields/field-table.js";
import { otherProperties } from "../fields/task-fields.js";
import { isStatus, isTaskStatus, normaliseWord, PRIORITIES } from "../fields/vocabulary.js";
import type { NoteTasks, PlainBoxes, TaskFormat } from "../format.js";
import { statusesOfLines } from "../line-format/line-settings.js";
import { withoutTrailingTags } from "../line-format/task-line.js";
import { isClosed, type Task, type TaskProblem } from "../task.js";

/** Which questions a row answers: each includes those before it. */
export const TASK_SCOPES = {
  tasks: 0,
  /** Lines that the settings exclude. */
  lines: 1,
  /** Checkboxes without a mark. */
  plain: 2,
} as const;
export type TaskScope = keyof typeof TASK_SCOPES;

/** The last two hold days, the reminder's with its time. */
export const NAME_KINDS = { tag: 0, project: 1, context: 2, doneDay: 3, reminder: 4 } as const;

/** In the order of an agenda; `class > 3` is closed. */
export const CLASSES = ["In Progress", "To Do", "Blocked", "Other", "Done", "Cancelled"] as const;

/** In SQL: `linkKey(title)`. */
export const TITLE_KEY = "coalesce(task.title_key, lower(task.title))";

export const AGENDA_ORDER = `min(task.class, 3), coalesce(task.due, '~'), task.priority, ${TITLE_KEY}, task.title`;

/** Closed tasks last, latest first, then in the order of an agenda. */
export const CLOSED_LAST = `(task.class > 3), (CASE WHEN task.class > 3 THEN task.completed END) DESC, ${AGENDA_ORDER}`;

export const hasTitle = (key: string): Condition =>
  condition(`substr(${TITLE_KEY}, 1, ${KEY_START}) = substr(?, 1, ${KEY_START}) AND ${TITLE_KEY} = ?`, key, key);
const KEY_START = 16;

interface OfRow {
  readonly scope: number;
  readonly words: string;
  readonly titleKey: string;
  readonly rest: string | null;
}

const orNull = <Value>(value: Value | undefined): Value | null => value ?? null;

/** Columns that hold properties as they are. */
export const AS_IS = {
  due: "due",
  scheduled: "scheduled",
  start: "start",
  completed: "completed",
  created: "created",
  timeEstimate: "estimate",
  title: "title",
  // Its own.
  area: "area",
  board: "board",
  parent: "parent",
  sign: "sign",
  // The target of a card that is only a link.
  linksTo: "card",
  revision: "revision",
} as const satisfies Partial<Record<keyof Task, string>>;

/** Properties that `rest` leaves out: what columns hold, and what the file does. */
const HELD: ReadonlySet<string> = new Set<keyof Task>([
  ...(Object.keys(AS_IS) as (keyof typeof AS_IS)[]),
  ...(["id", "path", "source", "line", "status", "archived", "priority", "modified"] as const),
]);

const TASK_COLUMNS: readonly (readonly [column: string, valueOf: (task: Task, row: OfRow) => SqlValue])[] = [
  // 0 for a note that is a task.
  ["line INTEGER NOT NULL", ({ line = 0 }) => line],
  ["scope INTEGER NOT NULL", (_, { scope }) => scope],
  ["class INTEGER NOT NULL", ({ status }) => CLASSES.findIndex((one) => one === (isStatus(status) ? status : "Other"))],
  // As written; null for ours.
  ["status TEXT", ({ status }) => (isStatus(status) ? null : status)],
  ["open INTEGER NOT NULL", (task) => Number(isOutstanding(task))],
  ["archived INTEGER NOT NULL", ({ archived }) => Number(archived)],
  ["priority INTEGER NOT NULL", ({ priority }) => PRIORITIES.indexOf(priority)],
  ["due TEXT", ({ due }) => orNull(due)],
  ["scheduled TEXT", ({ scheduled }) => orNull(scheduled)],
  ["start TEXT", ({ start }) => orNull(start)],
  ["completed TEXT", ({ completed }) => orNull(completed)],
  ["created TEXT", ({ created }) => orNull(created)],
  ["estimate INTEGER", ({ timeEstimate }) => orNull(timeEstimate)],
  ["series INTEGER NOT NULL", ({ series }) => Number(series !== undefined)],
  ["waits INTEGER NOT NULL", ({ blockedBy }) => Number(blockedBy.length > 0)],
  // Of the id, for fingerprints.
  ["mark INTEGER NOT NULL", ({ id }) => idHash(id)],
  // The id; of a line without its path.
  ["ref TEXT NOT NULL", ({ id, path, source }) => (source === "line" ? id.slice(path.length) : id)],
  ["title TEXT NOT NULL", ({ title }) => title],
  // Null where SQLite's `lower` gives it.
  ["title_key TEXT", ({ title }, { titleKey }) => (/^[ -~]*$/.test(title) ? null : titleKey)],
  // Of a line with tags at its end: without them.
  ["bare_key TEXT", (task, { titleKey }) => bareKey(task, titleKey)],
  ["area TEXT", ({ area }) => orNull(area)],
  ["area_key TEXT", ({ area }) => (area === undefined ? null : fold(bareName(area)))],
  ["board TEXT", ({ board }) => orNull(board)],
  ["parent TEXT", ({ parent }) => orNull(parent)],
  ["sign TEXT", ({ sign }) => orNull(sign)],
  ["card TEXT", ({ linksTo }) => orNull(linksTo)],
  ["words TEXT NOT NULL", (_, { words }) => words],
  ["revision TEXT NOT NULL", ({ revision }) => revision],
  // Other properties, as JSON.
  ["rest TEXT", (_, { rest }) => rest],
];
const COLUMNS = TASK_COLUMNS.map(([column]) => column);

function bareKey({ source, title }: Task, titleKey: string): string | null {
  const key = source === "line" ? linkKey(withoutTrailingTags(title)) : titleKey;
  return key === titleKey ? null : key;
}

const TABLES: readonly Table[] = [
  {
    name: "task",
    columns: COLUMNS,
    indexes: [
      `task_order ON task (${CLOSED_LAST.replaceAll("task.", "")}) WHERE scope = 0`,
      // Filters and counts read this instead of the wide rows.
      `task_live ON task (open, due, class, archived, line, series, waits, scheduled, start, completed, created,
        estimate, priority, area, area_key, mark) WHERE scope = 0`,
      "task_words ON task (words) WHERE scope = 0",
      "task_excluded ON task (scope) WHERE scope = 1",
      "task_series ON task (class) WHERE series = 1",
      "task_note ON task (ref) WHERE line = 0",
      `task_title ON task (substr(${TITLE_KEY.replaceAll("task.", "")}, 1, ${KEY_START}))`,
      "task_bare ON task (bare_key) WHERE bare_key IS NOT NULL",
      "task_sign ON task (sign) WHERE sign IS NOT NULL",
      "task_card ON task (card) WHERE card IS NOT NULL",
      "task_parent ON task (parent) WHERE parent IS NOT NULL",
      "task_waits ON task (id) WHERE waits = 1",
    ],
  },
  {
    name: "task_name",
    columns: ["owner INTEGER NOT NULL", "kind INTEGER NOT NULL", "key TEXT NOT NULL", "shown TEXT NOT NULL"],
    places: ["owner"],
    indexes: ["task_name_key ON task_name (kind, key, owner)"],
  },
  // Names by which a task finds its project's area.
  {
    name: "task_project",
    columns: ["key TEXT NOT NULL", "area TEXT", "within TEXT"],
    indexes: ["task_project_key ON task_project (key)"],
  },
  // How task notes are written.
  {
    name: "task_style",
    columns: [
      "keys TEXT NOT NULL",
      "habits TEXT NOT NULL",
      "status TEXT",
      "priority TEXT",
      "type TEXT",
      "rule TEXT NOT NULL",
    ],
  },
  // `unread_day`: of a task not archived, and unfinished unless it is the day that it was done.
  { name: "task_problem", columns: ["line INTEGER", "message TEXT NOT NULL", "unread_day TEXT"] },
  // Open checkboxes that are no tasks. `words`: what all share, then a line for each.
  {
    name: "task_plain",
    columns: [...COLUMNS, "boxes INTEGER NOT NULL"],
    indexes: ["task_plain_open ON task_plain (archived, boxes) WHERE open = 1"],
  },
];

/** Names of plain checkboxes are stored later, above all others. */
const FIRST_PLAIN_NAME = 2 ** 21;

/** Increase it when rows change in form or meaning. */
const VERSION = 12;

export function taskSubject(formats: readonly TaskFormat[], clock: Clock): Subject {
  const contextAt = ({ para, settings }: RowContext) => ({ para, settings, clock });
  return {
    name: "tasks",
    version: VERSION,
    tables: TABLES,
    epoch: (settings) => [clock.zoneKey, settings.taskNotes.reserved, formats.map((format) => format.epoch(settings))],
    read: async (note, context, slice) => {
      if (context.hidden || isReserved(note.path, context.settings)) return undefined;
      const found: NoteTasks[] = [];
      for (const format of formats) found.push(await format.read(note, contextAt(context), slice));
      return await rowsOf(found, note, context, slice);
    },
    readLater: async (note, context, slice) => {
      if (context.hidden || isReserved(note.path, context.settings)) return undefined;
      const found: Task[] = [];
      for (const format of formats)
        for (const task of (await format.readPlain?.(note, contextAt(context), slice)) ?? []) found.push(task);
      const rows: Pick<TaskTables, "task" | "task_name"> = { task: [], task_name: [] };
      await addTasks(rows, found, TASK_SCOPES.plain, FIRST_PLAIN_NAME, context, slice);
      return rows;
    },
  };
}

type TaskTables = Record<
  "task" | "task_name" | "task_project" | "task_problem" | "task_style" | "task_plain",
  SubjectRow[]
>;

async function rowsOf(
  found: readonly NoteTasks[],
  note: NoteSource,
  context: RowContext,
  slice: TimeSlice,
): Promise<Rows> {
  const rows: TaskTables = {
    task: [],
    task_name: [],
    task_project: [],
    task_problem: [],
    task_style: [],
    task_plain: [],
  };
  for (const { tasks, problems, isExcluded = false, style, plain = [] } of found) {
    const scope = isExcluded ? TASK_SCOPES.lines : TASK_SCOPES.tasks;
    await addTasks(rows, tasks, scope, 0, context, slice);
    if (!isExcluded) addProblems(rows.task_problem, problems, tasks);
    if (style && (style.rule !== "status-in-para" || isTaskStatus(style.status ?? "")))
      rows.task_style.push([
        0,
        style.keys,
        style.habits,
        orNull(style.status),
        orNull(style.priority),
        orNull(style.type),
        style.rule,
      ]);
    for (const boxes of plain) {
      rows.task_plain.push(plainRow(boxes));
      addNames(rows.task_name, boxes.task);
    }
    for (const one of tasks) if (one.source === "note") rows.task_project.push(...projectRows(one));
  }
  const area = projectArea(note);
  if (area !== undefined && folderAround(note.path, context.para.projects) !== undefined)
    rows.task_project.push([rows.task_project.length, fold(fileTitle(note.path)), area, null]);
  return rows;
}

function addProblems(rows: SubjectRow[], problems: readonly TaskProblem[], tasks: readonly Task[]): void {
  for (const { line, message, day } of problems) {
    const isMissed = tasks.some(
      (one) =>
        (one.source === "note" || one.line === line) && !one.archived && (day === "completed" || !isClosed(one.status)),
    );
    rows.push([rows.length, line ?? null, message, isMissed ? orNull(day) : null]);
  }
}

function projectRows(task: Task): SubjectRow[] {
  const { area, parentProjects, path, title } = task;
  if (area === undefined && parentProjects.length === 0) return [];
  const within = area === undefined ? JSON.stringify(parentProjects) : null;
  const keys = new Set([fold(fileTitle(path)), fold(title)]);
  return Array.from(keys, (key, at) => [at, key, area ?? null, within]);
}

/** @param firstName the place of the first name */
async function addTasks(
  rows: Pick<TaskTables, "task" | "task_name">,
  tasks: readonly Task[],
  scope: number,
  firstName: number,
  { settings }: RowContext,
  slice: TimeSlice,
): Promise<void> {
  for (const one of tasks) {
    const words = foldDocument(SEARCHED_FIELDS, one).text;
    const rest = otherProperties(one, HELD, leftOutOf(one.source, scope, settings));
    rows.task.push(taskRow(one, { scope, words, rest, titleKey: linkKey(one.title) }));
    addNames(rows.task_name, one, firstName);
    if (slice.isOver) await slice.yield();
  }
}

/** What properties are where `rest` leaves them out. */
export function leftOutOf(source: Task["source"], scope: number, settings: RowContext["settings"]): Partial<Task> {
  if (source === "note") return {};
  return {
    rule: scope === TASK_SCOPES.plain ? "plain-checkbox" : "checkbox",
    statuses: statusesOfLines(settings),
  };
}

function addNames(names: SubjectRow[], task: Task, first = 0): void {
  const known = new Set<string>();
  const add = (kind: number, key: string, shown: string): void => {
    const name = `${kind} ${key}`;
    if (kind < NAME_KINDS.doneDay && known.has(name)) return;
    known.add(name);
    names.push([first + names.length, task.line ?? 0, kind, key, shown]);
  };
  for (const tag of task.tags) add(NAME_KINDS.tag, foldName(tag), tag);
  for (const name of task.parentProjects) add(NAME_KINDS.project, fold(bareName(name)), bareName(name));
  for (const name of task.contexts) add(NAME_KINDS.context, fold(bareName(name.trim().replace(/^@/, ""))), name);
  for (const day of task.series?.completed ?? []) add(NAME_KINDS.doneDay, day, day);
  for (const { at } of task.reminders) if (at !== undefined) add(NAME_KINDS.reminder, at.slice(0, 10), at.slice(11));
}

function taskRow(task: Task, row: OfRow): SubjectRow {
  return [task.line ?? 0, ...TASK_COLUMNS.map(([, valueOf]) => valueOf(task, row))];
}

/** Filters ask for none of the texts. */
function plainRow({ task, texts }: PlainBoxes): SubjectRow {
  const shared = [task.area ?? "", ...task.parentProjects, ...task.tags].join(" ");
  const words = fold([shared, ...texts].map(oneLine).join("\n"));
  const blank = { ...task, id: task.path, title: "", revision: "" };
  return [...taskRow(blank, { scope: TASK_SCOPES.plain, words, rest: null, titleKey: "" }), texts.length];
}

/** A word in a title outweighs an equal tag or area (see `WHOLE_FIELD`). */
export const SEARCHED_FIELDS: readonly SearchField<Task>[] = [
  { name: "title", weight: 12, text: (task) => oneLine(task.title) },
  { name: "tags", weight: 5, text: (task) => task.tags.join(" ") },
  { name: "area", weight: 4, text: (task) => oneLine(task.area ?? "") },
  { name: "projects", weight: 3, text: (task) => oneLine(task.parentProjects.join(" ")) },
  { name: "contexts", weight: 2, text: (task) => oneLine(task.contexts.join(" ")) },
  { name: "properties", weight: 2, text: (task) => oneLine(propertyTexts(task)) },
  { name: "description", weight: 1, text: (task) => oneLine(task.excerpt) },
];
export const AREA_FIELD = 2;

/** Line breaks divide fields. */
const oneLine = (text: string): string => (text.includes("\n") ? text.replaceAll("\n", " ") : text);

function propertyTexts({ properties }: Task): string {
  return Object.values(properties)
    .flat()
    .filter((value) => typeof value === "string" || typeof value === "number")
    .join(" ");
}

const AREA_KEYS: readonly string[] = FIELDS.area.spellings;
const TASK_KEYS: ReadonlySet<string> = new Set([...FIELDS.tags.spellings, ...FIELDS.type.spellings]);

/** The area of an unmarked note, such as a project. */
function projectArea({ frontmatter: { properties } }: NoteSource): string | undefined {
  const property = properties.find(({ key }) => AREA_KEYS.includes(normaliseWord(key)));
  if (property === undefined) return undefined;
  const isTask = properties.some(
    ({ key, text, value }) => TASK_KEYS.has(normaliseWord(key)) && /task/i.test(text ?? JSON.stringify(value)),
  );
  const { value } = fieldNamed("area").read(property);
  return isTask || typeof value !== "string" || value === "" ? undefined : value;
}
