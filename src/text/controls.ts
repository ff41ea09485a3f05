/** Replaces control characters, line breaks and direction marks in a text. */

/** Replaces them by spaces: an external text must not forge a line of an answer or terminal. */
export function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu, " ");
}
