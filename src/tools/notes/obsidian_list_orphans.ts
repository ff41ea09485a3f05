/** Notes that no other file links to. */
import { ROOT, type VaultPath } from "../../storage/path.js";
import { listText, NEXT_OFFSET, pageOf } from "../paging.js";
import { count, object, optional, objects } from "../schema.js";
import { defineTool } from "../tool.js";
import type { OpenVault } from "../workspace.js";
import { listRemark, NOTE_PATH, PAGE_OF_FOLDER, REMARK, shownLink } from "./note-view.js";

const output = object({
  total: count("How many there are"),
  notes: objects("In the order of their paths", "A note", {
    path: NOTE_PATH,
  }),
  next_offset: optional(NEXT_OFFSET),
  remark: REMARK,
});

export const listOrphans = defineTool({
  name: "obsidian_list_orphans",
  title: "List orphans",
  toolset: "notes",
  effect: "reads",
  description: "Lists notes that no other note or canvas links to.",
  input: PAGE_OF_FOLDER,
  output,
  failure: "❌ Error listing orphans:",
  async run({ folder, limit, offset }, context) {
    const vault = await context.workspace.current();
    const isIn = await folderFilter(folder, vault);
    const all = await vault.links.ask(context, (graph) => graph.orphans(context.signal));
    const orphans = all.filter(isIn);
    const { items, next } = await pageOf(orphans, { limit, offset }, (path) => ({ path }));
    const remark = await listRemark(folder, vault, { total: orphans.length, everywhere: async () => all.length });
    return { total: orphans.length, notes: items, next_offset: next, remark };
  },
  text: ({ total, notes, next_offset, remark }) => {
    if (total === 0) return remark === undefined ? "🔗 Every note is linked to" : "🔗 No orphans here";
    const lines = notes.map(({ path }) => `- ${shownLink(path)}`);
    return listText(`🔗 Notes that nothing links to: ${total}`, lines, total, next_offset);
  },
  details: ({ remark }) => remark,
});

async function folderFilter(text: string | undefined, { vault }: OpenVault): Promise<(path: VaultPath) => boolean> {
  const { folderMeant } = await import("../../notes/find-filter.js");
  const folder = await folderMeant(vault, text ?? "");
  return (path) => folder === ROOT || path.startsWith(`${folder}/`);
}
