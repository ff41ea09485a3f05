/** Writes to stderr's descriptor: unbuffered, and without loading a stream. */
import { writeSync } from "node:fs";

/** Ignores failures. */
export function writeToStderr(text: string | Uint8Array): void {
  try {
    if (typeof text === "string") writeSync(2, text);
    else writeSync(2, text);
  } catch {
    // There is nowhere left to report it.
  }
}
