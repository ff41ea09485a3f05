/** Tasks that are notes of their own. */
import type { NoteSource } from "../../index/subject.js";
import type { VaultSettings } from "../../obsidian/settings.js";
import type { FileStat } from "../../storage/storage.js";
import type { Note } from "../../vault/vault.js";
import type { TaskDetail, FindTask, NoteTasks, TaskContext, TaskFormat } from "../format.js";
import type { TaskPlace, Task, NoteRule } from "../task.js";
import { deriveProject, deriveTask, isExcluded, problemsOf } from "./derivation.js";
import { conventionsOf, type Conventions } from "./note-settings.js";
import { factsOf, markerTags, readFacts, type TaskFacts } from "./facts.js";
import { editTaskNote } from "./update-note.js";
import { readFrontmatter, splitNote } from "../../markdown/frontmatter/frontmatter.js";
import { checklistIn, titleAndDescription } from "../../markdown/outline.js";
import type { FieldName } from "../fields/field-table.js";
import { onOneLine } from "../fields/property-values.js";

export const noteFormat: TaskFormat = {
  source: "note",
  epoch: ({ taskNotes: { keys, recognition, statuses, priorities, defaultPriority, ...own }, fieldNames }) => [
    [...keys],
    recognition,
    [statuses, own.defaultStatus],
    [priorities, defaultPriority],
    [...fieldNames],
    [own.archiveTag, own.type?.name, own.type?.explicitKeys, own.type?.titleIsFileName],
    [...own.userFields],
    own.excludedFolders,
  ],
  read,
  finder,
  edit: editTaskNote,
  detail,
};

const NO_TASKS: NoteTasks = { tasks: [], problems: [] };

function read(note: NoteSource, context: TaskContext): NoteTasks {
  const facts = readFacts(note, conventionsOf(context.settings));
  if (facts === undefined || isExcluded(note.path, context.settings)) return NO_TASKS;
  const task = deriveTask(facts, note.stat, context);
  const { keys, habits, rule, values } = facts;
  return {
    tasks: task ? [task] : [],
    problems: task ? problemsOf(facts, note.path, context.settings) : [],
    style: { keys, habits, rule, status: values.status, priority: values.priority, type: values.type },
  };
}

function finder(text: string, stat: FileStat, context: TaskContext): FindTask {
  const conventions = conventionsOf(context.settings);
  const facts = factsOf(text, conventions);
  const task = facts && deriveTask(facts, stat, context);
  return ({ isProject }) => {
    if (task !== undefined || isProject === undefined) return task;
    const project = factsOf(text, conventions, "status-in-para");
    return project && deriveProject(project, stat, context);
  };
}

function detail(note: Note, _place: TaskPlace, context: TaskContext): TaskDetail | undefined {
  const conventions = conventionsOf(context.settings);
  const facts = factsOf(note.text, conventions);
  const task = facts && deriveTask(facts, note.stat, context);
  return facts && task && detailOf(note, task, facts, context.settings);
}

function detailOf({ path, text, revision }: Note, task: Task, facts: TaskFacts, settings: VaultSettings): TaskDetail {
  const conventions = conventionsOf(settings);
  const parts = splitNote(text);
  const { properties, warning } = readFrontmatter(text, parts);
  const { description } = titleAndDescription(text, parts.bodyStart);
  const places = conventions.spelling.fieldProperties(properties);
  return {
    task,
    why: WHY[facts.rule](facts, (name) => onOneLine(places.get(name)?.key ?? name), conventions),
    description: text.slice(description.start, description.end),
    properties: Object.fromEntries(properties.map(({ key, value, text }) => [key, displayed(value, text)])),
    revision,
    checklist: checklistIn(text, parts.bodyStart),
    problems: [
      ...(warning ? [{ path, message: warning.message, line: warning.line, column: warning.column }] : []),
      ...problemsOf(facts, path, settings),
    ],
  };
}

/** Keeps `00123` and `1.10` as written. */
function displayed(value: unknown, text: string | undefined): unknown {
  return typeof value === "number" && text !== undefined && String(value) !== text ? text : value;
}

type KeyOf = (name: FieldName) => string;

const WHY: Readonly<Record<NoteRule, (facts: TaskFacts, keyOf: KeyOf, conventions: Conventions) => string>> = {
  "type-key": (_facts, keyOf) => `its property "${keyOf("type")}" says "task"`,
  "task-tag": ({ values }, keyOf, conventions) =>
    `its property "${keyOf("tags")}" holds the tag "${markerTags(values.tags, conventions)[0] ?? ""}"`,
  "task-property": (_facts, _keyOf, { property }) =>
    `it has the property "${property?.name ?? ""}" by which TaskNotes knows its tasks`,
  "mdbase-type": (_facts, _keyOf, { explicit }) => `it names the type "${explicit?.name ?? ""}", which is TaskNotes'`,
  "status-in-para": ({ values }, keyOf) =>
    `it lies in a PARA folder and its property "${keyOf("status")}" says "${values.status ?? ""}"`,
};
