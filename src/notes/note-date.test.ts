/** The day a note is about, and the ranges and lists that properties are asked for by. */
import { describe, expect, it } from "vitest";
import { fixedClock, parseLocalDate, type LocalDate } from "../clock.js";
import { vaultPath, type VaultPath } from "../storage/path.js";
import { dayNames, dayOfNote } from "./note-date.js";
import { dayIn } from "./note-rows.js";
import { propertyCondition } from "./property-condition.js";

const clock = fixedClock("2025-08-30T12:00:00Z");
const today = parseLocalDate("2025-08-30") as LocalDate;
const note = (path: string, properties: Readonly<Record<string, string>>) => {
  const [day, dated] = dayIn(Object.entries(properties));
  return { path: vaultPath(path), modified: Date.parse("2025-08-20T10:00:00Z"), day, dated };
};

describe("the day of a note", () => {
  it.each<[string, Record<string, string>, string, string]>([
    ["Daily/30-08-2025.md", {}, "2025-08-30", "name"],
    ["Daily/2025/08/Sat 2025-08-30.md", {}, "2025-08-30", "name"],
    ["Meetings/2025-07-01 Review.md", { date: "2025-01-01" }, "2025-07-01", "name"],
    ["30-08-2025.md", {}, "2025-08-20", "changed"],
    ["Meetings/12025-07-012.md", {}, "2025-08-20", "changed"],
    ["a.md", { created: "2025-01-02", date: "2025-01-01T10:00:00Z" }, "2025-01-01", "date"],
    ["a.md", { created: "2025-01-02" }, "2025-01-02", "created"],
    ["a.md", { day: "[[2025-01-03]]" }, "2025-01-03", "day"],
    ["a.md", { date: "today", day: "no day" }, "2025-08-20", "changed"],
    ["a.md", { date: "2025-02-31" }, "2025-08-20", "changed"],
  ])("%s %j is %s by %s", async (path, properties, day, source) => {
    const names = await dayNames({
      day: { folder: "Daily" as VaultPath, format: "DD-MM-YYYY", template: undefined },
    });
    expect(dayOfNote(note(path, properties), names, clock)).toEqual({ day, source });
  });
});

describe("a condition on a property", () => {
  it.each<[string, string, boolean]>([
    ["draft", "Draft", true],
    ["draft", "drafts", false],
    ["*", "", true],
    ["Home", "[[Home]]", true],
    ['["a", "b"]', "B", true],
    ['["a", "b"]', "c", false],
    ['["a", ">=4"]', "5", true],
    [">=4", "4", true],
    [">=4", "4.0", true],
    [">=4", "3", false],
    [">=4", "many", false],
    [">4", "4", false],
    ["<10", "9", true],
    [">=2 <5", "4", true],
    [">=2, <5", "5", false],
    ["2..5", "5", true],
    ["2..5", "6", false],
    ["2 to 5", "5", true],
    ["2 to 5", "6", false],
    ["back to work", "back to work", true],
    [">= 2025-01-01", "2025-03-04", true],
    [">= 2025-01-01", "2024-12-31T23:00", false],
    ["< today", "2025-08-29", true],
    ["< today", "2025-08-30", false],
    ["2025-01-01..2025-01-31", "[[2025-01-15]]", true],
    [">.<", ">.<", true],
    ["[draft]", "[draft]", true],
    ["> you", "> you", true],
  ])("%s and %s: %s", (condition, value, holds) =>
    expect(propertyCondition("p", condition, today).accepts(value)).toBe(holds),
  );
});
