/** Spells areas and projects as the vault does (docs: tasks, "Making"). */
import type { NoteSource } from "../index/subject.js";
import type { ParaListing } from "../obsidian/para.js";
import { linkTexts } from "../markdown/links/property-links.js";
import { baseName, isMarkdown, joinPath, type VaultPath } from "../storage/path.js";
import { fold } from "../text/fold.js";
import { nearest } from "../text/nearest.js";
import type { Vault } from "../vault/vault.js";
import type { UsedNames } from "./fields/dialect.js";
import type { Values } from "./fields/field-table.js";
import { bareName } from "./fields/property-values.js";

interface SpelledValues {
  readonly values: Values;
  readonly adjustments: readonly string[];
}

/** Prefers the spelling of folders and notes. Reports unknown projects. */
export async function spelledAsKnown(
  vault: Vault,
  values: Values,
  used: UsedNames,
  known?: ParaListing,
): Promise<SpelledValues> {
  if (!values.area && !values.projects?.length) return { values, adjustments: [] };
  const listing = known ?? (await vault.paraListing());
  const adjustments: string[] = [];
  const spelled: Values = { ...values };
  if (values.area) {
    const areas = await namesIn(vault, listing, listing.para.areas);
    spelled.area = await spell("area", values.area, areas, used.areas, adjustments);
    const near =
      areas.has(spelled.area) || used.areas.includes(spelled.area)
        ? undefined
        : areas.nearest(spelled.area, used.areas);
    // It may be a typo.
    if (near !== undefined) adjustments.push(unknownName("area", values.area, near));
  }
  if (values.projects?.length) {
    const names = await namesIn(vault, listing, listing.para.projects);
    const projects: string[] = [];
    for (const name of values.projects) {
      const written = await spell("project", name, names, used.projects, adjustments);
      if (!names.has(written) && !used.projects.includes(written))
        adjustments.push(unknownName("project", name, names.nearest(name, used.projects)));
      projects.push(written);
    }
    spelled.projects = projects;
  }
  return { values: spelled, adjustments };
}

export const projectNote = async (vault: Vault, reference: string): Promise<VaultPath | undefined> =>
  await noteOf(vault, "project", reference);

/** By name, alias, link or path. */
export async function noteOf(
  vault: Vault,
  kind: "project" | "area",
  reference: string,
): Promise<VaultPath | undefined> {
  const listing = await vault.paraListing();
  const known = await namesIn(vault, listing, listing.para[`${kind}s`]);
  const written = barePath(reference.trim().replace(/^!?\[\[|(?:\|[^\]]*)?\]\]$/g, ""));
  for (const path of await known.notesOf(barePath(bareName(reference)))) {
    // A path never means another note of the same name.
    const own = [barePath(path), path.slice(0, path.lastIndexOf("/"))].map(fold);
    if (/[\\/]/.test(written) && !own.includes(fold(written))) continue;
    if ((await vault.stat(path).catch(() => undefined)) !== undefined) return path;
  }
  return undefined;
}

/** The notes, or folders' notes, of projects with this name. */
export async function projectsOfName(vault: Vault, name: string): Promise<readonly VaultPath[]> {
  const listing = await vault.paraListing();
  const known = await namesIn(vault, listing, listing.para.projects);
  return (
    await Promise.all(known.names.filter((one) => fold(one) === fold(name)).map((one) => known.notesOf(one)))
  ).flat();
}

/** Without slashes at the ends, and the extension. */
const barePath = (path: string): string => path.replace(/^\/|(?:\.md|\/)$/gi, "");

export async function projectNames(vault: Vault, listing: ParaListing): Promise<ReadonlySet<string>> {
  return new Set((await namesIn(vault, listing, listing.para.projects)).names.map(fold));
}

async function spell(
  what: string,
  name: string,
  known: KnownNames,
  used: readonly string[],
  adjustments: string[],
): Promise<string> {
  if (known.has(name)) return name;
  const spelled = known.spelledLike(name) ?? known.ofPath(name) ?? (await known.withAlias(name));
  const only = spelled ?? (used.includes(name) ? undefined : used.find((one) => fold(one) === fold(name)));
  if (only === undefined) return name;
  adjustments.push(`${what} ${JSON.stringify(name)} was written as ${JSON.stringify(only)}, as the vault spells it`);
  return only;
}

