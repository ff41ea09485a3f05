/** Caches results for short texts: a vault repeats the same words thousands of times. */
import { isAscii } from "./fold.js";

/** A longer substring keeps the original text in memory. */
const MAX_LENGTH = 12;
const MAX_ENTRIES = 2_000;

/** `make` must be pure. */
export function remembered<Result>(make: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    if (text.length > MAX_LENGTH) return make(text);
    const before = known.get(text);
    if (before !== undefined) return before;
    const made = make(text);
    if (known.size >= MAX_ENTRIES) known.clear();
    known.set(text, made);
    return made;
  };
}

/** A copy that keeps no other text in memory. */
export function apart(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  const encoding = isAscii(text) ? "latin1" : "utf16le";
  return Buffer.from(text, encoding).toString(encoding);
}
