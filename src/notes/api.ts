/** The types of the note operations (docs: notes-and-files). */
import type { EpochMilliseconds } from "../clock.js";
import { type Wording } from "../text/wording.js";
import type { Merge, ProgressOptions } from "../links/api.js";
import type { VaultPath } from "../storage/path.js";
import type { Revision } from "../storage/storage.js";
import type { OtherChange } from "./bulk-edit.js";
import type { KeyOfField, MergedNote } from "./merge.js";
import type { Summary } from "./summary.js";

export interface NoteText {
  readonly path: VaultPath;
  /** The whole file with its byte order mark. */
  readonly text: string;
  readonly revision: Revision;
  readonly modified: EpochMilliseconds;
}

export interface WrittenNote {
  readonly path: VaultPath;
  readonly revision: Revision;
  readonly undoable: boolean;
  readonly durable: boolean;
  /** Why the change made the properties unreadable. */
  readonly lostProperties?: string | undefined;
  /** What an unclosed code block or comment now hides. */
  readonly leftOpen?: string | undefined;
}

export interface NoteDraft {
  /** `.md` is optional; with a slash, a path from the root. */
  readonly name: string;
  /** Default: Obsidian's settings. */
  readonly folder?: string | undefined;
  readonly content?: string | undefined;
  /** From a template folder; `content` follows it. */
  readonly template?: string | undefined;
  /** `Note#Heading`: this section moves into the new note. */
  readonly section?: string | undefined;
  /** Default false. */
  readonly overwrite?: boolean | undefined;
  /** CONFLICT when the note's revision differs. */
  readonly expected?: string | undefined;
}

export interface CreatedNote extends WrittenNote {
  /** False: a note was replaced. */
  readonly created: boolean;
  /** The note had this text already; nothing was written. */
  readonly unchanged: boolean;
  /** Placeholders without a value. */
  readonly unfilled: readonly string[];
  /** Other shortcomings, in words. */
  readonly remarks: readonly string[];
  /** Links that now lead to it, in words. */
  readonly linksTaken?: string | undefined;
  /** Links that no longer find an extracted section, in words. */
  readonly linksLost?: string | undefined;
  /** Where a section was extracted: the note that has a link in its place. */
  readonly alsoChanged?: string | undefined;
  readonly operation?: string | undefined;
}

export interface ChangeOptions extends ProgressOptions {
  readonly expected?: string | undefined;
}

export type Properties = Readonly<Record<string, string>>;

export interface TaskFields {
  of(
    path: VaultPath,
    properties: Properties,
  ): Promise<(OtherChange & { readonly keys: readonly string[]; readonly remarks: readonly Wording[] }) | undefined>;
  /** Finds no field for a note without a task. */
  keys(path: VaultPath): Promise<KeyOfField>;
}

export interface PlanOptions extends ProgressOptions {
  /** From an earlier answer. */
  readonly plan?: string | undefined;
}

export interface AddOptions extends ChangeOptions {
  /** Create a missing daily note; default false. */
  readonly create?: boolean | undefined;
}

export interface AppendOptions extends AddOptions {
  /** At the end of this section; leading `#`s select the level. */
  readonly heading?: string | undefined;
}

export interface AddedToNote extends WrittenNote {
  readonly created: boolean;
  readonly remarks?: readonly string[] | undefined;
  readonly linksTaken?: string | undefined;
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
  /** Undefined when removed for good. */
  readonly trashedTo: VaultPath | undefined;
  readonly undoable: boolean;
  /** False when the disk could not confirm it. */
  readonly durable: boolean;
  /** From other files. */
  readonly links: number;
  readonly linkingFiles: number;
}

export type MergedNotes = Merge & Omit<MergedNote, "text">;

export interface SummarisedNote extends Summary {
  readonly path: VaultPath;
}
