/** The types of the link operations. */
import type { VaultPath } from "../storage/path.js";
import type { Progress } from "../index/refresh.js";

/** One link as it is written in a note, a property or a canvas. */
export interface Link {
  readonly from: VaultPath;
  /** Counted from 1, in the whole file; absent in a canvas. */
  readonly line?: number;
  /** As written: the path or name before `#` and `|`, percent-decoded; empty for a link into its own file. */
  readonly target: string;
  /** `#Heading` or `#^block`; empty without one. */
  readonly subpath: string;
  readonly display?: string;
  readonly embed: boolean;
  /** The frontmatter key that holds it. */
  readonly property?: string;
  /** The file it leads to as Obsidian resolves it; undefined for a broken link. */
  readonly to: VaultPath | undefined;
}

/** Links that are parsed only when read: a note may have a hundred thousand. */
export interface LinkList {
  readonly length: number;
  slice(start: number, end: number): readonly Link[];
}

/** A broken link. */
export interface UnresolvedLink {
  readonly from: VaultPath;
  readonly target: string;
  link(): Link;
}

/** The links of a vault at one moment (docs: obsidian, "Links"). No method reads files. */
export interface LinkGraph {
  /**
   * The file a link's target leads to, seen from a note: exact path, then base name (case and Unicode form ignored), of several
   * the nearest.
   */
  resolve(target: string, from: VaultPath): VaultPath | undefined;
  /** All files a bare name may mean, for AMBIGUOUS_NAME. */
  candidates(name: string): readonly VaultPath[];
  /** Links to a file, in the order of the paths they come from. */
  backlinks(path: VaultPath): readonly Link[];
  /** Only backlinks from visible files. Valid until the next `await`. */
  shownBacklinks(path: VaultPath): LinkList;
  /** A file's own links in their order. */
  outgoing(path: VaultPath): readonly Link[];
  /** The outgoing links, and how many are broken. Valid until the next `await`. */
  listOutgoing(path: VaultPath): LinkList & { readonly unresolved: number };
  /** The other files that a file links to, in the order of their first links. */
  linkedFiles(path: VaultPath): readonly VaultPath[];
  /** Broken links of visible notes, in the order of paths. */
  unresolved(): Iterable<UnresolvedLink>;
  /** Notes that no other file links to, in the order of paths. */
  orphans(): readonly VaultPath[];
  /** The shortest text of a link from `from` to `to`: the base name where it is unique, else the path. */
  linkText(to: VaultPath, from: VaultPath): string;
  /** Every file of the vault, attachments and hidden files included. */
  has(path: VaultPath): boolean;
  /**
   * Whether answers show the file: it exists, is not a template and is not excluded. The links of other files are listed
   * nevertheless.
   */
  isShown(path: VaultPath): boolean;
}

export interface ProgressOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface MoveOptions extends ProgressOptions {
  /**
   * Whether a file, by its path before, may be moved and named in the answer; default: all may. Links of the others are updated
   * too.
   */
  readonly isNamed?: (path: VaultPath) => boolean;
}

/** The result of a rename. */
export interface Relocation {
  readonly from: VaultPath;
  readonly to: VaultPath;
  readonly kind: "file" | "folder";
  /** Files that moved: 1, or those of the folder. */
  readonly moved: number;
  /** Links that were rewritten, and in which notes and canvases. */
  readonly links: number;
  readonly rewritten: readonly VaultPath[];
  /**
   * Notes whose links could not be rewritten or read, and folders that may hold such notes, each with the reason. The rename
   * itself is done. For display only: a name that cannot be listed may break the rules of paths.
   */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** Whether `undo_edit` can undo it. */
  readonly undoable: boolean;
  /** False when the disk could not confirm all of it. */
  readonly durable: boolean;
}

/** Pure: it is called again when another program has written meanwhile. */
export type JoinTexts = (text: string, other: string) => string;

export interface Merge extends Relocation {
  /** Undefined: the merged note was removed for good, because the storage keeps no trash. */
  readonly trashedTo: VaultPath | undefined;
}
