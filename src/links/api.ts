/** The types of the link operations. */
import type { VaultPath } from "../storage/path.js";
import type { ProgressOptions } from "../index/refresh.js";

export type { ProgressOptions } from "../index/refresh.js";

export interface Link {
  readonly from: VaultPath;
  /** From 1, in the whole file; absent in a canvas. */
  readonly line?: number;
  /** The path or name before `#` and `|`, percent-decoded; empty for a link into its own file. */
  readonly target: string;
  /** `#Heading` or `#^block`; empty without one. */
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

/** Linked, but not in the vault. */
export interface MissingFile {
  readonly count: number;
  /** The first five. */
  readonly places: readonly Link[];
}

export interface MissingFiles {
  readonly total: number;
  readonly links: number;
  /** The most linked first. */
  readonly targets: readonly MissingFile[];
}

export interface UnresolvedOptions extends Partial<LinkRange> {
  readonly folder?: VaultPath | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A vault's links at one moment (docs: obsidian, "Links"). No method reads files. */
export interface LinkGraph {
  /** By exact path, then base name (case and Unicode form ignored), of several the nearest. */
  resolve(target: string, from: VaultPath): VaultPath | undefined;
  /** Whether a link leads to this file, also after the next refresh. */
  leadsTo(path: VaultPath): (target: string, from: VaultPath) => boolean;
  candidates(name: string): readonly VaultPath[];
  /** In the order of the linking paths. */
  backlinks(path: VaultPath): readonly Link[];
  /** Only from visible files. */
  shownBacklinks(path: VaultPath, page: LinkRange): LinkPage;
  outgoing(path: VaultPath): readonly Link[];
  listOutgoing(path: VaultPath, page: LinkRange): LinkPage & { readonly unresolved: number };
  /** Other files, in the order of their first links. */
  linkedFiles(path: VaultPath): readonly VaultPath[];
  unresolved(options?: UnresolvedOptions): Promise<MissingFiles>;
  /** Visible notes to which no other file links, in the order of paths. */
  orphans(signal?: AbortSignal): Promise<readonly VaultPath[]>;
  /** Visible notes without any link. */
  linkless(): readonly VaultPath[];
  /** The base name if unique, else the path. */
  linkText(to: VaultPath, from: VaultPath): string;
  /** Also for attachments and hidden files. */
  has(path: VaultPath): boolean;
  /** False for templates and excluded files. */
  isShown(path: VaultPath): boolean;
}

/** Files whose links are unknown. */
export interface Unseen {
  readonly unread: readonly VaultPath[];
  /** Notes, and folders that may hold some, that could not be listed. */
  readonly unlisted: readonly { readonly path: string; readonly message: string }[];
}

export interface MoveOptions extends ProgressOptions {
  /** Whether the file at this old path may be moved and named in the answer; default: all may. */
  readonly isNamed?: (path: VaultPath) => boolean;
}

/** What is renamed with a note, such as a project's folder. */
export interface Companions {
  /** Its own, which gets the new name too. */
  readonly folder: { readonly from: VaultPath; readonly to: VaultPath } | undefined;
  /** Notes that name it in plain text, and their change, which is pure. */
  readonly named: readonly VaultPath[];
  rename(text: string): string;
  /** What keeps the old name, in sentences. */
  readonly oldNames: readonly string[];
}

export interface Relocation {
  readonly from: VaultPath;
  readonly to: VaultPath;
  readonly kind: "file" | "folder";
  /** For a folder, the number of its files. */
  readonly moved: number;
  /** Rewritten links, and their notes and canvases. */
  readonly links: number;
  readonly rewritten: readonly VaultPath[];
  /** Of a project, renamed with its note. */
  readonly folder?: VaultPath | undefined;
  /** Notes in which a plain name was rewritten. */
  readonly named?: readonly VaultPath[] | undefined;
  readonly oldNames?: readonly string[] | undefined;
  /**
   * Notes whose links could not be rewritten or read, and folders that may hold such notes. For display: paths may be
   * invalid.
   */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** `op-...`; undefined without a journal. */
  readonly operation: string | undefined;
  readonly undoable: boolean;
  /** False when the disk could not confirm it. */
  readonly durable: boolean;
}

/** Pure: called again when another program has written meanwhile. */
export type JoinTexts = (text: string, other: string) => string;

export interface Merge extends Relocation {
  /** Undefined: removed permanently. */
  readonly trashedTo: VaultPath | undefined;
}
