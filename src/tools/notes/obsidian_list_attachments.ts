/** The files that a note embeds or links to. */
import { ifRefused } from "../../errors.js";
import { mediaTypeOf } from "../../links/uri.js";
import { isMarkdown, type VaultPath } from "../../storage/path.js";
import { listText, NEXT_OFFSET, pageOf } from "../paging.js";
import { array, count, object, optional, string, type Infer } from "../schema.js";
import { defineTool } from "../tool.js";
import type { OpenVault } from "../workspace.js";
import { counted } from "../../text/wording.js";
import { PAGE_OF_NOTE, NOTE_PATH, shownLink } from "./note-view.js";

const ATTACHMENT = object(
  {
    path: NOTE_PATH,
    mime_type: string("Media type, by the extension"),
    size: optional(count("Bytes")),
  },
  "An attachment",
);

const output = object({
  path: NOTE_PATH,
  total: count("How many there are"),
  attachments: array(ATTACHMENT, "In the order the note first names them"),
  next_offset: optional(NEXT_OFFSET),
  remark: optional(string("Of an empty list: what there is without its filter")),
});

export const listAttachments = defineTool({
  name: "obsidian_list_attachments",
  title: "List attachments",
  toolset: "notes",
  effect: "reads",
  description: "Lists the files other than notes that a note links to. view shows one.",
  input: PAGE_OF_NOTE,
  output,
  failure: "❌ Error listing attachments:",
  async run({ note, limit, offset }, context) {
    const vault = await context.workspace.current();
    const path = await vault.links.find(note, context);
    const linked = await vault.links.ask(context, (graph) => graph.linkedFiles(path));
    const paths = linked.filter((to) => !isMarkdown(to));
    const { items, next } = await pageOf(paths, { limit, offset }, (attachment) => viewOf(attachment, vault));
    const notes = counted(linked.length, "note");
    const remark = paths.length === 0 && linked.length > 0 ? `It links only to notes (${notes}).` : undefined;
    return { path, total: paths.length, attachments: items, next_offset: next, remark };
  },
  text: ({ path, total, attachments, next_offset }) => {
    if (total === 0) return `📎 No attachments in ${shownLink(path)}`;
    return listText(`📎 Attachments of ${shownLink(path)}: ${total}`, attachments.map(lineOf), total, next_offset);
  },
  details: ({ remark }) => remark,
});

async function viewOf(path: VaultPath, { vault }: OpenVault): Promise<Infer<typeof ATTACHMENT>> {
  const size = await vault.stat(path).then((stat) => stat.size, ifRefused(undefined));
  return { path, mime_type: mediaTypeOf(path), size };
}

function lineOf({ path, mime_type, size }: Infer<typeof ATTACHMENT>): string {
  return `- ${shownLink(path)} (${mime_type}${size === undefined ? "" : `, ${size.toLocaleString("en-US")} bytes`})`;
}
