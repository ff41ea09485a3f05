/** Text as it is in a regular expression. */

/** Valid also with the flag `u`, which refuses a backslash before other characters, such as `-`. */
export function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
