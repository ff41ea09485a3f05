/** Reads the texts of many files and reports unreadable ones. */
import { isUtf8 } from "node:buffer";
import { asBuffer } from "../storage/note-text.js";
import { isUnreadable, type FileStat, type Storage } from "../storage/storage.js";

export interface ReadText {
  readonly stat: FileStat;
  /** Whole and valid UTF-8. */
  readonly bytes: Buffer;
}

/** Not text, or unreadable. */
export interface SkippedFile {
  /** For display: may break the rules of paths. */
  readonly path: string;
  /** A sentence that names the file. */
  readonly message: string;
}

interface ReadTextsOptions {
  readonly onSkipped?: ((file: SkippedFile) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined;
}

export class TextReader {
  readonly #storage: Storage;
  readonly #maxBytes: number;

  /** @param maxBytes larger files are skipped */
  constructor(storage: Storage, maxBytes: number) {
    this.#storage = storage;
    this.#maxBytes = maxBytes;
  }

  /** In the order given. Files that are gone are omitted. */
  async *read(
    files: readonly FileStat[],
    { onSkipped, signal, onProgress }: ReadTextsOptions = {},
  ): AsyncGenerator<readonly ReadText[]> {
    const wanted: FileStat[] = [];
    for (const file of files)
      if (file.size > this.#maxBytes) onSkipped?.(this.#tooLarge(file));
      else wanted.push(file);
    const paths = wanted.map(({ path }) => path).sort();
    if (paths.length === 0) return;
    let done = 0;
    for await (const batch of this.#storage.readMany(paths, { limit: this.#maxBytes, ...(signal && { signal }) })) {
      const texts: ReadText[] = [];
      for (const file of batch) {
        if (isUnreadable(file)) onSkipped?.({ path: file.path, message: file.error.message });
        else if (file.bytes.length < file.stat.size) onSkipped?.(this.#tooLarge(file.stat));
        else if (isUtf8(file.bytes)) texts.push({ stat: file.stat, bytes: asBuffer(file.bytes) });
        else onSkipped?.({ path: file.stat.path, message: `'${file.stat.path}' is not UTF-8 text.` });
      }
      onProgress?.({ done: (done += batch.length), total: paths.length });
      yield texts;
    }
  }

  #tooLarge({ path, size }: FileStat): SkippedFile {
    const [have, most] = [size, this.#maxBytes].map((bytes) => Math.ceil(bytes / 1024).toLocaleString("en-US"));
    return { path, message: `'${path}' has ${have} KiB; the most a file may have is ${most} KiB.` };
  }
}
