import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { item, type Item, joined, OPTIONS } from "../../test/kit/search-items.js";
import { vaultPath } from "../storage/path.js";
import { FactBlocks } from "../catalog/packed-facts.js";
import { createRanker } from "./ranker.js";
import { sieveFor } from "./prefilter.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

describe("the sieve", () => {
  const stat = { path: vaultPath("a.md"), size: 0, modified: 0, created: 0, revision: "", stamp: [] };
  /** The documents that come through it, as bytes of JSON with the title beside them. */
  const sifted = (documents: readonly Item[], query: string): Item[] => {
    const mayAnswer = sieveFor(query);
    const blocks = new FactBlocks();
    return documents.filter(({ title, ...rest }) => {
      const record = blocks.add(stat, rest);
      const facts = record.factsIf((json) => mayAnswer(json, `folder/${title}.md`));
      if (facts !== undefined) expect(facts).toEqual(record.facts);
      return facts !== undefined;
    });
  };

  it("gives the results of looking at every document, in the same order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { minLength: 1, maxLength: 25 }),
        fc.array(joined(3), { minLength: 1, maxLength: 4 }),
        async (documents, queries) => {
          const ranker = createRanker(OPTIONS);
          for (const query of [...queries, ...documents.slice(0, 3).map((doc) => `${doc.title} ${doc.tags}`)])
            expect(await ranker.search(sifted(documents, query), query)).toEqual(await ranker.search(documents, query));
        },
      ),
      { numRuns: 300 * FUZZ_FACTOR },
    );
  });

  it.each([
    ["behind a line break", "new", "old\nnew"],
    ["in other case", "report", "REPORT"],
    ["misspelt", "quarterly", "the qaurterly one"],
    ["with accents", "uber", "\nÜber"],
    ["written by its accents", "größe", "GROESSE GROSSE"],
    ["with a soft hyphen", "meeting", "meet\u00ading"],
    ["full width", "abc", "ＡＢＣ"],
    ["of quotation marks", '""', 'say "" now'],
    ["of backslashes", "\\\\", "\\\\"],
    ["of pattern characters", "(.*)", "x (.*)"],
    ["a fraction", "1⁄2", "½"],
  ])("lets a word through %s", (_, query, body) => {
    const doc = { title: "t", body };
    expect(sifted([doc], query)).toEqual([doc]);
  });

  it.each([
    ["in other case", "report", "REPORT"],
    ["with accents", "uber", "Über"],
    ["full width", "abc", "ＡＢＣ"],
  ])("lets a word through that stands beside the JSON %s", (_, query, title) => {
    expect(sifted([{ title }], query)).toEqual([{ title }]);
  });

  it.each([
    ["without the word", "report", "meeting"],
    ["with one of two words", "report meeting", "meeting"],
    ["with accents in other words", "report", "Über größere Café"],
    ["that a pattern would match", "(.*)", "meeting"],
  ])("keeps back a document %s", (_, query, body) => {
    expect(sifted([{ title: "t", body }], query)).toEqual([]);
  });
});
