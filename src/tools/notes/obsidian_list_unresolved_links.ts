/** Names in links that no file has. */
import type { MissingFile } from "../../links/api.js";
import { alreadyCut, listText, NEXT_OFFSET, pageOf } from "../paging.js";
import { array, count, integer, object, optional, string, type Infer, objects } from "../schema.js";
import { defineTool } from "../tool.js";
import { LINE_SHOWN, listRemark, PAGE_OF_FOLDER, placeText, REMARK, targetOf } from "./note-view.js";
import { counted } from "../../text/wording.js";

const MAX_PLACES = 5;

const TARGET = object(
  {
    target: string("As written in the first link"),
    count: integer("How many links name it", { minimum: 1 }),
    places: objects(
      "Where the first of them are",
      "A link",
      {
        path: string("The file it is in"),
        line: optional(LINE_SHOWN),
      },
      { maxItems: MAX_PLACES },
    ),
  },
  "A missing file",
);

const output = object({
  total: count("How many missing files are named"),
  links: count("How many links name them"),
  targets: array(TARGET, "The most often named first"),
  next_offset: optional(NEXT_OFFSET),
  remark: REMARK,
});

export const listUnresolvedLinks = defineTool({
  name: "obsidian_list_unresolved_links",
  title: "List unresolved links",
  toolset: "notes",
  effect: "reads",
  description: "Lists links that lead to no file, by the file they name.",
  input: PAGE_OF_FOLDER,
  output,
  failure: "❌ Error listing unresolved links:",
  async run({ folder, limit, offset }, context) {
    const vault = await context.workspace.current();
    const { folderMeant } = await import("../../notes/find-filter.js");
    const options = { folder: await folderMeant(vault.vault, folder), limit, offset, signal: context.signal };
    const { total, links, targets } = await vault.links.ask(context, (graph) => graph.unresolved(options));
    const { items, next } = await pageOf(alreadyCut(targets, total), { limit, offset }, viewOf);
    const everywhere = async () => (await vault.links.ask(context, (graph) => graph.unresolved({ limit: 1 }))).total;
    const remark = await listRemark(folder, vault, { total, everywhere });
    return { total, links, targets: items, next_offset: next, remark };
  },
  text: ({ total, links, targets, next_offset, remark }) => {
    if (total === 0) return remark === undefined ? "🔗 All links lead to a file" : "🔗 No unresolved links here";
    const heading = `🔗 Unresolved links: ${links}, to ${counted(total, "missing file")}`;
    return listText(heading, targets.map(lineOf), total, next_offset);
  },
  details: ({ remark }) => remark,
});

function viewOf({ count: links, places }: MissingFile): Infer<typeof TARGET> {
  const [first] = places;
  return {
    target: first === undefined ? "" : targetOf(first),
    count: links,
    places: places.map(({ from, line }) => ({ path: from, line })),
  };
}

function lineOf({ target, count, places }: Infer<typeof TARGET>): string {
  const more = count > places.length ? `, and ${count - places.length} more` : "";
  return `- ${target} (${count}): ${places.map(placeText).join(", ")}${more}`;
}
