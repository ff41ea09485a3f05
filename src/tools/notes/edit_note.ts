/** edit_note: changes a note by a unified diff, applied strictly or not at all (spec: http, section 2; notes, "Resources"). */
import { durabilityNote } from "../durability.js";
import { EXPECTED_HASH } from "../files/file-view.js";
import type { Infer, Schema } from "../schema.js";
import { defineTool } from "../tool.js";
import { lookOptions } from "./file-reference.js";
import { shownLink } from "./link-view.js";
import { counted, WRITTEN_PROPERTIES, WRITTEN_REQUIRED, writtenView } from "./note-view.js";

const output = {
  type: "object",
  properties: {
    ...WRITTEN_PROPERTIES,
    hunks: { type: "integer", minimum: 1, description: "How many hunks were applied" },
    added: { type: "integer", minimum: 0, description: "Lines added" },
    removed: { type: "integer", minimum: 0, description: "Lines removed" },
  },
  required: [...WRITTEN_REQUIRED, "hunks", "added", "removed"],
  additionalProperties: false,
} as const satisfies Schema;

export const editNote = defineTool({
  name: "edit_note",
  title: "Patch note",
  toolset: "notes",
  effect: "changes",
  description: "Changes a note by a unified diff, all or nothing. Line numbers, counts and context must fit exactly.",
  input: {
    type: "object",
    properties: {
      path: { type: "string", minLength: 1, maxLength: 4200, description: "Note path, .md optional" },
      patch: { type: "string", minLength: 1, description: "Unified diff of this note: @@ -2,3 +2,4 @@ and its lines" },
      expected_hash: EXPECTED_HASH,
    },
    required: ["path", "patch"],
    additionalProperties: false,
  },
  output,
  failure: "Error:",
  async run({ path, patch, expected_hash: expected }, context) {
    const vault = await context.workspace.current();
    const { hunks, added, removed, ...note } = await vault.notes.patch(path, patch, {
      ...lookOptions(context),
      expected,
    });
    return { ...writtenView(note, vault), hunks, added, removed };
  },
  text: confirmation,
});

function confirmation({ path, hunks, added, removed, durable }: Infer<typeof output>): string {
  const what = `${counted(hunks, "hunk")}, ${counted(added, "line")} added, ${removed} removed`;
  return `Edited '${shownLink(path)}': ${what}${durabilityNote(durable)}`;
}
