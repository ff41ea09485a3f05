/** A new task note (docs: tasks, "create_task"). */
import { durabilityNote } from "../file-view.js";
import { object, optional, string, type Infer } from "../schema.js";
import { oneLine, unlessEmpty } from "../safe-text.js";
import { defineTool } from "../tool.js";
import type { TaskDraft } from "../../tasks/service.js";
import {
  FIELD_PROPERTIES,
  PROPERTIES,
  WRITE_PROPERTIES,
  argumentsOf,
  fieldsOf,
  writeDetails,
  writtenProperties,
} from "./write-view.js";
import { ONE_TASK_PROPERTIES, oneTaskView } from "./task-view.js";

const output = object({
  ...ONE_TASK_PROPERTIES,
  ...FIELD_PROPERTIES,
  ...WRITE_PROPERTIES,
});

export const createTask = defineTool({
  name: "create_task",
  title: "Create task",
  toolset: "tasks",
  effect: "adds",
  description: "Adds a task as a new note. Search first when it may exist already.",
  input: object({
    ...argumentsOf("create", ["title", "area"]),
    description: optional(string("The note's text, Markdown", { role: "text" })),
    properties: optional(PROPERTIES),
  }),
  documentedLimits: ["title", "area"],
  output,
  failure: "❌ Error creating task: Failed to create task:",
  async run(input, { workspace, log, say }) {
    // Schema and type are made from the same table.
    const draft = input as unknown as TaskDraft;
    log.debug(`Creating task: ${oneLine(draft.title)}`);
    const vault = await workspace.current();
    const { task, waitsFor, adjustments, undoable, durable } = await vault.tasks.create(draft);
    return {
      ...oneTaskView(task, vault, waitsFor),
      ...fieldsOf(task),
      adjustments: unlessEmpty([...say(adjustments).map(oneLine), ...writtenProperties(draft.properties, task)]),
      undoable,
      durable: durable ? undefined : false,
    };
  },
  text: confirmation,
  details: writeDetails,
});

function confirmation(task: Infer<typeof output>): string {
  return `✅ Task "${task.title}" created successfully!

Task ID: ${oneLine(task.id)}
Status: ${task.status}
Area: ${task.area ?? "Unassigned"}
Due Date: ${task.due ?? "No due date"}${durabilityNote(task.durable !== false)}`;
}
