/** Copies that sync tools left, with their originals (docs: obsidian, "Sync folders"). */
import { diffArrays } from "diff";
import { isVaultError } from "../errors.js";
import { isConflictCopy, isListed } from "../obsidian/ignore.js";
import { linesOf } from "../markdown/line-edit.js";
import { baseName, folderOf, isMarkdown, joinPath, ROOT, type VaultPath } from "../storage/path.js";
import type { Vault } from "../vault/vault.js";

export interface SyncCopy {
  readonly path: VaultPath;
  readonly original: VaultPath | undefined;
  readonly comparison: string;
  /** Lines; undefined beyond `MAX_EDITS` and when one is no text. */
  readonly differing: number | undefined;
}

/** By Syncthing, or by Dropbox, Nextcloud and Obsidian Sync. */
const MARK = /\.sync-conflict-[\w-]+|\s?\([^()]*conflicted copy[^()]*\)/iu;
/** Also names of ordinary notes: `Plan 2.md`, `Plan (1).md`, `Plan-LAPTOP.md`. */
const LIKE_A_COPY = /^(.+?)(?: \d{1,2}| \(\d{1,2}\)|-[A-Z][A-Z\d-]+)\.md$/u;
const MAX_EDITS = 1_000;
/** Of a note's lines. */
const MAX_SHARE = 0.1;

/** Ordered by path. */
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

/** Nearly equal to a note whose name theirs begins with. */
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

/** Those that are not ignored. */
async function* folders(vault: Vault, signal: AbortSignal | undefined): AsyncGenerator<ReadonlySet<VaultPath>> {
  const waiting: VaultPath[] = [ROOT];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal?.throwIfAborted();
    const entries = (await childrenOf(vault, folder)) ?? [];
    for (const { kind, path } of entries) if (kind === "folder" && isListed(path, "folder")) waiting.push(path);
    yield new Set(entries.flatMap(({ kind, path }) => (kind === "file" && isMarkdown(path) ? [path] : [])));
  }
}

/** The index reports a closed folder. */
async function childrenOf(vault: Vault, folder: VaultPath) {
  try {
    return await vault.children(folder);
  } catch (error) {
    if (folder !== ROOT && isVaultError(error, "PERMISSION_DENIED")) return undefined;
    throw error;
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

function inWords(original: VaultPath, isNewer: boolean, differing: number | undefined): string {
  const lines =
    differing === undefined
      ? "the texts differ much"
      : `${differing} ${differing === 1 ? "line differs" : "lines differ"}`;
  return differing === 0 ? `the same as ${original}` : `${isNewer ? "newer" : "older"} than ${original}, ${lines}`;
}
