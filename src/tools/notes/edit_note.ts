/** Changes a note by a unified diff (docs: http, "The bridge"; notes-and-files, "Resources"). */
import { durabilityNote, EXPECTED_HASH, writtenDetails } from "../file-view.js";
import { count, integer, object, string, type Infer, unlisted } from "../schema.js";
import { defineTool } from "../tool.js";
import { shownLink, WRITTEN_PROPERTIES, writtenView } from "./note-view.js";
import { counted } from "../../text/wording.js";

const output = object({
  ...WRITTEN_PROPERTIES,
  hunks: integer("How many hunks were applied", { minimum: 1 }),
  added: count("Lines added"),
  removed: count("Lines removed"),
});

export const editNote = defineTool({
  name: "edit_note",
  title: "Patch note",
  toolset: "notes",
  effect: "changes",
  description: "Changes a note by a unified diff, all or nothing. Line numbers, counts and context must fit exactly.",
  input: object({
    path: string("Note path, .md optional", { role: "note", minLength: 1, maxLength: 4200 }),
    patch: string("Unified diff of this note: @@ -2,3 +2,4 @@ and its lines", { minLength: 1 }),
    expected_hash: unlisted(EXPECTED_HASH),
  }),
  output,
  failure: "Error:",
  async run({ path, patch, expected_hash: expected }, { workspace, signal, onProgress }) {
    const vault = await workspace.current();
    const { hunks, added, removed, ...note } = await vault.notes.patch(path, patch, {
      signal,
      onProgress,
      expected,
    });
    return { ...writtenView(note, vault), hunks, added, removed };
  },
  text: confirmation,
  details: writtenDetails,
});

function confirmation({ path, hash, hunks, added, removed, durable }: Infer<typeof output>): string {
  const what = `${counted(hunks, "hunk")}, ${counted(added, "line")} added, ${removed} removed`;
  return `Edited '${shownLink(path)}': ${what}\nHash: ${hash}${durabilityNote(durable)}`;
}
