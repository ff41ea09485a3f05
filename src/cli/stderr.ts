/** The way to stderr: straight to the descriptor, so that nothing is buffered when the process dies and a start pays for no stream. */
import { writeSync } from "node:fs";

/** Writes, or gives up: when nobody reads stderr, or it is full, a line for it is worth no failure. */
export function writeToStderr(text: string | Uint8Array): void {
  try {
    if (typeof text === "string") writeSync(2, text);
    else writeSync(2, text);
  } catch {
    // Nothing is left to tell it to.
  }
}
