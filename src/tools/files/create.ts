/** create: makes a new file, never over another (spec: file-tools). */
import { durabilityNote } from "../durability.js";
import type { Schema } from "../schema.js";
import { defineTool } from "../tool.js";
import { changedView, CHANGED_PROPERTIES, CHANGED_REQUIRED, PATH } from "./file-view.js";

const output = {
  type: "object",
  properties: CHANGED_PROPERTIES,
  required: CHANGED_REQUIRED,
  additionalProperties: false,
} as const satisfies Schema;

export const create = defineTool({
  name: "create",
  title: "Create file",
  toolset: "files",
  effect: "adds",
  description: "Creates a file, with its folders. Refuses if the path exists: change files with str_replace or insert.",
  input: {
    type: "object",
    properties: {
      path: PATH,
      file_text: { type: "string", description: "The whole content, written as it is" },
    },
    required: ["path", "file_text"],
    additionalProperties: false,
  },
  output,
  failure: "",
  async run({ path, file_text: text }, { workspace }) {
    const vault = await workspace.current();
    return changedView(await vault.files.create(path, text), vault);
  },
  text: ({ path, durable }) => `Created '${path}'${durabilityNote(durable)}`,
});
