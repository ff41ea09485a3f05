import { describe, expect, it } from "vitest";
import { parseLocalDate } from "../../clock.js";
import { readQuickLine } from "./quick-line.js";
import { readQuickText } from "./quick-text.js";

const today = parseLocalDate("2026-11-21")!;

/** What a line says, without what is empty. */
function said(line: string): Record<string, unknown> {
  const { wordsOf: _, ...task } = readQuickLine(line, today);
  return Object.fromEntries(Object.entries(task).filter(([, value]) => !Array.isArray(value) || value.length > 0));
}

describe("readQuickLine", () => {
  it.each([
    ["Buy milk", { title: "Buy milk" }],
    ["Buy milk tomorrow", { title: "Buy milk", due: "2026-11-22" }],
    [
      "Call Anna due next friday !high #phone @home",
      { title: "Call Anna", due: "2026-11-27", priority: "High", tags: ["phone"], contexts: ["home"] },
    ],
    [
      "Write report on monday start 2026-11-22",
      { title: "Write report", scheduled: "2026-11-23", start: "2026-11-22" },
    ],
    ["Water plants every 3 days tomorrow", { title: "Water plants", recurrence: "every 3 days", due: "2026-11-22" }],
    [
      "Pay rent every month on the 1st when done",
      { title: "Pay rent", recurrence: "every month on the 1st when done" },
    ],
    [
      "Sand +[[New kitchen]] after [[Measure the wall]] ~1h30",
      { title: "Sand", projects: ["New kitchen"], blockedBy: ["[[Measure the wall]]"], timeEstimate: "1h30" },
    ],
    ["Fix #a #b/c +Kitchen", { title: "Fix", tags: ["a", "b/c"], projects: ["Kitchen"] }],
    ["Buy paint 📅 2026-12-01 🔺", { title: "Buy paint", due: "2026-12-01", priority: "High" }],
    ["Buy paint [due:: 2026-12-01] !low", { title: "Buy paint", due: "2026-12-01", priority: "Low" }],
    ['"Plan for tomorrow"', { title: "Plan for tomorrow" }],
    ['Watch "Today" friday', { title: 'Watch "Today"', due: "2026-11-27" }],
    ['friday review of "next week"', { title: 'friday review of "next week"' }],
    ["What is due", { title: "What is due" }],
    ["Work on it", { title: "Work on it" }],
    ["Room 101 #1", { title: "Room 101 #1" }],
    ["a@b.c", { title: "a@b.c" }],
    ["Twice today tomorrow", { title: "Twice today", due: "2026-11-22" }],
    ["tomorrow", { title: "", due: "2026-11-22" }],
    ["C++", { title: "C++" }],
  ])("%s", (line, expected) => expect(said(line)).toEqual(expected));
});

describe("readQuickText", () => {
  it("makes deeper lines subtasks and drops markers and boxes", () => {
    const entries = readQuickText("- [ ] A\n  - B tomorrow\n\n\t1. C\r\n    * D\nE", today);
    expect(entries.map(({ task, parent, line }) => [task.title, parent, line])).toEqual([
      ["A", undefined, 1],
      ["B", 0, 2],
      ["C", 0, 4],
      ["D", 2, 5],
      ["E", undefined, 6],
    ]);
  });

  it("names every line without a title and too many lines", () => {
    expect(() => readQuickText("a\ntomorrow\nb\n#x", today)).toThrow("lines 2, 4");
    expect(() => readQuickText("  \n", today)).toThrow("no line");
    expect(() => readQuickText("a\n".repeat(51), today)).toThrow("51 lines");
  });
});
