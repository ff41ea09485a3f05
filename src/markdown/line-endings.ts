/** Finds the line ending of a note and converts other text to it. */

export type LineEnding = "\n" | "\r\n";

/** The line ending of a text's first line; `\n` when it has only one line. */
export function lineEnding(text: string): LineEnding {
  const at = text.indexOf("\n");
  return at > 0 && text.charCodeAt(at - 1) === 13 ? "\r\n" : "\n";
}

/** `text` with every line ended by `ending`. A lone CR counts as a line end too, for old Mac text. */
export function withLineEnding(text: string, ending: LineEnding): string {
  return text.replace(/\r\n?|\n/g, ending);
}
