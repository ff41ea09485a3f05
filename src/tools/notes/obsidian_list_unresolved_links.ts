/** Names in links that no file has. */
import { TimeSlice } from "../../async/yield-to-loop.js";
import type { UnresolvedLink } from "../../links/api.js";
import { foldName } from "../../storage/path.js";
import { listText, NEXT_OFFSET, pageOf } from "../paging.js";
import { array, count, integer, object, optional, string, type Infer } from "../schema.js";
import { defineTool } from "../tool.js";
import { folderFilter, LINE_SHOWN, PAGE_OF_FOLDER, placeText, targetOf } from "./note-view.js";
import { counted } from "../../text/plural.js";

const MAX_PLACES = 5;

const TARGET = object(
  {
    target: string("As written in the first link"),
    count: integer("How many links name it", { minimum: 1 }),
    places: array(
      object(
        {
          path: string("The file it is in"),
          line: optional(LINE_SHOWN),
        },
        "A link",
      ),
      "Where the first of them are",
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
    const isIn = await folderFilter(folder, vault);
    const graph = await vault.links.graph(context);
    const unresolved = [...graph.unresolved()].filter(({ from }) => isIn(from));
    const targets = await byTarget(unresolved, context.signal);
    const { items, next } = await pageOf(targets, { limit, offset }, viewOf);
    return { total: targets.length, links: unresolved.length, targets: items, next_offset: next };
  },
  text: ({ total, links, targets, next_offset }) => {
    if (total === 0) return "🔗 All links lead to a file";
    const heading = `🔗 Unresolved links: ${links}, to ${counted(total, "missing file")}`;
    return listText(heading, targets.map(lineOf), total, next_offset);
  },
});

interface MissingFile {
  readonly first: UnresolvedLink[];
  count: number;
}

async function byTarget(links: readonly UnresolvedLink[], signal: AbortSignal): Promise<readonly MissingFile[]> {
  const slice = new TimeSlice(signal);
  const files = new Map<string, MissingFile>();
  const keys = new Map<string, string>();
  for (const link of links) {
    if (slice.isOver) await slice.yield();
    let key = keys.get(link.target);
    if (key === undefined) keys.set(link.target, (key = keyOf(link.target)));
    let file = files.get(key);
    if (!file) files.set(key, (file = { first: [], count: 0 }));
    file.count++;
    if (file.first.length < MAX_PLACES) file.first.push(link);
  }
  const sorted = [...files].sort(([a, few], [b, many]) => many.count - few.count || (a < b ? -1 : 1));
  return sorted.map(([, file]) => file);
}

function keyOf(target: string): string {
  return foldName(target.replace(/^\//, "").replace(/\.md$/i, ""));
}

function viewOf({ first, count: links }: MissingFile): Infer<typeof TARGET> {
  const shown = first.map((unresolved) => unresolved.link());
  return {
    target: shown[0] === undefined ? "" : targetOf(shown[0]),
    count: links,
    places: shown.map(({ from, line }) => ({ path: from, line })),
  };
}

function lineOf({ target, count, places }: Infer<typeof TARGET>): string {
  const more = count > places.length ? `, and ${count - places.length} more` : "";
  return `- ${target} (${count}): ${places.map(placeText).join(", ")}${more}`;
}
