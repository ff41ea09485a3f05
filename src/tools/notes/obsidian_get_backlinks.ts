/** The links that lead to a file. */
import type { Link } from "../../links/api.js";
import { alreadyCut, LIMIT, listText, NEXT_OFFSET, OFFSET, pageOf } from "../paging.js";
import { count, object, optional, string, type Infer, objects } from "../schema.js";
import { defineTool } from "../tool.js";
import type { OpenVault } from "../workspace.js";
import {
  LINE_SHOWN,
  NOTE,
  NOTE_PATH,
  LINK_PROPERTIES,
  linkParts,
  placeText,
  shownLink,
  unreadBelow,
} from "./note-view.js";
import type { ProgressOptions } from "../../index/refresh.js";
import { ifRefused, orIfFailed } from "../../errors.js";
import { ROOT, type VaultPath } from "../../storage/path.js";
import { excerpt } from "../safe-text.js";

const output = object({
  path: NOTE_PATH,
  part: optional(string("#Heading or #^block, when only links to it are listed")),
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
  description: "Lists the links to a note, a part of it (Note#Heading, Note#^id) or an attachment.",
  input: object({ note: { ...NOTE, role: "notePart" }, limit: LIMIT, offset: OFFSET }),
  output,
  failure: "❌ Error getting backlinks:",
  async run({ note, limit, offset }, context) {
    const vault = await context.workspace.current();
    const page = { limit, offset };
    const { path, part } = await targetMeant(note, vault, context);
    const { total, links } = await vault.links.ask(context, (graph) => {
      if (part === undefined) return graph.shownBacklinks(path, page);
      const named = graph.shownBacklinks(path, ALL).links.filter((link) => part.isNamed(link.subpath));
      return { total: named.length, links: named.slice(offset, offset + limit) };
    });
    const { items, next } = await pageOf(alreadyCut(links, total), page, linkViews(vault));
    const remark = unreadBelow(ROOT, vault.vault);
    return { path, part: part?.name, total, links: items, next_offset: next, remark };
  },
  text: ({ path, part = "", total, links, next_offset }) => {
    const target = shownLink(path + part);
    if (total === 0) return `🔗 No links lead to ${target}`;
    const lines = links.map((link) => `- ${placeText(link)}${link.context === undefined ? "" : `: ${link.context}`}`);
    return listText(`🔗 Links to ${target}: ${total}`, lines, total, next_offset);
  },
  details: ({ remark }) => remark,
});

const ALL = { offset: 0, limit: -1 };

/** A file's name may contain `#`. */
async function targetMeant(reference: string, { links, vault }: OpenVault, context: ProgressOptions) {
  const at = reference.indexOf("#");
  const whole = links.find(reference, at > 0 ? { ...context, suggests: false } : context);
  const path = await (at > 0 ? orIfFailed(whole, undefined) : whole);
  if (path !== undefined) return { path, part: undefined };
  const note = await links.find(reference.slice(0, at), context);
  const { partNamed } = await import("../../notes/rename-part.js");
  return { path: note, part: partNamed((await vault.read(note)).text, reference.slice(at + 1)) };
}

const CONTEXT_LENGTH = 200;

/** Reads each file once. */
function linkViews({ vault }: OpenVault) {
  const files = new Map<VaultPath, Promise<readonly string[]>>();

  const linesOf = (path: VaultPath): Promise<readonly string[]> =>
    vault.read(path).then(({ text }) => text.split("\n"), ifRefused([]));

  /** From 1; empty when it cannot be read. */
  async function lineAt(path: VaultPath, line: number, words: string): Promise<string> {
    const lines = files.get(path) ?? linesOf(path);
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
