/** Moves a note to the vault's trash, or deletes it for good (docs: notes-and-files; obsidian, "Deleting"). */
import { DELETED_PROPERTIES, deletedView, durabilityNote, EXPECTED_HASH, whereDeleted } from "../file-view.js";
import { joined, said, type Wording, counted } from "../../text/wording.js";
import { boolean, count, object, optional, type Infer, unlisted } from "../schema.js";
import { defineTool } from "../tool.js";
import { NOTE, shownLink } from "./note-view.js";

const output = object({
  ...DELETED_PROPERTIES,
  links: count("Links elsewhere that led to it"),
  linkingFiles: count("How many files have those links"),
});
export type DeleteNoteAnswer = Infer<typeof output>;

export const deleteNote = defineTool({
  name: "obsidian_delete_note",
  title: "Delete note",
  toolset: "notes",
  effect: "deletes",
  description: "Moves a note to the vault's .trash; reports how many links led to it.",
  input: object({
    note: NOTE,
    permanent: optional(boolean("Remove it for good, not to the trash")),
    expected_hash: unlisted(EXPECTED_HASH),
  }),
  output,
  failure: "❌ Error deleting note:",
  async run({ note, permanent, expected_hash: expected }, { workspace, signal, onProgress }) {
    const vault = await workspace.current();
    const deleted = await vault.notes.delete(note, { signal, onProgress, permanent, expected });
    const { links, linkingFiles } = deleted;
    return { ...deletedView(deleted), links, linkingFiles };
  },
  text: confirmation,
});

function confirmation({ path, trashedTo, undoable, durable, links, linkingFiles }: Infer<typeof output>): Wording {
  const trash = trashedTo === undefined ? undefined : shownLink(trashedTo);
  const lines: Wording[] = [`✅ Deleted '${shownLink(path)}'`, whereDeleted(trash, undoable)];
  if (links > 0) lines.push(`${counted(links, "link")} in ${counted(linkingFiles, "file")} led to it.`);
  return said`${joined(lines)}${durabilityNote(durable, "It is deleted")}`;
}
