/** The `TaskFormat` of tasks that are notes of their own. */
import type { FileStat } from "../../storage/storage.js";
import type { Note } from "../../vault/vault.js";
import type { TaskDetail } from "../api.js";
import type { FindTask, NoteTasks, Surroundings, TaskFormat } from "../format.js";
import type { TaskPlace, Task, NoteRule } from "../task.js";
import { deriveProject, deriveTask, problemsOf } from "./derivation.js";
import { factsOfAll } from "../../index/facts.js";
import type { IndexView } from "../../index/view.js";
import type { VaultIndex } from "../../index/vault-index.js";
import type { VaultSettings } from "../../obsidian/settings.js";
import { type Dialect, isDialect } from "../fields/dialect.js";
import { customsOf, inOwnKeys, NO_CUSTOMS, type Customs } from "./customs.js";
import { factsOf, type TaskFacts, markerTags } from "./facts.js";
import { factsOfRaw, rawReader, type RawNote, countDialect, taskReader } from "./fact-readers.js";
import { projectAreaReader } from "../project-areas.js";
import { editTaskNote } from "./update-note.js";
import { readFrontmatter, splitNote } from "../../markdown/frontmatter/frontmatter.js";
import { checklistIn, titleAndDescription } from "../../markdown/outline.js";
import type { FieldName } from "../fields/fields.js";
import { onOneLine } from "../fields/property-values.js";

type NoteFacts = TaskFacts | RawNote;

export const noteFormat: TaskFormat<NoteFacts> = {
  source: "note",
  readers: [taskReader, rawReader, projectAreaReader],
  readerFor: (settings) => (customsOf(settings) === NO_CUSTOMS ? taskReader : rawReader),
  derive,
  finder,
  edit: editTaskNote,
  detail,
};

const NO_TASKS: NoteTasks = { tasks: [], problems: [] };
const NO_PROBLEMS: NoteTasks["problems"] = [];

const isRaw = (facts: NoteFacts): facts is RawNote => "frontmatter" in facts;

function derive(known: NoteFacts, stat: FileStat, surroundings: Surroundings): NoteTasks {
  const facts = isRaw(known) ? factsOfRaw(known, customsOf(surroundings.settings)) : known;
  const task = facts && deriveTask(facts, stat, surroundings);
  if (facts === undefined || task === undefined) return NO_TASKS;
  return { tasks: [task], problems: facts.problems ? problemsOf(facts, stat.path) : NO_PROBLEMS };
}

function finder(text: string, stat: FileStat, surroundings: Surroundings): FindTask {
  const customs = customsOf(surroundings.settings);
  const facts = factsOf(text, customs);
  const task = facts && deriveTask(facts, stat, surroundings);
  return ({ isProject }) => {
    if (task !== undefined || isProject === undefined) return task;
    const project = factsOf(text, customs, "status-in-para");
    return project && deriveProject(project, stat, surroundings);
  };
}

function detail(note: Note, _place: TaskPlace, surroundings: Surroundings): TaskDetail | undefined {
  const customs = customsOf(surroundings.settings);
  const facts = factsOf(note.text, customs);
  const task = facts && deriveTask(facts, note.stat, surroundings);
  return facts && task && detailOf(note, task, facts, customs);
}

/** Undefined if not computed yet, or for vaults with customs. */
export async function learntDialect(index: VaultIndex, settings: VaultSettings): Promise<Dialect | undefined> {
  const summary = customsOf(settings) === NO_CUSTOMS ? await index.summary(taskReader) : undefined;
  return isDialect(summary) ? summary : undefined;
}

export function dialectOfNotes(view: IndexView, settings: VaultSettings): Dialect {
  const customs = customsOf(settings);
  if (customs === NO_CUSTOMS) return countDialect(factsOfAll(view.records(taskReader)), customs);
  const facts = function* (): Generator<TaskFacts> {
    for (const raw of factsOfAll(view.records(rawReader))) {
      const facts = factsOfRaw(raw, customs);
      if (facts !== undefined) yield facts;
    }
  };
  return inOwnKeys(countDialect(facts(), customs), customs);
}

function detailOf({ path, text, revision }: Note, task: Task, facts: TaskFacts, customs: Customs): TaskDetail {
  const parts = splitNote(text);
  const { properties, warning } = readFrontmatter(text, parts);
  const { description } = titleAndDescription(text, parts.bodyStart);
  const places = customs.spelling.fieldProperties(properties);
  return {
    task,
    why: WHY[facts.rule](facts, (name) => onOneLine(places.get(name)?.key ?? name), customs),
    description: text.slice(description.start, description.end),
    properties: Object.fromEntries(properties.map(({ key, value, text }) => [key, displayed(value, text)])),
    revision,
    checklist: checklistIn(text, parts.bodyStart),
    problems: [
      ...(warning ? [{ path, message: warning.message, line: warning.line, column: warning.column }] : []),
      ...problemsOf(facts, path),
    ],
  };
}

/** Keeps `00123` and `1.10` as written. */
function displayed(value: unknown, text: string | undefined): unknown {
  return typeof value === "number" && text !== undefined && String(value) !== text ? text : value;
}

type KeyOf = (name: FieldName) => string;

const WHY: Readonly<Record<NoteRule, (facts: TaskFacts, keyOf: KeyOf, customs: Customs) => string>> = {
  "type-key": (_facts, keyOf) => `its property "${keyOf("type")}" says "task"`,
  "task-tag": ({ values }, keyOf, customs) =>
    `its property "${keyOf("tags")}" holds the tag "${markerTags(values.tags, customs)[0] ?? ""}"`,
  "task-property": (_facts, _keyOf, { property }) =>
    `it has the property "${property?.name ?? ""}" by which TaskNotes knows its tasks`,
  "status-in-para": ({ values }, keyOf) =>
    `it lies in a PARA folder and its property "${keyOf("status")}" says "${values.status ?? ""}"`,
};
