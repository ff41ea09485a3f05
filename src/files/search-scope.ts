/** Selects the files of a text search. */
import { isVaultError } from "../errors.js";
import { extensionOf, folderPath, ROOT, type VaultPath } from "../storage/path.js";
import type { FileStat, UnlistedEntry } from "../storage/storage.js";
import type { RefreshOptions } from "../index/refresh.js";
import { leftOut } from "../index/unlisted.js";
import type { SkippedFile } from "../vault/text-reader.js";
import type { Vault } from "../vault/vault.js";
import { pathsNear, noSuchFile } from "./refusals.js";

export interface SearchedFiles {
  readonly files: readonly FileStat[];
  /** Notes and folders of the scope that cannot be listed. */
  readonly skipped: readonly SkippedFile[];
}

/** Kinds of files without searchable text; they are not opened. */
const BINARY = new Set(
  `.png .jpg .jpeg .gif .webp .avif .heic .bmp .ico .tif .tiff .psd .pdf .mp3 .wav .m4a .ogg .oga .opus .flac .aac .3gp .mp4 .m4v .webm
  .ogv .mov .mkv .avi .zip .gz .tgz .bz2 .xz .7z .rar .tar .docx .xlsx .pptx .doc .xls .ppt .odt .ods .odp .epub .mobi .ttf .otf .woff
  .woff2 .exe .dll .so .dylib .wasm .class .jar .bin .dmg .iso .db .sqlite .sqlite3`.split(/\s+/),
);

/**
 * The files in and below a folder, or the file at a path; without a path all visible files. Hidden files (templates, what the
 * user excluded) are searched only if there are no others. @throws VaultError FILE_NOT_FOUND, PERMISSION_DENIED, and as
 * `folderPath` does
 */
export async function searchedFiles(
  vault: Vault,
  path: string | undefined,
  look: Pick<RefreshOptions, "signal" | "onProgress">,
): Promise<SearchedFiles> {
  const place = folderPath(path ?? "", vault.pathRules);
  const view = await vault.index.refresh({ ...look, facts: [], files: true });
  const skipped = skippedWithin(view.unlisted, place);
  if (place === ROOT) return { files: view.files().filter(mayBeText), skipped };
  const within = (files: readonly FileStat[]): FileStat[] => files.filter((file) => isWithin(file.path, place));
  const shown = within(view.files());
  const found = shown.length > 0 ? shown : within(view.files({ hidden: true }));
  if (found.length > 0) return { files: found.filter(mayBeText), skipped };
  // No known file is below it: the path is a file, an empty folder, or nothing.
  const isFolder = (await vault.children(place)) !== undefined;
  return { files: isFolder ? [] : [await statOf(vault, place)], skipped };
}

async function statOf(vault: Vault, place: VaultPath): Promise<FileStat> {
  try {
    return await vault.stat(place);
  } catch (error) {
    throw isVaultError(error, "FILE_NOT_FOUND") ? noSuchFile(place, await pathsNear(place, vault)) : error;
  }
}

function isWithin(path: VaultPath, place: VaultPath): boolean {
  return place === ROOT || (path.startsWith(place) && path.charAt(place.length) === "/");
}

function mayBeText({ path }: FileStat): boolean {
  return path.endsWith(".md") || !BINARY.has(extensionOf(path));
}

function skippedWithin(unlisted: readonly UnlistedEntry[], place: VaultPath): SkippedFile[] {
  return leftOut(unlisted.filter(({ folder }) => folder === place || isWithin(folder, place))).map(
    ({ path, message }) => ({ path, message: `'${path}': ${message}` }),
  );
}
