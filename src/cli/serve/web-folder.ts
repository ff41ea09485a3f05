/** Where the build put the page and the document that assistants show. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** In the folder of the program; there is none when run from source. */
export function webFolder(): string {
  return join(import.meta.dirname, "web");
}

/** The document that assistants show; undefined where it was not built. Read each time, because it is rarely asked for. */
export async function readAppDocument(): Promise<string | undefined> {
  return readFile(join(webFolder(), "tasks-app.html"), "utf8").catch(() => undefined);
}
