/** Everything about one task. */
import type { TaskDependencies, TaskDetail } from "../../tasks/service.js";
import { momentText } from "../../tasks/fields/reminders.js";
import { NOTE_RULES, type Task } from "../../tasks/task.js";
import {
  array,
  boolean,
  count,
  type Infer,
  integer,
  object,
  optional,
  string,
  objects,
  optionalObjects,
} from "../schema.js";
import { excerpt, oneLine, quoted } from "../safe-text.js";
import { CONFLICTS } from "../file-view.js";
import { defineTool } from "../tool.js";
import { textPageAt } from "../paging.js";
import { FIELD_PROPERTIES, fieldLines, fieldsOf } from "./write-view.js";
import {
  LIST_LIMIT,
  firstShown,
  NAMED_TASK,
  ONE_TASK_PROPERTIES,
  oneTaskView,
  PROBLEM_SCHEMA,
  problemView,
  shownText,
} from "./task-view.js";
import { counted } from "../../text/wording.js";
import type { LocalDate } from "../../clock.js";
import { describeDay } from "../../dates/read-day.js";

/** Characters of a frontmatter property that are shown. */
const VALUE_LENGTH = 300;

const tasks = (description: string) =>
  objects(
    description,
    "A task",
    {
      ...NAMED_TASK,
      status: string("Status"),
    },
    { maxItems: LIST_LIMIT },
  );

const DEPENDENCY_PROPERTIES = {
  ready: optional(boolean("Outstanding, not blocked, and its day has come")),
  blocked: optional(boolean("Outstanding, and held up by its status or by what it waits for")),
  blockedBy: optionalObjects(
    "What it waits for",
    "A task, or what no task is found for",
    {
      name: string("Its title, or its name in the note"),
      id: optional(string("Task id; absent when none is found")),
      open: boolean("Whether it still holds this task up"),
    },
    { maxItems: LIST_LIMIT },
  ),
  blocks: optional(tasks("Tasks that wait for it")),
  subtasks: optional(tasks("Its subtasks")),
  series: optional(
    object(
      {
        rule: string("The rule, in words where there are words for it"),
        understood: boolean("Whether the rule can be followed"),
        current: optional(string("Day of the instance that is next, YYYY-MM-DD")),
        text: string("The same in words"),
      },
      "How it repeats",
    ),
  ),
};

const output = object({
  ...ONE_TASK_PROPERTIES,
  ...FIELD_PROPERTIES,
  reminders: optionalObjects("When TaskNotes reminds, ascending", "A reminder", {
    text: string("As reminders of update_task takes it, mostly"),
    at: optional(string("YYYY-MM-DD HH:MM; absent while the task lacks the day that it counts from")),
  }),
  archived: boolean("Whether it is archived, by its folder, a tag or a property; it is then never outstanding"),
  modified: string("When the note was last changed, ISO 8601 UTC"),
  rule: string("The rule that makes the note a task", { enum: [...NOTE_RULES, "checkbox", "plain-checkbox"] }),
  why: string("That rule in words, with the key and value it found"),
  description: string("The note's text below the title heading, from offset; a page when it is long"),
  descriptionLength: count("Length of the whole text in UTF-16 units"),
  offset: count("Where the page begins"),
  nextOffset: optional(count("The offset to ask for next; absent at the end")),
  properties: {
    type: "object",
    properties: {},
    additionalProperties: string(),
    description: "The frontmatter as read, by the keys as spelt in the note, at most 100; lists and mappings as JSON",
  },
  ...DEPENDENCY_PROPERTIES,
  checklist: optional(
    object(
      {
        done: count("Done"),
        total: count("All"),
      },
      "Its text's checkboxes without cancelled ones",
    ),
  ),
  conflicts: optional(CONFLICTS),
  problems: array(PROBLEM_SCHEMA, "What in the note cannot be read", { maxItems: LIST_LIMIT }),
});
export type GetTaskAnswer = Infer<typeof output>;

export const getTask = defineTool({
  name: "get_task",
  title: "Get task",
  toolset: "tasks",
  effect: "reads",
  description: "Everything about one task: fields, frontmatter, the note's text, and why the note counts as a task.",
  input: object({
    taskId: string("Task id, note path, [[link]] or exact title", { role: "task", minLength: 1, maxLength: 1000 }),
    offset: integer("Where to go on", { minimum: 0, default: 0 }),
  }),
  output,
  failure: "❌ Error getting task:",
  async run({ taskId, offset }, { workspace, log, signal, onProgress }) {
    log.debug(`Getting task: ${oneLine(taskId)}`);
    const vault = await workspace.current();
    const detail = await vault.tasks.get(taskId, { signal, onProgress });
    const conflicts = await vault.vault.conflicts();
    return {
      ...oneTaskView(detail.task, vault, {
        names: detail.blockers.flatMap(({ open, name }) => (open ? [name] : [])),
        due: undefined,
      }),
      ...factsOf(detail, vault.vault.clock.today()),
      conflicts: conflicts.get(detail.task.path)?.length,
      ...textPageAt(detail.description, offset),
    };
  },
  text: report,
});

