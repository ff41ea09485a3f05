/** The types of the link operations. */
import type { VaultPath } from "../storage/path.js";
import type { ProgressOptions } from "../index/refresh.js";

export type { ProgressOptions } from "../index/refresh.js";

export interface Link {
  readonly from: VaultPath;
  /** From 1, in the whole file; absent in a canvas. */
  readonly line?: number;
  /** Percent-decoded, without `#` and `|`; empty for a link into its own file. */
  readonly target: string;
  /** `#Heading` or `#^block`, or empty. */
  readonly subpath: string;
  readonly display?: string;
  readonly embed: boolean;
  readonly property?: string;
  readonly to: VaultPath | undefined;
}

export interface LinkRange {
  readonly offset: number;
  readonly limit: number;
}

export interface LinkPage {
  readonly total: number;
  readonly links: readonly Link[];
}

export interface MissingFile {
  readonly count: number;
  /** The first five links to it. */
  readonly places: readonly Link[];
}

export interface MissingFiles {
  readonly total: number;
  readonly links: number;
  /** Most linked first. */
  readonly targets: readonly MissingFile[];
}

export interface UnresolvedOptions extends Partial<LinkRange> {
  readonly folder?: VaultPath | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A vault's links at one moment (docs: obsidian, "Links"). No method reads files. */
export interface LinkGraph {
  /** By exact path, else by base name in any case, the nearest first. */
  resolve(target: string, from: VaultPath): VaultPath | undefined;
  /** Whether a link leads to this file; valid across refreshes. */
  leadsTo(path: VaultPath): (target: string, from: VaultPath) => boolean;
  candidates(name: string): readonly VaultPath[];
  /** By linking path. */
  backlinks(path: VaultPath): readonly Link[];
  shownBacklinks(path: VaultPath, page: LinkRange): LinkPage;
  outgoing(path: VaultPath): readonly Link[];
  listOutgoing(path: VaultPath, page: LinkRange): LinkPage & { readonly unresolved: number };
  /** Other files, by their first links. */
  linkedFiles(path: VaultPath): readonly VaultPath[];
  unresolved(options?: UnresolvedOptions): Promise<MissingFiles>;
  /** Visible notes to which no other file links, by path. */
  orphans(signal?: AbortSignal): Promise<readonly VaultPath[]>;
  linkless(): readonly VaultPath[];
  /** The base name if unique, else the path. */
  linkText(to: VaultPath, from: VaultPath): string;
  /** Includes attachments and hidden files. */
  has(path: VaultPath): boolean;
  /** False for templates and excluded files. */
  isShown(path: VaultPath): boolean;
}

export interface Unseen {
  readonly unread: readonly VaultPath[];
  /** Notes, and folders that may hold some. */
  readonly unlisted: readonly { readonly path: string; readonly message: string }[];
}

export interface MoveOptions extends ProgressOptions {
  /** By old path: whether it may be moved and named; default all. */
  readonly isNamed?: (path: VaultPath) => boolean;
}

export interface Relocation {
  readonly from: VaultPath;
  readonly to: VaultPath;
  readonly kind: "file" | "folder";
  /** Number of files, for a folder. */
  readonly moved: number;
  /** Rewritten ones, and their files. */
  readonly links: number;
  readonly rewritten: readonly VaultPath[];
  readonly folder?: VaultPath | undefined;
  /** Notes with a rewritten plain name. */
  readonly named?: readonly VaultPath[] | undefined;
  readonly oldNames?: readonly string[] | undefined;
  /** Notes whose links could not be read or rewritten, and folders that may hold some. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** Undefined without a journal. */
  readonly operation: string | undefined;
  readonly undoable: boolean;
  /** False when the disk could not confirm it. */
  readonly durable: boolean;
}

/** Pure: runs again after a concurrent write. */
export type JoinTexts = (text: string, other: string) => string;

export interface Merge extends Relocation {
  /** Undefined after permanent removal. */
  readonly trashedTo: VaultPath | undefined;
}
