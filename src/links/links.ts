/** What may be asked about links between the files of a vault; `service.ts` answers it. */
import type { VaultPath } from "../storage/path.js";
import type { Progress } from "../index/refresh.js";

/** One link as it is written in a note, a property or a canvas. */
export interface Link {
  readonly from: VaultPath;
  /** Counted from 1, in the whole file; absent in a canvas. */
  readonly line?: number;
  /** As written: the path or name before `#` and `|`, decoded where it was percent-encoded; empty for a link into its own file. */
  readonly target: string;
  /** `#Heading` or `#^block`; empty without one. */
  readonly subpath: string;
  readonly display?: string;
  readonly embed: boolean;
  /** The frontmatter key it stands under. */
  readonly property?: string;
  /** The file it leads to as Obsidian resolves it; undefined when it leads nowhere. */
  readonly to: VaultPath | undefined;
}

/** Links of which only a part will be shown: a note may have a hundred thousand, and only those shown are parsed. */
export interface LinkList {
  readonly length: number;
  slice(start: number, end: number): readonly Link[];
}

/** A link that leads nowhere; most are only counted. */
export interface UnresolvedLink {
  readonly from: VaultPath;
  readonly target: string;
  link(): Link;
}

/** The links of a vault at one moment (docs: obsidian, "Links"). Answers take milliseconds: nothing is read. */
export interface LinkGraph {
  /** The file a link's target leads to, seen from a note: exact path, then base name (case and Unicode form ignored), of several the nearest. */
  resolve(target: string, from: VaultPath): VaultPath | undefined;
  /** All files a bare name may mean, for AMBIGUOUS_NAME. */
  candidates(name: string): readonly VaultPath[];
  /** Links that lead to a file, in the order of the paths they come from. */
  backlinks(path: VaultPath): readonly Link[];
  /** Only backlinks from files that answers show. Use it before awaiting anything else. */
  shownBacklinks(path: VaultPath): LinkList;
  /** A file's own links in the order they stand in it. */
  outgoing(path: VaultPath): readonly Link[];
  /** The outgoing links, and how many of them lead nowhere. Use it before awaiting anything else. */
  listOutgoing(path: VaultPath): LinkList & { readonly unresolved: number };
  /** The other files that a file's links lead to, in the order they are first named in it. */
  linkedFiles(path: VaultPath): readonly VaultPath[];
  /** Links of notes that are shown in answers and that lead nowhere, in the order of paths. */
  unresolved(): Iterable<UnresolvedLink>;
  /** Notes that no other file links to, in the order of paths. */
  orphans(): readonly VaultPath[];
  /** The shortest text that a link may have to lead to `to` from `from`: the base name where it is unique, else the path. */
  linkText(to: VaultPath, from: VaultPath): string;
  /** Every file of the vault, attachments included, whether shown in answers or not. */
  has(path: VaultPath): boolean;
  /** Whether answers show the file: it exists, is no template and is not excluded. Links of hidden files are told all the same. */
  isShown(path: VaultPath): boolean;
}

export interface LookOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface MoveOptions extends LookOptions {
  /** Whether a file, by its path before, may be moved along and named in the answer; default: all may. Links of the others are kept right. */
  readonly isNamed?: (path: VaultPath) => boolean;
}

/** What a rename did. */
export interface Relocation {
  readonly from: VaultPath;
  readonly to: VaultPath;
  readonly kind: "file" | "folder";
  /** Files that moved: 1, or those of the folder. */
  readonly moved: number;
  /** Links that were rewritten, and in how many notes and canvases. */
  readonly links: number;
  readonly rewritten: readonly VaultPath[];
  /**
   * Notes whose links could not be rewritten or not even read, and folders that may hold such notes, each with the reason. The rename
   * itself is done. For reading only: a name that cannot be listed may break the rules for paths.
   */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** Whether `undo_edit` can take it back. */
  readonly undoable: boolean;
  /** False when the disk could not confirm all of it. */
  readonly durable: boolean;
}

export interface Links {
  /** The graph as of the time of the call. */
  graph(options?: LookOptions): Promise<LinkGraph>;
  /**
   * The file a caller means by a path (`.md` optional; from the vault's root or, inside the vault, from the machine's), a URI of ours or of
   * Obsidian's, a link or a bare name.
   * @throws VaultError FILE_NOT_FOUND with the nearest names, AMBIGUOUS_NAME with candidates, INVALID_ARGUMENT (another vault's URI)
   */
  find(reference: string, options?: LookOptions): Promise<VaultPath>;
  /** A path as text; one that is absolute on this machine and lies in the vault as the path from the vault's root. Nothing is checked. */
  fromRoot(text: string): Promise<string>;
  /**
   * Renames a note, an attachment or a folder and rewrites every link that would break (docs: obsidian, "Links").
   * @throws VaultError FILE_NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED, INVALID_ARGUMENT
   */
  move(from: VaultPath, to: VaultPath, options?: MoveOptions): Promise<Relocation>;
}
