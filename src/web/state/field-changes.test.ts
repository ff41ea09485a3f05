import { expect, it } from "vitest";
import { readChange } from "./field-changes.js";

const head = "--- a/Paint.md\n+++ b/Paint.md\n@@ -1,4 +1,4 @@\n ---\n";
const fieldsOf = (lines: string) => readChange(`${head}${lines}`, "2026-11-28").fields;

it("a changed property is said with both values, days and estimates as everywhere else", () => {
  expect(fieldsOf("-due: 2026-11-20\n+due: 2026-11-29\n status: To Do\n-modified: 1\n+modified: 2\n")).toBe(
    "Due Fri 20 Nov → tomorrow",
  );
  expect(fieldsOf("-timeEstimate: 45\n+timeEstimate: 90\n")).toBe("Estimate 45 min → 1 h 30 min");
});

it("a day that does not exist is shown as it is, not as the day after", () => {
  expect(fieldsOf("-due: 2025-02-30\n+due: 2026-13-45\n")).toBe("Due 2025-02-30 → 2026-13-45");
});

it("a new property has no earlier value, a removed one no later value", () => {
  expect(fieldsOf("+status: Done\n+completed: 2026-11-28\n")).toBe("Status Done");
  expect(fieldsOf('-area: "[[Home]]"\n')).toBe("Area Home → (empty)");
});

it("items of a list are its property's values", () => {
  expect(fieldsOf("-status: To Do\n+status: In Progress\n tags:\n   - home\n+  - errand\n")).toBe(
    "Status To Do → In Progress, Tags errand",
  );
  expect(fieldsOf("+tags:\n+  - home\n+  - errand\n")).toBe("Tags home, errand");
  expect(fieldsOf("+- home\n+- errand\n")).toBe("");
});

it("of other text nothing is said", () => {
  expect(fieldsOf("-Two coats.\n+One coat.\n")).toBe("");
});

it("a task that is a line is named by its title, with its status and days", () => {
  expect(readChange(`${head}-- [ ] Call Ann 📅 2026-11-20\n+- [x] Call Ann 📅 2026-11-28\n`, "2026-11-28")).toEqual({
    title: "Call Ann",
    fields: "Status To Do → Done, Due Fri 20 Nov → today",
  });
  expect(readChange(`${head}-- [ ] Call Ann ⏫\n ## Doing\n+- [ ] Call Ann ⏫\n`, "2026-11-28")).toEqual({
    title: "Call Ann",
    fields: "",
  });
  expect(readChange(`${head}+- [ ] Call Ann\n+- [ ] Call Bob\n`, "2026-11-28").title).toBe(undefined);
});

it("of several notes only what they share is said", () => {
  const other = "--- a/Oil.md\n+++ b/Oil.md\n@@ -2 +2 @@\n-due: 2026-11-21\n+due: 2026-11-29\n";
  expect(fieldsOf(`-due: 2026-11-20\n+due: 2026-11-29\n${other}`)).toBe("Due tomorrow");
});

it("a finished instance is said as one, in a list of days and as a line beside the next", () => {
  const list =
    " complete_instances:\n   - 2026-11-14\n+  - 2026-11-21\n-scheduled: 2026-11-21\n+scheduled: 2026-11-29\n";
  expect(fieldsOf(list)).toBe("Done for Sat 21 Nov, Planned Sat 21 Nov → tomorrow");
  expect(fieldsOf("+skipped_instances:\n+  - 2026-11-21\n")).toBe("Skipped Sat 21 Nov");
  const lines =
    "-- [ ] Rent 🔁 every month 📅 2026-11-28\n+- [ ] Rent 🔁 every month 📅 2026-12-28\n+- [x] Rent 📅 2026-11-28 ✅ 2026-11-28\n";
  expect(readChange(`${head}${lines}`, "2026-11-28")).toEqual({
    title: "Rent",
    fields: "Done, Due today → Mon 28 Dec",
  });
});
