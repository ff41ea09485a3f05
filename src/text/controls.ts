/**
 * Removes from a text what is no writing: control characters, line breaks of any kind, and marks that change the direction of other
 * characters.
 */

/** Each becomes a space, so that no caller can forge a line of an answer or of a terminal. */
export function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu, " ");
}
