/** rename: renames or moves a file or a folder, and rewrites the links that would break (spec: file-tools; obsidian, section 2). */
import { RELOCATION_PROPERTIES, RELOCATION_REQUIRED, relocationFacts, relocationLines } from "../relocation-view.js";
import type { Infer, Schema } from "../schema.js";
import { defineTool } from "../tool.js";
import { LINK, linkTo, PATH_SHOWN } from "./file-view.js";

const output = {
  type: "object",
  properties: {
    oldPath: { ...PATH_SHOWN, description: "Where it was" },
    path: { ...PATH_SHOWN, description: "Where it is now" },
    kind: { type: "string", enum: ["file", "folder"], description: "What was renamed" },
    moved: { type: "integer", minimum: 0, description: "How many files moved: 1, or those of the folder" },
    ...RELOCATION_PROPERTIES,
    link: LINK,
  },
  required: ["oldPath", "path", "kind", "moved", ...RELOCATION_REQUIRED],
  additionalProperties: false,
} as const satisfies Schema;

export const rename = defineTool({
  name: "rename",
  title: "Rename file or folder",
  toolset: "files",
  effect: "changes",
  description:
    "Renames or moves a file or folder and rewrites the links to it in all notes. Never overwrites. Makes missing folders.",
  input: {
    type: "object",
    properties: {
      old_path: { type: "string", description: "File or folder in the vault" },
      new_path: { type: "string", description: "Its new path, with extension" },
    },
    required: ["old_path", "new_path"],
    additionalProperties: false,
  },
  output,
  failure: "",
  async run({ old_path: from, new_path: to }, { workspace, signal, onProgress }) {
    const vault = await workspace.current();
    const done = await vault.files.rename(from, to, { signal, onProgress });
    return {
      oldPath: done.from,
      path: done.to,
      kind: done.kind,
      moved: done.moved,
      ...relocationFacts(done),
      ...(done.kind === "file" ? linkTo(done.to, vault) : {}),
    };
  },
  text: (done) =>
    [`Renamed '${done.oldPath}' → '${done.path}'`, ...relocationLines(done), ...becameOf(done)].join("\n"),
});

const NOTE = /\.md$/i;

/** A note that loses its `.md` vanishes from Obsidian; whoever forgot it should hear of that. */
function becameOf({ oldPath, path, kind }: Infer<typeof output>): string[] {
  const isLost = kind === "file" && NOTE.test(oldPath) && !NOTE.test(path);
  return isLost ? [`[It is no note any more: its name does not end in .md]`] : [];
}
