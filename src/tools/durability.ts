/** The one reservation a successful write can carry: that the disk did not confirm it (spec: hostile-inputs, oracle 6). */
import type { Schema } from "./schema.js";

export const DURABLE = {
  type: "boolean",
  description: "False when the change is in place but the disk could not confirm that it survives a power cut",
} as const satisfies Schema;

/** What an answer ends with; nothing when all is well. @param what stands, as a sentence begins */
export function durabilityNote(durable: boolean, what = "The note is in place"): string {
  return durable ? "" : `\n\n${what}, but the disk did not confirm that it would survive a power cut.`;
}
