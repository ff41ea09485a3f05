/** The types of the note operations (docs: notes-and-files). */
import type { EpochMilliseconds } from "../clock.js";
import { type Wording } from "../text/said.js";
import type { Merge, ProgressOptions } from "../links/api.js";
import type { VaultPath } from "../storage/path.js";
import type { Revision } from "../storage/storage.js";
import type { OtherChange } from "./bulk-edit.js";
import type { KeyOfField, MergedNote } from "./merge.js";
import type { Summary } from "./summary.js";

export interface NoteText {
  readonly path: VaultPath;
  /** The whole file, byte order mark included. */
  readonly text: string;
  readonly revision: Revision;
  readonly modified: EpochMilliseconds;
}

export interface WrittenNote {
  readonly path: VaultPath;
  readonly revision: Revision;
  readonly undoable: boolean;
  readonly durable: boolean;
  /** Why Obsidian or later changes refuse its properties, which this change has broken. */
  readonly lostProperties?: string | undefined;
  /** What it hides in a code block or comment that is not closed any more. */
  readonly leftOpen?: string | undefined;
}

export interface NoteDraft {
  /** `.md` optional; with a slash, a path from the vault's root. */
  readonly name: string;
  /** Default: by Obsidian's settings. */
  readonly folder?: string | undefined;
  readonly content?: string | undefined;
  /** In a template folder; `content` goes below it. */
  readonly template?: string | undefined;
  /** `Note#Heading`: the section moves into the new note. */
  readonly section?: string | undefined;
  /** Default false. */
  readonly overwrite?: boolean | undefined;
  /** What the caller read; CONFLICT when the note has changed since. */
  readonly expected?: string | undefined;
}

export interface CreatedNote extends WrittenNote {
  /** False: a note was replaced. */
  readonly created: boolean;
  /** Nothing was written: the note has this text already. */
  readonly unchanged: boolean;
  /** Placeholders without a value. */
  readonly unfilled: readonly string[];
  /** What else it lacks, in words. */
  readonly remarks: readonly string[];
  /** What links now lead to it, in words, where other files have its name. */
  readonly linksTaken?: string | undefined;
  /** Which links to an extracted section find it no more, in words. */
  readonly linksLost?: string | undefined;
}

export interface ChangeOptions extends ProgressOptions {
  /** What the caller read; CONFLICT when the note has changed since. */
  readonly expected?: string | undefined;
}

export type Properties = Readonly<Record<string, string>>;

export interface TaskFields {
  /** Which properties are fields of the note's task, and how to change them. */
  of(
    path: VaultPath,
    properties: Properties,
  ): Promise<(OtherChange & { readonly keys: readonly string[]; readonly remarks: readonly Wording[] }) | undefined>;
  /** None for a note without a task. */
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
  /** Its end is the place; leading `#`s select the level. */
  readonly heading?: string | undefined;
}

export interface AddedToNote extends WrittenNote {
  readonly created: boolean;
  /** As of a created note. */
  readonly remarks?: readonly string[] | undefined;
  /** As of a created note. */
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
  /** Undefined: deleted permanently. */
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
