/** delete: moves a file to the vault's trash, or removes it for good (spec: file-tools; obsidian, section 5). */
import { DURABLE, durabilityNote } from "../durability.js";
import type { Infer, Schema } from "../schema.js";
import { defineTool } from "../tool.js";
import { whereDeleted } from "../undoable.js";
import { EXPECTED_HASH, PATH, PATH_SHOWN, UNDOABLE } from "./file-view.js";

const output = {
  type: "object",
  properties: {
    path: PATH_SHOWN,
    trashedTo: { type: "string", description: "Where it is in the trash; absent when it was removed for good" },
    undoable: UNDOABLE,
    durable: DURABLE,
  },
  required: ["path", "undoable", "durable"],
  additionalProperties: false,
} as const satisfies Schema;

export const deleteFile = defineTool({
  name: "delete",
  title: "Delete file",
  toolset: "files",
  effect: "deletes",
  description: "Moves a file to the vault's .trash; undo_edit restores it. Folders are refused.",
  input: {
    type: "object",
    properties: {
      path: PATH,
      permanent: { type: "boolean", description: "Remove it for good, not to the trash" },
      expected_hash: EXPECTED_HASH,
    },
    required: ["path"],
    additionalProperties: false,
  },
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
