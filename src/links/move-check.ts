/** Checks a move before anything changes, and lists the files it moves. */
import { isVaultError, VaultError } from "../errors.js";
import { baseName, foldName, joinPath, ROOT, type VaultPath, extensionOf } from "../storage/path.js";
import { literalPattern } from "../text/fold.js";
import { asSpelled, type Companions, occupantOf } from "../vault/new-path.js";
import type { Vault } from "../vault/vault.js";
import type { MoveOptions, Relocation, Unseen } from "./api.js";
import type { Moves } from "./move-rewrite.js";

export interface Move {
  readonly from: VaultPath;
  readonly to: VaultPath;
  readonly kind: "file" | "folder";
  readonly files: Moves;
  readonly folder?: Companions["folder"];
}

const MAX_PATH_BYTES = 4096;

/**
 * Changes nothing.
 * @throws VaultError FILE_NOT_FOUND, ALREADY_EXISTS, INVALID_ARGUMENT, PERMISSION_DENIED
 */
export async function checkedMove(
  vault: Vault,
  asked: VaultPath,
  to: VaultPath,
  filesBelow: (folder: VaultPath) => readonly VaultPath[],
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
  const taken = await occupantOf(vault, to, from);
  if (taken)
    throw refusal("ALREADY_EXISTS", taken.path, `'${taken.path}' exists already; nothing was changed.`, ELSEWHERE);
  if (!isFolder && !["", kindOf(to).toLowerCase()].includes(kindOf(from).toLowerCase())) throw anotherKind(from, to);
  if (!isFolder) return { from, to, kind: "file", files: new Map([[from, to]]) };
  return { from, to, kind: "folder", files: movesBelow(from, to, filesBelow(from)) };
}

export function withFolder(
  { from, to }: Move,
  folder: NonNullable<Companions["folder"]>,
  below: readonly VaultPath[],
): Move {
  const goal = joinPath(folder.to, baseName(to));
  const files = new Map(movesBelow(folder.from, folder.to, below)).set(from, goal);
  return { from, to: goal, kind: "file", files, folder };
}

/**
 * Unreadable files that may have links, by old path.
 * @throws VaultError UNAVAILABLE for a temporary failure, which would hide a broken link
 */
export async function unknownLinks(
  vault: Vault,
  { unread, unlisted }: Unseen,
  isNamed: MoveOptions["isNamed"],
): Promise<Relocation["skipped"][number][]> {
  const listed = isNamed ? [] : unlisted;
  const unknown = listed.map(({ path, message }) => ({
    path,
    reason: `${message} Links in it and to it could not be looked at, and may lead nowhere now.`,
  }));
  for (const path of isNamed ? unread.filter(isNamed) : unread) {
    const reason = await whyUnread(vault, path);
    if (reason) unknown.push({ path, reason: `${reason} Its links could not be looked at, and may lead nowhere now.` });
  }
  return unknown;
}

/** They name what moves, and are not rewritten. */
export async function linesOfBases(
  vault: Vault,
  from: VaultPath,
  to: VaultPath,
  isNamed: NonNullable<MoveOptions["isNamed"]> = () => true,
): Promise<Relocation["skipped"][number][]> {
  const files = (vault.index.latest?.files({ hidden: true }) ?? []).filter(({ path }) => extensionOf(path) === ".base");
  const shown = files.filter(({ path }) => isNamed(path));
  if (shown.length === 0) return [];
  const pattern = (await vault.children(from)) === undefined ? fileInBase(from, to) : folderInBase(from);
  const found: Relocation["skipped"][number][] = [];
  for await (const batch of vault.texts(shown))
    for (const { stat, bytes } of batch) {
      const lines = bytes.toString("utf8").split("\n");
      const numbers = lines.flatMap((line, index) => (pattern.test(line) ? [index + 1] : []));
      if (numbers.length === 0) continue;
      const named = `${numbers.length === 1 ? "line" : "lines"} ${numbers.slice(0, MAX_LINES).join(", ")}`;
      const more = numbers.length > MAX_LINES ? ", …" : "";
      const reason = `A base is not rewritten: the old name stays in ${named}${more}.`;
      found.push({ path: stat.path, reason });
    }
  return found;
}

