/** Where a vault's undo journal lies: drawers of small files that several processes fill and empty at the same time. */

/**
 * What a journal needs of its driver. Everything but flushing is done in one go, so that nothing of this process comes between.
 * Calls fail with whatever error the driver has; the journal takes any of them for "this cannot be kept".
 */
export interface JournalPlace {
  /** Names this process, so that others can tell whether it still runs. */
  readonly maker: string;
  /** Whether the process of that name has ended; in doubt it runs. `since`: milliseconds since the epoch at which it ran. */
  hasEnded(maker: string, since: number): boolean;
  /** The names in a drawer, unsorted; none when there is no such drawer. */
  list(drawer: string): readonly string[];
  /** Undefined when there is no such file. */
  read(drawer: string, name: string): Uint8Array | undefined;
  /** Makes a file, readable by its owner only, and fails when it is there. The promise: it would survive a power cut. */
  add(drawer: string, name: string, bytes: Uint8Array): Promise<void>;
  /** Adds to the end of a file, which is made when missing. */
  append(drawer: string, name: string, bytes: Uint8Array): { readonly size: number; flush(): Promise<void> };
  /** Replaces what a file holds. */
  overwrite(drawer: string, name: string, bytes: Uint8Array): void;
  /** @returns whether there was such a file */
  rename(drawer: string, from: string, to: string): boolean;
  /** @returns whether there was such a file */
  remove(drawer: string, name: string): boolean;
}

export interface JournalOptions {
  /** Where it lies, perhaps loaded when it is first needed; default: in memory, as long as the vault is open. */
  readonly place?: JournalPlace | (() => Promise<JournalPlace>) | undefined;
  /** Steps a file may have; the oldest go first. Default 100 (`UNDO_STACK_LIMIT`). */
  readonly limit?: number | undefined;
  /** Bytes of all steps of a vault; the oldest go first. Default 100 MiB (`UNDO_MAX_SIZE`). */
  readonly maxSize?: number | undefined;
}
