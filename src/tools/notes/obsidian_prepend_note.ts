/** Adds text below the frontmatter. */
import { writtenDetails } from "../file-view.js";
import { object, string } from "../schema.js";
import { defineTool } from "../tool.js";
import { ADD_OPTIONS, ADDED, added, addedText, NOTE_OR_PERIOD } from "./note-view.js";

export const prependNote = defineTool({
  name: "obsidian_prepend_note",
  title: "Prepend to note",
  toolset: "notes",
  effect: "changes",
  description: "Adds text at the beginning of a note, below its frontmatter.",
  input: object({
    note: NOTE_OR_PERIOD,
    content: string("Markdown", { role: "text", minLength: 1 }),
    ...ADD_OPTIONS,
  }),
  output: ADDED,
  failure: "❌ Error prepending to note:",
  run: ({ note, content, ...given }, context) =>
    added(given, context, (notes, options) => notes.prepend(note, content, options)),
  text: (answer) => addedText(answer, "at the top of"),
  details: writtenDetails,
});
