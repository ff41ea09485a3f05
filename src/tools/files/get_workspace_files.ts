/** The paths of all files or of some. */
import type { Files } from "../../files/service.js";
import { counted } from "../../text/wording.js";
import { excerpt } from "../safe-text.js";
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
  remark: optional(string("Of an empty list: why")),
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
    const { paths, unlisted, missed } = await vault.files.list({ pattern, signal, onProgress });
    const remark = paths.length > 0 ? undefined : whyNone(missed);
    return { files: firstOf(paths), total: paths.length, unlisted, remark };
  },
  text: list,
  details: ({ remark }) => remark,
});

function whyNone(missed: Awaited<ReturnType<Files["list"]>>["missed"]): string {
  const { files, example, ignoringCase } = missed ?? { files: 0, example: undefined, ignoringCase: 0 };
  if (example === undefined) return "The vault has no files.";
  const path = JSON.stringify(excerpt(example, MAX_EXAMPLE));
  if (ignoringCase > 0)
    return `Case decides: with (?i) before the pattern ${ignoringCase} of ${files} files match, e.g. ${path}.`;
  return `None of ${counted(files, "path")} matches, in any case. Paths begin at the vault, e.g. ${path}.`;
}

const MAX_EXAMPLE = 200;

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
