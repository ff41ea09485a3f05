/** Tasks made from what is remembered of a note's checkbox lines, where the note lies, and the vault's settings (spec: tasks-2, section 6). */
import { folderAround } from "../../catalog/para.js";
import { type LocalDate, parseLocalDate } from "../../clock.js";
import { baseName, folderOf, type VaultPath } from "../../storage/path.js";
import type { FileStat } from "../../storage/storage.js";
import { hashText } from "../../text/hash.js";
import { remembered } from "../../text/memo.js";
import type { NoteTasks, Surroundings } from "../format.js";
import { taskRecord } from "../fields/task-record.js";
import { tellSigns } from "../fields/told-fields.js";
import { fileTitle, folderBelow } from "../note-format/derivation.js";
import type { Priority, Series, Task, TaskProblem } from "../task.js";
import { hasSign, LINE_DAYS, type LineFieldName } from "./field-signs.js";
import type { LineFacts } from "./line-facts.js";
import { lineId } from "./line-identity.js";
import type { LineSettings } from "./line-settings.js";
import { fieldSpan, parseTaskLine, type TaskLine } from "./task-line.js";

/** What the lines of one note share. */
export interface NoteOfLines {
  readonly stat: FileStat;
  readonly settings: LineSettings;
  readonly area: string | undefined;
  readonly projects: readonly string[];
  readonly archived: boolean;
  /** The day the note's name tells. */
  readonly day: LocalDate | undefined;
}

export function noteOfLines(
  facts: LineFacts,
  stat: FileStat,
  { para }: Pick<Surroundings, "para">,
  settings: LineSettings,
): NoteOfLines {
  const { path } = stat;
  const project = facts.isProject ? fileTitle(path) : folderBelow(path, para.projects);
  return {
    stat,
    settings,
    area: facts.area ?? folderBelow(path, para.areas),
    projects:
      facts.isProject || facts.projects === undefined ? (project === undefined ? [] : [project]) : facts.projects,
    archived: facts.archived === true || folderAround(path, para.archive) !== undefined,
    day: settings.dayFolders && dayInName(path, settings.dayFolders),
  };
}

/** So many lines are made tasks at a stretch. */
const STRETCH = 1000;

/** All tasks of a note, in its order, and what in them could not be understood; stops after each stretch, for others to have their turns. */
export function* derivedLines({ numbers, texts, parents }: LineFacts, note: NoteOfLines): Generator<void, NoteTasks> {
  const tasks: Task[] = [];
  const problems: TaskProblem[] = [];
  const byPlace: (Task | undefined)[] = [];
  let start = 0;
  for (let place = 0; place < numbers.length; place++) {
    const end = texts.indexOf("\n", start);
    const text = texts.slice(start, end < 0 ? texts.length : end);
    start = end + 1;
    const line = markedLine(text, note.settings);
    const parent = parents[place] ?? -1;
    // A box that is no task hands its children on to the task around it.
    const above = parent < 0 ? undefined : byPlace[parent];
    const task = line && taskOfLine(line, numbers[place] ?? 0, note, above?.id, problems);
    byPlace.push(task ?? above);
    if (task !== undefined) tasks.push(task);
    if (place % STRETCH === STRETCH - 1) yield;
  }
  return { tasks, problems };
}

/** A line taken apart, if the vault's settings make it a task. */
export function markedLine(text: string, settings: LineSettings): TaskLine | undefined {
  const { reads, globalFilter } = settings;
  if (reads !== "all" && !mayBeMarked(text, globalFilter)) return undefined;
  const line = parseTaskLine(text, globalFilter);
  if (line === undefined) return undefined;
  return (reads === "all" ? !isBare(line) : isMarked(line, globalFilter)) ? line : undefined;
}

/** An empty box waits for its text. */
const isBare = ({ title, fields, tags }: TaskLine): boolean => title === "" && fields.length === 0 && tags.length === 0;

