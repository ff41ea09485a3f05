/** Moves a file to the vault's trash, or deletes it for good (docs: notes-and-files; obsidian, "Deleting"). */
import { DELETED_PROPERTIES, deletedView, durabilityNote, EXPECTED_HASH, PATH, whereDeleted } from "../file-view.js";
import { said, type Wording } from "../../text/wording.js";
import { boolean, object, optional, type Infer, unlisted } from "../schema.js";
import { defineTool } from "../tool.js";

const output = object(DELETED_PROPERTIES);

export const deleteFile = defineTool({
  name: "delete",
  title: "Delete file",
  toolset: "files",
  effect: "deletes",
  description: "Moves a file to the vault's .trash; undo_edit restores it. Folders are refused.",
  input: object({
    path: PATH,
    permanent: optional(boolean("Remove it for good, not to the trash")),
    expected_hash: unlisted(EXPECTED_HASH),
  }),
  output,
  failure: "",
  async run({ path, permanent, expected_hash: expected }, { workspace }) {
    const vault = await workspace.current();
    return deletedView(await vault.files.delete(path, { permanent, expected }));
  },
  text: confirmation,
});

function confirmation({ path, trashedTo, undoable, durable }: Infer<typeof output>): Wording {
  return said`Deleted '${path}'\n${whereDeleted(trashedTo, undoable)}${durabilityNote(durable, "It is deleted")}`;
}
