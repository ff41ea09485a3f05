/** What changes of tasks need from the vault. */
import type { Mutex } from "async-mutex";
import type { VaultPath } from "../../storage/path.js";
import type { Vault } from "../../vault/vault.js";
import type { TaskFinder } from "../query/finder.js";
import type { TaskIndex } from "../task-index.js";

export interface NoteLinks {
  find(reference: string): Promise<VaultPath>;
  /** The shortest. */
  linkText(to: VaultPath, from: VaultPath): Promise<string>;
  linksTaken(path: VaultPath): Promise<string | undefined>;
  /** No `line` in a canvas. */
  backlinks(path: VaultPath): Promise<readonly { readonly from: VaultPath; readonly line?: number }[]>;
  /** For text that moves to another note: keeps the destinations of its links. */
  carried(text: string, way: { readonly from: VaultPath; readonly to: VaultPath }): Promise<string>;
  /** That most notes have as a list. */
  lists(properties: readonly string[]): Promise<ReadonlySet<string>>;
  /** Links to a part that the note loses with these lines. */
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
