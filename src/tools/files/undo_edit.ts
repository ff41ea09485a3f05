/** undo_edit: takes back the newest change of a file, whatever tool made it (spec: file-tools). */
import type { UndoneFile } from "../../files/files.js";
import { DURABLE, durabilityNote } from "../durability.js";
import type { Infer, Schema } from "../schema.js";
import { excerpt } from "../text.js";
import { defineTool } from "../tool.js";
import { HASH, LINE_COUNT, LINK, linkTo, numbered, PATH, PATH_SHOWN } from "./file-view.js";
import { lineWindow, windowNotice } from "./line-window.js";

/** Files of one operation are listed up to this many, and named in words up to that many. */
const MOST_LISTED = 100;
const MOST_NAMED = 10;

const output = {
  type: "object",
  properties: {
    asked: { ...PATH_SHOWN, description: "The path asked for" },
    path: { ...PATH_SHOWN, description: "Where the file is now: elsewhere when a rename was taken back" },
    undone: { type: "string", enum: ["edit", "create", "move", "delete"], description: "What was taken back" },
    reason: { type: "string", description: "What that change was for" },
    exists: { type: "boolean", description: "False when nothing is there now, because a creation was taken back" },
    content: {
      type: "string",
      description: "The file's lines as `N: text`, as many as fit; absent when it is no text",
    },
    firstLine: { type: "integer", minimum: 1, description: "The first line shown" },
    lastLine: { type: "integer", minimum: 0, description: "The last line shown" },
    nextLine: { type: "integer", description: "Where view_range should go on; absent when all is shown" },
    cutCharacters: { type: "integer", description: "How much of the last line shown is left out, when it is too long" },
    lineCount: LINE_COUNT,
    hash: HASH,
    trashedTo: { type: "string", description: "Where in the trash a new file went that was taken back" },
    copyInTrash: { type: "boolean", description: "True when the trash still holds a copy of the restored file" },
    others: {
      type: "array",
      items: { type: "string" },
      maxItems: MOST_LISTED,
      description: "Other files taken back with it, because one call had changed them all",
    },
    otherCount: { type: "integer", minimum: 0, description: "How many those are" },
    kept: {
      type: "array",
      maxItems: MOST_LISTED,
      description: "Files of that call that were left as they are",
      items: {
        type: "object",
        description: "A file",
        properties: { path: PATH_SHOWN, reason: { type: "string", description: "Why it was left" } },
        required: ["path", "reason"],
        additionalProperties: false,
      },
    },
    remaining: { type: "integer", minimum: 0, description: "How many more changes can be taken back" },
    durable: DURABLE,
    link: LINK,
  },
  required: ["asked", "path", "undone", "reason", "exists", "others", "otherCount", "kept", "remaining", "durable"],
  additionalProperties: false,
} as const satisfies Schema;

export const undoEdit = defineTool({
  name: "undo_edit",
  title: "Undo last change",
  toolset: "files",
  effect: "changes",
  description:
    "Takes back the last change of a file made through this server by any tool: an edit, creation, rename or deletion. Again goes further back. Refuses if the file was changed otherwise since.",
  input: {
    type: "object",
    properties: { path: { ...PATH, description: "The file; after a deletion, where it was" } },
    required: ["path"],
    additionalProperties: false,
  },
  output,
  failure: "",
  async run({ path }, { workspace }) {
    const vault = await workspace.current();
    const undone = await vault.files.undo(path);
    return { ...factsOf(undone), ...contentOf(undone), ...(undone.file ? linkTo(undone.path, vault) : {}) };
  },
  text: report,
});

function factsOf({ asked, path, step, file, trashedTo, copyInTrash, others, kept, remaining }: UndoneFile) {
  return {
    asked,
    path,
    undone: step.kind,
    reason: excerpt(step.reason, 200),
    // A folder that has its old name again is no file, and is there.
    exists: file !== undefined || step.kind === "move",
    ...(file === undefined ? {} : { hash: file.revision }),
    ...(trashedTo === undefined ? {} : { trashedTo }),
    ...(copyInTrash ? { copyInTrash } : {}),
    others: others.slice(0, MOST_LISTED),
    otherCount: others.length,
    kept: kept.slice(0, MOST_LISTED).map((one) => ({ path: one.path, reason: excerpt(one.reason, 300) })),
    remaining,
    durable: file?.durable ?? true,
  };
}

function contentOf({ lines }: UndoneFile) {
  if (lines === undefined) return {};
  return { ...lineWindow(lines, { first: 1, last: lines.length }, numbered), lineCount: lines.length };
}

function report(data: Infer<typeof output>): string {
  const { asked, content = "", lastLine = 0, lineCount = 0, nextLine, cutCharacters } = data;
  const shown = content + windowNotice({ lastLine, nextLine, cutCharacters }, lineCount);
  const lines = [`Reverted '${asked}' to previous version:`, shown, ...notes(data)];
  return lines.filter((line) => line !== "").join("\n") + durabilityNote(data.durable);
}

/** What else is to be known, each on a line of its own in brackets. */
function notes({
  asked,
  path,
  exists,
  trashedTo,
  copyInTrash,
  others,
  otherCount,
  kept,
}: Infer<typeof output>): string[] {
  const notes: string[] = [];
  if (!exists)
    notes.push(
      `'${path}' is no longer there: it was new${trashedTo === undefined ? "" : `. It is now '${trashedTo}'`}`,
    );
  if (path !== asked) notes.push(`It is '${path}' again`);
  if (copyInTrash) notes.push("The trash still holds a copy");
  if (otherCount > 0) notes.push(`Taken back with it: ${namesOf(others, otherCount)}`);
  for (const file of kept.slice(0, MOST_NAMED)) notes.push(`Left as it is: '${file.path}': ${file.reason}`);
  return notes.map((note) => `[${note}]`);
}

function namesOf(paths: readonly string[], count: number): string {
  const named = paths.slice(0, MOST_NAMED).map((path) => `'${path}'`);
  return named.join(", ") + (count > named.length ? ` and ${count - named.length} more` : "");
}
