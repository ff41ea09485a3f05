/** The name of a note, and where its text begins. */

/** Without folders and `.md`. */
export function noteName(path: string): string {
  return path.replace(/^.*\//s, "").replace(/\.md$/i, "");
}

/** After the properties. */
export function bodyStart(text: string): number {
  return /^---\r?\n[\s\S]*?\r?\n---\r?\n/.exec(text)?.[0].length ?? 0;
}
