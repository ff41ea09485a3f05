/** The one reservation a successful write can carry: that the disk did not confirm it (spec: hostile-inputs, oracle 6). */
import { boolean } from "./schema.js";

export const DURABLE = boolean(
  "False when the change is in place but the disk could not confirm that it survives a power cut",
);

/** What an answer ends with; nothing when all is well. @param what stands, as a sentence begins */
export function durabilityNote(durable: boolean, what = "The note is in place"): string {
  return durable ? "" : `\n\n${what}, but the disk did not confirm that it would survive a power cut.`;
}
