/** Checks a move before anything is changed, and says which files it takes where. */
import { VaultError } from "../errors.js";
import { baseName, foldName, folderOf, joinPath, ROOT, type VaultPath } from "../storage/path.js";
import type { FolderEntry } from "../storage/storage.js";
import type { Vault } from "../vault/vault.js";
import type { Moves } from "./relocation-names.js";

export interface Move {
  readonly from: VaultPath;
  readonly to: VaultPath;
  readonly kind: "file" | "folder";
  readonly files: Moves;
}

const MAX_PATH_BYTES = 4096;

/** What no file name can hold in Obsidian; the last five would end a link (spec: obsidian, section 2). */
const FORBIDDEN = /[\\:*?"<>|#^[\]]/;

/**
 * The move of a file or folder, checked.
 * @param paths every file of the vault
 * @throws VaultError FILE_NOT_FOUND, ALREADY_EXISTS, INVALID_ARGUMENT, PERMISSION_DENIED; nothing was changed then
 */
export async function checkedMove(
  vault: Vault,
  asked: VaultPath,
  to: VaultPath,
  paths: () => Iterable<VaultPath>,
): Promise<Move> {
  if (asked === ROOT || to === ROOT)
    throw refusal("INVALID_ARGUMENT", ROOT, "The vault itself cannot be moved.", NAME_ONE);
  const isFolder = (await vault.children(asked)) !== undefined;
  if (!isFolder) await vault.stat(asked);
  const from = await asSpelled(vault, asked);
  if (from === to)
    throw refusal("ALREADY_EXISTS", to, `'${from}' is where it should go already.`, "Nothing was changed.");
  if (isFolder && `${foldName(to)}/`.startsWith(`${foldName(from)}/`) && foldName(to) !== foldName(from))
    throw refusal("INVALID_ARGUMENT", from, `The folder '${from}' cannot be moved into itself.`, ELSEWHERE);
  assertNames(from, to);
  await assertFree(vault, from, to);
  if (!isFolder) return { from, to, kind: "file", files: new Map([[from, to]]) };
  return { from, to, kind: "folder", files: below(from, to, paths()) };
}

/** Where the files below a folder go. */
export function below(from: VaultPath, to: VaultPath, paths: Iterable<VaultPath>): Moves {
  const moves = new Map<VaultPath, VaultPath>();
  for (const path of paths) {
    if (!path.startsWith(`${from}/`)) continue;
    const target = joinPath(to, path.slice(from.length + 1));
    if (target.length * 3 > MAX_PATH_BYTES && Buffer.byteLength(target) > MAX_PATH_BYTES)
      throw refusal(
        "INVALID_ARGUMENT",
        path,
        `'${path}' would get a path of more than ${MAX_PATH_BYTES} bytes.`,
        ELSEWHERE,
      );
    moves.set(path, target);
  }
  return moves;
}

const NAME_ONE = "Name a file or folder in the vault, and its new path.";
const ELSEWHERE = "Choose another place; nothing was changed.";

/** Only the parts that are new are looked at: a file in an oddly named folder can be renamed there. */
function assertNames(from: VaultPath, to: VaultPath): void {
  const old = new Set(from.split("/"));
  for (const name of to.split("/")) {
    if (old.has(name)) continue;
    if (FORBIDDEN.test(name))
      throw refusal(
        "INVALID_ARGUMENT",
        to,
        `A name in '${to}' holds a character that names in Obsidian cannot.`,
        'Leave out \\ : * ? " < > | # ^ [ and ].',
      );
    if (/[. ]$|^ /.test(name))
      throw refusal(
        "INVALID_ARGUMENT",
        to,
        `A name in '${to}' is one that not every system can hold.`,
        "A name begins with no blank and ends with no dot or blank.",
      );
  }
}

/**
 * Whether nothing stands there: no file or folder of that name in whatever case or Unicode form, since some systems take them for
 * one, and no folder above it that differs from an existing one in that alone.
 */
async function assertFree(vault: Vault, from: VaultPath, to: VaultPath): Promise<void> {
  let folder = ROOT;
  for (const name of to.split("/")) {
    const entries: readonly FolderEntry[] | undefined = await vault.children(folder);
    if (entries === undefined) return;
    const path = joinPath(folder, name);
    const same = entries.find((entry) => entry.name === name);
    const alike = entries.find((entry) => entry.path !== from && foldName(entry.name) === foldName(name));
    if (path === to) {
      const taken = same ?? alike;
      if (taken === undefined || taken.path === from) return;
      throw refusal("ALREADY_EXISTS", taken.path, `'${taken.path}' exists already; nothing was changed.`, ELSEWHERE);
    }
    if (same === undefined && alike !== undefined)
      throw refusal(
        "ALREADY_EXISTS",
        alike.path,
        `There is a ${alike.kind} '${alike.path}' already, which differs from '${path}' only in case or Unicode form.`,
        "Spell it as it is spelled there; nothing was changed.",
      );
    folder = path;
  }
}

function refusal(code: VaultError["code"], path: VaultPath, message: string, hint: string): VaultError {
  return new VaultError(code, message, { path, hint });
}

/** A path as it is really spelled, where the system finds a file by another spelling too. */
async function asSpelled(vault: Vault, path: VaultPath): Promise<VaultPath> {
  const folder = folderOf(path) === ROOT ? ROOT : await asSpelled(vault, folderOf(path));
  const entries = (await vault.children(folder)) ?? [];
  const name = baseName(path);
  const entry =
    entries.find((one) => one.name === name) ?? entries.find((one) => foldName(one.name) === foldName(name));
  return entry?.path ?? joinPath(folder, name);
}
