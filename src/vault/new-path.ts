/** A new name: valid, free, and what is renamed with it. */
import { VaultError } from "../errors.js";
import { baseName, folderOf, folderPath, foldName, joinPath, ROOT, stemOf, type VaultPath } from "../storage/path.js";
import type { FolderEntry } from "../storage/storage.js";
import type { Vault } from "./vault.js";

export interface Renaming {
  readonly from: VaultPath;
  readonly to: VaultPath;
  /** A merged note is not a renamed one. */
  readonly kind: "file" | "folder" | "merge";
  readonly files: ReadonlyMap<VaultPath, VaultPath>;
  readonly mayChange: (path: VaultPath) => boolean;
  /** By an interrupted rename. */
  readonly isMoved: boolean;
}

/** Such as a project. */
export interface Companions {
  /** The note's own folder. */
  readonly folder: { readonly from: VaultPath; readonly to: VaultPath } | undefined;
  /** Notes with its name in plain text. */
  readonly named: readonly VaultPath[];
  rename(text: string): string;
  /** Sentences on what keeps the old name. */
  readonly oldNames: readonly string[];
}

export type CompanionsOf = (request: Renaming) => Promise<Companions | undefined>;

/** As in Obsidian; the last five would end a link (docs: obsidian, "Links"). */
const FORBIDDEN = /[\\:*?"<>|#^[\]]/;

/** A joiner inside an emoji stays. */
const INVISIBLE = /(?<!\p{Extended_Pictographic}\ufe0f?)\u200d|(?!\u200d)\p{Default_Ignorable_Code_Point}/gu;

export function visibleForm(name: string): string {
  return foldName(/^[\x20-\x7e]*$/.test(name) ? name : name.replace(INVISIBLE, ""));
}

/**
 * Ignores case, Unicode form and invisible characters; undefined when the path is free.
 * @param from does not block itself, and its name may stay
 * @throws INVALID_ARGUMENT, or ALREADY_EXISTS when a folder differs from an existing one only in these
 */
export async function occupantOf(
  vault: Pick<Vault, "children">,
  path: VaultPath,
  from?: VaultPath,
): Promise<FolderEntry | undefined> {
  const kept = new Set(from?.split("/"));
  const names = path.split("/");
  let folder = ROOT;
  let entries = await vault.children(folder);
  for (const [index, name] of names.entries()) {
    const look = visibleForm(name);
    const place = joinPath(folder, name);
    const same = entries?.find((entry) => entry.name === name);
    if (!same && !kept.has(name)) assertName(name, path);
    const alike = same ?? entries?.find((entry) => entry.path !== from && visibleForm(entry.name) === look);
    if (index === names.length - 1) return alike?.path === from ? undefined : alike;
    if (alike && !same) throw differsInCase(alike, place);
    folder = place;
    entries = same && (await vault.children(folder));
  }
  return undefined;
}

interface Spelling {
  /** Default: without case and Unicode form. */
  readonly form?: (name: string) => string;
  readonly isFolder?: boolean;
  readonly ifNew?: (name: string) => void;
}

/** Some file systems find other spellings too. */
export async function asSpelled(
  vault: Pick<Vault, "children">,
  path: VaultPath,
  { form = foldName, isFolder = false, ifNew }: Spelling = {},
): Promise<VaultPath> {
  let place = ROOT;
  for (const name of path.split("/")) {
    const entries = ((await vault.children(place)) ?? []).filter(({ kind }) => !isFolder || kind === "folder");
    const found =
      entries.find((entry) => entry.name === name) ?? entries.find((entry) => form(entry.name) === form(name));
    if (!found) ifNew?.(name);
    place = found?.path ?? joinPath(place, name);
  }
  return place;
}

/** Callers cannot see a name's Unicode form. */
export async function inFoldersThere(vault: Pick<Vault, "children">, path: VaultPath): Promise<VaultPath> {
  const folder = folderOf(path);
  if (/^[\x20-\x7e]*$/.test(folder)) return path;
  const form = (name: string): string => name.normalize("NFC");
  return joinPath(await asSpelled(vault, folder, { form, isFolder: true }), baseName(path));
}

/** By case and Unicode form; undefined for none or several, or a file of the path. */
export async function folderThere(
  vault: Pick<Vault, "children" | "pathRules">,
  text: string,
): Promise<VaultPath | undefined> {
  let found = ROOT;
  try {
    for (const segment of folderPath(text, vault.pathRules).split("/")) {
      const entries = (await vault.children(found)) ?? [];
      const exact = entries.find(({ name }) => name === segment);
      const alike = entries.filter(({ name, kind }) => kind === "folder" && foldName(name) === foldName(segment));
      const next = exact ?? (alike.length === 1 ? alike[0] : undefined);
      if (next?.kind !== "folder") return undefined;
      found = next.path;
    }
    return found;
  } catch (error) {
    if (error instanceof VaultError) return undefined;
    throw error;
  }
}

/** Ignores case and Unicode form. */
export async function sameNamed(vault: Pick<Vault, "children">, path: VaultPath): Promise<VaultPath | undefined> {
  const entries = (await vault.children(folderOf(path))) ?? [];
  const wanted = visibleForm(baseName(path));
  const same = entries.filter((entry) => visibleForm(entry.name) === wanted);
  return (same.find((entry) => entry.path === path) ?? same[0])?.path;
}

/** Files that such a link may mean. */
export async function namesakes(vault: Pick<Vault, "paths">, path: VaultPath): Promise<readonly VaultPath[]> {
  const stem = stemOf(baseName(path));
  return (await vault.paths()).filter((other) => other !== path && stemOf(baseName(other)) === stem).sort();
}

/** Accepted by Obsidian and every system. */
export const isGoodName = (name: string): boolean => !FORBIDDEN.test(name) && !/[. ]$|^ /.test(name);

function assertName(name: string, path: VaultPath): void {
  if (FORBIDDEN.test(name))
    throw new VaultError("INVALID_ARGUMENT", `A name in '${path}' holds a character that names in Obsidian cannot.`, {
      path,
      hint: 'Leave out \\ : * ? " < > | # ^ [ and ].',
    });
  if (/[. ]$|^ /.test(name))
    throw new VaultError("INVALID_ARGUMENT", `A name in '${path}' is one that not every system can hold.`, {
      path,
      hint: "A name begins with no blank and ends with no dot or blank.",
    });
}

export function differsInCase(entry: FolderEntry, wanted: VaultPath): VaultError {
  return new VaultError(
    "ALREADY_EXISTS",
    `There is a ${entry.kind} '${entry.path}' already, which differs from '${wanted}' only in case, Unicode form or invisible characters.`,
    { path: entry.path, hint: "Spell it as it is spelled there, or choose another name." },
  );
}
