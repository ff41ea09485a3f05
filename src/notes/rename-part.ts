/** Renames a heading or a block id, and every link to it (docs: notes-and-files, "Surgery on notes"). */
import { ifRefused, VaultError } from "../errors.js";
import { call, said } from "../text/wording.js";
import { type Heading, scanBlocks } from "../markdown/blocks.js";
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { isBoard } from "../markdown/kanban/board.js";
import { changeLinks } from "../markdown/links/retarget.js";
import { applySplices, type Splice } from "../markdown/line-edit.js";
import { headings, headingIn, headingKey, headingsBelow, headingsNamed, partsOf } from "../markdown/outline.js";
import type { MoveOptions, Relocation } from "../links/api.js";
import { unknownLinks } from "../links/move-check.js";
import { isCanvas } from "../links/link-rows.js";
import type { VaultPath } from "../storage/path.js";
import { editMany } from "./bulk-edit.js";
import type { VaultAndLinks } from "./locate.js";

export interface RenamedPart extends Omit<Relocation, "from" | "to" | "kind" | "moved"> {
  readonly path: VaultPath;
  readonly kind: "heading" | "block";
  /** As in links, with `#`. */
  readonly from: string;
  readonly to: string;
}

interface Part {
  readonly kind: RenamedPart["kind"];
  readonly from: string;
  readonly to: string;
  /** The name as in the note. */
  readonly names: readonly [before: string, after: string];
  renamed(text: string): string;
  /** Undefined when the link does not name the part. */
  newSubpath(subpath: string): string | undefined;
}

/** @param subpath `Heading`, `Heading#Heading below` or `^block` @throws VaultError INVALID_ARGUMENT */
export async function renamePart(
  notes: VaultAndLinks,
  path: VaultPath,
  subpath: string,
  to: string,
  options: MoveOptions,
): Promise<RenamedPart> {
  return await notes.vault.withLock(() => renameInTurn(notes, path, subpath, to, options));
}

async function renameInTurn(
  { vault, links }: VaultAndLinks,
  path: VaultPath,
  subpath: string,
  to: string,
  options: MoveOptions,
): Promise<RenamedPart> {
  const { isNamed = () => true, ...progress } = options;
  const { text } = await vault.read(path);
  const part = subpath.startsWith("^") ? blockPart(text, subpath, to) : headingPart(text, path, subpath, to);
  const { leads, linking, unknown } = await links.ask(progress, async (graph, unseen) => ({
    leads: graph.leadsTo(path),
    linking: graph.backlinks(path).filter((link) => part.newSubpath(link.subpath) !== undefined),
    unknown: await unknownLinks(vault, unseen(), options.isNamed),
  }));
  const earlier = await vault.history.earlierTexts(path, ({ mark }) => mark === part.names.toReversed().join("\n"));
  const counts = new Map<VaultPath, number>();
  const refused: { path: VaultPath; reason: string }[] = [];
  const others = [...new Set(linking.map(({ from }) => from))].filter((from) => from !== path);
  const { changed, leftOut, operation, undoable, durable } = await editMany(vault, {
    ...progress,
    reason: `rename '${path}${part.from}' to '${part.to}'`,
    asked: undefined,
    needsPlan: false,
    paths: [path, ...others],
    asOneWithLinks: others,
    mark: part.names.join("\n"),
    change(before, file) {
      const made = changeLinks(before, isCanvas(file), (link) => {
        const to = leads(link.target, file) ? part.newSubpath(link.subpath) : undefined;
        return to === undefined ? undefined : { subpath: to };
      });
      counts.set(file, made.links);
      refused.push(...made.refused.map((reason) => ({ path: file, reason })));
      const text = file === path ? part.renamed(made.text) : made.text;
      // Renaming back restores other spellings.
      const restored = earlier?.get(file);
      return restored?.now === before ? restored.before : text;
    },
  });
  if (!changed.includes(path))
    throw new VaultError("CONFLICT", leftOut.find((one) => one.path === path)?.reason ?? "The note has changed.", {
      path,
      hint: "Read the note again and repeat the call.",
    });
  const rewritten = changed.filter((file) => isNamed(file) && (counts.get(file) ?? 0) > 0);
  return {
    path,
    kind: part.kind,
    from: part.from,
    to: part.to,
    links: rewritten.reduce((sum, file) => sum + (counts.get(file) ?? 0), 0),
    rewritten: rewritten.sort(),
    skipped: [...[...leftOut, ...uniqueReasons(refused)].filter((one) => isNamed(one.path)), ...unknown],
    operation,
    undoable,
    durable,
  };
}

