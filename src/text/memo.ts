/** Caches results for short texts, because a vault repeats the same few words thousands of times. */
import { isAscii } from "./fold.js";

/** In V8 a longer substring refers to the text it was cut from, so caching it would keep the whole note in memory. */
const MAX_LENGTH = 12;
/** The cache is cleared when it has more entries than this. */
const MAX_ENTRIES = 2_000;

/** The same function with a cache. `make` must be pure. */
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

/** A copy of the text that does not keep another text in memory. */
export function apart(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  const encoding = isAscii(text) ? "latin1" : "utf16le";
  return Buffer.from(text, encoding).toString(encoding);
}
