import { expect, it } from "vitest";
import { changedFields } from "./field-changes.js";

const head = "--- a/Paint.md\n+++ b/Paint.md\n@@ -1,4 +1,4 @@\n ---\n";

it("a changed property is said with both values, days as everywhere else", () => {
  const diff = `${head}-due: 2026-11-20\n+due: 2026-11-29\n status: To Do\n-modified: 1\n+modified: 2\n`;
  expect(changedFields(diff, "2026-11-28")).toBe("Due Fri 20 Nov → tomorrow");
});

it("a day that does not exist is shown as it is, not as the day after", () => {
  const diff = `${head}-due: 2025-02-30\n+due: 2026-13-45\n`;
  expect(changedFields(diff, "2026-11-28")).toBe("Due 2025-02-30 → 2026-13-45");
});

it("a new property has no earlier value, a removed one no later value", () => {
  expect(changedFields(`${head}+status: Done\n`, "2026-11-28")).toBe("Status Done");
  expect(changedFields(`${head}-area: "[[Home]]"\n`, "2026-11-28")).toBe("Area Home → (empty)");
});

it("of other text nothing is said", () => {
  expect(changedFields(`${head}-Two coats.\n+One coat.\n`, "2026-11-28")).toBe("");
});
