/** The way to stderr: straight to the descriptor, so that nothing is buffered when the process dies and a start pays for no stream. */
import { writeSync } from "node:fs";
import { Writable } from "node:stream";

/** Writes, or gives up: when nobody reads stderr, or it is full, a line for it is worth no failure. */
export function writeToStderr(text: string | Uint8Array): void {
  try {
    if (typeof text === "string") writeSync(2, text);
    else writeSync(2, text);
  } catch {
    // Nothing is left to tell it to.
  }
}

/** The same as a stream, in place of `process.stderr`. */
export function stderrStream(): Writable {
  return new Writable({
    write(chunk: string | Uint8Array, _encoding, done) {
      writeToStderr(chunk);
      done();
    },
  });
}
