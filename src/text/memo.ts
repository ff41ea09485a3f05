/** Remembers the results for short texts: a vault repeats the same few words thousands of times. A pure leaf. */
import { isAscii } from "./fold.js";

/** Longer substrings refer to the text they are cut from (in V8): remembering one would keep the whole note alive. */
const MAX_LENGTH = 12;
/** Emptied when it has more entries than this. */
const MAX_ENTRIES = 2_000;

/** The same function, which computes each short text only once; use it only where the result depends on nothing else. */
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

/** A copy of the text, which may be remembered without keeping another text alive. */
export function apart(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  const encoding = isAscii(text) ? "latin1" : "utf16le";
  return Buffer.from(text, encoding).toString(encoding);
}
