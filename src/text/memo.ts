/** Remembers what short texts come to: a vault says the same few words thousands of times. A pure leaf. */

/** V8 keeps a longer piece of a text as a look into that text: to remember it is to keep the whole note. */
const LONGEST = 12;
/** Emptied when it grows beyond reason. */
const MOST = 2_000;

/** The same function, which works out each short text only once; to be used where the result depends on nothing else. */
export function remembered<Result>(make: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    if (text.length > LONGEST) return make(text);
    const before = known.get(text);
    if (before !== undefined) return before;
    const made = make(text);
    if (known.size >= MOST) known.clear();
    known.set(text, made);
    return made;
  };
}

/** The same text in memory of its own, fit to be remembered. */
export function apart(text: string): string {
  return text.length > LONGEST ? Buffer.from(text, "utf16le").toString("utf16le") : text;
}
