/** Writes to stderr directly through its descriptor: nothing is buffered when the process dies, and a start loads no stream. */
import { writeSync } from "node:fs";

/** Writes, or gives up: a line that nobody reads, or that does not fit, is not worth a failure. */
export function writeToStderr(text: string | Uint8Array): void {
  try {
    if (typeof text === "string") writeSync(2, text);
    else writeSync(2, text);
  } catch {
    // There is nowhere left to report it.
  }
}
