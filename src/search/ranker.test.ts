import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { item, type Item, joined, OPTIONS } from "../../test/kit/search-items.js";
import { fold } from "../text/fold.js";
import { Ranker, SearchIndex } from "./ranker.js";
import { processorTime } from "../../test/kit/processor-time.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

async function titles(items: readonly (Item | string)[], query: string): Promise<string[]> {
  const documents = items.map((item) => (typeof item === "string" ? { title: item } : item));
  const looked = await new Ranker(OPTIONS).search(documents, query);
  const indexed = new Ranker({ ...OPTIONS, indexFrom: 0 });
  await indexed.prepare(documents);
  expect(await indexed.search(documents, query)).toEqual(looked);
  return looked.documents.map((item) => item.title);
}

describe("what is found", () => {
  it.each([
    ["the word", "meeting", "Team Meeting"],
    ["whatever its case", "MEETING", "Team Meeting"],
    ["its beginning", "mee", "Team Meeting"],
    ["without accents", "uberprufung", "Überprüfung"],
    ["with accents that are not there", "Überprüfung", "uberprufung"],
    ["ß as ss", "STRASSE", "Straße fegen"],
    ["ø as o", "ol", "Øl"],
    ["the Turkish i", "istanbul", "İSTANBUL"],
    ["the Turkish dotless i", "kapi", "KAPI kapı"],
    ["a decomposed letter", "café".normalize("NFD"), "Café"],
    ["with a letter left out", "meting", "Team Meeting"],
    ["with a letter too many", "meetting", "Team Meeting"],
    ["with letters swapped", "meetign", "Team Meeting"],
    ["with two errors in a long word", "quatrely reprot", "Quarterly report"],
    ["Chinese inside a sentence", "会议", "准备下周的会议记录"],
    ["one Chinese character", "会", "准备下周的会议记录"],
    ["Japanese with other particles", "レポートの作成", "レポートを作成する"],
    ["half-width kana", "ﾚﾎﾟｰﾄ", "レポート"],
    ["Korean inside a compound", "회의", "주간회의록"],
    ["Thai", "ประชุม", "เตรียมประชุมทีม"],
    ["Arabic without vowel signs", "مدير", "اجتماع مُدِير"],
    ["Cyrillic", "елка", "Купить ёлку и ЁЛКА"],
    ["an emoji", "🚀", "Launch 🚀"],
    ["an emoji beside a word", "launch 🚀", "Launch 🚀"],
    ["an emoji without its variation selector", "❤", "Thanks ❤️"],
    ["a number", "2025", "Taxes 2025"],
    ["the beginning of a number", "20", "Taxes 2025"],
    ["mixed scripts", "q3计划", "Q3 计划"],
    ["punctuation, when there is nothing else", "->", "from A -> B"],
    ["a tag with its sign", "#urgent", "so urgent"],
    ["words in another order", "report quarterly", "Quarterly report"],
    ["past punctuation", "follow-up: call", "Call for follow up"],
  ])("%s", async (_, query, title) => {
    expect(await titles(["Other", title], query)).toEqual([title]);
  });

  it.each([
    ["when one word is missing", "team budget", "Team Meeting"],
    ["the middle of a word", "port", "Report"],
    ["a short word misspelt", "car", "cat"],
    ["four letters with another first one", "work", "fork"],
    ["another number", "2025", "2024"],
    ["a pattern", ".*", "Report"],
    ["a pattern with letters", "a.b*c(", "aXbbc"],
    ["nothing", "   ", "Report"],
    ["across fields", "report\nx", "Report"],
  ])("not %s", async (_, query, title) => {
    expect(await titles([{ title, tags: "z" }], query)).toEqual([]);
  });

  it("takes pattern characters as they are", async () => {
    expect(await titles(["a.b*c(", "axbc", "(a|b)"], "a.b*c(")).toEqual(["a.b*c("]);
    expect(await titles(["what (?)", "what"], "(?)")).toEqual(["what (?)"]);
  });

  it("looks in every field, each word in its own", async () => {
    expect(await titles([{ title: "Alpha", tags: "beta", body: "gamma" }, "Alpha beta"], "alpha beta gamma")).toEqual([
      "Alpha",
    ]);
  });

  it("leaves out what is not accepted", async () => {
    const documents = [{ title: "one report" }, { title: "two report" }];
    const accept = (item: Item): boolean => item.title.startsWith("two");
    const found = await new Ranker(OPTIONS).search(documents, "report", { accept });
    expect(found).toEqual({ documents: [documents[1]], total: 1 });
  });
});

describe("the order", () => {
  it.each([
    [
      "the whole title first, then its start, a word, a beginning, a misspelling",
      "report",
      ["Report", "Report of May", "My report", "My reports", "My repotr"],
    ],
    ["a phrase before scattered words", "pay rent", ["Do pay rent", "Rent to pay"]],
  ])("%s", async (_, query, order) => {
    expect(await titles([...order].reverse(), query)).toEqual(order);
  });

  it("puts heavier fields first", async () => {
    const order = [{ title: "my milk" }, { title: "b", tags: "my milk" }, { title: "a", body: "my milk" }];
    expect(await titles(order.toReversed(), "milk")).toEqual(order.map((item) => item.title));
  });

  it("asks the tie break at equal scores, and else keeps the given order", async () => {
    const items = [{ title: "x milk", done: true }, { title: "y milk" }, { title: "z milk" }];
    expect(await titles(items, "milk")).toEqual(["y milk", "z milk", "x milk"]);
  });
});

