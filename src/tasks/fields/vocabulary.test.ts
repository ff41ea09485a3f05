import { describe, expect, it } from "vitest";
import { FIELD_NAMES, fieldNamed } from "./field-table.js";
import { STATUS_WORDS, normaliseWord, priorityOf, priorityOnScale, statusOf } from "./vocabulary.js";

describe("key spellings", () => {
  it("are stored as they are compared", () => {
    for (const spelling of FIELD_NAMES.flatMap((name) => fieldNamed(name).spellings))
      expect(normaliseWord(spelling)).toBe(spelling);
  });

  it.each([
    ["Due Date", "duedate"],
    ["due_date", "duedate"],
    ["dueDate", "duedate"],
    ["due-date", "duedate"],
    ["ＤＵＥ", "due"],
    [" Status ", "status"],
  ])("%s is compared as %s", (key, normalised) => expect(normaliseWord(key)).toBe(normalised));

  it("are compared without the variation selectors that Unicode has", () => {
    const texts = Array.from({ length: 0x110000 }, (_, point) => `\u2705${String.fromCodePoint(point)}`);
    const without = (text: string): string => text.normalize("NFKC").replace(/[\s_\-\p{Variation_Selector}]+/gu, "");
    expect(texts.filter((text) => normaliseWord(text) === "\u2705")).toEqual(
      texts.filter((text) => without(text) === "\u2705"),
    );
  });
});

describe("statuses", () => {
  it.each([
    [
      "To Do",
      ["todo", "to do", "to-do", "TODO", "Open", "none", "Not Started", "false", " ", ">", "?", "Someday", "*"],
    ],
    [
      "In Progress",
      ["in progress", "in-progress", "inProgress", "in_progress", "Doing", "WIP", "/", "🟢 Active", "Review"],
    ],
    ["Blocked", ["blocked", "Waiting for", "waiting-for", "On Hold", "onhold", "h"]],
    ["Done", ["done", "Complete", "completed", "x", "X", "✅", "✅ Done", "true", "☑️ finished"]],
    ["Cancelled", ["cancelled", "canceled", "Won't do", "wontfix", "-", "dropped"]],
  ])("%s is read from all its words", (status, words) => {
    expect(statusOf("H")).toBeUndefined();
    for (const word of words) expect([word, statusOf(word)]).toEqual([word, status]);
  });

  it.each(["5", "yes", "Maybe later", "", "🚀", "--"])("%j is nobody's word", (word) =>
    expect(statusOf(word)).toBeUndefined(),
  );
});

describe("priorities", () => {
  it.each([
    ["High", ["high", "Urgent", "1", "P1", "A", "⏫", "!!!", "❗️", "🔴 High"]],
    ["Medium", ["medium", "Normal", "none", "2", "p2", "b", "🔼", "!!"]],
    ["Low", ["low", "Minor", "3", "4", "p4", "C", "🔽", "!"]],
  ])("%s is read from all its words", (priority, words) => {
    for (const word of words) expect([word, priorityOf(word)]).toEqual([word, priority]);
  });

  it("are read from symbols with a variation selector behind them", () => {
    const symbols = Array.from("🔺⏫❗🔴🔼🟡🔽⏬🟢🔵");
    expect(symbols.map((symbol) => priorityOf(`${symbol}\ufe0f`))).toEqual(symbols.map((symbol) => priorityOf(symbol)));
    expect([priorityOf("🔺"), statusOf("✅\ufe0f")]).toEqual(["High", "Done"]);
  });

  it.each([
    ["High", "p3", "p1"],
    ["Low", "P1", "P3"],
    ["Medium", "1", "2"],
    ["Low", "!!!", "!"],
    ["High", "b", "a"],
    ["High", "🔽", "⏫"],
  ] as const)("%s beside %s is %s", (priority, like, word) => expect(priorityOnScale(priority, like)).toBe(word));

  it("has no scale for ordinary words", () => expect(priorityOnScale("High", "low")).toBeUndefined());
});

it("reads no word as two things", () => {
  // A word in two rows would mean whatever came last.
  const words = Object.values(STATUS_WORDS).flat();
  expect(words.length).toBeGreaterThan(40);
  expect(new Set(words).size).toBe(words.length);
});
