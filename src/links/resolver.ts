/** Where a link leads, as Obsidian resolves it, and the shortest text that leads somewhere (spec: obsidian, section 2). */
import { baseName, folderOf, foldName, isMarkdown, joinPath, ROOT, type VaultPath } from "../storage/path.js";

/** The files of a vault, attachments and files kept out of the answers included, as links see them. */
export interface FileNames {
  has(path: VaultPath): boolean;
  /** The files whose name has this stem (as `stemOf` gives it), in no particular order. */
  named(stem: string): readonly VaultPath[];
}

/** These files by name, for a few questions: each goes over all of them. */
export function filesAmong(paths: readonly VaultPath[]): FileNames {
  return {
    has: (path) => paths.includes(path),
    named: (stem) => paths.filter((path) => stemOf(baseName(path)) === stem),
  };
}

/** The key by which files and links meet: a name without `.md`, case and Unicode form ignored. */
export function stemOf(name: string): string {
  const key = folded(name);
  return key.endsWith(".md") ? key.slice(0, -3) : key;
}

/** The stems of the files that a target may lead to; empty for a link into its own file. */
export function stemsOf(target: string): readonly string[] {
  const key = folded(lastPart(target).trim());
  if (key === "") return [];
  return key.endsWith(".md") ? [key.slice(0, -3), key] : [key];
}

/**
 * The file a target leads to from a note: a target that begins with `./` or `../` counts from the note's folder, one that begins
 * with `/` from the vault's root. Any other is a path from the root; where there is none, the end of a path, of several such files
 * one in or below the note's own folder, then the one with the shortest path. `.md` may be left out, other extensions may not;
 * case and Unicode form do not count. Never throws; undefined when it leads nowhere. An empty target leads to the note itself.
 * @param target decoded, without subpath
 */
export function resolveLink(target: string, from: VaultPath, files: FileNames): VaultPath | undefined {
  const text = cleaned(target);
  if (text === "") return from;
  if (/^\.\.?(?:\/|$)/.test(text)) {
    const path = relativeTo(folderOf(from), text);
    return path === undefined ? undefined : fileAt(path, files);
  }
  if (text.startsWith("/")) return fileAt(text.slice(1), files);
  return fileAt(text, files) ?? nearest(text, from, files);
}

/** All files a name or the end of a path may mean, `.md` optional, in the order of their paths. */
export function filesMeant(name: string, files: FileNames): readonly VaultPath[] {
  const text = cleaned(name).replace(/^\/+/, "");
  if (text === "") return [];
  return [...new Set([text, `${text}.md`].flatMap((wanted) => endingWith(wanted, files)))].sort();
}

/** The shortest text for a link to `to`: its name where no other file bears it, else its path; `.md` left out where it may be. */
export function linkText(to: VaultPath, from: VaultPath, files: FileNames): string {
  const name = baseName(to);
  const plain = isMarkdown(to) ? to.slice(0, -3) : to;
  const texts = files.named(stemOf(name)).length > 1 ? [plain, to] : [lastPart(plain), name, plain, to];
  return texts.find((text) => resolveLink(text, from, files) === to) ?? `/${to}`;
}

/** The files as they would be after these moves. */
export function renamed(files: FileNames, moves: ReadonlyMap<VaultPath, VaultPath>): FileNames {
  const arrivals = new Map<string, VaultPath[]>();
  for (const to of moves.values())
    arrivals.set(stemOf(baseName(to)), [...(arrivals.get(stemOf(baseName(to))) ?? []), to]);
  const places = new Set(moves.values());
  return {
    has: (path) => places.has(path) || (files.has(path) && !moves.has(path)),
    named: (stem) => [
      ...files.named(stem).filter((path) => !moves.has(path) && !places.has(path)),
      ...(arrivals.get(stem) ?? []),
    ],
  };
}

/** As Obsidian reads a link's text: composed letters, plain blanks, none at the ends. */
function cleaned(target: string): string {
  return target.normalize("NFC").replaceAll("\u00a0", " ").trim();
}

/** The form in which names and paths are compared. */
function folded(path: string): string {
  return foldName(path).replaceAll("\u00a0", " ");
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The path a relative target means; undefined when it leaves the vault. */
function relativeTo(folder: VaultPath, text: string): string | undefined {
  const parts = folder === ROOT ? [] : folder.split("/");
  for (const part of text.split("/")) {
    if (part === "." || part === "") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}

/** The file at a path, `.md` optional; of several that differ in case only, the one spelled like it. */
export function fileAt(path: string, files: FileNames): VaultPath | undefined {
  for (const wanted of [path, `${path}.md`]) {
    if (files.has(wanted as VaultPath)) return wanted as VaultPath;
    const key = folded(wanted);
    const [found] = named(wanted, files)
      .filter((file) => folded(file) === key)
      .toSorted(compare);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The nearest file whose path ends with a text. */
function nearest(text: string, from: VaultPath, files: FileNames): VaultPath | undefined {
  for (const wanted of [text, `${text}.md`]) {
    const found = endingWith(wanted, files);
    if (found.length > 0) return nearestOf(found, folderOf(from));
  }
  return undefined;
}

function endingWith(wanted: string, files: FileNames): VaultPath[] {
  const end = `/${folded(wanted)}`;
  return named(wanted, files).filter((file) => `/${folded(file)}`.endsWith(end));
}

function named(path: string, files: FileNames): readonly VaultPath[] {
  return files.named(stemOf(lastPart(path)));
}

function nearestOf(found: readonly VaultPath[], folder: VaultPath): VaultPath | undefined {
  const below = folder === ROOT ? "" : joinPath(folder, "");
  const isNear = (path: VaultPath): boolean => path.startsWith(below);
  return found.toSorted((a, b) => Number(isNear(b)) - Number(isNear(a)) || a.length - b.length || compare(a, b))[0];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
