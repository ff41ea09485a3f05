/** str_replace: replaces a text that stands in exactly one place of a file (spec: file-tools). */
import { durabilityNote } from "../durability.js";
import type { Schema } from "../schema.js";
import { defineTool } from "../tool.js";
import { changedView, CHANGED_PROPERTIES, CHANGED_REQUIRED, EXPECTED_HASH, PATH } from "./file-view.js";

const output = {
  type: "object",
  properties: {
    ...CHANGED_PROPERTIES,
    line: { type: "integer", minimum: 1, description: "The line where the replaced text began" },
  },
  required: [...CHANGED_REQUIRED, "line"],
  additionalProperties: false,
} as const satisfies Schema;

export const strReplace = defineTool({
  name: "str_replace",
  title: "Replace text",
  toolset: "files",
  effect: "changes",
  description:
    "Replaces text in a file. old_str must match exactly one place, character for character; add the lines around it to make it unique.",
  input: {
    type: "object",
    properties: {
      path: PATH,
      old_str: { type: "string", description: "Text to replace, without line numbers" },
      new_str: { type: "string", description: "New text, literal; empty deletes" },
      expected_hash: EXPECTED_HASH,
    },
    required: ["path", "old_str", "new_str"],
    additionalProperties: false,
  },
  output,
  failure: "",
  async run({ path, old_str: sought, new_str: replacement, expected_hash: expected }, { workspace }) {
    const vault = await workspace.current();
    const file = await vault.files.replace(path, sought, replacement, { expected });
    return { ...changedView(file, vault), line: file.line };
  },
  text: ({ path, durable }) => `Replaced text in '${path}'${durabilityNote(durable)}`,
});
