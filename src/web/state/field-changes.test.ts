import { expect, it } from "vitest";
import { changedFields } from "./field-changes.js";

const head = "--- a/Paint.md\n+++ b/Paint.md\n@@ -1,4 +1,4 @@\n ---\n";

it("a changed property is said with both values, days as everywhere else", () => {
  const diff = `${head}-due: 2026-11-20\n+due: 2026-11-29\n status: To Do\n-modified: 1\n+modified: 2\n`;
  expect(changedFields(diff, "2026-11-28")).toBe("Due Fri 20 Nov → tomorrow");
});

it("a new property has no earlier value, a removed one no later value", () => {
  expect(changedFields(`${head}+status: Done\n`, "2026-11-28")).toBe("Status Done");
  expect(changedFields(`${head}-area: "[[Home]]"\n`, "2026-11-28")).toBe("Area Home → (empty)");
});

it("of other text nothing is said", () => {
  expect(changedFields(`${head}-Two coats.\n+One coat.\n`, "2026-11-28")).toBe("");
});
