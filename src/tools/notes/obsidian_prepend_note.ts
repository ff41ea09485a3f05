/** Adds text below the frontmatter. */
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

export const prependNote = defineTool({
  name: "obsidian_prepend_note",
  title: "Prepend to note",
  toolset: "notes",
  effect: "changes",
  description: "Adds text at the beginning of a note, below its frontmatter.",
  input: object({
    note: NOTE_OR_PERIOD,
    content: string("Markdown", { role: "text", minLength: 1 }),
    expected_hash: unlisted(EXPECTED_HASH),
    create: optional(CREATE_PERIODIC),
  }),
  output,
  failure: "❌ Error prepending to note:",
  async run({ note, content, create, expected_hash: expected }, { workspace, signal, onProgress }) {
    const vault = await workspace.current();
    const options = { signal, onProgress, create, expected };
    return addedView(await vault.notes.prepend(note, content, options), vault);
  },
  text: ({ path, hash, created, durable }) =>
    `✅ ${created ? "Made the note and added" : "Added"} at the top of '${shownLink(path)}'\nHash: ${hash}${durabilityNote(durable)}`,
  details: writtenDetails,
});
