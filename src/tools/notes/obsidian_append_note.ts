/** obsidian_append_note: adds text at the end of a note or of one of its sections (spec: notes). */
import { durabilityNote } from "../durability.js";
import { EXPECTED_HASH } from "../files/file-view.js";
import { object, optional, string } from "../schema.js";
import { defineTool } from "../tool.js";
import { lookOptions, NOTE } from "./file-reference.js";
import { shownLink } from "./link-view.js";
import { WRITTEN_PROPERTIES, writtenView } from "./note-view.js";

const output = object(WRITTEN_PROPERTIES);

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
  }),
  output,
  failure: "❌ Error appending to note:",
  async run({ note, content, heading, expected_hash: expected }, context) {
    const vault = await context.workspace.current();
    const options = { ...lookOptions(context), heading, expected };
    return writtenView(await vault.notes.append(note, content, options), vault);
  },
  text: ({ path, durable }) => `✅ Added to '${shownLink(path)}'${durabilityNote(durable)}`,
});
