/** Changes one task (docs: tasks, "update_task"). */
import { durabilityNote } from "../file-view.js";
import { array, boolean, object, optional, string, type Infer, unlisted } from "../schema.js";
import { oneLine, unlessEmpty } from "../safe-text.js";
import { defineTool } from "../tool.js";
import type { TaskUpdates } from "../../tasks/service.js";
import {
  EFFECT_PROPERTIES,
  FIELD_PROPERTIES,
  PROPERTIES,
  WRITE_PROPERTIES,
  argumentsOf,
  effectsOf,
  fieldsOf,
  writeDetails,
  writtenProperties,
} from "./write-view.js";
import { ONE_TASK_PROPERTIES, oneTaskView } from "./task-view.js";

const output = object({
  ...ONE_TASK_PROPERTIES,
  ...FIELD_PROPERTIES,
  updatedFields: array(string(), "The fields given, in the order given"),
  changed: boolean("False when everything was so already and nothing was written"),
  ...WRITE_PROPERTIES,
  ...EFFECT_PROPERTIES,
});
export type UpdateTaskAnswer = Infer<typeof output>;

export const UPDATE_FIELDS = {
  ...argumentsOf("update"),
  occurrence: optional(string('Of a series: the day meant, or "skip <day>"')),
  lane: optional(string("Kanban lane, or Archive")),
  description: optional(string("New text; sections stay", { role: "text" })),
  convert: optional(string("A line to a note, a note to a line", { enum: ["note", "line"] })),
  note: optional(string("The note of the new line")),
  properties: optional(PROPERTIES),
};

export const updateTask = defineTool({
  name: "update_task",
  title: "Update task",
  toolset: "tasks",
  effect: "changes",
  description: 'Changes fields of one task, e.g. status "Done"; the rest of its note stays as it is.',
  input: object({
    taskId: string("Task id, note path, [[link]] or exact title", { role: "task", minLength: 1, maxLength: 1000 }),
    updates: object(UPDATE_FIELDS, "The fields to change, at least one", { role: "fields", minProperties: 1 }),
    expectedRevision: unlisted(string("Refuse if the task has changed since this revision")),
  }),
  documentedLimits: ["taskId"],
  output,
  failure: "❌ Error updating task: Failed to update task:",
  async run({ taskId, updates, expectedRevision }, { workspace, log, say }) {
    log.debug(`Updating task: ${oneLine(taskId)}`);
    const vault = await workspace.current();
    // Schema and type are made from the same table.
    const wanted = updates as unknown as TaskUpdates;
    const { task, waitsFor, updated, changed, adjustments, undoable, durable, ...effects } = await vault.tasks.update(
      taskId,
      wanted,
      { expectedRevision },
    );
    return {
      ...oneTaskView(task, vault, waitsFor),
      link: undefined,
      ...fieldsOf(task),
      updatedFields: updated,
      changed,
      adjustments: unlessEmpty([
        ...say(adjustments).map(oneLine),
        ...(changed ? writtenProperties(wanted.properties, task) : []),
      ]),
      ...effectsOf(effects, vault.vault.clock.today()),
      undoable,
      durable: durable ? undefined : false,
    };
  },
  text: confirmation,
  details: writeDetails,
});

function confirmation(task: UpdateTaskAnswer): string {
  return `✅ Task "${task.title}" updated successfully!

Updated fields: ${task.updatedFields.join(", ")}

Current status: ${task.status}
Priority: ${task.priority}
Area: ${task.area ?? "Unassigned"}${durabilityNote(task.durable !== false)}`;
}
