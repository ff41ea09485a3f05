/** Resolves links as Obsidian does, and finds the shortest text for a link (docs: obsidian, "Links"). */
import { baseName, folderOf, isMarkdown, joinPath, linkKey, ROOT, stemOf, type VaultPath } from "../storage/path.js";

/** For resolving links: attachments and hidden files included. */
export interface FileNames {
  has(path: VaultPath): boolean;
  /** Unordered; `stem` is from `stemOf`. */
  named(stem: string): readonly VaultPath[];
}

/** Each lookup visits all files. */
export function filesAmong(paths: readonly VaultPath[]): FileNames {
  return {
    has: (path) => paths.includes(path),
    named: (stem) => paths.filter((path) => stemOf(baseName(path)) === stem),
  };
}

/** Empty for a link into its own file. */
export function stemsOf(target: string): readonly string[] {
  const key = linkKey(lastPart(target).trim());
  if (key === "") return [];
  return key.endsWith(".md") ? [key.slice(0, -3), key] : [key];
}

/**
 * `./` and `../` count from the note's folder, `/` from the vault's root. Any other target is a path from the root, or
 * else the end of a path: of several, one in or below the note's folder, then the shortest. `.md` is optional, other
 * extensions are not; case and Unicode form are ignored. An empty target leads to the note itself.
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
  const { fit, paths } = bestFits(text, files);
  return fit >= Fit.end ? nearestOf(paths, folderOf(from)) : spelledLike(text, paths);
}

/** `.md` optional; the exact spelling before other cases. */
export function fileAt(path: string, files: FileNames): VaultPath | undefined {
  const { fit, paths } = bestFits(path, files);
  return fit >= Fit.end ? undefined : spelledLike(path, paths);
}

/** Files of that name or end of a path, `.md` optional, in the order of paths. */
export function filesMeant(name: string, files: FileNames): readonly VaultPath[] {
  const fits = fitting(cleaned(name).replace(/^\/+/, ""), files);
  return fits.map(({ path }) => path).sort();
}

/** The name if unique, else the path; without `.md` where possible. */
export function linkText(to: VaultPath, from: VaultPath, files: FileNames): string {
  const name = baseName(to);
  const plain = isMarkdown(to) ? to.slice(0, -3) : to;
  const texts = files.named(stemOf(name)).length > 1 ? [plain, to] : [lastPart(plain), name, plain, to];
  return texts.find((text) => resolveLink(text, from, files) === to) ?? `/${to}`;
}

/** The names after these moves. */
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

/** As Obsidian reads it: composed letters, plain spaces, trimmed. */
function cleaned(target: string): string {
  return isPlain(target) ? target.trim() : target.normalize("NFC").replaceAll("\u00a0", " ").trim();
}

function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Undefined when the path leaves the vault. */
function relativeTo(folder: VaultPath, text: string): string | undefined {
  const parts = folder === ROOT ? [] : folder.split("/");
  for (const part of text.split("/")) {
    if (part === "." || part === "") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}

/** Lower is better: the whole path or its end, with or without `.md`. */
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

function nearestOf(paths: readonly VaultPath[], folder: VaultPath): VaultPath | undefined {
  if (paths.length < 2) return paths[0];
  const below = folder === ROOT ? "" : joinPath(folder, "");
  const isNear = (path: VaultPath): boolean => path.startsWith(below);
  return paths.toSorted((a, b) => Number(isNear(b)) - Number(isNear(a)) || a.length - b.length || compare(a, b))[0];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export type Resolve = (target: string, from: VaultPath) => VaultPath | undefined;

/** A resolver that is valid while no file is added or removed. Fastest for the links of one file after the other. */
export function resolverOf(files: FileNames): Resolve {
  const known = new Map<string, VaultPath | "nowhere" | "depends">();
  /** Results for the last linking file. */
  const here = new Map<string, VaultPath | undefined>();
  let place: VaultPath | undefined;
  const resolveHere: Resolve = (target, from) => {
    if (from !== place) here.clear();
    place = from;
    if (!here.has(target)) here.set(target, resolveLink(target, from, files));
    return here.get(target);
  };
  return (target, from) => {
    let to = known.get(target);
    if (to === undefined) known.set(target, (to = fromEverywhere(target, files)));
    if (to === "depends") return resolveHere(target, from);
    return to === "nowhere" ? undefined : to;
  };
}

function fromEverywhere(target: string, files: FileNames): VaultPath | "nowhere" | "depends" {
  const stems = stemsOf(target);
  if (stems.length === 0 || /^\s*\./.test(target)) return "depends";
  const bearers = stems.map((stem) => files.named(stem));
  if (bearers.every((paths) => paths.length === 0)) return "nowhere";
  if (bearers.some((paths) => paths.length > 1)) return "depends";
  // A plain name that only one file has.
  if (stems.length === 1 && !target.includes("/")) return bearers[0]?.[0] ?? "nowhere";
  return resolveLink(target, ROOT, files) ?? "nowhere";
}
