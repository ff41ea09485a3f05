/** The links that lead to a file. */
import type { Link } from "../../links/api.js";
import { alreadyCut, listText, NEXT_OFFSET, pageOf } from "../paging.js";
import { count, object, optional, string, type Infer, objects } from "../schema.js";
import { defineTool } from "../tool.js";
import type { OpenVault } from "../workspace.js";
import {
  LINE_SHOWN,
  PAGE_OF_NOTE,
  NOTE_PATH,
  LINK_PROPERTIES,
  linkParts,
  placeText,
  shownLink,
  unreadBelow,
} from "./note-view.js";
import { isVaultError } from "../../errors.js";
import { ROOT, type VaultPath } from "../../storage/path.js";
import { excerpt } from "../text.js";

const output = object({
  path: NOTE_PATH,
  total: count("How many links lead there"),
  links: objects("In the order of their paths", "A link", {
    path: string("The file it is in"),
    line: optional(LINE_SHOWN),
    context: optional(string("That line, on one line, cut when long")),
    ...LINK_PROPERTIES,
  }),
  next_offset: optional(NEXT_OFFSET),
  remark: optional(string("Notes that cannot be read in full")),
});
export type BacklinksAnswer = Infer<typeof output>;

export const getBacklinks = defineTool({
  name: "obsidian_get_backlinks",
  title: "Get backlinks",
  toolset: "notes",
  effect: "reads",
  description: "Lists the links to a note or attachment.",
  input: PAGE_OF_NOTE,
  output,
  failure: "❌ Error getting backlinks:",
  async run({ note, limit, offset }, context) {
    const vault = await context.workspace.current();
    const path = await vault.links.find(note, context);
    const page = { limit, offset };
    const { total, links } = await vault.links.ask(context, (graph) => graph.shownBacklinks(path, page));
    const { items, next } = await pageOf(alreadyCut(links, total), page, linkViews(vault));
    return { path, total, links: items, next_offset: next, remark: unreadBelow(ROOT, vault.vault) };
  },
  text: ({ path, total, links, next_offset }) => {
    if (total === 0) return `🔗 No links lead to ${shownLink(path)}`;
    const lines = links.map((link) => `- ${placeText(link)}${link.context === undefined ? "" : `: ${link.context}`}`);
    return listText(`🔗 Links to ${shownLink(path)}: ${total}`, lines, total, next_offset);
  },
  details: ({ remark }) => remark,
});

const CONTEXT_LENGTH = 200;

/** Shows links in their lines; reads each file once. */
function linkViews({ vault }: OpenVault) {
  const files = new Map<VaultPath, Promise<readonly string[]>>();

  /** From 1; empty when it cannot be read. */
  async function lineAt(path: VaultPath, line: number, words: string): Promise<string> {
    const lines = files.get(path) ?? linesOf(path, vault);
    files.set(path, lines);
    const text = (await lines)[line - 1] ?? "";
    if (text.length <= CONTEXT_LENGTH) return excerpt(text, CONTEXT_LENGTH);
    const start = Math.max(0, text.indexOf(words) - CONTEXT_LENGTH / 2);
    return `${start > 0 ? "…" : ""}${excerpt(text.slice(start, start + 2 * CONTEXT_LENGTH), CONTEXT_LENGTH)}`;
  }

  return async (link: Link) => {
    const { from, line, target } = link;
    const context = line === undefined ? "" : await lineAt(from, line, target);
    return { path: from, line, context: context || undefined, ...linkParts(link) };
  };
}

/** A file that vanished or changed only loses its context. */
async function linesOf(path: VaultPath, vault: OpenVault["vault"]): Promise<readonly string[]> {
  try {
    return (await vault.read(path)).text.split("\n");
  } catch (error) {
    if (isVaultError(error)) return [];
    throw error;
  }
}
