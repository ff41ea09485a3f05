/** What the answers of task tools that write say beyond the task itself. */
import type { Schema } from "../schema.js";

export const WRITE_PROPERTIES = {
  adjustments: {
    type: "array",
    items: { type: "string" },
    description: "What was written otherwise than given, in words",
  },
  durable: {
    type: "boolean",
    description: "False when the note is in place but the disk could not confirm that it survives a power cut",
  },
} as const satisfies Record<string, Schema>;

/** The one reservation a success can carry (spec: hostile-inputs, oracle 6). */
export function durabilityNote(durable: boolean): string {
  return durable ? "" : "\n\nThe note is in place, but the disk did not confirm that it would survive a power cut.";
}
