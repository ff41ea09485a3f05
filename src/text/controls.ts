/** Replaces control characters, line breaks and direction marks in a text. */

/** Each becomes a space, so that a text from outside cannot forge a line of an answer or of the terminal. */
export function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu, " ");
}
