/** obsidian_delete_note: moves a note to the vault's trash, or removes it for good (spec: notes; obsidian, section 5). */
import { EXPECTED_HASH } from "../files/file-view.js";
import { DURABLE, durabilityNote } from "../durability.js";
import type { Infer, Schema } from "../schema.js";
import { defineTool } from "../tool.js";
import { UNDOABLE, whereDeleted } from "../undoable.js";
import { lookOptions, NOTE, NOTE_PATH } from "./file-reference.js";
import { shownLink } from "./link-view.js";
import { counted } from "./note-view.js";

const output = {
  type: "object",
  properties: {
    path: NOTE_PATH,
    trashedTo: { type: "string", description: "Where it is in the trash; absent when it was removed for good" },
    undoable: UNDOABLE,
    durable: DURABLE,
    links: { type: "integer", minimum: 0, description: "Links elsewhere that led to it" },
    linkingFiles: { type: "integer", minimum: 0, description: "In how many files those links stand" },
  },
  required: ["path", "undoable", "durable", "links", "linkingFiles"],
  additionalProperties: false,
} as const satisfies Schema;

export const deleteNote = defineTool({
  name: "obsidian_delete_note",
  title: "Delete note",
  toolset: "notes",
  effect: "deletes",
  description: "Moves a note to the vault's .trash; tells how many links led to it.",
  input: {
    type: "object",
    properties: {
      note: NOTE,
      permanent: { type: "boolean", default: false, description: "Remove it for good, not to the trash" },
      expected_hash: EXPECTED_HASH,
    },
    required: ["note"],
    additionalProperties: false,
  },
  output,
  failure: "❌ Error deleting note:",
  async run({ note, permanent, expected_hash: expected }, context) {
    const vault = await context.workspace.current();
    const deleted = await vault.notes.delete(note, { ...lookOptions(context), permanent, expected });
    const { path, trashedTo, undoable, durable, links, linkingFiles } = deleted;
    return { path, ...(trashedTo === undefined ? {} : { trashedTo }), undoable, durable, links, linkingFiles };
  },
  text: confirmation,
});

function confirmation({ path, trashedTo, undoable, durable, links, linkingFiles }: Infer<typeof output>): string {
  const trash = trashedTo === undefined ? undefined : shownLink(trashedTo);
  const lines = [`✅ Deleted '${shownLink(path)}'`, whereDeleted(trash, undoable)];
  if (links > 0) lines.push(`${counted(links, "link")} in ${counted(linkingFiles, "file")} led to it.`);
  return lines.join("\n") + durabilityNote(durable, "It is deleted");
}
