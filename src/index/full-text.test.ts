import * as fc from "fast-check";
import { expect, it } from "vitest";
import { TimeSlice } from "../async/timers.js";
import { openSqlite } from "../sqlite.js";
import { indexWords } from "../search/words.js";
import { fold } from "../text/fold.js";
import { anyCharacter } from "../../test/kit/any-character.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";
import { wordsIn } from "./full-text.js";

const PIECES = [
  "Straße",
  "naïve",
  "don’t",
  "—",
  " ",
  "\0",
  "\n",
  "snake_case",
  "会議資料",
  "ไทย",
  "हिन्दी",
  "한국어",
  "e\u0301",
  "１２",
  "\ud83c",
  "🎯",
  "٣",
  "a1b2",
];
const texts = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join("")),
);

it("the words that SQLite finds in what it is given are ours", async () => {
  const database = openSqlite();
  database?.exec(`
    CREATE VIRTUAL TABLE t USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii');
    CREATE VIRTUAL TABLE vocabulary USING fts5vocab(t, row)`);
  const insert = database?.prepare("INSERT INTO t (rowid, words) VALUES (1, ?)");
  const select = database?.prepare<[Uint8Array]>("SELECT CAST(term AS BLOB) FROM vocabulary");
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      database?.exec("DELETE FROM t");
      insert?.run(await wordsIn(text, new TimeSlice()));
      const found = select?.all().map(([term]) => Buffer.from(term).toString());
      expect(found?.toSorted()).toEqual([...new Set(indexWords(fold(text)))].toSorted());
    }),
    { numRuns: 200 * FUZZ_FACTOR },
  );
});
