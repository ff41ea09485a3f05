/** Whatever row the table gets: what callers may set of it is read back from notes, and from lines where it has a sign. */
import { expect, it } from "vitest";
import { note, taskVault } from "../../../test/kit/task-vault.js";
import { DAY_IN_LINE } from "./kinds.js";
import { FIELD_NAMES, fieldNamed, type FieldProperties } from "./field-table.js";

const ROWS = FIELD_NAMES.flatMap((name) => {
  const { property, argument, update, inLine, sign } = fieldNamed(name);
  // What a task waits for names other tasks.
  if (property === undefined || argument === undefined || update === undefined || name === "blockedBy") return [];
  // A day of completion makes the task done, and update.test.ts has it.
  if (name === "completed") return [];
  const text = name === "timeEstimate" ? "90" : "gamma";
  const value = inLine === DAY_IN_LINE ? "2025-09-03" : update.type === "array" ? ["alpha", "beta"] : text;
  return [{ argument, property: property as keyof FieldProperties, value, sign }];
});

it.each(ROWS)("$argument is written to a note and told as $property", async ({ argument, property, value }) => {
  const vault = taskVault({ "a.md": note("type: task") });
  const { task } = await vault.tasks.update("a", { [argument]: value });
  const expected = property === "timeEstimate" ? Number(value) : value;
  expect([task[property], (await vault.task("a.md"))[property]]).toEqual([expected, expected]);
});

it.each(ROWS.filter(({ sign }) => sign !== undefined))(
  "$argument is written to a line by its sign, told as $property, and taken away",
  async ({ argument, property, value, sign }) => {
    const vault = taskVault({ "a.md": "- [ ] one #task\n" }, { lines: { inlineTasks: "marked" } });
    const { task } = await vault.tasks.update("a.md:1", { [argument]: value });
    expect(task[property]).toEqual(value);
    expect(await vault.text("a.md")).toBe(`- [ ] one #task ${sign?.emoji[0]} ${String(value)}\n`);
    await vault.tasks.update("a.md:1", { [argument]: "" });
    expect(await vault.text("a.md")).toBe("- [ ] one #task\n");
  },
);