/** The check and the write both compute a change. */
function uniqueReasons(refused: readonly { readonly path: VaultPath; readonly reason: string }[]) {
  return [...new Map(refused.map((one) => [JSON.stringify(one), one])).values()];
}

function headingPart(text: string, path: VaultPath, subpath: string, to: string): Part {
  if (isBoard(text))
    throw new VaultError("INVALID_ARGUMENT", `'${path}' is a Kanban board: its headings are lanes.`, {
      path,
      hint: said`A person can rename a lane in Obsidian; cards are moved with ${call("update_task")}.`,
    });
  const all = headings(text, splitNote(text).bodyStart);
  const heading = headingMeant(text, all, subpath);
  const name = to.trim().replace(/^#+[ \t]+/, "");
  const key = headingKey(name);
  if (key === "" || /[\r\n]/.test(name))
    throw new VaultError("INVALID_ARGUMENT", `"${name.slice(0, 100)}" cannot be a heading that links lead to.`, {
      hint: "Give one line with a letter or digit.",
    });
  if (name === heading.text)
    throw new VaultError("INVALID_ARGUMENT", "The heading has this name already; nothing was changed.");
  const same = all.find((one) => one !== heading && headingKey(one.text) === key);
  if (same)
    throw new VaultError("INVALID_ARGUMENT", `The note has a heading "${same.text}" already; nothing was changed.`, {
      hint: "Links could not tell the two apart. Choose another name.",
    });
  const index = all.indexOf(heading);
  return {
    kind: "heading",
    from: `#${linkName(heading.text)}`,
    to: `#${linkName(name)}`,
    names: [`# ${heading.text}`, `# ${name}`],
    renamed(now) {
      const place = headings(now, splitNote(now).bodyStart)[index];
      if (place?.level !== heading.level) throw new VaultError("CONFLICT", "The note's headings have changed.");
      const result = applySplices(now, [{ start: place.textStart, end: place.textEnd, text: name }]);
      const after = headings(result, splitNote(result).bodyStart);
      if (after.length === all.length && after[index]?.text === name) return result;
      throw new VaultError("INVALID_ARGUMENT", `"${name.slice(0, 100)}" would not be read as this heading.`, {
        hint: "Leave out # signs at its end.",
      });
    },
    newSubpath(link) {
      const names = partsOf(link);
      const at = headingsNamed(all, names)?.indexOf(heading) ?? -1;
      return at < 0 ? undefined : `#${names.with(at, linkName(name)).join("#")}`;
    },
  };
}

interface NamedPart {
  /** As in links, with `#`. */
  readonly name: string;
  isNamed(subpath: string): boolean;
}

/** @throws VaultError INVALID_ARGUMENT when it is missing or ambiguous */
export function partNamed(text: string, subpath: string): NamedPart {
  if (subpath.startsWith("^")) {
    const name = `#^${blockMeant(blockIds(text), subpath).id}`;
    return { name, isNamed: (link) => link.toLowerCase() === name.toLowerCase() };
  }
  const all = headings(text, splitNote(text).bodyStart);
  const heading = headingMeant(text, all, subpath);
  return {
    name: `#${linkName(heading.text)}`,
    isNamed: (link) => headingsNamed(all, partsOf(link))?.at(-1) === heading,
  };
}

function headingMeant(text: string, all: readonly Heading[], subpath: string): Heading {
  const names = partsOf(subpath);
  const [found, another] = headingsBelow(all, names);
  return found && !another ? found : headingIn(text, all, names.join("#"));
}

/** The heading as Obsidian writes it in a link. */
function linkName(heading: string): string {
  return heading
    .replace(/[:#|^\\\r\n]|%%|\[\[|\]\]/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

const BLOCK_IDS = /(?<=^|[ \t])\^([A-Za-z0-9-]+)(?=[ \t]*\r?$)/gm;

function blockMeant(places: ReturnType<typeof blockIds>, subpath: string) {
  const old = subpath.slice(1).trim();
  const found = places.filter(({ id }) => id.toLowerCase() === old.toLowerCase());
  const [place] = found;
  if (place === undefined || found.length > 1)
    throw new VaultError(
      "INVALID_ARGUMENT",
      place === undefined ? `The note has no block ^${old}.` : `The note has ${found.length} blocks ^${old}.`,
      {
        hint: places.length === 0 ? "It has no block ids." : `Its blocks: ${listed(places.map(({ id }) => `^${id}`))}.`,
      },
    );
  return place;
}

function blockPart(text: string, subpath: string, to: string): Part {
  const name = to.trim().replace(/^\^/, "");
  const places = blockIds(text);
  const place = blockMeant(places, subpath);
  if (!/^[A-Za-z0-9-]+$/.test(name))
    throw new VaultError("INVALID_ARGUMENT", `"${name.slice(0, 100)}" is no block id.`, {
      hint: "A block id has letters, digits and hyphens.",
    });
  if (places.some(({ id }) => id.toLowerCase() === name.toLowerCase()))
    throw new VaultError("INVALID_ARGUMENT", `The note has a block ^${name} already; nothing was changed.`);
  return {
    kind: "block",
    from: `#^${place.id}`,
    to: `#^${name}`,
    names: [`^${place.id}`, `^${name}`],
    renamed: (now) =>
      applySplices(
        now,
        blockIds(now)
          .filter(({ id }) => id === place.id)
          .map(({ start, end }) => ({ start, end, text: name })),
      ),
    newSubpath: (link) => (link.toLowerCase() === `#^${place.id.toLowerCase()}` ? `#^${name}` : undefined),
  };
}

/** Outside code; offsets without the `^`. */
export function blockIds(text: string): (Omit<Splice, "text"> & { readonly id: string })[] {
  const found: (Omit<Splice, "text"> & { readonly id: string })[] = [];
  scanBlocks(text, splitNote(text).bodyStart, {
    prose(from, to) {
      for (const { 1: id = "", index } of text.slice(from, to).matchAll(BLOCK_IDS))
        found.push({ id, start: from + index + 1, end: from + index + 1 + id.length });
    },
  });
  return found;
}

const MAX_LISTED = 40;

function listed(names: readonly string[]): string {
  const more = names.length > MAX_LISTED ? `, ${names.length - MAX_LISTED} more` : "";
  return names.slice(0, MAX_LISTED).join(", ") + more;
}

/** `new_path` is the name, alone or after the note's. A heading may contain a `#`. */
export async function newNameOf(
  to: string,
  path: VaultPath,
  find: (reference: string) => Promise<VaultPath>,
): Promise<string> {
  const hash = to.indexOf("#");
  if (hash < 0) return to;
  const name = to.slice(to.lastIndexOf("#") + 1);
  if (to.slice(0, hash).trim() === "") return name;
  const note = await find(to.slice(0, hash)).catch(ifRefused(undefined));
  if (note === undefined) return to;
  if (note === path) return name;
  throw new VaultError("INVALID_ARGUMENT", `A heading or block of '${path}' cannot be renamed into another note.`, {
    path,
    hint: `Give its new name behind '${path}#'.`,
  });
}
