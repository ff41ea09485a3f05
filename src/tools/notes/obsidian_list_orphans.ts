/** obsidian_list_orphans: notes that no other file links to. */
import { LIMIT, listText, NEXT_OFFSET, OFFSET, pageNote, pageOf } from "../page.js";
import type { Schema } from "../schema.js";
import { defineTool } from "../tool.js";
import { fileReference, FOLDER, folderFilter, lookOptions, NOTE_PATH, URI_SHOWN } from "./file-reference.js";
import { shownLink } from "./link-view.js";

const output = {
  type: "object",
  properties: {
    total: { type: "integer", minimum: 0, description: "How many there are" },
    notes: {
      type: "array",
      description: "In the order of their paths",
      items: {
        type: "object",
        description: "A note",
        properties: { path: NOTE_PATH, uri: URI_SHOWN },
        required: ["path", "uri"],
        additionalProperties: false,
      },
    },
    next_offset: NEXT_OFFSET,
  },
  required: ["total", "notes"],
  additionalProperties: false,
} as const satisfies Schema;

export const listOrphans = defineTool({
  name: "obsidian_list_orphans",
  title: "List orphans",
  toolset: "notes",
  effect: "reads",
  description: "Lists notes that no other note or canvas links to.",
  input: {
    type: "object",
    properties: { folder: FOLDER, limit: LIMIT, offset: OFFSET },
    additionalProperties: false,
  },
  output,
  failure: "❌ Error listing orphans:",
  async run({ folder, limit, offset }, context) {
    const vault = await context.workspace.current();
    const isIn = await folderFilter(folder, vault);
    const orphans = (await vault.links.graph(lookOptions(context))).orphans().filter(isIn);
    const { items, next } = await pageOf(orphans, { limit, offset }, (path) => fileReference(path, vault));
    return { total: orphans.length, notes: items, ...next };
  },
  text: ({ total, notes, next_offset }) => {
    if (total === 0) return "🔗 Every note is linked to";
    const lines = notes.map(({ path }) => `- ${shownLink(path)}`);
    return listText(`🔗 Notes that nothing links to: ${total}`, lines, pageNote(total, notes.length, next_offset));
  },
});
