/** update_task: changes some fields of one task and nothing else in its note (spec: tasks, section 5). */
import { durabilityNote } from "../durability.js";
import type { Infer, Schema } from "../schema.js";
import { oneLine } from "../text.js";
import { defineTool } from "../tool.js";
import type { TaskUpdates } from "../../tasks/service.js";
import { argumentsOf } from "./field-view.js";
import { TASK_PROPERTIES, TASK_REQUIRED, viewOf } from "./task-view.js";
import { WRITE_PROPERTIES } from "./write-view.js";

const output = {
  type: "object",
  properties: {
    ...TASK_PROPERTIES,
    updatedFields: { type: "array", items: { type: "string" }, description: "The fields given, in the order given" },
    changed: { type: "boolean", description: "False when everything was so already and nothing was written" },
    ...WRITE_PROPERTIES,
  },
  required: [...TASK_REQUIRED, "updatedFields", "changed", "adjustments", "undoable", "durable"],
  additionalProperties: false,
} as const satisfies Schema;

export const updateTask = defineTool({
  name: "update_task",
  title: "Update task",
  toolset: "tasks",
  effect: "changes",
  description:
    'Changes fields of one task, e.g. status "Done"; everything else in its note stays as it is. Gives the task as it is now. The file is not renamed.',
  input: {
    type: "object",
    properties: {
      taskId: {
        type: "string",
        minLength: 1,
        maxLength: 1000,
        description: "Task id, note path, [[link]] or exact title",
      },
      updates: {
        type: "object",
        description: "The fields to change, at least one",
        properties: {
          ...argumentsOf("update"),
          description: { type: "string", description: "New text below the title heading; replaces all" },
        },
        minProperties: 1,
        additionalProperties: false,
      },
    },
    required: ["taskId", "updates"],
    additionalProperties: false,
  },
  emptyForNull: ["updates.dueDate"],
  publishedMinLength: ["taskId"],
  output,
  failure: "❌ Error updating task: Failed to update task:",
  async run({ taskId, updates }, { workspace, log }) {
    log.debug(`Updating task: ${oneLine(taskId)}`);
    const vault = await workspace.current();
    const { task, updated, changed, adjustments, ...file } = await vault.tasks.update(
      taskId,
      // The schema is made of the same table as the type.
      updates as unknown as TaskUpdates,
    );
    return { ...viewOf(task, vault), updatedFields: updated, changed, adjustments: adjustments.map(oneLine), ...file };
  },
  text: confirmation,
});

function confirmation(task: Infer<typeof output>): string {
  return `✅ Task "${task.title}" updated successfully!

Updated fields: ${task.updatedFields.join(", ")}

Current status: ${task.status}
Priority: ${task.priority}
Area: ${task.area ?? "Unassigned"}${durabilityNote(task.durable)}`;
}
