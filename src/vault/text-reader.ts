/** Reads many texts and reports unreadable files. */
import { isUtf8 } from "node:buffer";
import { asBuffer } from "../storage/note-text.js";
import type { VaultPath } from "../storage/path.js";
import { isUnreadable, type FileStat, type Storage } from "../storage/storage.js";

export interface ReadText {
  readonly stat: FileStat;
  /** Whole and valid UTF-8. */
  readonly bytes: Buffer;
}

/** Not text, or unreadable. */
export interface SkippedFile {
  /** For display: may be an invalid path. */
  readonly path: string;
  /** A sentence that names the file. */
  readonly message: string;
}

export interface ReadTextsOptions {
  readonly onSkipped?: ((file: SkippedFile) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined;
}

/** Sorted by path, without removed files. @param maxBytes larger files are skipped */
export async function* readTexts(
  storage: Storage,
  maxBytes: number,
  files: readonly FileStat[],
  { onSkipped, signal, onProgress }: ReadTextsOptions = {},
): AsyncGenerator<readonly ReadText[]> {
  const tooLarge = ({ path, size }: FileStat): void => {
    const [have, most] = [size, maxBytes].map((bytes) => Math.ceil(bytes / 1024).toLocaleString("en-US"));
    onSkipped?.({ path, message: `'${path}' has ${have} KiB; the most a file may have is ${most} KiB.` });
  };
  const wanted: VaultPath[] = [];
  for (const file of files)
    if (file.size > maxBytes) tooLarge(file);
    else wanted.push(file.path);
  if (wanted.length === 0) return;
  let done = 0;
  for await (const batch of storage.readMany(wanted.sort(), { limit: maxBytes, ...(signal && { signal }) })) {
    const texts: ReadText[] = [];
    for (const file of batch) {
      if (isUnreadable(file)) onSkipped?.({ path: file.path, message: file.error.message });
      else if (file.bytes.length < file.stat.size) tooLarge(file.stat);
      else if (isUtf8(file.bytes)) texts.push({ stat: file.stat, bytes: asBuffer(file.bytes) });
      else onSkipped?.({ path: file.stat.path, message: `'${file.stat.path}' is not UTF-8 text.` });
    }
    onProgress?.({ done: (done += batch.length), total: wanted.length });
    yield texts;
  }
}
