/** insert: adds lines after a line of a file (spec: file-tools). */
import { durabilityNote } from "../durability.js";
import type { Schema } from "../schema.js";
import { defineTool } from "../tool.js";
import { changedView, CHANGED_PROPERTIES, CHANGED_REQUIRED, EXPECTED_HASH, PATH } from "./file-view.js";

const output = {
  type: "object",
  properties: {
    ...CHANGED_PROPERTIES,
    insertLine: { type: "integer", minimum: 0, description: "The line after which the text was inserted" },
  },
  required: [...CHANGED_REQUIRED, "insertLine"],
  additionalProperties: false,
} as const satisfies Schema;

export const insert = defineTool({
  name: "insert",
  title: "Insert lines",
  toolset: "files",
  effect: "changes",
  description: "Inserts text as whole lines after a line of a file; 0 is the beginning.",
  input: {
    type: "object",
    properties: {
      path: PATH,
      insert_line: { type: "integer", description: "Line to insert after, 0 to the file's line count" },
      new_str: { type: "string", description: "Lines to insert" },
      expected_hash: EXPECTED_HASH,
    },
    required: ["path", "insert_line", "new_str"],
    additionalProperties: false,
  },
  output,
  failure: "",
  async run({ path, insert_line: insertLine, new_str: text, expected_hash: expected }, { workspace }) {
    const vault = await workspace.current();
    const file = await vault.files.insert(path, insertLine, text, { expected });
    return { ...changedView(file, vault), insertLine };
  },
  text: ({ path, insertLine, durable }) => `Inserted text at line ${insertLine} in '${path}'${durabilityNote(durable)}`,
});
