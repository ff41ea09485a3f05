/** Saves a task search as a table of Obsidian's plugin Bases (docs: tasks, "Tasks.base"). */
import { BASE_GROUPS } from "../../tasks/bases/tasks-base.js";
import { changeDetails, CREATED_PROPERTIES, createdView, durabilityNote } from "../file-view.js";
import { count, object, optional, string } from "../schema.js";
import { counted } from "../../text/wording.js";
import { defineTool } from "../tool.js";

const output = object({
  ...CREATED_PROPERTIES,
  untyped: optional(count("How many of the found tasks it lacks because only their folder and status make them tasks")),
});

export const createBase = defineTool({
  name: "create_base",
  title: "Save a search as a base",
  toolset: "tasks",
  effect: "adds",
  description: "Creates an Obsidian .base file: a table of the notes that a selection of search_tasks finds.",
  input: object({
    path: string("Path, e.g. Views/Work.base", { role: "newFile" }),
    selection: string("Selection of search_tasks"),
    group: optional(string("Group rows by", { enum: BASE_GROUPS })),
  }),
  output,
  failure: "",
  async run({ path, selection, group }, { workspace, signal, onProgress }) {
    const vault = await workspace.current();
    const place = /\.base$/i.test(path) ? path : `${path}.base`;
    const name = place.slice(place.lastIndexOf("/") + 1, -".base".length);
    const { text, untyped } = await vault.tasks.viewBase({ name, selection, group }, { signal, onProgress });
    return { ...createdView(await vault.files.create(place, text), vault), untyped: untyped || undefined };
  },
  text: ({ path, untyped, durable }) => {
    const lacks =
      untyped && ` ${counted(untyped, "task")} without type and tag ${untyped === 1 ? "is" : "are"} not either.`;
    return `Created '${path}', a table of notes for Obsidian's plugin Bases; checkboxes are not in it.${lacks ?? ""}${durabilityNote(durable)}`;
  },
  details: changeDetails,
});
