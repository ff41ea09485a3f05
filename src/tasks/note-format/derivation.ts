/** Derives a task from a note's facts, folder and time zone (docs: tasks). */
import type { LocalDate } from "../../clock.js";
import { fileTitle, baseName, foldName, folderOf, type VaultPath } from "../../storage/path.js";
import type { FileStat } from "../../storage/storage.js";
import { folderAround, type ParaFolders } from "../../obsidian/para.js";
import { dayOf } from "../fields/property-values.js";
import type { TaskContext } from "../format.js";
import type { TaskFacts } from "./facts.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import { type FieldName, fieldNamed, type Values } from "../fields/field-table.js";
import { DAY_IN_LINE } from "../fields/kinds.js";
import { taskRecord, setTaskFields } from "../fields/task-fields.js";
import type { Stored } from "../fields/field.js";
import type { Occurrence, Series, Task, TaskProblem } from "../task.js";
import { clockTimes, type Reminder, shownReminders } from "../fields/reminders.js";
import { ownPriorityOf, ownStatusOf } from "../fields/dialect.js";
import { isTaskStatus, normaliseWord, priorityOf, statusOf } from "../fields/vocabulary.js";

/** Undefined where TaskNotes excludes the note, or only `status` marks it and something else does not fit a task. */
export function deriveTask(facts: TaskFacts, stat: FileStat, context: NoteContext): Task | undefined {
  const { para, settings } = context;
  if (settings !== undefined && isExcluded(stat.path, settings)) return undefined;
  if (facts.rule === "status-in-para" && !isTaskByStatus(facts, stat.path, para, settings)) return undefined;
  return taskOf(facts, stat, context);
}

/** In the case of TaskNotes' setting, as there. */
export function isExcluded(path: VaultPath, { taskNotes }: NonNullable<NoteContext["settings"]>): boolean {
  return taskNotes.excludedFolders.some((folder) => `${path}/`.startsWith(`${folder}/`));
}

export function deriveProject(facts: TaskFacts, stat: FileStat, context: NoteContext): Task {
  return { ...taskOf(facts, stat, context), id: stat.path, isProject: true };
}

type NoteContext = Pick<TaskContext, "para" | "clock"> & Partial<TaskContext>;

function taskOf(facts: TaskFacts, { path, size, modified }: FileStat, { para, clock, settings }: NoteContext): Task {
  const { values } = facts;
  const task = taskRecord({
    id: values.id ?? path,
    path,
    source: "note",
    rule: facts.rule,
    // TaskNotes reads no headings.
    title: values.title ?? (settings?.taskNotes.keys.has("title") ? undefined : facts.heading) ?? fileTitle(path),
    status: statusFrom(facts, settings),
    priority: priorityFrom(values.priority, settings) ?? "Medium",
    area: values.area ?? folderBelow(path, para.areas),
    parentProjects: values.projects ?? [folderBelow(path, para.projects)].filter((name) => name !== undefined),
    series: seriesFrom(values),
    occurrence: occurrenceFrom(values, clock),
    archived:
      values.archived === true ||
      folderAround(path, para.archive) !== undefined ||
      hasArchiveTag(values.tags, settings?.taskNotes.archiveTag),
    times: facts.reminderDays && clockTimes(facts.reminderDays, clock),
    reminders:
      values.reminders === undefined
        ? NO_REMINDERS
        : shownReminders(storedReminders(values.reminders), facts.reminderDays ?? {}, clock),
    excerpt: facts.excerpt,
    properties: facts.properties ?? NO_PROPERTIES,
    // A large note has no hash.
    revision: facts.revision ?? `${size.toString(36)}-${Math.round(modified).toString(36)}`,
    modified,
  });
  setTaskFields(task, values, clock);
  return task;
}

const NO_REMINDERS: Task["reminders"] = [];

export const storedReminders = (stored: readonly string[]): readonly Reminder[] =>
  stored.map((text) => JSON.parse(text) as Reminder);

