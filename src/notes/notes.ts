/**
 * The types of the note operations: finding, reading, writing, summarising. `service.ts` implements them (docs:
 * notes-and-files).
 */
import type { Merge, ProgressOptions } from "../links/links.js";
import type { VaultPath } from "../storage/path.js";
import type { Revision } from "../storage/storage.js";
import type { ChangedNotes, OtherChange } from "./bulk-edit.js";
import type { FoundAttachments } from "./find-attachments.js";
import type { FoundNotes, NoteSearch } from "./find.js";
import type { MergedNote } from "./merge.js";
import type { RenamedPart } from "./rename-part.js";
import type { RenamedTag } from "./rename-tag.js";
import type { Summary } from "./summary.js";
import type { TagCount } from "./tag-counts.js";

export interface NoteText {
  readonly path: VaultPath;
  /** The whole file as text, byte order mark included. */
  readonly text: string;
  readonly revision: Revision;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

export interface WrittenNote {
  readonly path: VaultPath;
  readonly revision: Revision;
  readonly undoable: boolean;
  readonly durable: boolean;
}

export interface NoteDraft {
  /** The note's name, `.md` optional; with a slash its path from the vault's root. */
  readonly name: string;
  /** Default: where Obsidian's settings put new notes. */
  readonly folder?: string | undefined;
  readonly content?: string | undefined;
  /** Names a note in the vault's templates folders; `content` goes below it. */
  readonly template?: string | undefined;
  /** Replace the text of an existing note; default false. */
  readonly overwrite?: boolean | undefined;
  /** The revision that the caller read of the note to be replaced. */
  readonly expected?: string | undefined;
}

export interface CreatedNote extends WrittenNote {
  /** False: the text of an existing note was replaced. */
  readonly created: boolean;
  /** The existing note already has this text; nothing was written. */
  readonly unchanged: boolean;
  /** Placeholders of the template without a value. They stay in the note. */
  readonly unfilled: readonly string[];
}

export interface ChangeOptions extends ProgressOptions {
  /** The revision the caller read; CONFLICT when the note has changed since. */
  readonly expected?: string | undefined;
}

export type Properties = Readonly<Record<string, string>>;

/** Of these properties of a note those that are fields of the task that it is, and their change; undefined where there are none. */
export type TaskFields = (
  path: VaultPath,
  properties: Properties,
) => Promise<(OtherChange & { readonly keys: readonly string[] }) | undefined>;

export interface PlanOptions extends ProgressOptions {
  /** The plan to carry out, as an earlier answer named it. */
  readonly plan?: string | undefined;
}

export interface AddOptions extends ChangeOptions {
  /** Create a daily note that does not exist; default false. */
  readonly create?: boolean | undefined;
}

export interface AppendOptions extends AddOptions {
  /** Insert at the end of this heading's section; `#`s in front of it select its level. Default: the note's end. */
  readonly heading?: string | undefined;
}

export interface AddedToNote extends WrittenNote {
  readonly created: boolean;
}

export interface PatchedNote extends WrittenNote {
  readonly hunks: number;
  /** Lines. */
  readonly added: number;
  readonly removed: number;
}

export interface DeleteNoteOptions extends ChangeOptions {
  readonly permanent?: boolean | undefined;
}

export interface DeletedNote {
  readonly path: VaultPath;
  /** Undefined: removed for good. */
  readonly trashedTo: VaultPath | undefined;
  readonly undoable: boolean;
  /** False when the disk could not confirm the change. */
  readonly durable: boolean;
  /** Links to it from other files, and the number of those files. */
  readonly links: number;
  readonly linkingFiles: number;
}

export type MergedNotes = Merge & Omit<MergedNote, "text">;

export interface SummarisedNote extends Summary {
  readonly path: VaultPath;
}

/**
 * `reference` is always a name, a path (`.md` optional), a `[[link]]`, a `mcp-obsidian://` URI or the day of a daily note. All
 * methods may throw FILE_NOT_FOUND, AMBIGUOUS_NAME with candidates, INVALID_ARGUMENT for a file that is not a note, NOT_TEXT,
 * TOO_LARGE, PERMISSION_DENIED; those that write also CONFLICT.
 */
export interface Notes {
  /**
   * The file that a reference means: as `Links.find`, else the one note with that title or alias, else the daily note of that
   * day (`2026-11-23`, `today`, `daily`, `last friday`). @throws VaultError AMBIGUOUS_NAME, FILE_NOT_FOUND, PERMISSION_DENIED,
   * INVALID_ARGUMENT
   */
  locate(reference: string, options?: ProgressOptions): Promise<VaultPath>;
  /**
   * Notes by words and filters, ranked or sorted, with the requested amount of their text. @throws VaultError INVALID_ARGUMENT
   * (a day, the folder), FILE_NOT_FOUND (the folder), PERMISSION_DENIED; the signal's reason
   */
  find(search?: NoteSearch): Promise<FoundNotes>;
  /** Files that are no notes. @throws VaultError as `find`, and for a filter that only notes pass */
  findAttachments(search?: NoteSearch): Promise<FoundAttachments>;
  /** The tags of all notes, or of those that `inFolder` accepts, the most frequent first. */
  tags(inFolder?: (path: VaultPath) => boolean, options?: ProgressOptions): Promise<readonly TagCount[]>;
  read(reference: string, options?: ProgressOptions): Promise<NoteText>;
  /** @throws VaultError ALREADY_EXISTS, INVALID_ARGUMENT for an invalid name */
  create(draft: NoteDraft): Promise<CreatedNote>;
  /**
   * Adds lines at the end of a note or of one of its sections. @throws VaultError INVALID_ARGUMENT when there is no such
   * heading, or several
   */
  append(reference: string, content: string, options?: AppendOptions): Promise<AddedToNote>;
  /** Adds lines at the beginning of a note, below its frontmatter. */
  prepend(reference: string, content: string, options?: AddOptions): Promise<AddedToNote>;
  /** Replaces what is below a heading, down to the next of its level or above. @throws VaultError INVALID_ARGUMENT as `append` does, and on a board */
  replaceSection(reference: string, heading: string, content: string, options?: ChangeOptions): Promise<WrittenNote>;
  /**
   * Sets properties of notes: of each that is named, or of those that a search finds.
   * Values are texts as `propertyChange` reads them. @throws VaultError INVALID_ARGUMENT, CONFLICT for a plan that does not fit any more
   */
  setProperties(
    notes: readonly string[] | NoteSearch,
    properties: Properties,
    options?: PlanOptions,
  ): Promise<ChangedNotes>;
  /**
   * Renames a tag and those below it in frontmatter and text of all notes; without `plan` it answers what would change. @throws
   * VaultError INVALID_ARGUMENT for what is no tag, or the same one; FILE_NOT_FOUND when no note has it; CONFLICT
   */
  renameTag(from: string, to: string, options?: PlanOptions): Promise<RenamedTag>;
  /**
   * Renames a heading (`Heading`, `Heading#Heading below`) or a block id (`^id`), and every link to it. @param to its new name,
   * alone or behind the note's @throws VaultError INVALID_ARGUMENT with the outline
   */
  renamePart(reference: string, subpath: string, to: string, options?: ProgressOptions): Promise<RenamedPart>;
  /** Merges a note into another (`Links.merge`). @throws VaultError INVALID_ARGUMENT for a board, and for one and the same note */
  merge(reference: string, into: string, options?: ProgressOptions): Promise<MergedNotes>;
  /** Applies a unified diff. @throws VaultError INVALID_ARGUMENT with the hunk and line that do not fit */
  patch(reference: string, patch: string, options?: ChangeOptions): Promise<PatchedNote>;
  delete(reference: string, options?: DeleteNoteOptions): Promise<DeletedNote>;
  summarise(reference: string, maxWords: number, options?: ProgressOptions): Promise<SummarisedNote>;
}
