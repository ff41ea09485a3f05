/** What changes of tasks need of the vault. */
import type { Mutex } from "async-mutex";
import type { VaultPath } from "../../storage/path.js";
import type { Vault } from "../../vault/vault.js";
import type { TaskFinder } from "../query/finder.js";
import type { TaskIndex } from "../task-index.js";

export interface NoteLinks {
  find(reference: string): Promise<VaultPath>;
  /** Shortest link text. */
  linkText(to: VaultPath, from: VaultPath): Promise<string>;
  /** What links lead to a new note with a name that others have. */
  linksTaken(path: VaultPath): Promise<string | undefined>;
  /** No `line` in a canvas. */
  backlinks(path: VaultPath): Promise<readonly { readonly from: VaultPath; readonly line?: number }[]>;
  /** A text that moves to another note, its links still leading to the same targets. */
  carried(text: string, way: { readonly from: VaultPath; readonly to: VaultPath }): Promise<string>;
  /** Those that most notes have as a list. */
  lists(properties: readonly string[]): Promise<ReadonlySet<string>>;
  /** How many links lead to a part that the note loses with the lines from `start` to `end` of `text`. */
  lost(
    path: VaultPath,
    parts: { readonly text: string; readonly rest: string; readonly start: number; readonly end: number },
  ): Promise<number>;
}

export interface WriteContext {
  readonly vault: Vault;
  readonly index: TaskIndex;
  readonly finder: TaskFinder;
  readonly links: NoteLinks | undefined;
  /** One creation at a time: titles that differ only in case must see each other's file. */
  readonly creating: Mutex;
}
