/** Adds text at the end of a note or section. */
import { writtenDetails } from "../file-view.js";
import { object, optional, string } from "../schema.js";
import { defineTool } from "../tool.js";
import { ADD_OPTIONS, ADDED, added, addedText, NOTE_OR_PERIOD } from "./note-view.js";

export const appendNote = defineTool({
  name: "obsidian_append_note",
  title: "Append to note",
  toolset: "notes",
  effect: "changes",
  description: "Adds text on a new line at the end of a note or of a section.",
  input: object({
    note: NOTE_OR_PERIOD,
    content: string("Markdown", { role: "text" }),
    heading: optional(string("Heading of the section", { role: "heading", minLength: 1 })),
    ...ADD_OPTIONS,
  }),
  output: ADDED,
  failure: "❌ Error appending to note:",
  run: ({ note, content, heading, ...given }, context) =>
    added(given, context, (notes, options) => notes.append(note, content, { ...options, heading })),
  text: (answer) => addedText(answer, "to"),
  details: writtenDetails,
});
