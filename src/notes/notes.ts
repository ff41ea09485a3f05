/** The types of the note operations, which `service.ts` implements (docs: notes-and-files). */
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
  /** The whole file, byte order mark included. */
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
  /** `.md` optional; with a slash, a path from the vault's root. */
  readonly name: string;
  /** Default: by Obsidian's settings. */
  readonly folder?: string | undefined;
  readonly content?: string | undefined;
  /** In a template folder; `content` goes below it. */
  readonly template?: string | undefined;
  /** Default false. */
  readonly overwrite?: boolean | undefined;
  /** The revision the caller read; CONFLICT when the note has changed since. */
  readonly expected?: string | undefined;
}

export interface CreatedNote extends WrittenNote {
  /** False: a note was replaced. */
  readonly created: boolean;
  /** Nothing was written: the note has this text already. */
  readonly unchanged: boolean;
  /** The template's placeholders without a value. */
  readonly unfilled: readonly string[];
}

export interface ChangeOptions extends ProgressOptions {
  /** The revision the caller read; CONFLICT when the note has changed since. */
  readonly expected?: string | undefined;
}

export type Properties = Readonly<Record<string, string>>;

/** Which of the properties are fields of the note's task, and how to change them. */
export type TaskFields = (
  path: VaultPath,
  properties: Properties,
) => Promise<(OtherChange & { readonly keys: readonly string[] }) | undefined>;

export interface PlanOptions extends ProgressOptions {
  /** From an earlier answer. */
  readonly plan?: string | undefined;
}

export interface AddOptions extends ChangeOptions {
  /** Create a missing daily note; default false. */
  readonly create?: boolean | undefined;
}

export interface AppendOptions extends AddOptions {
  /** Insert at this section's end; leading `#`s select the level. */
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
  /** Undefined: deleted permanently. */
  readonly trashedTo: VaultPath | undefined;
  readonly undoable: boolean;
  /** False when the disk could not confirm it. */
  readonly durable: boolean;
  /** Links from other files. */
  readonly links: number;
  readonly linkingFiles: number;
}

export type MergedNotes = Merge & Omit<MergedNote, "text">;

export interface SummarisedNote extends Summary {
  readonly path: VaultPath;
}

/**
 * `reference` is a name, a path (`.md` optional), a `[[link]]`, a `mcp-obsidian://` URI or the day of a daily note. All
 * methods may throw FILE_NOT_FOUND, AMBIGUOUS_NAME with candidates, INVALID_ARGUMENT for other files, NOT_TEXT,
 * TOO_LARGE, PERMISSION_DENIED; those that write also CONFLICT.
 */
export interface Notes {
  /**
   * Finds a note as `Links.find`, else by title or alias, else a daily note (`2026-11-23`, `today`, `daily`, `last
   * friday`).
   * @throws VaultError AMBIGUOUS_NAME, FILE_NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT
   */
  locate(reference: string, options?: ProgressOptions): Promise<VaultPath>;
  /**
   * @throws VaultError INVALID_ARGUMENT (a day, the folder), FILE_NOT_FOUND (the folder), PERMISSION_DENIED; the
   * signal's reason
   */
  find(search?: NoteSearch): Promise<FoundNotes>;
  /** @throws VaultError as `find`, and for a filter of notes */
  findAttachments(search?: NoteSearch): Promise<FoundAttachments>;
  /** The most frequent first. */
  tags(inFolder?: (path: VaultPath) => boolean, options?: ProgressOptions): Promise<readonly TagCount[]>;
  read(reference: string, options?: ProgressOptions): Promise<NoteText>;
  /** @throws VaultError ALREADY_EXISTS, INVALID_ARGUMENT for an invalid name */
  create(draft: NoteDraft): Promise<CreatedNote>;
  /**
   * Adds lines at the end of a note or section. @throws VaultError INVALID_ARGUMENT when there is no such heading, or
   * several
   */
  append(reference: string, content: string, options?: AppendOptions): Promise<AddedToNote>;
  /** Adds lines below the frontmatter. */
  prepend(reference: string, content: string, options?: AddOptions): Promise<AddedToNote>;
  /**
   * Replaces what is above the next heading of its level or above. @throws VaultError INVALID_ARGUMENT as `append`, and
   * on a board
   */
  replaceSection(reference: string, heading: string, content: string, options?: ChangeOptions): Promise<WrittenNote>;
  /**
   * Values as `propertyChange` reads them.
   * @throws VaultError INVALID_ARGUMENT, CONFLICT for a plan that does not fit
   */
  setProperties(
    notes: readonly string[] | NoteSearch,
    properties: Properties,
    options?: PlanOptions,
  ): Promise<ChangedNotes>;
  /**
   * Renames a tag in all notes, with nested tags. Without `plan`, only reports what would change.
   * @throws VaultError INVALID_ARGUMENT for an invalid tag or the same one; FILE_NOT_FOUND when no note has it;
   * CONFLICT
   */
  renameTag(from: string, to: string, options?: PlanOptions): Promise<RenamedTag>;
  /**
   * Renames a heading (`Heading`, `Heading#Heading below`) or block id (`^id`), with all links to it.
   * @param to the new name, alone or after the note's
   * @throws VaultError INVALID_ARGUMENT with the outline
   */
  renamePart(reference: string, subpath: string, to: string, options?: ProgressOptions): Promise<RenamedPart>;
  /** As `Links.merge`. @throws VaultError INVALID_ARGUMENT for a board, or one note twice */
  merge(reference: string, into: string, options?: ProgressOptions): Promise<MergedNotes>;
  /** Applies a unified diff. @throws VaultError INVALID_ARGUMENT with the hunk and line */
  patch(reference: string, patch: string, options?: ChangeOptions): Promise<PatchedNote>;
  delete(reference: string, options?: DeleteNoteOptions): Promise<DeletedNote>;
  summarise(reference: string, maxWords: number, options?: ProgressOptions): Promise<SummarisedNote>;
}
