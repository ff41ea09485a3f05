/** Whether a change can be undone, as every answer of a writing tool says (docs: notes-and-files). */
import { boolean } from "./schema.js";

export const UNDOABLE = boolean("Whether undo_edit can take the change back");

/** The line of an answer to a change that cannot be undone; otherwise undefined. */
export function undoNote(undoable: boolean): string | undefined {
  return undoable ? undefined : "undo_edit cannot take this back.";
}

/** Where a deleted file is now, as a sentence. "For good" is said only when nothing can bring it back. */
export function whereDeleted(trash: string | undefined, undoable: boolean): string {
  if (trash !== undefined)
    return `Moved to '${trash}'; ${undoable ? "undo_edit restores it" : "undo_edit cannot restore it"}.`;
  return undoable
    ? "Removed, not kept in the trash; undo_edit restores it."
    : "Removed for good; undo_edit cannot restore it.";
}
