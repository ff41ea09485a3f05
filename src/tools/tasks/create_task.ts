/** create_task: a new task note in the vault's own style (spec: tasks, section 4). */
import { durabilityNote } from "../durability.js";
import type { Infer, Schema } from "../schema.js";
import { oneLine } from "../text.js";
import { defineTool } from "../tool.js";
import { PRIORITY_NAMES, SETTABLE_STATUSES, TASK_PROPERTIES, TASK_REQUIRED, viewOf } from "./task-view.js";
import { WRITE_PROPERTIES } from "./write-view.js";

const output = {
  type: "object",
  properties: { ...TASK_PROPERTIES, ...WRITE_PROPERTIES },
  required: [...TASK_REQUIRED, "adjustments", "undoable", "durable"],
  additionalProperties: false,
} as const satisfies Schema;

export const createTask = defineTool({
  name: "create_task",
  title: "Create task",
  toolset: "tasks",
  effect: "adds",
  description:
    "Adds a task as a new note; nothing is overwritten. Gives its id, for update_task. Search first when it may exist already.",
  input: {
    type: "object",
    properties: {
      title: { type: "string", minLength: 1, maxLength: 1000, description: "Task title" },
      area: { type: "string", minLength: 1, maxLength: 200, description: "Area/context, such as Work" },
      status: { type: "string", enum: SETTABLE_STATUSES, default: "To Do", description: "Task status" },
      dueDate: { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$", description: "Due date in YYYY-MM-DD format" },
      priority: { type: "string", enum: PRIORITY_NAMES, default: "Medium", description: "Priority" },
      parentProjects: {
        type: "array",
        items: { type: "string", maxLength: 200 },
        maxItems: 50,
        description: "Parent project names",
      },
      tags: {
        type: "array",
        items: { type: "string", maxLength: 200 },
        maxItems: 50,
        description: "Tags, with or without #",
      },
      description: { type: "string", description: "The note's text, Markdown" },
    },
    required: ["title", "area"],
    additionalProperties: false,
  },
  output,
  failure: "❌ Error creating task: Failed to create task:",
  async run(draft, { workspace, log }) {
    log.debug(`Creating task: ${oneLine(draft.title)}`);
    const vault = await workspace.current();
    const { task, adjustments, undoable, durable } = await vault.tasks.create(draft);
    return { ...viewOf(task, vault), adjustments: adjustments.map(oneLine), undoable, durable };
  },
  text: confirmation,
});

function confirmation(task: Infer<typeof output>): string {
  return `✅ Task "${task.title}" created successfully!

Task ID: ${oneLine(task.id)}
Status: ${task.status}
Area: ${task.area ?? "Unassigned"}
Due Date: ${task.due ?? "No due date"}${durabilityNote(task.durable)}`;
}
