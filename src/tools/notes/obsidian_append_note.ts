/** obsidian_append_note: adds text at the end of a note or of one of its sections (spec: notes). */
import { durabilityNote } from "../durability.js";
import { EXPECTED_HASH } from "../files/file-view.js";
import { boolean, object, optional, string } from "../schema.js";
import { defineTool } from "../tool.js";
import { lookOptions, NOTE } from "./file-reference.js";
import { shownLink } from "./link-view.js";
import { WRITTEN_PROPERTIES, writtenView } from "./note-view.js";

const output = object({
  ...WRITTEN_PROPERTIES,
  created: optional(boolean("True when the daily note was made for it; otherwise absent")),
});

export const appendNote = defineTool({
  name: "obsidian_append_note",
  title: "Append to note",
  toolset: "notes",
  effect: "changes",
  description: "Adds text at the end of a note, or of the section under a heading, beginning on a new line.",
  input: object({
    note: NOTE,
    content: string("Markdown", { role: "text", minLength: 1 }),
    heading: optional(string("Heading of the section; default: the note's end", { minLength: 1 })),
    expected_hash: optional(EXPECTED_HASH),
    create: optional(boolean("Make a missing daily note")),
  }),
  output,
  failure: "❌ Error appending to note:",
  async run({ note, content, heading, create, expected_hash: expected }, context) {
    const vault = await context.workspace.current();
    const options = { ...lookOptions(context), heading, create, expected };
    const appended = await vault.notes.append(note, content, options);
    return { ...writtenView(appended, vault), ...(appended.created ? { created: true } : {}) };
  },
  text: ({ path, hash, created, durable }) =>
    `✅ ${created ? "Made the daily note and added" : "Added"} to '${shownLink(path)}'\nHash: ${hash}${durabilityNote(durable)}`,
});
