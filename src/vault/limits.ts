/** Decides what may be read and written. */
import { VaultError } from "../errors.js";
import { assertWritable, isHidden, type VaultPath } from "../storage/path.js";
import { fileNotFound, notWritable } from "../storage/errors.js";
import type { Storage, StoredFile } from "../storage/storage.js";
import { decodeText, encodeText } from "../storage/note-text.js";

export interface AccessOptions {
  /** Default false. */
  readonly readOnly?: boolean | undefined;
  /** Bytes of a note; default 10 MiB. */
  readonly maxFileSize?: number | undefined;
  /** Not Obsidian's settings; default false. */
  readonly allowHidden?: boolean | undefined;
}

export const DEFAULT_MAX_FILE_SIZE = 10 * 1024 * 1024;

export type Access = ReturnType<typeof accessTo>;

export function accessTo(storage: Storage, options: AccessOptions) {
  const { readOnly = false, maxFileSize = DEFAULT_MAX_FILE_SIZE, allowHidden = false } = options;

  function assertMayWrite(path: VaultPath): void {
    if (readOnly)
      throw new VaultError("PERMISSION_DENIED", "The server is read-only; nothing was changed.", {
        hint: "Start it without --read-only to allow changes.",
      });
    assertWritable(path);
    assertVisible(path);
    if (storage.mayWrite?.(path) === false) throw notWritable(path);
  }

  function assertVisible(path: VaultPath): void {
    if (allowHidden || !isHidden(path)) return;
    throw new VaultError("PERMISSION_DENIED", "The path is hidden (a part of it begins with a dot).", {
      hint: "Hidden files and folders are closed to this server.",
    });
  }

  function textOf(path: VaultPath, file: StoredFile): string {
    assertSize(path, file.stat.size);
    const text = decodeText(file.bytes);
    if (text !== undefined) return text;
    throw new VaultError("NOT_TEXT", `'${path}' is not UTF-8 text.`, {
      path,
      hint: "Only UTF-8 text files can be read and changed; convert it to UTF-8 first.",
    });
  }

  function bytesOf(path: VaultPath, text: string): Uint8Array {
    const bytes = encodeText(text);
    assertSize(path, bytes.length);
    return bytes;
  }

  function assertSize(path: VaultPath, bytes: number): void {
    if (bytes <= maxFileSize) return;
    const [have, most] = [bytes, maxFileSize].map((size) => `${Math.ceil(size / 1024).toLocaleString("en-US")} KiB`);
    throw new VaultError("TOO_LARGE", `'${path}' has ${have}; the most a file may have is ${most}.`, {
      path,
      hint: "Raise MAX_FILE_SIZE, or split the note.",
    });
  }

  async function missing(path: VaultPath): Promise<VaultError> {
    if ((await storage.children(path)) !== undefined)
      return new VaultError("INVALID_ARGUMENT", `'${path}' is a folder, not a file.`, {
        path,
        hint: "Name a file in it.",
      });
    storage.assertHere?.(path);
    return fileNotFound(path);
  }

  return { readOnly, assertMayWrite, assertVisible, textOf, bytesOf, assertSize, missing };
}
