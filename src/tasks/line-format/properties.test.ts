/** What holds of every edit of a checkbox line, whatever the line and the note around it (docs: tasks, "Answers of other programs"). */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { taskVault } from "../../../test/kit/task-vault.js";
import { VaultError } from "../../errors.js";
import { vaultPath } from "../../storage/path.js";
import { fieldSpan, parseTaskLine } from "./task-line.js";
import { FUZZ_FACTOR } from "../../../test/kit/fuzz.js";

const TODAY = "2025-08-30T12:00:00Z";
const day = fc.constantFrom("2025-08-01", "2025-08-30", "2025-09-15", "2024-02-29");
const pieces = fc.oneof(
  day.map((each) => `📅 ${each}`),
  day.map((each) => `⏳ ${each}`),
  day.map((each) => `[start:: ${each}]`),
  fc.constantFrom("⏫", "🔽\uFE0F", "#task", "#home", "🆔 abc123", "⛔ x1,y2", "[priority:: low]", "➕ 2025-08-01"),
);
const rule = fc.constantFrom("", "", "🔁 every week", "🔁 every month when done", "[repeat:: every 2 days]");
const line = fc
  .tuple(
    fc.constantFrom("- [ ]", "* [/]", "  - [x]", "> 1. [ ]", "\t+ [-]"),
    fc.constantFrom("Water  the plants", "Ring `[due:: 1]` up", "日本語 🎁", "a [link](x.md)", "x"),
    fc.array(pieces, { maxLength: 5 }),
    rule,
    fc.constantFrom("", " ^block", "  "),
  )
  .map(([head, title, fields, repeats, end]) => `${[head, title, ...fields, repeats].join(" ").trimEnd()}${end}`);
const other = fc.constantFrom("", "words", "- [ ] other #task", "  - deeper", "# Heading", "> quote");
const updates = fc.record(
  {
    status: fc.constantFrom("To Do", "In Progress", "Done"),
    priority: fc.constantFrom("High", "Medium", "Low"),
    dueDate: fc.oneof(day, fc.constant("")),
    title: fc.constantFrom("New title", "x"),
    tags: fc.constantFrom([], ["home"], ["new", "task"]),
  },
  { requiredKeys: [] },
);

it("changes one line, of a series two, never a rule, and undoing gives every byte back", async () => {
  const notes = fc.tuple(
    fc.array(other, { maxLength: 4 }),
    line,
    fc.array(other, { maxLength: 4 }),
    fc.constantFrom("\n", "\r\n"),
  );
  let [written, stepped] = [0, 0];
  await fc.assert(
    fc.asyncProperty(notes, updates, async ([above, text, below, ending], change) => {
      if (Object.keys(change).length === 0) return;
      const before = [...above, text, ...below].join(ending);
      const vault = taskVault({ "a.md": before }, { now: TODAY, lines: { inlineTasks: "all" } });
      const place = above.length + 1;
      try {
        await vault.tasks.update(`a.md:${place}`, change);
      } catch (error) {
        // A refusal leaves the note alone.
        if (!(error instanceof VaultError)) throw error;
        expect(await vault.text("a.md")).toBe(before);
        return;
      }
      const after = await vault.text("a.md");
      if (after === before) return;
      written++;
      // A note of one line has no line ending to go by.
      const lines = after.split(before.includes("\n") ? ending : "\n");
      const added = lines.length - above.length - 1 - below.length;
      expect(lines.slice(0, above.length)).toEqual(above);
      expect(lines.slice(lines.length - below.length)).toEqual(below);
      const old = parseTaskLine(text);
      const repeats = old !== undefined && fieldSpan(old, "recurrence") !== undefined;
      expect(added).toBe(repeats && change.status === "Done" && old.symbol !== "x" ? 1 : 0);
      stepped += added;
      for (const each of lines.slice(above.length, above.length + 1 + added)) {
        const now = parseTaskLine(each);
        expect(now && fieldSpan(now, "recurrence")?.value).toBe(old && fieldSpan(old, "recurrence")?.value);
      }
      await vault.vault.history.undo(vaultPath("a.md"));
      expect(await vault.text("a.md")).toBe(before);
    }),
    { numRuns: 100 * FUZZ_FACTOR },
  );
  expect(written).toBeGreaterThan(20);
  expect(stepped).toBeGreaterThan(0);
});
