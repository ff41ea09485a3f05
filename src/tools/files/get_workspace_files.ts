/** The paths of all files or of some. */
import { ANSWER_WEIGHT, weightOf } from "../../text/answer-weight.js";
import { array, count, integer, object, optional, string, type Infer } from "../schema.js";
import { defineTool } from "../tool.js";

const output = object({
  files: array(string(), "Paths, sorted; as many as fit"),
  total: count("How many files there are that fit the pattern"),
  unlisted: integer(
    "Entries of the vault that could not be listed: links that lead out, names no tool can open, closed folders",
    { minimum: 0 },
  ),
});

export const getWorkspaceFiles = defineTool({
  name: "get_workspace_files",
  title: "List files",
  toolset: "files",
  effect: "reads",
  description: "Lists the paths of all files in the vault, attachments too, or of those a pattern matches.",
  input: object({
    pattern: optional(
      string("Regular expression (RE2) to find in paths, e.g. ^Projects/.*\\.md$", { role: "paths", maxLength: 1000 }),
    ),
  }),
  output,
  failure: "",
  async run({ pattern }, { workspace, signal, onProgress }) {
    const vault = await workspace.current();
    const { paths, unlisted } = await vault.files.list({ pattern, signal, onProgress });
    return { files: firstOf(paths), total: paths.length, unlisted };
  },
  text: list,
});

function firstOf(paths: readonly string[]): readonly string[] {
  let room = ANSWER_WEIGHT;
  const end = paths.findIndex((path) => (room -= weightOf(path) + 1) < 0);
  return end < 0 ? paths : paths.slice(0, end);
}

function list({ files, total }: Infer<typeof output>): string {
  if (total === 0) return "(no files found)";
  const rest = total - files.length;
  return [
    ...files,
    ...(rest > 0 ? [`[… ${rest} more of ${total} files: narrow the pattern, e.g. ^Folder/]`] : []),
  ].join("\n");
}