const MAX_LINES = 5;

/** A bare name counts in links only: elsewhere it may be any text. */
function fileInBase(from: VaultPath, to: VaultPath): RegExp {
  const [path, name, now] = [from, baseName(from), baseName(to)].map((one) => one.replace(/\.md$/i, ""));
  const links = [...(from.includes("/") ? [path] : []), ...(name === now && from.includes("/") ? [] : [name])];
  const inLink = links.map((one = "") => literalPattern(one)).join("|");
  const quoted = from.includes("/") ? `|["']/?${literalPattern(path ?? "")}` : "";
  return new RegExp(
    `(?:(?:\\b(?:link|file|hasLink)\\(\\s*["']|\\[\\[)/?(?:${inLink})${quoted})(?:\\.md)?(?=["'#|\\]])`,
    "iu",
  );
}

function folderInBase(from: VaultPath): RegExp {
  const path = literalPattern(from);
  return new RegExp(`(?:["']|\\[\\[)/?${path}/|(?:\\binFolder\\(\\s*|\\bfolder\\s*[!=]=\\s*)["']/?${path}["']`, "iu");
}

async function whyUnread(vault: Vault, path: VaultPath): Promise<string | undefined> {
  try {
    await vault.read(path);
    return undefined;
  } catch (error) {
    if (isVaultError(error, "FILE_NOT_FOUND")) return undefined;
    if (isVaultError(error) && error.code !== "UNAVAILABLE") return error.message;
  }
  const message = `'${path}' could not be read, and may link to what is to be renamed; nothing was changed.`;
  const hint = "Try again in a moment. If it stays so, check the disk, or take that file out of the vault.";
  throw refusal("UNAVAILABLE", path, message, hint);
}

export function movesBelow(from: VaultPath, to: VaultPath, paths: readonly VaultPath[]): Moves {
  const moves = new Map<VaultPath, VaultPath>();
  for (const path of paths) {
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
const ELSEWHERE = "Choose another place.";

function refusal(code: VaultError["code"], path: VaultPath, message: string, hint: string): VaultError {
  return new VaultError(code, message, { path, hint });
}

/** `Plan 2.0` has no extension. */
const EXTENSION = /\.[A-Za-z][A-Za-z0-9]{0,9}$/;

/** As spelled, with its dot; empty for `Plan 2.0`. */
function kindOf(path: VaultPath): string {
  const extension = baseName(path).slice(baseName(path).length - extensionOf(path).length);
  return /[A-Za-z]/.test(extension) ? extension : "";
}

export function withExtensionOf(from: VaultPath, to: string): string {
  const extension = kindOf(from);
  const isName = /(?:^|\/)[^/]*[^/.][^/]*$/.test(to);
  const isWhole = EXTENSION.test(to) || to.toLowerCase().endsWith(extension.toLowerCase());
  return !isName || isWhole ? to : to + extension;
}

/** A bare new name stays in the folder; `/name`, or the unchanged name, means the root. */
export function keepingFolder(from: string, to: string): string {
  const [, folder = "", name = ""] = /^(.*\/)?([^/]+)\/?$/s.exec(from) ?? [];
  const isBare = /^[^\\/]*[^\\/.\s][^\\/]*\/?$/.test(to);
  const isOwn = [name, name.replace(EXTENSION, "")].includes(to.replace(/\/$/, ""));
  return isBare && !isOwn ? folder + to : to;
}

function anotherKind(from: VaultPath, to: VaultPath): VaultError {
  const [old, now] = [kindOf(from), kindOf(to)];
  const bare = baseName(to).slice(0, baseName(to).length - now.length);
  return refusal(
    "INVALID_ARGUMENT",
    from,
    `'${to}' would be another kind of file: '${from}' ends in ${old}. Nothing was changed.`,
    `Give "${bare}${old}", or "${baseName(to)}${old}" if ${now === "" ? "that" : now} is part of the name.`,
  );
}
