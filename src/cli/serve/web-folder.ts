/** Where the build put what is shown in browsers: the page, and the document that assistants show. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Beside the program; in the sources there is no such folder. */
export function webFolder(): string {
  return join(import.meta.dirname, "web");
}

/** The document that assistants show; undefined where it was not built. Read anew each time: it is asked for seldom. */
export async function readAppDocument(): Promise<string | undefined> {
  return readFile(join(webFolder(), "tasks-app.html"), "utf8").catch(() => undefined);
}
