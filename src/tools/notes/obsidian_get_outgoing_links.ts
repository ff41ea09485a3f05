/** Where the links of a note lead. */
import type { Link } from "../../links/api.js";
import { ALL_FILE_FIELDS } from "../file-view.js";
import { alreadyCut, LIMIT, listText, NEXT_OFFSET, OFFSET, pageOf } from "../paging.js";
import { array, count, object, optional, string, type Infer } from "../schema.js";
import { noteUri } from "../../links/uri.js";
import { defineTool } from "../tool.js";
import type { OpenVault } from "../workspace.js";
import { LINE_SHOWN, NOTE, NOTE_PATH, LINK_PROPERTIES, linkParts, shownLink, targetOf } from "./note-view.js";

const LINK = object(
  {
    target: string("As written; empty for a heading or block of the note itself"),
    ...LINK_PROPERTIES,
    line: optional(LINE_SHOWN),
    path: optional(string("The file it leads to; absent when there is none")),
    uri: optional(string("URI for resources/read; only with allFields")),
  },
  "A link",
);

const output = object({
  path: NOTE_PATH,
  total: count("How many links the note has"),
  unresolved: count("How many of them lead nowhere"),
  links: array(LINK, "In the order of the note"),
  next_offset: optional(NEXT_OFFSET),
});
export type OutgoingLinksAnswer = Infer<typeof output>;

export const getOutgoingLinks = defineTool({
  name: "obsidian_get_outgoing_links",
  title: "Get outgoing links",
  toolset: "notes",
  effect: "reads",
  description: "Lists the links in a note or canvas and the files they lead to.",
  input: object({ note: NOTE, limit: LIMIT, offset: OFFSET, allFields: ALL_FILE_FIELDS }),
  output,
  failure: "❌ Error getting outgoing links:",
  async run({ note, limit, offset, allFields }, context) {
    const vault = await context.workspace.current();
    const path = await vault.links.find(note, context);
    const page = { limit, offset };
    const { total, unresolved, links } = await vault.links.ask(context, (graph) => graph.listOutgoing(path, page));
    const { items, next } = await pageOf(alreadyCut(links, total), page, (link) =>
      viewOf(link, allFields ? vault : undefined),
    );
    return { path, total, unresolved, links: items, next_offset: next };
  },
  text: ({ path, total, unresolved, links, next_offset }) => {
    if (total === 0) return `🔗 No links in ${shownLink(path)}`;
    const heading = `🔗 Links in ${shownLink(path)}: ${total}${unresolved > 0 ? ` (${unresolved} unresolved)` : ""}`;
    return listText(heading, links.map(lineOf), total, next_offset);
  },
});

/** @param vault for the URI */
function viewOf(link: Link, vault: OpenVault | undefined) {
  return {
    target: targetOf(link),
    ...linkParts(link),
    line: link.line,
    path: link.to,
    uri: vault && link.to !== undefined ? noteUri(vault.vault.id, link.to) : undefined,
  };
}

function lineOf({ target, subpath = "", embed, property, line, path }: Infer<typeof LINK>): string {
  const where = property ?? (line === undefined ? undefined : `line ${line}`);
  const to = path === undefined ? "unresolved" : shownLink(path);
  return `- ${where === undefined ? "" : `${where}: `}${embed === true ? "!" : ""}${target}${subpath} → ${to}`;
}
