/** Resolves links as Obsidian does, and finds the shortest text for a link (docs: obsidian, "Links"). */
import { baseName, folderOf, isMarkdown, joinPath, linkKey, ROOT, stemOf, type VaultPath } from "../storage/path.js";

/** Attachments and hidden files included. */
export interface FileNames {
  /** Unordered; `stem` is from `stemOf`. */
  named(stem: string): readonly VaultPath[];
}

export function askedOnce(files: FileNames): FileNames {
  const known = new Map<string, readonly VaultPath[]>();
  return {
    named(stem) {
      let paths = known.get(stem);
      if (!paths) known.set(stem, (paths = files.named(stem)));
      return paths;
    },
  };
}

/** Slow: each lookup visits all files. */
export function filesAmong(paths: readonly VaultPath[]): FileNames {
  return {
    named: (stem) => paths.filter((path) => stemOf(baseName(path)) === stem),
  };
}

/** Empty for a link into its own file. */
export function stemsOf(target: string): readonly string[] {
  const key = linkKey(baseName(target).trim());
  if (key === "") return [];
  return key.endsWith(".md") ? [key.slice(0, -3), key] : [key];
}

/**
 * `./` and `../` start at the note's folder, `/` at the root. Other targets are paths from the root, else the end of a path; files in or below the note's folder win, then the shortest path. `.md` is optional; case and Unicode form are ignored. An empty target is the note itself.
 * @param target decoded, without subpath
 */
export function resolveLink(target: string, from: VaultPath, files: FileNames): VaultPath | undefined {
  return resolverOf(files)(targetPlace(target, from), from);
}

export type Resolve = (place: string, from: VaultPath) => VaultPath | undefined;

/** Resolves what `targetPlace` returns; valid while no file is added or removed. */
export function resolverOf(files: FileNames): Resolve {
  const known = new Map<string, { readonly paths: readonly VaultPath[]; readonly from: Map<VaultPath, VaultPath> }>();
  return (place, from) => {
    if (place === "") return from;
    let found = known.get(place);
    if (!found) known.set(place, (found = { paths: filesAt(place, files), from: new Map() }));
    const { paths, from: nearest } = found;
    if (paths.length < 2) return paths[0];
    const folder = folderOf(from);
    let path = nearest.get(folder);
    if (path === undefined) nearest.set(folder, (path = nearestOf(paths, folder)));
    return path;
  };
}

/**
 * A target independent of its note's folder: `/path` for a relative one, `/` for one outside the vault, empty for the
 * note itself.
 */
export function targetPlace(target: string, from: VaultPath): string {
  const text = cleaned(target);
  return /^\.\.?(?:\/|$)/.test(text) ? `/${relativeTo(folderOf(from), text) ?? ""}` : text;
}

/** Several, if the note's folder decides. */
export function filesAt(place: string, files: FileNames): readonly VaultPath[] {
  if (place.startsWith("/")) return listOf(fileAt(place.slice(1), files));
  const { fit, paths } = bestFits(place, files);
  return fit >= Fit.end ? paths : listOf(spelledLike(place, paths));
}

const listOf = (path: VaultPath | undefined): readonly VaultPath[] => (path === undefined ? [] : [path]);

/** Cheaper than `filesAt` where many files share the name. */
export function mayLead(place: string, path: VaultPath): boolean {
  return place !== "" && fitOf(linkKey(path), linkKey(place.replace(/^\//, ""))) !== Fit.none;
}

/** `.md` is optional; prefers the exact case. */
export function fileAt(path: string, files: FileNames): VaultPath | undefined {
  const { fit, paths } = bestFits(path, files);
  return fit >= Fit.end ? undefined : spelledLike(path, paths);
}

/** By name or end of the path, `.md` optional; sorted. */
export function filesMeant(name: string, files: FileNames): readonly VaultPath[] {
  const fits = fitting(cleaned(name).replace(/^\/+/, ""), files);
  return fits.map(({ path }) => path).sort();
}

/** The name if unique, else the path; without `.md` where possible. */
export function linkText(to: VaultPath, from: VaultPath, files: FileNames): string {
  const name = baseName(to);
  const plain = isMarkdown(to) ? to.slice(0, -3) : to;
  const texts = files.named(stemOf(name)).length > 1 ? [plain, to] : [baseName(plain), name, plain, to];
  return texts.find((text) => resolveLink(text, from, files) === to) ?? `/${to}`;
}

export function renamed(files: FileNames, moves: ReadonlyMap<VaultPath, VaultPath>): FileNames {
  const arrivals = new Map<string, VaultPath[]>();
  for (const to of moves.values())
    arrivals.set(stemOf(baseName(to)), [...(arrivals.get(stemOf(baseName(to))) ?? []), to]);
  const places = new Set(moves.values());
  return {
    named: (stem) => [
      ...files.named(stem).filter((path) => !moves.has(path) && !places.has(path)),
      ...(arrivals.get(stem) ?? []),
    ],
  };
}

/** As Obsidian: NFC, plain spaces, trimmed. */
function cleaned(target: string): string {
  return isPlain(target) ? target.trim() : target.normalize("NFC").replaceAll("\u00a0", " ").trim();
}

function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

function relativeTo(folder: VaultPath, text: string): string | undefined {
  const parts = folder === ROOT ? [] : folder.split("/");
  for (const part of text.split("/")) {
    if (part === "." || part === "") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}

/** Lower is better. */
const Fit = { path: 0, pathWithoutExtension: 1, end: 2, endWithoutExtension: 3, none: 4 } as const;
type Fit = (typeof Fit)[keyof typeof Fit];

function fitting(text: string, files: FileNames): { readonly path: VaultPath; readonly fit: Fit }[] {
  const key = linkKey(text);
  const found: { path: VaultPath; fit: Fit }[] = [];
  for (const stem of stemsOf(text))
    for (const path of files.named(stem)) {
      const fit = fitOf(linkKey(path), key);
      if (fit !== Fit.none) found.push({ path, fit });
    }
  return found;
}

function fitOf(file: string, key: string): Fit {
  const rest = file.length - key.length;
  if (rest === 0) return file === key ? Fit.path : Fit.none;
  if (file.endsWith(key) && file.charAt(rest - 1) === "/") return Fit.end;
  if (!file.endsWith(".md") || !file.startsWith(key, rest - 3)) return Fit.none;
  if (rest === 3) return Fit.pathWithoutExtension;
  return file.charAt(rest - 4) === "/" ? Fit.endWithoutExtension : Fit.none;
}

function bestFits(text: string, files: FileNames): { readonly fit: Fit; readonly paths: readonly VaultPath[] } {
  let best: Fit = Fit.none;
  let paths: VaultPath[] = [];
  for (const { path, fit } of fitting(text, files)) {
    if (fit < best) [best, paths] = [fit, []];
    if (fit === best) paths.push(path);
  }
  return { fit: best, paths };
}

function spelledLike(text: string, paths: readonly VaultPath[]): VaultPath | undefined {
  return paths.find((path) => path === text || path === `${text}.md`) ?? paths.toSorted(compare)[0];
}

function nearestOf(paths: readonly VaultPath[], folder: VaultPath): VaultPath {
  const below = folder === ROOT ? "" : joinPath(folder, "");
  const isNear = (path: VaultPath): boolean => path.startsWith(below);
  return paths.reduce((a, b) =>
    (Number(isNear(b)) - Number(isNear(a)) || a.length - b.length || compare(a, b)) <= 0 ? a : b,
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
