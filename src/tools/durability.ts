/** The one caveat of a successful write: that the disk did not confirm it. */
import { boolean } from "./schema.js";

export const DURABLE = boolean(
  "False when the change is in place but the disk could not confirm that it survives a power cut",
);

/**
 * The caveat for an answer's end; empty when the disk confirmed the write.
 * @param what the state of the file, as the beginning of a sentence
 */
export function durabilityNote(durable: boolean, what = "The note is in place"): string {
  return durable ? "" : `\n\n${what}, but the disk did not confirm that it would survive a power cut.`;
}
