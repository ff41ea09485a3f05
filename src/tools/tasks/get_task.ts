/** get_task: everything known about one task, its text in portions, and which rule made its note a task. */
import type { LocalDate } from "../../clock.js";
import type { TaskDetail, TaskTies } from "../../tasks/service.js";
import { NOTE_RULES } from "../../tasks/task.js";
import type { Infer, Schema } from "../schema.js";
import { excerpt, oneLine, quoted } from "../text.js";
import { CONFLICTS, conflictsOf } from "../conflicts.js";
import { defineTool } from "../tool.js";
import { portionOf } from "../portion.js";
import { FIELD_PROPERTIES, fieldLines, fieldsOf } from "./field-view.js";
import { TIES_PROPERTIES, tiesLines, tiesView } from "./ties-view.js";
import { LIST_LIMIT, PROBLEM_SCHEMA, problemView, TASK_PROPERTIES, TASK_REQUIRED, viewOf } from "./task-view.js";

/** Longest value of a frontmatter property that is shown, in characters. */
const VALUE_LENGTH = 300;

const output = {
  type: "object",
  properties: {
    ...TASK_PROPERTIES,
    ...FIELD_PROPERTIES,
    archived: {
      type: "boolean",
      description: "Whether it is archived, by its folder or a property; it is then never outstanding",
    },
    modified: { type: "string", description: "When the note was last changed, ISO 8601 UTC" },
    rule: {
      type: "string",
      enum: [...NOTE_RULES, "checkbox"],
      description: "The rule that makes the note a task",
    },
    why: { type: "string", description: "That rule in words, with the key and value it found" },
    description: {
      type: "string",
      description: "The note's text below the title heading, from offset; a portion when it is long",
    },
    descriptionLength: { type: "integer", minimum: 0, description: "Length of the whole text in UTF-16 units" },
    offset: { type: "integer", minimum: 0, description: "Where the portion begins" },
    nextOffset: { type: "integer", minimum: 0, description: "The offset to ask for next; absent at the end" },
    properties: {
      type: "array",
      maxItems: LIST_LIMIT,
      description: "The frontmatter as read, at most 100 properties",
      items: {
        type: "object",
        description: "A property",
        properties: {
          key: { type: "string", description: "Key as spelt in the note" },
          value: { type: "string", description: "Value; lists and mappings as JSON" },
        },
        required: ["key", "value"],
        additionalProperties: false,
      },
    },
    ...TIES_PROPERTIES,
    checklist: {
      type: "object",
      description: "Its text's checkboxes, cancelled ones left out",
      properties: {
        done: { type: "integer", minimum: 0, description: "Done" },
        total: { type: "integer", minimum: 0, description: "All" },
      },
      required: ["done", "total"],
      additionalProperties: false,
    },
    conflicts: CONFLICTS,
    problems: {
      type: "array",
      items: PROBLEM_SCHEMA,
      maxItems: LIST_LIMIT,
      description: "What in the note cannot be read",
    },
  },
  required: [
    ...TASK_REQUIRED,
    "archived",
    "modified",
    "rule",
    "why",
    "description",
    "descriptionLength",
    "offset",
    "properties",
    "problems",
  ],
  additionalProperties: false,
} as const satisfies Schema;

export const getTask = defineTool({
  name: "get_task",
  title: "Get task",
  toolset: "tasks",
  effect: "reads",
  description: "Everything about one task: fields, frontmatter, the note's text, and why the note counts as a task.",
  input: {
    type: "object",
    properties: {
      taskId: {
        type: "string",
        minLength: 1,
        maxLength: 1000,
        description: "Task id, note path, [[link]] or exact title",
      },
      offset: { type: "integer", minimum: 0, default: 0, description: "Where in a long text to go on" },
    },
    required: ["taskId"],
    additionalProperties: false,
  },
  output,
  failure: "❌ Error getting task:",
  async run({ taskId, offset }, { workspace, log, signal, onProgress }) {
    log.debug(`Getting task: ${oneLine(taskId)}`);
    const vault = await workspace.current();
    const detail = await vault.tasks.get(taskId, { signal, ...(onProgress ? { onProgress } : {}) });
    const conflicts = conflictsOf(detail.task.path, await vault.vault.conflicts());
    return {
      ...viewOf(
        detail.task,
        vault,
        detail.blockers.flatMap(({ open, name }) => (open ? [name] : [])),
      ),
      ...factsOf(detail, vault.vault.clock.today()),
      ...conflicts,
      ...portionOf(detail.description, offset),
    };
  },
  text: report,
});