describe("the index", () => {
  it("gives the results of looking at every document, in the same order, while documents come and go", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { minLength: 1, maxLength: 25 }),
        fc.array(item, { maxLength: 5 }),
        fc.array(fc.nat(), { maxLength: 5 }),
        fc.array(joined(3), { minLength: 1, maxLength: 4 }),
        async (first, added, removed, queries) => {
          const scan = new Ranker(OPTIONS);
          const index = new Ranker({ ...OPTIONS, indexFrom: 0 });
          const words = new Ranker({ ...OPTIONS, indexFrom: 0, engineUpTo: 0 });
          const growing = new Ranker({ ...OPTIONS, indexFrom: 0, engineUpTo: first.length });
          const gone = new Set(removed.map((number) => first[number % first.length]));
          const second = [...added, ...first.filter((doc) => !gone.has(doc)).reverse()];
          for (const documents of [first, second, first]) {
            const rankers = [index, words, growing];
            for (const ranker of rankers) await ranker.prepare(documents);
            for (const query of [...queries, ...documents.slice(0, 2).map((doc) => doc.title)]) {
              const expected = await scan.search(documents, query);
              for (const ranker of rankers) expect(await ranker.search(documents, query)).toEqual(expected);
            }
          }
        },
      ),
      { numRuns: 100 * FUZZ_FACTOR },
    );
  });

  it("answers the same while it is still being built", async () => {
    const documents = Array.from({ length: 3_000 }, (_, index) => ({
      title: `Report ${index}`,
      body: "weekly meeting",
    }));
    const scan = new Ranker(OPTIONS);
    const index = new Ranker({ ...OPTIONS, indexFrom: 0 });
    const expected = await scan.search(documents, "reprot 17");
    expect(expected.total).toBeGreaterThan(10);
    expect(await index.search(documents, "reprot 17")).toEqual(expected);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await index.search(documents, "reprot 17")).toEqual(expected);
    await index.prepare(documents);
    expect(await index.search(documents, "reprot 17")).toEqual(expected);
  });

  it("is made anew when most of what it holds is gone, so that a long session does not grow by each change", async () => {
    const engines: { size: number }[] = [];
    const createEngine = () => {
      const engine = { size: 0 };
      engines.push(engine);
      return { add: () => void engine.size++, discard: () => undefined, search: () => [] };
    };
    const index = new SearchIndex<{ text: string }>(createEngine, 1_000, ({ text }) => text);
    let documents = Array.from({ length: 100 }, (_, at) => ({ text: `word${at}` }));
    for (let change = 0; change < 1_000; change++) {
      documents = [...documents.slice(1), { text: `change${change}` }];
      await index.prepare(documents);
    }
    // Of the 1,100 that ever were; the first engine was made before anything was known.
    expect(engines.length).toBeGreaterThan(2);
    expect(Math.max(...engines.map(({ size }) => size))).toBeLessThanOrEqual(500);
  });

  it("every title finds its own document", async () => {
    await fc.assert(
      fc.asyncProperty(item, async (doc) => {
        fc.pre(doc.title.trim() !== "");
        const { documents: found } = await new Ranker(OPTIONS).search([doc], doc.title);
        // Accents alone, and what shows nothing, are no words.
        expect(found).toEqual(fold(doc.title).trim() === "" ? [] : [doc]);
      }),
      { numRuns: 100 * FUZZ_FACTOR },
    );
  });
});

describe("a limit", () => {
  it("gives the first of what would be given without one, and counts the rest", async () => {
    const documents = fc.array(item, { maxLength: 400, size: "max" });
    await fc.assert(
      fc.asyncProperty(documents, joined(1), fc.integer({ min: 1, max: 120 }), async (docs, query, limit) => {
        const ranker = new Ranker(OPTIONS);
        const all = await ranker.search(docs, query);
        expect(all.documents.length).toBe(all.total);
        const some = await ranker.search(docs, query, { limit });
        expect(some).toEqual({ documents: all.documents.slice(0, limit), total: all.total });
        // Equal documents are told apart by identity only.
        for (const [index, doc] of some.documents.entries()) expect(doc).toBe(all.documents[index]);
      }),
      { numRuns: 30 * FUZZ_FACTOR },
    );
  });

  it("keeps documents of equal rank in the order given, however many there are", async () => {
    const documents = Array.from({ length: 1_000 }, (_, index) => ({ title: "milk", body: String(index % 7) }));
    const { documents: found, total } = await new Ranker(OPTIONS).search(documents, "milk", { limit: 50 });
    expect(total).toBe(1_000);
    for (const [index, doc] of found.entries()) expect(doc).toBe(documents[index]);
  });
});

describe("hostile input", () => {
  it.each([
    ["a query of 100,000 letters", "a".repeat(100_000)],
    ["a query of 50,000 words", "ab ".repeat(50_000)],
    ["a query of distinct words", Array.from({ length: 5_000 }, (_, index) => `word${index.toString(36)}`).join(" ")],
    ["a query without spaces", "会议".repeat(20_000)],
    ["a query of punctuation", "!".repeat(100_000)],
    ["a misspelt query", "abababababababababababababababab"],
  ])("%s is answered quickly", async (_, query) => {
    const documents = Array.from({ length: 500 }, (_unused, index) => ({
      title: "会议".repeat(100),
      tags: "ab".repeat(250) + index,
      body: Array.from({ length: 30 }, (__, at) => "ba".repeat(14 + (at % 4))).join(" "),
    }));
    const ranker = new Ranker({ ...OPTIONS, indexFrom: 0 });
    await ranker.prepare(documents);
    const time = await processorTime(async () => {
      await ranker.search(documents, query);
      await new Ranker(OPTIONS).search(documents, query);
    });
    expect(time).toBeLessThan(1_500);
  });
});
