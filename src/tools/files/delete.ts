/** delete: moves a file to the vault's trash, or deletes it permanently (docs: notes-and-files; obsidian, "Deleting"). */
import { DURABLE, durabilityNote, whereDeleted } from "../undoable.js";
import { boolean, object, optional, string, type Infer } from "../schema.js";
import { defineTool } from "../tool.js";
import { EXPECTED_HASH, PATH, PATH_SHOWN, UNDOABLE } from "./file-view.js";

const output = object({
  path: PATH_SHOWN,
  trashedTo: optional(string("Where it is in the trash; absent when it is not there")),
  undoable: UNDOABLE,
  durable: DURABLE,
});

export const deleteFile = defineTool({
  name: "delete",
  title: "Delete file",
  toolset: "files",
  effect: "deletes",
  description: "Moves a file to the vault's .trash; undo_edit restores it. Folders are refused.",
  input: object({
    path: PATH,
    permanent: optional(boolean("Remove it for good, not to the trash")),
    expected_hash: optional(EXPECTED_HASH),
  }),
  output,
  failure: "",
  async run({ path, permanent, expected_hash: expected }, { workspace }) {
    const vault = await workspace.current();
    const deleted = await vault.files.delete(path, { permanent, expected });
    const { trashedTo, undoable, durable } = deleted;
    return { path: deleted.path, ...(trashedTo === undefined ? {} : { trashedTo }), undoable, durable };
  },
  text: confirmation,
});

function confirmation({ path, trashedTo, undoable, durable }: Infer<typeof output>): string {
  return `Deleted '${path}'\n${whereDeleted(trashedTo, undoable)}${durabilityNote(durable, "It is deleted")}`;
}
