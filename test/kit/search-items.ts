/** Documents and texts to search, for tests of ranked search. */
import * as fc from "fast-check";
import type { RankerOptions } from "../../src/search/ranker.js";
import { anyCharacter } from "./any-character.js";

export interface Item {
  readonly title: string;
  readonly tags?: string;
  readonly body?: string;
  readonly done?: boolean;
}

export const OPTIONS: RankerOptions<Item> = {
  fields: [
    { name: "body", weight: 1, text: (item) => item.body ?? "" },
    { name: "title", weight: 4, text: (item) => item.title },
    { name: "tags", weight: 3, text: (item) => item.tags ?? "" },
  ],
  tieBreak: (a, b) => Number(a.done ?? false) - Number(b.done ?? false),
};

/** Words near to each other in many scripts, so that prefixes and misspellings meet. */
const word = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: fc.constantFrom("a", "b", "e", "é", "n"), minLength: 1, maxLength: 10 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "meeting",
      "meetings",
      "meetign",
      "Quarterly",
      "quatrely",
      "reporting",
      "report",
      "Straße",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.string({
      unit: fc.constantFrom("会", "議", "を", "レ", "ー", "한", "ท", "ำ", "𠀋"),
      minLength: 1,
      maxLength: 5,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("🚀", "🏳️‍🌈", "->", "#a/b", "2025", "q3", "\ud800", "İ", "ﬁ", "𝒜bc", "Ⅻ", "𞤀𞤣"),
  },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 6 }) },
);
/** Words in one text, with or without gaps. */
export const joined = (maxLength: number) =>
  fc.tuple(fc.array(word, { maxLength }), fc.constantFrom(" ", "", ", ", "\n")).map(([words, gap]) => words.join(gap));
export const item = fc.record({ title: joined(4), tags: joined(3), body: joined(12), done: fc.boolean() });
