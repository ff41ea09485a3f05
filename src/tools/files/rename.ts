/** rename: renames or moves a file or a folder, and rewrites the links that would break (docs: notes-and-files; obsidian, "Links"). */
import { RELOCATION_PROPERTIES, relocationFacts, relocationLines, lostNoteLines } from "../relocation-view.js";
import { count, object, optional, string } from "../schema.js";
import { defineTool } from "../tool.js";
import { undoNote } from "../undoable.js";
import { LINK, linkTo, PATH_SHOWN } from "./file-view.js";

const output = object({
  oldPath: { ...PATH_SHOWN, description: "Where it was" },
  path: { ...PATH_SHOWN, description: "Where it is now" },
  kind: string("What was renamed", { enum: ["file", "folder"] }),
  moved: count("How many files moved: 1, or those of the folder"),
  ...RELOCATION_PROPERTIES,
  link: optional(LINK),
});

export const rename = defineTool({
  name: "rename",
  title: "Rename file or folder",
  toolset: "files",
  effect: "changes",
  description:
    "Renames or moves a file or folder and rewrites the links to it in all notes. Never overwrites. Makes missing folders.",
  input: object({
    old_path: string("File or folder", { role: "source" }),
    new_path: string("Its new path, with extension", { role: "target" }),
  }),
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
    [
      `Renamed '${done.oldPath}' → '${done.path}'`,
      ...relocationLines(done),
      ...(done.kind === "file" ? lostNoteLines(done.oldPath, done.path) : []),
    ].join("\n"),
  details: ({ undoable }) => undoNote(undoable),
});
