/** A note's raw text for the bridge (docs: http, "The bridge"). */
import { isBoard, readBoard } from "../../markdown/kanban/board.js";
import { ALL_FILE_FIELDS } from "../file-view.js";
import { count, object, optional, string, type Infer, optionalObjects } from "../schema.js";
import { defineTool } from "../tool.js";
import { NOTE_PROPERTIES, noteView, readShown } from "./note-view.js";

const output = object({
  ...NOTE_PROPERTIES,
  text: string("The raw Markdown, whole; of an image its format and size, of a PDF or canvas its text"),
  lanes: optionalObjects("Of a Kanban board: its lanes in order, without the archive", "A lane", {
    title: string("Its name"),
    limit: optional(count("How many cards it should hold at most")),
    cards: count("How many it holds"),
  }),
});
export type ReadNoteAnswer = Infer<typeof output>;

export const readNote = defineTool({
  name: "read_note",
  title: "Read raw note",
  toolset: "notes",
  effect: "reads",
  description: "A note's raw Markdown, whole and nothing else, e.g. to make a patch for edit_note.",
  input: object({
    path: string("Note path, .md optional", { role: "note", minLength: 1, maxLength: 4200 }),
    allFields: ALL_FILE_FIELDS,
  }),
  output,
  failure: "Error:",
  async run({ path, allFields }, context) {
    const vault = await context.workspace.current();
    const note = await readShown(path, vault, context);
    const lanes = isBoard(note.text) ? readBoard(note.text).lanes : undefined;
    return {
      ...noteView(note, vault, allFields),
      text: note.text,
      lanes: lanes?.map(({ title, limit, cards }) => ({ title, limit, cards: cards.length })),
    };
  },
  text: ({ text }) => text,
});
