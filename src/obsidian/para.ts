/**
 * Recognises PARA folders in common spellings, and names a new one alike (docs: obsidian, "PARA
 * folders in the wild").
 */
import { isVaultError } from "../errors.js";
import { baseName, folderOf, joinPath, ROOT, type VaultPath } from "../storage/path.js";
import type { FolderEntry, Storage } from "../storage/storage.js";

export const PARA_BUCKETS = ["projects", "areas", "resources", "archive", "inbox"] as const;
export type ParaBucket = (typeof PARA_BUCKETS)[number];

/** Nearest the root first, perhaps several of a kind (`_projects`, `Work/1. Projects`). */
export type ParaFolders = Readonly<Record<ParaBucket, readonly VaultPath[]>>;

/** With the contents of the folders read. */
export interface ParaListing {
  readonly para: ParaFolders;
  readonly seen: ReadonlyMap<VaultPath, readonly FolderEntry[]>;
}

const BUCKET_OF_WORD: ReadonlyMap<string, ParaBucket> = new Map([
  ["project", "projects"],
  ["projects", "projects"],
  ["area", "areas"],
  ["areas", "areas"],
  ["areas of responsibility", "areas"],
  ["resource", "resources"],
  ["resources", "resources"],
  ["archive", "archive"],
  ["archives", "archive"],
  ["archived", "archive"],
  ["inbox", "inbox"],
  ["capture", "inbox"],
]);

/** Emoji, other symbols, and opening brackets. */
const SYMBOLS = String.raw`[\p{S}\p{Extended_Pictographic}\p{Emoji_Modifier}\u200d\ufe0e\ufe0f\u20e3\s(\[]*`;
const NUMBER = String.raw`(?:_?\d+[\s._\-\u2013\u2014)\]:\ufe0f\u20e3]*)?`;
const LEAD = new RegExp(`^(?:${SYMBOLS}${NUMBER}${SYMBOLS}_?)`, "u");
const TAIL = new RegExp(`${SYMBOLS}$`, "u");

/** Most names have none of the words. */
const PLAIN = /^[\x20-\x7e]*$/;
const ANY_WORD = /project|area|resource|archive|inbox|capture/i;

/** Ignores number, emoji, separator and case. */
export function bucketOfName(name: string): ParaBucket | undefined {
  if (PLAIN.test(name) && !ANY_WORD.test(name)) return undefined;
  return BUCKET_OF_WORD.get(wordOf(name).toLowerCase());
}

function wordOf(name: string): string {
  return name
    .normalize("NFKC")
    .replace(LEAD, "")
    .replace(TAIL, "")
    .replace(/[\s_-]+/gu, " ");
}

/**
 * At the root and one level down. Inside a PARA folder only an archive counts: `Projects/Resources` is part of a
 * project,
 * `Archive/Projects` is archived.
 */
export function paraFoldersOf(folders: Iterable<VaultPath>): ParaFolders {
  const found: Record<ParaBucket, VaultPath[]> = { projects: [], areas: [], resources: [], archive: [], inbox: [] };
  for (const folder of folders) {
    const parent = folderOf(folder);
    if (folder === ROOT || parent.includes("/")) continue;
    const bucket = bucketOfName(baseName(folder));
    if (bucket === undefined) continue;
    const outer = parent === ROOT ? undefined : bucketOfName(parent);
    if (outer === undefined || (bucket === "archive" && outer !== "archive")) found[bucket].push(folder);
  }
  for (const bucket of PARA_BUCKETS) found[bucket].sort(nearestRootFirst);
  return found;
}

function nearestRootFirst(a: VaultPath, b: VaultPath): number {
  const depth = Number(a.includes("/")) - Number(b.includes("/"));
  return depth !== 0 ? depth : a < b ? -1 : Number(a > b);
}

