/** Creates a file, never over another. */
import { changeDetails, CREATED_PROPERTIES, createdView, durabilityNote, PATH } from "../file-view.js";
import { object, string } from "../schema.js";
import { defineTool } from "../tool.js";

const output = object(CREATED_PROPERTIES);

export const create = defineTool({
  name: "create",
  title: "Create file",
  toolset: "files",
  effect: "adds",
  description: "Creates a file, with its folders. Refuses if the path exists: change files with str_replace or insert.",
  input: object({
    path: { ...PATH, role: "newFile" },
    file_text: string("The whole content, written as it is", { role: "text" }),
  }),
  output,
  failure: "",
  async run({ path, file_text: text }, { workspace }) {
    const vault = await workspace.current();
    return createdView(await vault.files.create(path, text), vault);
  },
  text: ({ path, durable }) => `Created '${path}'${durabilityNote(durable)}`,
  details: changeDetails,
});
