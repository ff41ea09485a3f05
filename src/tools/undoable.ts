/**
 * What answers about changed files share: undo, durability, conflicts, the link to Obsidian (docs: notes-and-files).
 */
import { boolean, integer } from "./schema.js";

export const UNDOABLE = boolean("Whether undo_edit can take the change back");

/** The line of an answer to a change that perhaps cannot be undone; otherwise undefined. */
export function undoNote(undoable: boolean): string | undefined {
  return undoable ? undefined : "undo_edit may be unable to take this back.";
}

/** Where a deleted file is now, as a sentence. Never "for good": a journal that could not be written may still hold it. */
export function whereDeleted(trash: string | undefined, undoable: boolean): string {
  const undo = undoable ? "undo_edit restores it" : "undo_edit may be unable to restore it";
  return trash === undefined ? `Removed, not kept in the trash; ${undo}.` : `Moved to '${trash}'; ${undo}.`;
}

export const DURABLE = boolean(
  "False when the change is in place but the disk could not confirm that it survives a power cut",
);

/**
 * A warning for the end of an answer; empty when the disk confirmed the write.
 * @param what the state of the file, as the beginning of a sentence
 */
export function durabilityNote(durable: boolean, what = "The note is in place"): string {
  return durable ? "" : `\n\n${what}, but the disk did not confirm that it would survive a power cut.`;
}

export const CONFLICTS = integer("Other versions, made by devices that were apart; absent when there are none", {
  minimum: 1,
});

/**
 * `obsidian://open?vault=NAME&file=path%2Fto%2Fnote`; undefined for a vault that Obsidian does not know by a
 * folder's name.
 */
export function deepLink(path: string, vaultName: string | undefined): string | undefined {
  if (vaultName === undefined) return undefined;
  const note = path.replace(/\.md$/i, "");
  return `obsidian://open?vault=${encodeURIComponent(vaultName)}&file=${encodeURIComponent(note)}`;
}
