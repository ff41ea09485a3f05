/** Replaces what is below a heading (docs: notes-and-files, "Surgery on notes"). */
import { durabilityNote, EXPECTED_HASH, writtenDetails } from "../file-view.js";
import { object, string, unlisted } from "../schema.js";
import { defineTool } from "../tool.js";
import { NOTE, shownLink, WRITTEN_PROPERTIES, writtenView } from "./note-view.js";

export const replaceSection = defineTool({
  name: "replace_section",
  title: "Replace section",
  toolset: "notes",
  effect: "changes",
  description: "Replaces what is below a heading, down to the next of its level or above.",
  input: object({
    note: NOTE,
    heading: string("Heading; # marks narrow its level", { role: "heading", minLength: 1 }),
    content: string("Markdown; the heading stays", { role: "text" }),
    expected_hash: unlisted(EXPECTED_HASH),
  }),
  output: object(WRITTEN_PROPERTIES),
  failure: "❌ Error replacing section:",
  async run({ note, heading, content, expected_hash: expected }, { workspace, signal, onProgress }) {
    const vault = await workspace.current();
    const options = { signal, onProgress, expected };
    return writtenView(await vault.notes.replaceSection(note, heading, content, options), vault);
  },
  text: ({ path, hash, durable }) =>
    `✅ Replaced the section in '${shownLink(path)}'\nHash: ${hash}${durabilityNote(durable)}`,
  details: writtenDetails,
});
