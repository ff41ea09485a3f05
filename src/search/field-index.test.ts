import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stopwatch } from "../clock.js";
import { TimeSlice } from "../async/yield-to-loop.js";
import { FieldTerms, type TermPoints } from "./field-index.js";
import type { Sieve } from "./prefilter.js";

interface Note {
  readonly name: string;
  readonly tags: string;
}

const FIELDS = [
  { name: "name", weight: 7, text: ({ name }: Note) => name },
  { name: "tags", weight: 2, text: ({ tags }: Note) => tags },
];

/** As facts are kept: JSON in Latin-1, undecoded where the sieve tells enough. */
const sieved = (note: Note, sieve?: Sieve): Note | undefined =>
  !sieve || sieve(JSON.stringify(note).replace(/[^\0-\xff]/g, escaped), "") ? note : undefined;
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

const whole = (note: Note): Note => note;
const over = (indexFrom?: number, read: typeof sieved = whole) => new FieldTerms({ read, fields: FIELDS, indexFrom });

const word = fc.constantFrom(
  "meeting",
  "meetnig",
  "report",
  "Über",
  "uber",
  "会议",
  "cat",
  "cats",
  "zanzibar",
  "a-b",
  "",
);
const text = fc.array(word, { maxLength: 3 }).map((words) => words.join(" "));
const note = fc.record({ name: text, tags: text });
const steps = fc.array(fc.tuple(fc.nat(20), fc.constantFrom("change", "remove", "insert"), note), { maxLength: 8 });

describe("what the words of a query find in fields", () => {
  it("is the same with what is remembered as without, while documents come, change and go", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(note, { maxLength: 20 }), steps, text, async (notes, changes, query) => {
        const remembering = over(0);
        let documents = notes;
        for (const [number, kind, changed] of [[0, "none", undefined] as const, ...changes]) {
          const place = number % (documents.length + 1);
          if (changed)
            documents = documents.toSpliced(place, kind === "insert" ? 0 : 1, ...(kind === "remove" ? [] : [changed]));
          await remembering.prepare(documents);
          const { terms, together } = await remembering.look(documents, query, new TimeSlice());
          const plain = await over().look(documents, query, new TimeSlice());
          expect(together).toEqual(plain.together);
          expect(terms.map(points)).toEqual(plain.terms.map(points));
          const unprepared = await over(undefined, sieved).look(documents, query, new TimeSlice());
          expect(unprepared.together).toEqual(plain.together);
          expect(unprepared.terms.map(points)).toEqual(plain.terms.map(points));
        }
      }),
    );
  });

  it("is found while others prepare other documents", async () => {
    const remembering = over(0);
    const lists = [1, 2, 3].map((length) => Array.from({ length }, () => ({ name: "cat", tags: "" })));
    await Promise.all(lists.map((documents) => remembering.prepare(documents)));
    for (const documents of lists)
      expect([...((await remembering.look(documents, "cat", new TimeSlice())).terms[0]?.asTyped ?? [])]).not.toContain(
        0,
      );
  });
});

describe("a look at many documents", () => {
  const MILLISECONDS = 4;

  it("leaves the loop its turns, however many look at once", async () => {
    let turn = 0;
    let over = false;
    const count = () => {
      turn++;
      if (!over) setImmediate(count);
    };
    count();
    const byTurn = new Map<number, number>();
    const slow = new FieldTerms<Note, Note>({
      fields: FIELDS,
      read(note) {
        byTurn.set(turn, (byTurn.get(turn) ?? 0) + 1);
        const start = stopwatch();
        while (stopwatch() - start < MILLISECONDS);
        return note;
      },
    });
    const look = async () => {
      const slice = new TimeSlice();
      await slice.yield();
      return slow.look(
        Array.from({ length: 12 }, () => ({ name: "cat", tags: "" })),
        "cat",
        slice,
      );
    };
    const looks = await Promise.all([look(), look(), look()]);
    over = true;
    expect(looks.map(({ terms }) => terms[0]?.asTyped.every((found) => found > 0))).toEqual([true, true, true]);
    // A slice is 10 ms; the document at which it ends is still read.
    expect(Math.max(...byTurn.values())).toBeLessThanOrEqual(Math.floor(10 / MILLISECONDS) + 1);
  });
});

function points({ term, asTyped, misspelt }: TermPoints): unknown {
  return [term.text, asTyped, misspelt];
}
