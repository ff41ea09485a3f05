/** Moves a section of a note into a new note; a link stays in its place (docs: notes-and-files, "Surgery on notes"). */
import { VaultError } from "../errors.js";
import type { Links } from "../links/service.js";
import { isBoard } from "../markdown/kanban/board.js";
import { lineEnding } from "../markdown/line-edit.js";
import { NOTHING_NAMED } from "../markdown/nothing-dropped.js";
import type { VaultPath } from "../storage/path.js";
import { fold } from "../text/fold.js";
import { counted } from "../text/plural.js";
import type { Vault } from "../vault/vault.js";
import type { WrittenNote } from "./api.js";
import { sectionSpan } from "./insertion.js";

interface Extract {
  readonly from: VaultPath;
  readonly heading: string;
  readonly to: VaultPath;
  /** What the new note says before the section. */
  readonly before: string;
}

interface ExtractedNote extends WrittenNote {
  /** Links to the heading that now find it no more, in words. */
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
  const left = await linksTo(links, from, name);
  const reason = `extract "${name}" of '${from}'`;
  const plan = { reason, asOne: true, files: [from, to] };
  const { result, undoable } = await vault.history.together(plan, async (operation) => {
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
  const remark =
    left === 0
      ? undefined
      : `${counted(left, "link")} to '${from}#${name}' stay as they are: the heading is in '${to}' now.`;
  return { path: to, revision: made, durable, undoable, remark };
}

async function linksTo(links: Links, path: VaultPath, heading: string): Promise<number> {
  return await links.ask({}, (graph) => {
    const isMeant = ({ subpath }: { readonly subpath: string }) =>
      fold(subpath.split("#").at(-1) ?? "") === fold(heading);
    return graph.backlinks(path).filter(isMeant).length;
  });
}
