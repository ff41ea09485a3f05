/** Whether a change can be taken back, as every answer of a writing tool says (file-tools: undo). */
import type { Schema } from "./schema.js";

export const UNDOABLE = {
  type: "boolean",
  description: "Whether undo_edit can take the change back",
} as const satisfies Schema;
