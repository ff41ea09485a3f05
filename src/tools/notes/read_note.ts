/** read_note: a note's raw text and nothing else, as clients of the bridge expect it (docs: http, "The bridge"). */
import { object, string, type Infer } from "../schema.js";
import { defineTool } from "../tool.js";
import { NOTE_PROPERTIES, noteView, readShown } from "./note-view.js";

const output = object({
  ...NOTE_PROPERTIES,
  text: string("The raw Markdown, whole; of an image its format and size, of a PDF or canvas its text"),
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
  }),
  output,
  failure: "Error:",
  async run({ path }, context) {
    const vault = await context.workspace.current();
    const note = await readShown(path, vault, context);
    return { ...noteView(note, vault), text: note.text };
  },
  text: ({ text }) => text,
});
