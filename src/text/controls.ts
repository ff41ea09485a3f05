/** Takes out of a text what is no writing: control characters, line breaks of any kind and marks that turn the direction of others. */

/** Each becomes a space, so that no caller can forge a line of an answer or of a terminal by what it sends. */
export function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu, " ");
}
