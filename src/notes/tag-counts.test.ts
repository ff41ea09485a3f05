/** Counts that follow what changed are those of a count from the beginning. */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { NoteRecord } from "../index/facts.js";
import { vaultPath } from "../storage/path.js";
import type { NoteFacts } from "./note-facts.js";
import { TagCounts } from "./tag-counts.js";

function record(path: string, tags: readonly string[]): NoteRecord<NoteFacts> {
  const facts = tags.map((tag) => `#${tag}`).join("\n");
  const stat = { path: vaultPath(path), size: 0, modified: 0, created: 0, stamp: [] };
  return { stat, facts, number: undefined };
}

it("follows notes that come, go and change", () => {
  const tag = fc.constantFrom("home", "Home", "home/repairs", "HOME/Repairs", "q1");
  const note = fc.array(tag, { maxLength: 3 });
  const vault = fc.dictionary(fc.constantFrom("a", "b", "c", "d", "e"), note);
  fc.assert(
    fc.property(fc.array(vault, { maxLength: 6 }), (vaults) => {
      const counts = new TagCounts();
      const known = new Map<string, NoteRecord<NoteFacts>>();
      for (const notes of vaults) {
        // What stays as it is stays the same record, as in a catalog.
        const records = Object.entries(notes).map(([name, tags]) => {
          const key = JSON.stringify([name, tags]);
          const kept = known.get(key) ?? record(`${name}.md`, tags);
          known.set(key, kept);
          return kept;
        });
        expect(counts.of(records)).toEqual(new TagCounts().of(records));
      }
      expect(counts.of([])).toEqual([]);
    }),
  );
});

it("counts a note once for a tag and those above it, in the spelling of most notes", () => {
  const notes = [record("a.md", ["home/repairs", "Home"]), record("b.md", ["Home"]), record("c.md", ["Home"])];
  expect(new TagCounts().of(notes)).toEqual([
    { tag: "Home", count: 3 },
    { tag: "home/repairs", count: 1 },
  ]);
});