/** Spares the lines of most checklists being taken apart. */
function mayBeMarked(text: string, globalFilter: string): boolean {
  if (globalFilter !== "") return text.includes(globalFilter);
  return text.includes("#") || text.includes("::") || hasSign(text);
}

/** Whether something on the line says that it is a task: the filter; where there is none, a field or the tag `task`. */
export function isMarked({ text, fields, unread, tags }: TaskLine, globalFilter: string): boolean {
  if (globalFilter !== "") return text.includes(globalFilter);
  return fields.length > 0 || unread.length > 0 || tags.some(({ tag }) => /^task(?:\/|$)/i.test(tag));
}

const PRIORITIES: Readonly<Record<string, Priority>> = { highest: "High", high: "High", low: "Low", lowest: "Low" };
const NO_PROPERTIES: Task["properties"] = {};
const NONE: readonly never[] = [];

/** @param parent the id of the task it stands below. @returns undefined for a box that the settings make no task */
export function taskOfLine(
  line: TaskLine,
  number: number,
  { stat, settings, area, projects, archived, day }: NoteOfLines,
  parent: string | undefined,
  problems: TaskProblem[],
): Task | undefined {
  const status = settings.symbols.statusOf(line.symbol);
  if (status === undefined) return undefined;
  const { path } = stat;
  const { values, wrong } = readFields(line);
  for (const message of wrong) problems.push({ path, line: number, message });
  const task = taskRecord({
    id: lineId(path, number, line),
    path,
    source: "line",
    line: number,
    parent,
    sign: values.id,
    rule: "checkbox",
    title: line.title,
    status,
    priority: PRIORITIES[values.priority ?? ""] ?? "Medium",
    area,
    parentProjects: projects,
    series: values.recurrence === undefined ? undefined : seriesOf(values.recurrence),
    occurrence: undefined,
    archived,
    excerpt: "",
    properties: NO_PROPERTIES,
    revision: hashText(line.text),
    modified: stat.modified,
  });
  tellSigns(task, values);
  if (line.tags.length > 0) task.tags = line.tags.map(({ tag }) => tag);
  // Only a line without any day is of the day that its note's name tells.
  if (task.due === undefined && task.start === undefined) task.scheduled ??= day;
  return task;
}

const isDay = remembered((text) => parseLocalDate(text) !== undefined);

/** The values of a line's fields, of one kind the last; days that do not exist, and fields that nobody reads, as sentences. */
function readFields({ fields, unread }: TaskLine): {
  readonly values: Partial<Record<LineFieldName, string>>;
  readonly wrong: readonly string[];
} {
  const values: Partial<Record<LineFieldName, string>> = {};
  let wrong: string[] | undefined;
  for (const { name, value } of fields) {
    if (!LINE_DAYS.has(name) || isDay(value)) values[name] = value;
    else {
      delete values[name];
      (wrong ??= []).push(`${name} "${value.slice(0, 40)}" is not a day that exists.`);
    }
  }
  for (const name of unread)
    (wrong ??= []).push(`${name} has other text behind it and is not read; move it to the end of the line.`);
  return { values, wrong: wrong ?? NONE };
}

function seriesOf(rule: string): Series {
  return {
    rule,
    anchor: /\bwhen done\s*$/i.test(rule) ? "completion" : "scheduled",
    completed: NONE,
    skipped: NONE,
  };
}

/** The day in a file's name, where its folder is one of those that count. */
function dayInName(path: VaultPath, folders: readonly string[]): LocalDate | undefined {
  const folder = folderOf(path);
  const counts = folders.length === 0 || folders.some((each) => each === folder || folder.startsWith(`${each}/`));
  const [, year, month, day] = /(?<!\d)(\d{4})-?(\d{2})-?(\d{2})(?!\d)/.exec(baseName(path)) ?? [];
  return counts && year !== undefined ? parseLocalDate(`${year}-${month}-${day}`) : undefined;
}

/** The value of a line's field as it stands. */
export const fieldValue = (line: TaskLine, name: LineFieldName): string | undefined => fieldSpan(line, name)?.value;
