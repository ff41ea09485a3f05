/** Adds text at the end of a note or section. */
import { durabilityNote, EXPECTED_HASH } from "../file-view.js";
import { object, optional, string, unlisted } from "../schema.js";
import { defineTool } from "../tool.js";
import {
  ADDED_PROPERTIES,
  writtenDetails,
  addedView,
  CREATE_PERIODIC,
  NOTE_OR_PERIOD,
  shownLink,
} from "./note-view.js";

const output = object(ADDED_PROPERTIES);

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
    expected_hash: unlisted(EXPECTED_HASH),
    create: optional(CREATE_PERIODIC),
  }),
  output,
  failure: "❌ Error appending to note:",
  async run({ note, content, heading, create, expected_hash: expected }, { workspace, signal, onProgress }) {
    const vault = await workspace.current();
    const options = { signal, onProgress, heading, create, expected };
    return addedView(await vault.notes.append(note, content, options), vault);
  },
  text: ({ path, hash, created, durable }) =>
    `✅ ${created ? "Made the note and added" : "Added"} to '${shownLink(path)}'\nHash: ${hash}${durabilityNote(durable)}`,
  details: writtenDetails,
});
