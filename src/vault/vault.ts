/** One vault: reads notes strictly as text and is the only way a note is changed. */
import type { Revision, FileStat, WrittenFile } from "../storage/storage.js";
import type { VaultPath } from "../storage/path.js";

export interface Note {
  readonly path: VaultPath;
  readonly text: string;
  readonly revision: Revision;
  readonly stat: FileStat;
}

/** What an edit did; `changed` is false when the text came out as it was and nothing was written. */
export interface EditOutcome {
  readonly path: VaultPath;
  readonly text: string;
  readonly changed: boolean;
  readonly file: WrittenFile | undefined;
}

export interface VaultOptions {
  /** Refuse every write with PERMISSION_DENIED. */
  readonly readOnly?: boolean;
  /** Bytes a note may have; default 10 MiB (`MAX_FILE_SIZE`). */
  readonly maxFileSize?: number;
}

export interface Vault {
  readonly name: string;
}