function unknownName(what: string, name: string, near: string | undefined): string {
  const hint = near === undefined ? "" : `; the nearest is ${JSON.stringify(near)}`;
  return `no ${what} ${JSON.stringify(name)} exists${hint}`;
}

const MAX_NOTES = 200;

function aliasesOf({ path, frontmatter }: NoteSource) {
  const aliases = frontmatter.properties
    .filter(({ key }) => /^alias(?:es)?$/i.test(key))
    .flatMap(({ value, text }) => linkTexts(value, text));
  return aliases.length === 0 ? undefined : { path, aliases };
}

type KnownNames = Awaited<ReturnType<typeof namesIn>>;

async function namesIn(vault: Vault, { seen }: ParaListing, folders: readonly VaultPath[]) {
  /** A folder's note has its name. */
  const notes = new Map<string, readonly VaultPath[]>();
  for (const folder of folders) {
    const entries = seen.get(folder) ?? (await vault.children(folder)) ?? [];
    for (const { kind, path } of entries) {
      const name = baseName(path).replace(/\.md$/i, "");
      if (name.startsWith(".")) continue;
      const note = kind === "folder" ? joinPath(path, `${name}.md`) : path;
      if (kind === "folder" || isMarkdown(path)) notes.set(name, [...(notes.get(name) ?? []), note]);
    }
  }
  const names: readonly string[] = [...notes.keys()];
  let aliases: readonly (readonly [alias: string, name: string])[] | undefined;

  const has = (name: string): boolean => notes.has(name);

  /** Ignores case and accents; undefined if ambiguous. */
  const spelledLike = (name: string): string | undefined => onlyOf(names.filter((one) => fold(one) === fold(name)));

  async function withAlias(name: string): Promise<string | undefined> {
    aliases ??= await readAliases();
    return onlyOf([...new Set(aliases.flatMap(([alias, of]) => (fold(alias) === fold(name) ? [of] : [])))]);
  }

  async function readAliases(): Promise<readonly (readonly [string, string])[]> {
    const facts = await vault.factsIn([...notes.values()].flat().slice(0, MAX_NOTES), aliasesOf);
    return facts.flatMap(({ path, aliases: own }) => {
      const name = baseName(path).replace(/\.md$/i, "");
      return own.map((alias) => [alias, name] as const);
    });
  }

  async function notesOf(reference: string): Promise<readonly VaultPath[]> {
    const name = has(reference) ? reference : (spelledLike(reference) ?? (await withAlias(reference)));
    if (name !== undefined) return notes.get(name) ?? [];
    return [...notes.values()].flat().filter(isPathOf(reference));
  }

  /** By the path of a note or its folder. */
  function ofPath(path: string): string | undefined {
    if (!path.includes("/")) return undefined;
    const isMeant = isPathOf(barePath(path));
    return onlyOf([...notes].flatMap(([name, own]) => (own.some(isMeant) ? [name] : [])));
  }

  /** The only name with this prefix, else the most similar. */
  function nearestTo(name: string, used: readonly string[]): string | undefined {
    const all = [...new Set([...names, ...used])];
    const begins = all.filter((one) => fold(one).startsWith(fold(name)));
    return begins.length === 1 ? begins[0] : nearest(name, all, 1)[0];
  }

  return { names, has, spelledLike, withAlias, notesOf, ofPath, nearest: nearestTo };
}

/** @param reference without extension, of a note or its folder */
function isPathOf(reference: string): (path: VaultPath) => boolean {
  const meant = [reference, joinPath(reference as VaultPath, baseName(reference))];
  return (path) => meant.some((one) => fold(`${one}.md`) === fold(path));
}

const onlyOf = (names: readonly string[]): string | undefined => (names.length === 1 ? names[0] : undefined);
