/** Moves a section of a note into a new note; a link stays in its place (docs: notes-and-files, "Surgery on notes"). */
import { VaultError } from "../errors.js";
import type { Links } from "../links/service.js";
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { isBoard } from "../markdown/kanban/board.js";
import { lineEnding } from "../markdown/line-edit.js";
import { NOTHING_NAMED } from "../markdown/nothing-dropped.js";
import { headings } from "../markdown/outline.js";
import type { VaultPath } from "../storage/path.js";
import { counted } from "../text/plural.js";
import type { Vault } from "../vault/vault.js";
import type { WrittenNote } from "./api.js";
import { headingsNamed, partsOf, sectionSpan } from "./insertion.js";
import { blockIds } from "./rename-part.js";

interface Extract {
  readonly from: VaultPath;
  readonly heading: string;
  readonly to: VaultPath;
  /** What the new note says before the section. */
  readonly before: string;
}

interface ExtractedNote extends WrittenNote {
  /** Links to the section that find it no more, in words. */
  readonly remark: string | undefined;
}

/** @throws VaultError INVALID_ARGUMENT with the outline when there is no such heading, or several; CONFLICT */
export async function extractSection(
  vault: Vault,
  links: Links,
  { from, heading, to, before }: Extract,
): Promise<ExtractedNote> {
  const { text, revision } = await vault.read(from);
  if (isBoard(text))
    throw new VaultError("INVALID_ARGUMENT", `'${from}' is a Kanban board: its headings are lanes.`, { path: from });
  const { start, end, name } = sectionSpan(text, heading);
  const section = text.slice(start, end);
  const lost = await linksLost(links, from, { text, section, rest: text.slice(0, start) + text.slice(end), start });
  const reason = `extract "${name}" of '${from}'`;
  const plan = { reason, asOne: true, files: [from, to] };
  const { result, undoable } = await vault.history.runOperation(plan, async (operation) => {
    const made = await vault.writing.create(to, `${before}${section.trimEnd()}\n`, reason, { operation });
    const link = await links.ask({}, (graph) => graph.linkText(to, from));
    const ending = lineEnding(text);
    const blank = end < text.length ? ending : "";
    const change = (): string => `${text.slice(0, start)}[[${link}]]${ending}${blank}${text.slice(end)}`;
    const named = { ...NOTHING_NAMED, lines: Infinity };
    await vault.writing.edit(from, change, reason, { operation, expected: revision, named });
    return made;
  });
  const { revision: made, durable } = result;
  const one = lost === 1;
  const remark =
    lost === 0
      ? undefined
      : `${counted(lost, "link")} to '${from}#${name}' or a part of it ${one ? "stays as it is" : "stay as they are"}: the section is in '${to}' now.`;
  return { path: to, revision: made, durable, undoable, remark };
}

interface Parts {
  readonly text: string;
  readonly section: string;
  readonly rest: string;
  /** Of the section. */
  readonly start: number;
}

/** Links to a heading or block that the note they lead to has no longer. Those in the section lead into the new note. */
async function linksLost(links: Links, path: VaultPath, { text, section, rest, start }: Parts): Promise<number> {
  const first = text.slice(0, start).split("\n").length;
  const last = first + section.split("\n").length - 1;
  const isFound = new Map([text, section, rest].map((part) => [part, partFinder(part)]));
  return await links.ask({}, (graph) => {
    const isLost = ({ from, line = 0, subpath }: ReturnType<typeof graph.backlinks>[number]): boolean => {
      if (subpath === "" || !isFound.get(text)?.(subpath)) return false;
      return !isFound.get(from === path && line >= first && line < last ? section : rest)?.(subpath);
    };
    const own = graph.outgoing(path).filter(({ target }) => target === "");
    return [...graph.backlinks(path), ...own].filter(isLost).length;
  });
}

function partFinder(text: string): (subpath: string) => boolean {
  const all = headings(text, splitNote(text).bodyStart);
  const blocks = new Set(blockIds(text).map(({ id }) => `#^${id.toLowerCase()}`));
  return (subpath) => blocks.has(subpath.toLowerCase()) || headingsNamed(all, partsOf(subpath)) !== undefined;
}
