import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NoteLines } from "./line-facts.js";

const row = fc.constantFrom("", "a", "  - [ ] b", "> c", "\r", "d\r");
const texts = fc.tuple(fc.array(row), fc.constantFrom("\n", "\r\n")).map(([rows, ending]) => rows.join(ending));

/** The same by cutting the whole text. */
function cut(text: string, number: number, lines: readonly string[]): string {
  let start = 0;
  for (let line = 1; line < number; line++) start = text.indexOf("\n", start) + 1;
  const feed = text.indexOf("\n", start);
  const stop = feed < 0 ? text.length : feed;
  const end = stop > start && text[stop - 1] === "\r" ? stop - 1 : stop;
  const next = feed < 0 ? stop : feed + 1;
  if (lines.length === 0) return text.slice(0, start) + text.slice(next);
  const first = text.indexOf("\n");
  const ending = text.slice(end, next) || (first > 0 && text[first - 1] === "\r" ? "\r\n" : "\n");
  return text.slice(0, start) + lines.join(ending) + text.slice(end);
}

describe("lines of a note", () => {
  it("are the text, which has no line behind its last ending", () => {
    fc.assert(fc.property(texts, (text) => new NoteLines(text).text === text));
    expect(new NoteLines("a\r\n\nb").at(1)).toEqual({ number: 1, text: "a" });
    expect([0, 2, 3, 4].map((number) => new NoteLines("a\n\nb\n").at(number)?.text)).toEqual([
      undefined,
      "",
      "b",
      undefined,
    ]);
    expect(new NoteLines("").at(1)).toEqual({ number: 1, text: "" });
  });

  it("are replaced from the last to the first as by cutting the text", () => {
    const change = fc.tuple(fc.nat(), fc.array(fc.constantFrom("x", "", "- [ ] y"), { maxLength: 3 }));
    fc.assert(
      fc.property(texts, fc.array(change), (text, changes) => {
        const note = new NoteLines(text);
        const count = text.split("\n").length;
        let expected = text;
        const byNumber = new Map(changes.map(([number, lines]) => [1 + (number % count), lines]));
        for (const [number, lines] of [...byNumber].sort(([a], [b]) => b - a)) {
          const line = note.at(number);
          if (line === undefined) continue;
          const before = expected;
          expected = cut(expected, number, lines);
          expect(note.replace(line, lines)).toBe(expected !== before || lines.length === 0);
          expect(note.text).toBe(expected);
        }
      }),
    );
  });

  it("that are below one stand deeper", () => {
    const note = new NoteLines("- a\n  - b\n\n    c\n\n- d\n");
    const first = note.at(1);
    expect(first && note.below(first).map(({ number }) => number)).toEqual([2, 3, 4]);
  });
});
