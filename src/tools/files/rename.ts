/** Renames or moves files, folders and parts of notes. */
import { ifRefused, VaultError } from "../../errors.js";
import { call, joined, said, type Wording } from "../../text/wording.js";
import { PATH_SHOWN, RELOCATION_PROPERTIES, relocationFacts, relocationLines, relocationUndo } from "../file-view.js";
import { array, boolean, count, object, optional, string, type Infer } from "../schema.js";
import { excerpt } from "../safe-text.js";
import { defineTool } from "../tool.js";
import type { OpenVault } from "../workspace.js";

const output = object({
  oldPath: { ...PATH_SHOWN, description: "Where it was" },
  path: { ...PATH_SHOWN, description: "Where it is now" },
  kind: string("What was renamed", { enum: ["file", "folder", "heading", "block", "merged"] }),
  moved: optional(count("Of a folder: how many files moved")),
  ...RELOCATION_PROPERTIES,
  added: optional(array(string(), "Merged: properties that only the old note had")),
  joined: optional(array(string(), "Merged: lists that hold the items of both notes")),
  kept: optional(array(string(), "Merged: differing properties of the old note, kept as text")),
  shared: optional(array(string(), "Merged: what both notes have, such as headings")),
  trashedTo: optional(string("Merged: where the old note is now")),
});

export const rename = defineTool({
  name: "rename",
  title: "Rename file or folder",
  toolset: "files",
  effect: "changes",
  description:
    "Renames or moves a file or folder, or a part of a note (Note#Heading, Note#^id), and rewrites links to it in all notes. " +
    "Never overwrites.",
  input: object({
    old_path: string("File or folder", { role: "source" }),
    new_path: string("New path with extension, or name", { role: "target" }),
    into: optional(boolean("Merge the note into the note new_path")),
  }),
  output,
  failure: "",
  async run({ old_path: from, new_path: to, into = false }, context) {
    const vault = await context.workspace.current();
    const { signal, onProgress } = context;
    const progress = { signal, onProgress };
    const hash = from.indexOf("#");
    const isPart = hash > 0 && !(await isFile(vault, from));
    if (into) {
      if (isPart) throw new VaultError("INVALID_ARGUMENT", "Only a whole note can be merged.", { hint: WHOLE });
      const done = await vault.notes.merge(from, to, progress);
      const { added, joined, kept, shared, trashedTo } = done;
      return { ...view(done.from, done.to, "merged", done), added, joined, kept, shared, trashedTo };
    }
    if (isPart) {
      const done = await vault.notes.renamePart(from.slice(0, hash), from.slice(hash + 1), to, progress);
      return view(done.path + done.from, done.path + done.to, done.kind, done);
    }
    const done = await vault.files.rename(from, to, progress);
    return view(done.from, done.to, done.kind, done, done.kind === "folder" ? done.moved : undefined);
  },
  text: (done) =>
    joined([
      done.kind === "merged"
        ? `Merged '${done.oldPath}' into '${done.path}'`
        : `Renamed '${done.oldPath}' → '${done.path}'`,
      ...relocationLines(done),
      ...listLines("Added properties", done.added),
      ...listLines("Joined lists", done.joined),
      ...listLines(`Kept as text, because '${done.path}' has other values`, done.kept),
      ...listLines(`Both notes have these, and links to them lead to those that '${done.path}' had`, done.shared),
      ...(done.kind === "merged" ? [whatIsGone(done.oldPath)] : []),
    ]),
  details: (done) => relocationUndo(done, done.kind === "file" && done.rewrittenCount === undefined),
});

const whatIsGone = (path: string): Wording =>
  said`'${path}' was deleted; ${call("undo_edit")} restores it.`.or(`'${path}' was deleted.`);

const WHOLE = "Leave the # and what follows out.";

function view(
  oldPath: string,
  path: string,
  kind: Infer<typeof output>["kind"],
  done: Parameters<typeof relocationFacts>[0],
  moved?: number,
): Infer<typeof output> {
  return { oldPath, path, kind, moved, ...relocationFacts(done) };
}

const listLines = (label: string, names: readonly string[] = []): string[] =>
  names.length === 0 ? [] : [`${label}: ${names.map((name) => excerpt(name, 100)).join("; ")}.`];

/** A file's name may contain `#`, though none is created so. */
const isFile = ({ files }: OpenVault, path: string): Promise<boolean> =>
  files.view(path).then(({ kind }) => kind === "file", ifRefused(false));
