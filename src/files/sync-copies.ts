/** Copies of notes that sync tools left beside them, by name, each with its original and how far they differ (docs: obsidian, "Sync folders"). */
import { diffArrays } from "diff";
import { isVaultError } from "../errors.js";
import { isConflictCopy, isListed } from "../index/ignore.js";
import { linesOf } from "../markdown/line-edit.js";
import { baseName, folderOf, isMarkdown, joinPath, ROOT, type VaultPath } from "../storage/path.js";
import type { Vault } from "../vault/vault.js";

export interface SyncCopy {
  readonly path: VaultPath;
  /** Undefined where it is gone. */
  readonly original: VaultPath | undefined;
  /** Which is newer and by how many lines they differ, in words. */
  readonly comparison: string;
  /** Lines added and removed between them; undefined beyond `MAX_EDITS` and where one is no text. */
  readonly differing: number | undefined;
}

/** Of Syncthing; of Dropbox, Nextcloud and Obsidian Sync. */
const MARK = /\.sync-conflict-[\w-]+|\s?\([^()]*conflicted copy[^()]*\)/iu;
/** `Plan 2.md`, `Plan (1).md`, `Plan-LAPTOP.md`: notes by any rule of names. */
const LIKE_A_COPY = /^(.+?)(?: \d{1,2}| \(\d{1,2}\)|-[A-Z][A-Z\d-]+)\.md$/u;
const MAX_EDITS = 1_000;
/** Of the lines of a note, the share that may differ in one that is perhaps its copy. */
const MAX_SHARE = 0.1;

/** Every conflict copy of the vault, in the order of paths. */
export async function syncCopies(vault: Vault, signal?: AbortSignal): Promise<readonly SyncCopy[]> {
  const found: SyncCopy[] = [];
  for await (const names of folders(vault, signal))
    for (const path of names) {
      if (!isConflictCopy(path)) continue;
      const original = joinPath(folderOf(path), baseName(path).replace(MARK, ""));
      found.push(await compared(vault, path, names.has(original) ? original : undefined));
    }
  return found.toSorted(byPath);
}

/** Notes that are nearly equal to the one whose name theirs begins with. */
export async function likelyCopies(vault: Vault, signal?: AbortSignal): Promise<readonly SyncCopy[]> {
  const found: SyncCopy[] = [];
  for await (const names of folders(vault, signal))
    for (const path of names) {
      const [, stem] = LIKE_A_COPY.exec(baseName(path)) ?? [];
      const original = stem === undefined ? undefined : joinPath(folderOf(path), `${stem}.md`);
      if (original === undefined || !names.has(original)) continue;
      const copy = await compared(vault, path, original);
      const length = linesOf(await textOf(vault, original)).length;
      if (copy.differing !== undefined && copy.differing <= length * 2 * MAX_SHARE) found.push(copy);
    }
  return found.toSorted(byPath);
}

const byPath = (a: SyncCopy, b: SyncCopy): number => (a.path < b.path ? -1 : 1);

/** The paths of the notes in each folder that sweeps list. */
async function* folders(vault: Vault, signal: AbortSignal | undefined): AsyncGenerator<ReadonlySet<VaultPath>> {
  const waiting: VaultPath[] = [ROOT];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal?.throwIfAborted();
    const entries = (await vault.children(folder)) ?? [];
    for (const { kind, path } of entries) if (kind === "folder" && isListed(path, "folder")) waiting.push(path);
    yield new Set(entries.flatMap(({ kind, path }) => (kind === "file" && isMarkdown(path) ? [path] : [])));
  }
}

async function compared(vault: Vault, path: VaultPath, original: VaultPath | undefined): Promise<SyncCopy> {
  if (original === undefined) return { path, original, differing: undefined, comparison: "its original is gone" };
  try {
    const [copy, first] = [await vault.read(path), await vault.read(original)];
    const changes = diffArrays(linesOf(first.text), linesOf(copy.text), { maxEditLength: MAX_EDITS });
    const differing = changes?.reduce((sum, { added, removed, count }) => sum + (added || removed ? count : 0), 0);
    const isNewer = copy.stat.modified > first.stat.modified;
    return { path, original, differing, comparison: inWords(original, isNewer, differing) };
  } catch (error) {
    if (isVaultError(error))
      return { path, original, differing: undefined, comparison: `a copy of ${original}; one cannot be read` };
    throw error;
  }
}

async function textOf(vault: Vault, path: VaultPath): Promise<string> {
  return (await vault.read(path).catch(() => undefined))?.text ?? "";
}

/** `newer than Plan.md, 3 lines differ`. */
function inWords(original: VaultPath, isNewer: boolean, differing: number | undefined): string {
  const lines =
    differing === undefined
      ? "the texts differ much"
      : `${differing} ${differing === 1 ? "line differs" : "lines differ"}`;
  return differing === 0 ? `the same as ${original}` : `${isNewer ? "newer" : "older"} than ${original}, ${lines}`;
}
