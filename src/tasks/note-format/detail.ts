/** Everything known about a task that is a note, with the reason why it is one. */
import { readFrontmatter, splitNote } from "../../markdown/frontmatter/frontmatter.js";
import { checklistIn } from "../../markdown/checklist.js";
import { titleAndDescription } from "../../markdown/outline.js";
import type { Note } from "../../vault/vault.js";
import type { Customs } from "./customs.js";
import { problemsOf } from "./derivation.js";
import { markerTags, type TaskFacts } from "./facts.js";
import type { FieldName } from "../fields/fields.js";
import { onOneLine } from "../fields/property-values.js";
import type { TaskDetail } from "../api.js";
import type { Task, NoteRule } from "../task.js";

/** The detail of a task as its note says now. */
export function detailOf({ path, text, revision }: Note, task: Task, facts: TaskFacts, customs: Customs): TaskDetail {
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

/** Numbers as they were written: `00123` and `1.10` mean something to their writer. */
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
