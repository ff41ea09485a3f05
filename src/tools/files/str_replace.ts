/** Replaces a text that occurs once. */
import { CHANGED_PROPERTIES, changeDetails, changedView, durabilityNote, EXPECTED_HASH, PATH } from "../file-view.js";
import { integer, object, string, unlisted } from "../schema.js";
import { defineTool } from "../tool.js";

const output = object({
  ...CHANGED_PROPERTIES,
  line: integer("The line where the replaced text began", { minimum: 1 }),
});

export const strReplace = defineTool({
  name: "str_replace",
  title: "Replace text",
  toolset: "files",
  effect: "changes",
  description:
    "Replaces text in a file. old_str must match exactly one place, character for character; add the lines around it to make it unique.",
  input: object({
    path: PATH,
    old_str: string("Text to replace, without line numbers", { role: "oldText" }),
    new_str: string("New text, literal; empty deletes", { role: "newText" }),
    expected_hash: unlisted(EXPECTED_HASH),
  }),
  output,
  failure: "",
  async run({ path, old_str: sought, new_str: replacement, expected_hash: expected }, { workspace }) {
    const vault = await workspace.current();
    const file = await vault.files.replace(path, sought, replacement, { expected });
    return { ...changedView(file, vault), line: file.line };
  },
  text: ({ path, durable }) => `Replaced text in '${path}'${durabilityNote(durable)}`,
  details: changeDetails,
});
