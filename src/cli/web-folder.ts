/** Where the build put what is shown in browsers: the page, and the document that assistants show. */
import { join } from "node:path";

/** Beside the program; in the sources there is no such folder. */
export function webFolder(): string {
  return join(import.meta.dirname, "web");
}
