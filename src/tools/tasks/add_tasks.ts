/** add_tasks: many tasks from quick text, as notes or as checkboxes of a note (docs: tasks, "Making"). */
import type { AddedTask } from "../../tasks/writing/add-tasks.js";
import { SETTABLE_FIELDS } from "../../tasks/fields/told-fields.js";
import { DURABLE, durabilityNote } from "../durability.js";
import { array, object, optional, string, type Infer } from "../schema.js";
import { oneLine } from "../text.js";
import { defineTool } from "../tool.js";
import { UNDOABLE } from "../undoable.js";
import type { OpenVault } from "../workspace.js";
import { fieldLines, fieldsOf } from "./field-view.js";
import { detailsOf, shown, viewOf } from "./task-view.js";

const output = object({
  added: array(
    object(
      {
        title: string("Title"),
        id: optional(string("Task id; absent for a checkbox that the vault's settings make no task")),
        place: string("The note's path, or path and line of a checkbox"),
        understood: string("What was read of the line"),
        revision: optional(string("Identifies the task as it is now")),
      },
      "A task",
    ),
    "The tasks in the order of the text",
  ),
  operation: optional(string("op-…: give it to undo_edit to take all of it back")),
  adjustments: array(string(), "What was written otherwise than given, in words"),
  remarks: array(string(), "What was not read of the lines, and open tasks of the same titles"),
  undoable: UNDOABLE,
  durable: DURABLE,
});
export type AddTasksAnswer = Infer<typeof output>;

export const addTasks = defineTool({
  name: "add_tasks",
  title: "Add tasks",
  toolset: "tasks",
  effect: "adds",
  description:
    'Adds a task for each line: "Call Anna tomorrow !high #phone @home +Kitchen ~30m every week after [[Task]]". Deeper lines are subtasks.',
  input: object({
    text: string("The lines, at most 50", { role: "text", minLength: 1, maxLength: 20_000 }),
    note: optional(string('Note that gets them as checkboxes, or "daily"; default: a note each')),
    heading: optional(string("Section of that note", { role: "heading" })),
    area: optional(string("Area of all", { maxLength: 200 })),
    template: optional(string("Template of the notes")),
  }),
  output,
  failure: "❌ Error adding tasks:",
  async run(draft, { workspace, log }) {
    log.debug("Adding tasks");
    const vault = await workspace.current();
    const { tasks, adjustments, remarks, operation, undoable, durable } = await vault.tasks.addMany(draft);
    return {
      added: tasks.map((one) => addedView(one, vault)),
      ...(operation === undefined ? {} : { operation }),
      adjustments: adjustments.map(oneLine),
      remarks: remarks.map(oneLine),
      undoable,
      durable,
    };
  },
  text: words,
});

function addedView({ task, title, place }: AddedTask, vault: OpenVault): AddTasksAnswer["added"][number] {
  if (task === undefined) return { title: shown(title), place, understood: `in ${oneLine(place)}` };
  const view = viewOf(task, vault);
  const values = [
    detailsOf(view),
    view.area === undefined ? undefined : `area ${view.area}`,
    view.parentProjects && `projects ${view.parentProjects.join(", ")}`,
    view.tags && `tags ${view.tags.join(", ")}`,
    ...fieldLines(fieldsOf(task), SETTABLE_FIELDS).map(([label, value]) => value && `${label.toLowerCase()} ${value}`),
  ];
  const understood = values.filter((value) => value !== undefined).join("; ");
  return { title: view.title, id: task.id, place, understood, revision: task.revision };
}

function words({ added, adjustments, remarks, operation, undoable, durable }: AddTasksAnswer): string {
  const lines = [
    `Added ${added.length} ${added.length === 1 ? "task" : "tasks"}.`,
    ...added.map(({ title, understood }, at) => `${at + 1}. ${title}: ${understood}`),
    ...adjustments,
    ...remarks,
    ...(operation === undefined || !undoable ? [] : [`undo_edit with path "${operation}" takes all of it back.`]),
  ];
  return lines.join("\n") + durabilityNote(durable);
}
