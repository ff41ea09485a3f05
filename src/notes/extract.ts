/** Moves a section into a new note and leaves a link (docs: notes-and-files, "Surgery on notes"). */
import { VaultError } from "../errors.js";
import { namesOfPlannedMove, rewriteLinks } from "../links/move-rewrite.js";
import type { Links } from "../links/service.js";
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { isBoard } from "../markdown/kanban/board.js";
import { lineEnding, withLineEnding } from "../markdown/line-edit.js";
import { NOTHING_NAMED } from "../markdown/nothing-dropped.js";
import { labelsApart } from "../markdown/links/labels.js";
import { changeLinks } from "../markdown/links/retarget.js";
import { headings, headingsNamed, partsOf } from "../markdown/outline.js";
import type { VaultPath } from "../storage/path.js";
import { counted } from "../text/wording.js";
import type { Vault } from "../vault/vault.js";
import type { WrittenNote } from "./api.js";
import { sectionOf } from "./insertion.js";
import { blockIds } from "./rename-part.js";

interface Extract {
  readonly from: VaultPath;
  readonly heading: string;
  readonly to: VaultPath;
  /** Above the section in the new note. */
  readonly before: string;
}

interface ExtractedNote extends WrittenNote {
  readonly operation: string | undefined;
  readonly alsoChanged: VaultPath;
  /** Links that no longer find the section, and footnotes separated from their text; in words. */
  readonly remark: string | undefined;
}

/** @throws VaultError INVALID_ARGUMENT with the outline for a missing or ambiguous heading; CONFLICT */
export async function extractSection(
  vault: Vault,
  links: Links,
  { from, heading, to, before }: Extract,
): Promise<ExtractedNote> {
  const { text, revision } = await vault.read(from);
  if (isBoard(text))
    throw new VaultError("INVALID_ARGUMENT", `'${from}' is a Kanban board: its headings are lanes.`, { path: from });
  const { start, end, name } = sectionOf(text, heading);
  const section = await carriedText(vault, links, text.slice(start, end), { from, to });
  const rest = text.slice(0, start) + text.slice(end);
  const lost = await linksLost(links, from, { text, rest, start, end });
  const reason = `extract "${name}" of '${from}'`;
  const plan = { reason, asOne: true, files: [from, to] };
  const { result, operation, undoable } = await vault.history.runOperation(plan, async (operation) => {
    const ending = lineEnding(text);
    const moved = `${withLineEnding(before, ending)}${section.trimEnd()}${ending}`;
    const made = await vault.writing.create(to, moved, reason, { operation });
    const link = await links.ask({}, (graph) => graph.linkText(to, from));
    const gap = end < text.length ? ending + ending : text.endsWith("\n") ? ending : "";
    const change = (): string => `${text.slice(0, start)}[[${link}]]${gap}${text.slice(end)}`;
    const named = { ...NOTHING_NAMED, lines: Infinity };
    await vault.writing.edit(from, change, reason, { operation, expected: revision, named });
    return made;
  });
  const { revision: made, durable } = result;
  const one = lost === 1;
  const left =
    lost === 0
      ? []
      : [
          `${counted(lost, "link")} to '${from}#${name}' or a part of it ${one ? "stays as it is" : "stay as they are"}: the section is in '${to}' now.`,
        ];
  const remarks = [...left, ...labelsApart({ moved: text.slice(start, end), rest }, { from, to })];
  return {
    path: to,
    revision: made,
    durable,
    undoable,
    operation,
    alsoChanged: from,
    remark: remarks.join(" ") || undefined,
  };
}

/** In moved text, relative links keep their destinations, and links to parts that stay name the old note. */
export async function carriedText(
  vault: Vault,
  links: Pick<Links, "ask">,
  text: string,
  { from, to }: Pick<Extract, "from" | "to">,
): Promise<string> {
  const { newLinkFormat: format } = await vault.settings();
  const isHere = partFinder(text);
  return await links.ask({}, (graph) => {
    const names = namesOfPlannedMove(graph, new Map());
    const place = { before: from, after: to };
    const moved = rewriteLinks(text, place, names, { format, isReturn: false }).text;
    const name = graph.linkText(from, to);
    return changeLinks(moved, false, ({ target, subpath }) =>
      target === "" && subpath !== "" && !isHere(subpath) ? { target: name } : undefined,
    ).text;
  });
}

interface Parts {
  readonly text: string;
  readonly rest: string;
  readonly start: number;
  readonly end: number;
}

/** Of headings or blocks that left the note. `carriedText` handles links that move. */
export async function linksLost(
  links: Pick<Links, "ask">,
  path: VaultPath,
  { text, rest, start, end }: Parts,
): Promise<number> {
  const first = text.slice(0, start).split("\n").length;
  const last = text.slice(0, end).split("\n").length;
  const [wasFound, isFound] = [partFinder(text), partFinder(rest)];
  return await links.ask({}, (graph) => {
    const isLost = ({ subpath }: { readonly subpath: string }): boolean =>
      subpath !== "" && wasFound(subpath) && !isFound(subpath);
    const own = graph
      .outgoing(path)
      .filter(({ target, line = 0 }) => target === "" && !(line >= first && line < Math.max(last, first + 1)));
    return [...graph.backlinks(path), ...own].filter(isLost).length;
  });
}

function partFinder(text: string): (subpath: string) => boolean {
  const all = headings(text, splitNote(text).bodyStart);
  const blocks = new Set(blockIds(text).map(({ id }) => `#^${id.toLowerCase()}`));
  return (subpath) => blocks.has(subpath.toLowerCase()) || headingsNamed(all, partsOf(subpath)) !== undefined;
}
