import { describe, expect, it } from "vitest";
import { nearest } from "./nearest.js";
import { processorTime } from "../../test/kit/processor-time.js";

const FIELDS = ["title", "area", "status", "dueDate", "priority", "parentProjects", "tags", "description"];

describe("nearest", () => {
  it.each([
    ["due_date", "dueDate"],
    ["DUE DATE", "dueDate"],
    ["titel", "title"],
    ["projects", "parentProjects"],
    ["priorty", "priority"],
    ["desc", "description"],
  ])("takes %s for %s", (text, name) => {
    expect(nearest(text, FIELDS)[0]).toBe(name);
  });

  it("puts the nearest first and keeps the given order among equals", () => {
    expect(nearest("--valt", ["--volt", "--vault", "--salt"])).toEqual(["--volt", "--vault", "--salt"]);
    expect(nearest("--vault", ["--allow-vault", "--vaults", "--vault"])).toEqual([
      "--vault",
      "--vaults",
      "--allow-vault",
    ]);
  });

  it("finds ids that differ in their random end, and titles that hold the text", () => {
    expect(nearest("task-review-report-abc123", ["task-buy-milk-a1b2c3", "task-review-report-zz9xk1"])).toEqual([
      "task-review-report-zz9xk1",
    ]);
    expect(nearest("quarterly", ["Pay rent", "Review quarterly report"])).toEqual(["Review quarterly report"]);
    expect(nearest("uberprufung", ["Überprüfung"])).toEqual(["Überprüfung"]);
  });

  it("answers nothing when nothing is near", () => {
    expect(nearest("zebra", FIELDS)).toEqual([]);
    expect(nearest("", FIELDS)).toEqual([]);
    expect(nearest("x", ["y"])).toEqual([]);
    expect(nearest("title", [])).toEqual([]);
  });

  it("gives each name once, and no more than asked", () => {
    expect(nearest("tag", ["tags", "tags", "tag1", "tagz", "tagx"], 2)).toEqual(["tags", "tag1"]);
  });

  it("is not slowed down by long text", async () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `${"a".repeat(5_000)}${index}`);
    const texts = ["a".repeat(100_000), `${"b".repeat(40)}${"a".repeat(40)}`];
    expect(await processorTime(() => texts.map((text) => nearest(text, names)))).toBeLessThan(1_500);
  });
});
