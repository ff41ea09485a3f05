/** Adds lines after a line. */
import { CHANGED_PROPERTIES, changeDetails, changedView, durabilityNote, EXPECTED_HASH, PATH } from "../file-view.js";
import { count, integer, object, string, unlisted } from "../schema.js";
import { defineTool } from "../tool.js";

const output = object({
  ...CHANGED_PROPERTIES,
  insertLine: count("The line after which the text was inserted"),
});

export const insert = defineTool({
  name: "insert",
  title: "Insert lines",
  toolset: "files",
  effect: "changes",
  description: "Inserts text as whole lines after a line of a file.",
  input: object({
    path: PATH,
    insert_line: integer("Line to insert after; 0: at the beginning", { role: "line" }),
    new_str: string("Lines to insert", { role: "insertion" }),
    expected_hash: unlisted(EXPECTED_HASH),
  }),
  output,
  failure: "",
  async run({ path, insert_line: insertLine, new_str: text, expected_hash: expected }, { workspace }) {
    const vault = await workspace.current();
    const file = await vault.files.insert(path, insertLine, text, { expected });
    return { ...changedView(file, vault), insertLine };
  },
  text: ({ path, insertLine, durable }) => `Inserted text at line ${insertLine} in '${path}'${durabilityNote(durable)}`,
  details: changeDetails,
});