function factsOf(
  { task, why, properties, problems, checklist, ...dependencies }: TaskDetail & TaskDependencies,
  today: LocalDate,
) {
  return {
    completed: undefined,
    ...fieldsOf(task),
    ...dependenciesView(dependencies, today),
    checklist: checklist.total > 0 ? checklist : undefined,
    reminders: firstShown(task.reminders, ({ text, at }) => ({ text, at })),
    archived: task.archived,
    modified: new Date(task.modified).toISOString(),
    rule: task.rule,
    why: oneLine(why),
    properties: Object.fromEntries(
      Object.entries(properties)
        .slice(0, LIST_LIMIT)
        .map(([key, value]) => [excerpt(key, VALUE_LENGTH), shownValue(value)]),
    ),
    problems: problems.slice(0, LIST_LIMIT).map(problemView),
  };
}

function shownValue(value: unknown): string {
  if (value === null || value === undefined) return "";
  return excerpt(typeof value === "string" ? value : (JSON.stringify(value) ?? ""), VALUE_LENGTH);
}

function report(task: GetTaskAnswer): string {
  const facts: readonly (readonly [name: string, value: string | undefined])[] = [
    ["Task ID", oneLine(task.id)],
    ["Note", oneLine(task.path)],
    ["Status", task.archived ? `${task.status} (archived)` : task.status],
    ["Priority", task.priority],
    ["Area", `${task.area ?? "Unassigned"}${task.areaOf === undefined ? "" : ` (of its project ${task.areaOf})`}`],
    ["Due Date", task.due ?? "No due date"],
    ...fieldLines(task),
    ["Projects", joined(task.parentProjects)],
    ["Tags", joined(task.tags)],
    ...dependencyLines(task),
    ["Checklist", task.checklist && `${task.checklist.done} of ${task.checklist.total}`],
    ["A task because", task.why],
    ["Conflicts", conflictNote(task.conflicts)],
    ["Revision", task.revision],
    ["Link", task.link],
  ];
  const lines = facts.filter(([, value]) => value !== undefined).map(([name, value]) => `${name}: ${value ?? ""}`);
  for (const { text: words, at } of task.reminders ?? [])
    lines.push(at === undefined ? `Reminder without a day: ${words}` : `Reminds ${momentText(at)} (${words})`);
  const parts = [`📄 Task "${task.title}"`, lines.join("\n"), frontmatter(task), problems(task), text(task)];
  return parts.filter((part) => part !== "").join("\n\n");
}

function conflictNote(versions: number | undefined): string | undefined {
  if (versions === undefined) return undefined;
  return `${counted(versions, "other version")}, see obsidian_list_conflicts`;
}

function joined(names: readonly string[] = []): string | undefined {
  return names.length === 0 ? undefined : names.join(", ");
}

function frontmatter({ properties, line }: GetTaskAnswer): string {
  const lines = Object.entries(properties).map(([key, value]) => `- ${key}: ${value}`.trimEnd());
  return lines.length === 0
    ? ""
    : [`${line === undefined ? "Frontmatter" : "Fields on the line"}:`, ...lines].join("\n");
}

function problems({ problems }: GetTaskAnswer): string {
  if (problems.length === 0) return "";
  return `Problems:\n${problems.map(({ line, message }) => `- ${line === undefined ? "" : `line ${line}: `}${message}`).join("\n")}`;
}

function text({ description, descriptionLength, offset, nextOffset, line }: GetTaskAnswer): string {
  const isLine = line !== undefined;
  if (descriptionLength === 0)
    return isLine ? "There is nothing below the line." : "The note has no text below its title.";
  const range = offset === 0 && nextOffset === undefined ? "" : ` (from ${offset} of ${descriptionLength} characters)`;
  const more =
    nextOffset === undefined
      ? ""
      : `\n[… ${descriptionLength - nextOffset} more characters: call get_task with offset ${nextOffset}]`;
  return `${isLine ? "Below the line" : "Text of the note"}${range}:\n${quoted(description)}${more}`;
}

const DEPENDENCIES = object(DEPENDENCY_PROPERTIES);
type DependenciesView = Infer<typeof DEPENDENCIES>;

function dependenciesView(dependencies: TaskDependencies, today: LocalDate): DependenciesView {
  const { series, blockers, blocks, subtasks, isBlocked, isReady } = dependencies;
  return {
    ready: isReady,
    blocked: isBlocked,
    blockedBy: firstShown(blockers, ({ name, open, tasks: [task] }) => ({ name: shownText(name), open, id: task?.id })),
    blocks: firstShown(blocks, brief),
    subtasks: firstShown(subtasks, brief),
    series: series && seriesView(series, today),
  };
}

function brief({ id, title, status }: Task) {
  return { id, title: shownText(title), status: shownText(status) };
}

function seriesView(series: TaskDependencies["series"] & {}, today: LocalDate): DependenciesView["series"] & {} {
  const { rule, understood, current, isOver } = series;
  const now = current === undefined ? "" : `; ${isOver ? "over: " : "next "}${describeDay(current, today)}`;
  const text = `${shownText(rule)}${understood ? "" : " (not understood)"}${now}`;
  return { rule: shownText(rule), understood, current, text };
}

function dependencyLines(view: DependenciesView): readonly (readonly [label: string, value: string | undefined])[] {
  const { blockedBy = [], blocks = [], subtasks = [], series } = view;
  const waits = blockedBy.map(({ name, open }) => (open ? name : `${name} (done)`));
  const children = subtasks.map(({ id, title, status }) => `${title} (${status}, ${oneLine(id)})`);
  return [
    ["Repeats", series?.text],
    ["Waits for", joined(waits)],
    ["Blocks", joined(blocks.map(({ title }) => title))],
    ["Subtasks", joined(children)],
  ];
}
