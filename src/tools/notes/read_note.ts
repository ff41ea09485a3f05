/** read_note: a note's raw text and nothing else, as clients of the bridge expect it (spec: http, section 2). */
import type { Schema } from "../schema.js";
import { defineTool } from "../tool.js";
import { lookOptions } from "./file-reference.js";
import { NOTE_PROPERTIES, NOTE_REQUIRED, noteView } from "./note-view.js";

const output = {
  type: "object",
  properties: { ...NOTE_PROPERTIES, text: { type: "string", description: "The raw Markdown, whole" } },
  required: [...NOTE_REQUIRED, "text"],
  additionalProperties: false,
} as const satisfies Schema;

export const readNote = defineTool({
  name: "read_note",
  title: "Read raw note",
  toolset: "notes",
  effect: "reads",
  description: "A note's raw Markdown, whole and nothing else, e.g. to make a patch for edit_note.",
  input: {
    type: "object",
    properties: { path: { type: "string", minLength: 1, maxLength: 4200, description: "Note path, .md optional" } },
    required: ["path"],
    additionalProperties: false,
  },
  output,
  failure: "Error:",
  async run({ path }, context) {
    const vault = await context.workspace.current();
    const note = await vault.notes.read(path, lookOptions(context));
    return { ...noteView(note, vault), text: note.text };
  },
  text: ({ text }) => text,
});
