/** The vault's tags, with counts. */
import { listText, NEXT_OFFSET, pageOf } from "../paging.js";
import { count, integer, object, optional, string, type Infer, objects } from "../schema.js";
import { defineTool } from "../tool.js";
import { listRemark, PAGE_OF_FOLDER, REMARK, shownLink } from "./note-view.js";

const output = object({
  total: count("How many tags there are"),
  tags: objects("Those of most notes first, then by name", "A tag", {
    tag: string("Without #"),
    count: integer("Notes with it or a tag nested below it", { minimum: 1 }),
  }),
  next_offset: optional(NEXT_OFFSET),
  remark: REMARK,
});

export type ListTagsAnswer = Infer<typeof output>;

export const listTags = defineTool({
  name: "obsidian_list_tags",
  title: "List tags",
  toolset: "notes",
  effect: "reads",
  description: "Lists tags with how many notes have them; nested tags count for those above too.",
  input: PAGE_OF_FOLDER,
  output,
  failure: "❌ Error listing tags:",
  async run({ folder, limit, offset }, { workspace, signal, onProgress }) {
    const vault = await workspace.current();
    const tags = await vault.notes.tags(folder, { signal, onProgress });
    const { items, next } = await pageOf(tags, { limit, offset }, ({ tag, count }) => ({ tag: shownLink(tag), count }));
    const everywhere = async () => (await vault.notes.tags(undefined, { signal })).length;
    const remark = await listRemark(folder, vault, { total: tags.length, everywhere });
    return { total: tags.length, tags: items, next_offset: next, remark };
  },
  text: ({ total, tags, next_offset }) => {
    if (total === 0) return "🏷️ No tags";
    const lines = tags.map(({ tag, count }) => `- #${tag} (${count})`);
    return listText(`🏷️ Tags: ${total}`, lines, total, next_offset);
  },
  details: ({ remark }) => remark,
});