const hasArchiveTag = (tags: readonly string[] = [], archived: string | undefined): boolean =>
  archived !== undefined && tags.some((tag) => foldName(tag) === foldName(archived));

const NO_PROPERTIES: Task["properties"] = {};

export function problemsOf(
  { problems = [], values }: TaskFacts,
  path: VaultPath,
  settings: TaskContext["settings"] | undefined,
): TaskProblem[] {
  // Facts know no settings.
  const isKnown = priorityFrom(values.priority, settings) !== undefined;
  const told = problems.filter(({ field }) => field !== "priority" || !isKnown);
  return told.map(({ field, message, line }) => ({
    path,
    message,
    line,
    day: fieldNamed(field).inLine === DAY_IN_LINE ? field : undefined,
  }));
}

function sameWord(a: string, b: string | undefined): boolean {
  return b !== undefined && normaliseWord(a) === normaliseWord(b);
}

export function seriesOf(places: ReadonlyMap<FieldName, Property>): Series | undefined {
  const values: Partial<Record<FieldName, Stored | undefined>> = {};
  for (const name of ["recurrence", "recurrenceAnchor", "completeInstances", "skippedInstances"] as const) {
    const property = places.get(name);
    if (property) values[name] = fieldNamed(name).read(property).value;
  }
  return seriesFrom(values as Values);
}

function seriesFrom(values: Values): Series | undefined {
  const { recurrence, recurrenceAnchor, completeInstances = [], skippedInstances = [] } = values;
  if (recurrence === undefined) return undefined;
  return {
    rule: recurrence,
    anchor: /^completion/i.test(recurrenceAnchor ?? "") ? "completion" : "scheduled",
    completed: completeInstances as readonly LocalDate[],
    skipped: skippedInstances as readonly LocalDate[],
  };
}

function occurrenceFrom(
  { recurrenceParent, occurrenceDate }: Values,
  clock: TaskContext["clock"],
): Occurrence | undefined {
  if (recurrenceParent === undefined || occurrenceDate === undefined) return undefined;
  return { parent: recurrenceParent, day: dayOf(occurrenceDate, clock) };
}

/** A task status in a PARA folder. A note named after its folder describes the folder. */
function isTaskByStatus(
  { values: { status = "" } }: TaskFacts,
  path: VaultPath,
  para: ParaFolders,
  settings: TaskContext["settings"] | undefined,
): boolean {
  if (!isInPara(path, para) || foldName(fileTitle(path)) === foldName(baseName(folderOf(path)))) return false;
  return isTaskStatus(status) || settings?.taskNotes.statuses.some(({ value }) => sameWord(value, status)) === true;
}

function isInPara(path: VaultPath, { projects, areas, resources }: ParaFolders): boolean {
  return [projects, areas, resources].some((folders) => folderAround(path, folders) !== undefined);
}

/** TaskNotes' settings come before built-in words. */
function statusFrom({ values }: TaskFacts, settings: TaskContext["settings"] | undefined): Task["status"] {
  const { status, done = isDoneByDay(values, settings) } = values;
  if (status === undefined) return done ? "Done" : "To Do";
  return (settings && ownStatusOf(status, settings.taskNotes)) ?? statusOf(status) ?? status;
}

/** TaskNotes gives a task without a status its default, whatever its days. */
function isDoneByDay({ completed, recurrence }: Values, settings: TaskContext["settings"] | undefined): boolean {
  return completed !== undefined && recurrence === undefined && settings?.taskNotes.enabled !== true;
}

function priorityFrom(word = "", settings: TaskContext["settings"] | undefined): Task["priority"] | undefined {
  return (settings && ownPriorityOf(word, settings.taskNotes)) ?? priorityOf(word);
}

/** `_areas/Work/x.md` gives `Work`; `_areas/x.md` gives undefined. */
export function folderBelow(path: VaultPath, folders: readonly VaultPath[]): string | undefined {
  const around = folderAround(path, folders);
  if (around === undefined) return undefined;
  const below = path.slice(around.length + 1);
  const end = below.indexOf("/");
  return end < 0 ? undefined : below.slice(0, end);
}
