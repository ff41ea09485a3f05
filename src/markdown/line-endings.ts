/** Line endings: which a note uses, and how text from elsewhere is brought to them. */

export type LineEnding = "\n" | "\r\n";

/** The line ending of a text's first line; `\n` when it has only one line. */
export function lineEnding(text: string): LineEnding {
  const at = text.indexOf("\n");
  return at > 0 && text.charCodeAt(at - 1) === 13 ? "\r\n" : "\n";
}

/** `text` with every line ended by `ending`; a lone CR counts as a line end as well, for callers that send old Mac text. */
export function withLineEnding(text: string, ending: LineEnding): string {
  return text.replace(/\r\n?|\n/g, ending);
}
