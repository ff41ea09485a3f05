/** rename: renames or moves a file or a folder, and rewrites the links that would break (spec: file-tools; obsidian, section 2). */
import type { Infer, Schema } from "../schema.js";
import { excerpt } from "../text.js";
import { defineTool } from "../tool.js";
import { UNDOABLE } from "../undoable.js";
import { LINK, linkTo, PATH_SHOWN } from "./file-view.js";

/** Notes are listed up to this many, and named in words up to that many. */
const MOST_LISTED = 100;
const MOST_NAMED = 10;

const output = {
  type: "object",
  properties: {
    oldPath: { ...PATH_SHOWN, description: "Where it was" },
    path: { ...PATH_SHOWN, description: "Where it is now" },
    kind: { type: "string", enum: ["file", "folder"], description: "What was renamed" },
    moved: { type: "integer", minimum: 0, description: "How many files moved: 1, or those of the folder" },
    links: { type: "integer", minimum: 0, description: "How many links were rewritten" },
    rewritten: {
      type: "array",
      items: { type: "string" },
      maxItems: MOST_LISTED,
      description: "The notes and canvases whose links were rewritten",
    },
    rewrittenCount: { type: "integer", minimum: 0, description: "How many those are" },
    skipped: {
      type: "array",
      maxItems: MOST_LISTED,
      description: "Notes whose links could not be rewritten and now lead nowhere",
      items: {
        type: "object",
        description: "A note",
        properties: { path: PATH_SHOWN, reason: { type: "string", description: "Why" } },
        required: ["path", "reason"],
        additionalProperties: false,
      },
    },
    skippedCount: { type: "integer", minimum: 0, description: "How many those are" },
    undoable: UNDOABLE,
    link: LINK,
  },
  required: [
    ...["oldPath", "path", "kind", "moved", "links"],
    ...["rewritten", "rewrittenCount", "skipped", "skippedCount", "undoable"],
  ],
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
    const { kind, moved, links, rewritten, skipped, undoable } = done;
    return {
      oldPath: done.from,
      path: done.to,
      kind,
      moved,
      links,
      rewritten: rewritten.slice(0, MOST_LISTED),
      rewrittenCount: rewritten.length,
      skipped: skipped.slice(0, MOST_LISTED).map(({ path, reason }) => ({ path, reason: excerpt(reason, 300) })),
      skippedCount: skipped.length,
      undoable,
      ...(kind === "file" ? linkTo(done.to, vault) : {}),
    };
  },
  text: confirmation,
});

function confirmation(done: Infer<typeof output>): string {
  const { oldPath, path, links, rewrittenCount, skipped, skippedCount } = done;
  const lines = [`Renamed '${oldPath}' → '${path}'`];
  if (links > 0) lines.push(`Rewrote ${counted(links, "link")} in ${counted(rewrittenCount, "note")}.`);
  for (const note of skipped.slice(0, MOST_NAMED))
    lines.push(`[Links in '${note.path}' are as they were: ${note.reason}]`);
  if (skippedCount > MOST_NAMED) lines.push(`[… and in ${counted(skippedCount - MOST_NAMED, "more note")}]`);
  return lines.join("\n");
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
