/** How many notes have each tag, as a plain count over the notes has it. */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { fixedClock, sequentialIds } from "../clock.js";
import { assembleVault } from "../open.js";
import { MemoryStorage } from "../storage/memory.js";
import { vaultPath } from "../storage/path.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

const clock = fixedClock("2025-08-30T12:00:00Z");

type Tags = Readonly<Record<string, readonly string[]>>;

const textOf = (tags: readonly string[]): string => `---\ntags: ${JSON.stringify(tags)}\n---\n`;

function vaultOf(notes: Tags) {
  const files = Object.fromEntries(Object.entries(notes).map(([path, tags]) => [path, textOf(tags)]));
  const storage = new MemoryStorage({ name: "Tags", files, clock });
  return { ...assembleVault({ storage, name: "Tags", clock, ids: sequentialIds() }), storage };
}

/** By folded tag: the notes with it or a nested one. */
function plainCounts(notes: Tags): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const tags of Object.values(notes)) {
    const all = new Set(
      tags.flatMap((tag) =>
        tag
          .toLowerCase()
          .split("/")
          .map((_, at, parts) => parts.slice(0, at + 1).join("/")),
      ),
    );
    for (const tag of all) counts[tag] = (counts[tag] ?? 0) + 1;
  }
  return counts;
}

it("follows notes that come, go and change", async () => {
  const tag = fc.constantFrom("home", "Home", "home/repairs", "HOME/Repairs", "home/repairs/roof", "q1");
  const note = fc.array(tag, { maxLength: 3 });
  const vault = fc.dictionary(fc.constantFrom("a.md", "b.md", "c/d.md", "e.md"), note);
  await fc.assert(
    fc.asyncProperty(fc.array(vault, { minLength: 1, maxLength: 4 }), async (vaults) => {
      const { notes, storage } = vaultOf({});
      for (const now of vaults) {
        for (const path of ["a.md", "b.md", "c/d.md", "e.md"]) {
          const tags = now[path];
          if (tags) await storage.write(vaultPath(path), Buffer.from(textOf(tags)), { kind: "any" });
          else if (await storage.read(vaultPath(path))) await storage.remove(vaultPath(path), { kind: "any" });
        }
        const found = (await notes.tags()).map((one) => [one.tag.toLowerCase(), one.count]);
        expect(Object.fromEntries(found)).toEqual(plainCounts(now));
        expect(found).toHaveLength(Object.keys(plainCounts(now)).length);
      }
    }),
    { numRuns: 40 * FUZZ_FACTOR },
  );
});

it("counts a note once for a tag and those above it, in the spelling of most notes", async () => {
  const { notes } = vaultOf({
    "a.md": ["home/repairs", "Home"],
    "b.md": ["Home"],
    "c.md": ["Home"],
    "x/d.md": ["home/x"],
  });
  expect(await notes.tags()).toEqual([
    { tag: "Home", count: 4 },
    { tag: "home/repairs", count: 1 },
    { tag: "home/x", count: 1 },
  ]);
  expect(await notes.tags("x")).toEqual([
    { tag: "home", count: 1 },
    { tag: "home/x", count: 1 },
  ]);
});