function factsOf({ task, why, properties, problems, checklist, ...ties }: TaskDetail & TaskTies, today: LocalDate) {
  return {
    ...fieldsOf(task),
    ...tiesView(ties, today),
    ...(checklist.total > 0 ? { checklist } : {}),
    archived: task.archived,
    modified: new Date(task.modified).toISOString(),
    rule: task.rule,
    why: oneLine(why),
    properties: Object.entries(properties)
      .slice(0, LIST_LIMIT)
      .map(([key, value]) => ({ key: excerpt(key, VALUE_LENGTH), value: shownValue(value) })),
    problems: problems.slice(0, LIST_LIMIT).map(problemView),
  };
}

function shownValue(value: unknown): string {
  if (value === null || value === undefined) return "";
  return excerpt(typeof value === "string" ? value : (JSON.stringify(value) ?? ""), VALUE_LENGTH);
}

function report(task: Infer<typeof output>): string {
  const facts: readonly (readonly [name: string, value: string | undefined])[] = [
    ["Task ID", oneLine(task.id)],
    ["Note", oneLine(task.path)],
    ["Status", task.archived ? `${task.status} (archived)` : task.status],
    ["Priority", task.priority],
    ["Area", task.area ?? "Unassigned"],
    ["Due Date", task.due ?? "No due date"],
    ...fieldLines(task),
    ["Projects", listed(task.parentProjects)],
    ["Tags", listed(task.tags)],
    ...tiesLines(task),
    ["Checklist", task.checklist && `${task.checklist.done} of ${task.checklist.total}`],
    ["A task because", task.why],
    ["Conflicts", conflictNote(task.conflicts)],
    ["Link", task.link],
  ];
  const lines = facts.filter(([, value]) => value !== undefined).map(([name, value]) => `${name}: ${value ?? ""}`);
  const parts = [`📄 Task "${task.title}"`, lines.join("\n"), frontmatter(task), problems(task), text(task)];
  return parts.filter((part) => part !== "").join("\n\n");
}

function conflictNote(versions: number | undefined): string | undefined {
  if (versions === undefined) return undefined;
  return `${versions} other version${versions === 1 ? "" : "s"}, see obsidian_list_conflicts`;
}

function listed(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : names.join(", ");
}

function frontmatter({ properties }: Infer<typeof output>): string {
  if (properties.length === 0) return "";
  return `Frontmatter:\n${properties.map(({ key, value }) => `- ${key}: ${value}`.trimEnd()).join("\n")}`;
}

function problems({ problems }: Infer<typeof output>): string {
  if (problems.length === 0) return "";
  return `Problems:\n${problems.map(({ line, message }) => `- ${line === undefined ? "" : `line ${line}: `}${message}`).join("\n")}`;
}

function text({ description, descriptionLength, offset, nextOffset }: Infer<typeof output>): string {
  if (descriptionLength === 0) return "The note has no text below its title.";
  const range = offset === 0 && nextOffset === undefined ? "" : ` (from ${offset} of ${descriptionLength} characters)`;
  const more =
    nextOffset === undefined
      ? ""
      : `\n[… ${descriptionLength - nextOffset} more characters: call get_task with offset ${nextOffset}]`;
  return `Text of the note${range}:\n${quoted(description)}${more}`;
}
