/** view: the numbered lines of a file, or the names in a folder, in portions that fit an answer (spec: file-tools). */
import type { Infer, Schema } from "../schema.js";
import { defineTool } from "../tool.js";
import { HASH, LINE_COUNT, LINK, linkTo, numbered, PATH_SHOWN } from "./file-view.js";
import { lineRange, lineWindow, windowNotice } from "./line-window.js";

const output = {
  type: "object",
  properties: {
    path: { ...PATH_SHOWN, description: "Path in the vault; / is the vault itself" },
    kind: { type: "string", enum: ["file", "folder"], description: "What stands there" },
    content: {
      type: "string",
      description:
        "A file's lines as `N: text`, or the sorted names in a folder, folders with / at the end; one a line",
    },
    firstLine: { type: "integer", minimum: 1, description: "The first line (of a folder: name) shown, from 1" },
    lastLine: { type: "integer", minimum: 0, description: "The last one shown" },
    nextLine: {
      type: "integer",
      description: "Where view_range should go on; absent when all that was asked for is shown",
    },
    lastAsked: { type: "integer", minimum: 0, description: "The last one asked for" },
    cutCharacters: { type: "integer", description: "How much of the last line shown is left out, when it is too long" },
    lineCount: { ...LINE_COUNT, description: "How many lines the file, or names the folder, has" },
    hash: { ...HASH, description: `${HASH.description}; absent for folders` },
    link: LINK,
  },
  required: ["path", "kind", "content", "firstLine", "lastLine", "lastAsked", "lineCount"],
  additionalProperties: false,
} as const satisfies Schema;

export const view = defineTool({
  name: "view",
  title: "View file or folder",
  toolset: "files",
  effect: "reads",
  description:
    "Shows a text file with line numbers, or what is in a folder. Long files come in parts: go on with view_range.",
  input: {
    type: "object",
    properties: {
      path: { type: "string", description: "File or folder in the vault; / is its root" },
      view_range: {
        type: "array",
        items: { type: "integer" },
        minItems: 2,
        maxItems: 2,
        description: "First and last line, from 1; -1 as last: to the end",
      },
    },
    required: ["path"],
    additionalProperties: false,
  },
  output,
  failure: "",
  async run({ path, view_range: asked }, { workspace }) {
    const vault = await workspace.current();
    const seen = await vault.files.look(path);
    const shownPath = seen.path === "" ? "/" : seen.path;
    const isFile = seen.kind === "file";
    const lines = isFile ? seen.lines : seen.names;
    const range = lineRange(asked, lines.length, `'${shownPath}' has ${lines.length} ${isFile ? "lines" : "entries"}`);
    return {
      path: shownPath,
      kind: seen.kind,
      ...lineWindow(lines, range, isFile ? numbered : (name) => name),
      lastAsked: range.last,
      lineCount: lines.length,
      ...(isFile ? { hash: seen.revision, ...linkTo(seen.path, vault) } : {}),
    };
  },
  text: shown,
});

function shown({ content, lastAsked, ...window }: Infer<typeof output>): string {
  return content + windowNotice(window, lastAsked);
}