/** Of only one of the two. */
export function changedFolders(para: ParaFolders, former: ParaFolders): VaultPath[] {
  return PARA_BUCKETS.flatMap((bucket) => {
    const [one, other] = [para[bucket], former[bucket]];
    return one.concat(other).filter((path) => !one.includes(path) || !other.includes(path));
  });
}

/** Empty folders included. */
export async function findParaFolders(storage: Storage): Promise<ParaListing> {
  const seen = new Map<VaultPath, readonly FolderEntry[]>();
  const top = await foldersIn(storage, ROOT, seen);
  const below = await Promise.all(top.map((folder) => foldersIn(storage, folder, seen)));
  return { para: paraFoldersOf([...top, ...below.flat()]), seen };
}

/** None in an unreadable folder; the root must be readable. */
async function foldersIn(
  storage: Storage,
  folder: VaultPath,
  seen: Map<VaultPath, readonly FolderEntry[]>,
): Promise<VaultPath[]> {
  try {
    const entries = await storage.children(folder);
    if (entries === undefined) return [];
    seen.set(folder, entries);
    return entries.filter((entry) => entry.kind === "folder").map((entry) => entry.path);
  } catch (error) {
    if (folder !== ROOT && isVaultError(error, "PERMISSION_DENIED")) return [];
    throw error;
  }
}

export function folderAround(path: VaultPath, folders: readonly VaultPath[]): VaultPath | undefined {
  let found: VaultPath | undefined;
  for (const folder of folders) {
    const inside = path.length > folder.length && path[folder.length] === "/" && path.startsWith(folder);
    if (inside && folder.length > (found?.length ?? 0)) found = folder;
  }
  return found;
}

/** In a row of numbered PARA folders. */
const USUAL_NUMBER: Readonly<Record<ParaBucket, number>> = {
  inbox: 0,
  projects: 1,
  areas: 2,
  resources: 3,
  archive: 4,
};

/** Or a name for it in the others' style; `_projects` in a vault without any. */
export function projectsFolder(para: ParaFolders): VaultPath {
  const [existing] = para.projects;
  if (existing !== undefined) return existing;
  const models = PARA_BUCKETS.flatMap((bucket) => para[bucket].map((path) => ({ bucket, path })));
  const [model] = models.toSorted((a, b) => nearestRootFirst(a.path, b.path));
  if (model === undefined) return joinPath(ROOT, "_projects");
  const beside = folderOf(model.path);
  const siblings = models.filter(({ path }) => folderOf(path) === beside).map(({ path }) => baseName(path));
  return joinPath(beside, projectsLike(baseName(model.path), model.bucket, siblings));
}

/** In number, separator, underscore, case and singular, but without emoji. */
function projectsLike(model: string, bucket: ParaBucket, siblings: readonly string[]): string {
  const word = inCaseOf(wordOf(model));
  const numbered = /(_?)(\d+)([\s._\-\u2013\u2014)\]:]*)/u.exec(LEAD.exec(model.normalize("NFKC"))?.[0] ?? "");
  if (!numbered) return ((LEAD.exec(model)?.[0] ?? "").endsWith("_") ? "_" : "") + word;
  const [, underscore = "", digits = "", separator = ""] = numbered;
  const wanted = Number(digits) - USUAL_NUMBER[bucket] + USUAL_NUMBER.projects;
  return underscore + String(freeNumber(wanted, siblings)).padStart(digits.length, "0") + separator + word;
}

function freeNumber(wanted: number, siblings: readonly string[]): number {
  const taken = siblings.map((name) => Number(/\d+/u.exec(name)?.[0] ?? -1));
  return wanted >= 0 && !taken.includes(wanted) ? wanted : Math.max(...taken) + 1;
}

function inCaseOf(model: string): string {
  const word = /^(?:project|area|resource)$/iu.test(model) ? "project" : "projects";
  if (model === model.toLowerCase()) return word;
  if (model === model.toUpperCase()) return word.toUpperCase();
  return word.charAt(0).toUpperCase() + word.slice(1);
}
