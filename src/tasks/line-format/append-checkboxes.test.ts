import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tasksPluginSettings } from "../../obsidian/plugin-settings.js";
import type { VaultSettings } from "../../obsidian/settings.js";
import { settingsValues } from "../../obsidian/settings-values.js";
import { parseLocalDate } from "../../clock.js";
import { splitNote } from "../../markdown/frontmatter/frontmatter.js";
import { headings } from "../../markdown/outline.js";
import { vaultPath } from "../../storage/path.js";
import { appendCheckboxes } from "./append-checkboxes.js";
import type { NewCheckbox } from "../format.js";
import { lineSettings } from "./line-settings.js";

const today = parseLocalDate("2025-08-30")!;

function settingsOf(data: object = {}) {
  const tasksPlugin = tasksPluginSettings(
    settingsValues(data, () => {}),
    ["obsidian-tasks-plugin"],
  );
  return lineSettings({ tasksPlugin } as VaultSettings, {});
}

function appended(text: string, heading: string | undefined, boxes: readonly NewCheckbox[], data: object = {}): string {
  return appendCheckboxes(text, heading, boxes, { settings: settingsOf(data), path: vaultPath("a.md"), today }).text;
}
const ONE = [{ title: "new", due: today }];
const NEW = "- [ ] new 📅 2025-08-30";

describe("where they stand", () => {
  it.each<[string, string, string | undefined, string]>([
    ["an empty note", "", undefined, `${NEW}\n`],
    ["the end of a note", "words\n", undefined, `words\n\n${NEW}\n`],
    ["the end of a note without a newline", "words", undefined, `words\n\n${NEW}`],
    ["behind a list", "- a\n- b\n", undefined, `- a\n- b\n${NEW}\n`],
    ["behind a list and blank lines", "- a\n\n\n", undefined, `- a\n${NEW}\n\n\n`],
    ["in its marker", "* a\n", undefined, `* a\n${NEW.replace("-", "*")}\n`],
    ["in its numbers", "8. a\n9. b\n", undefined, `8. a\n9. b\n${NEW.replace("-", "10.")}\n`],
    ["in its numbers, all alike", "1) a\n1) b\n", undefined, `1) a\n1) b\n${NEW.replace("-", "1)")}\n`],
    ["behind one number", "> 1. a\n", undefined, `> 1. a\n> ${NEW.replace("-", "2.")}\n`],
    ["behind numbers and text", "1. a\n\nb\n", undefined, `1. a\n\nb\n\n${NEW}\n`],
    ["a section", "## One\n- a\n\n## Two\nx\n", "One", `## One\n- a\n${NEW}\n\n## Two\nx\n`],
    ["an empty section", "## One\n\n## Two\n", "one", `## One\n${NEW}\n\n## Two\n`],
    ["a section with inner ones", "# A\n- a\n## B\n- b\n# C\n", "# A", `# A\n- a\n## B\n- b\n${NEW}\n# C\n`],
    ["a missing section", "words\n", "Tasks", `words\n\n## Tasks\n\n${NEW}\n`],
    ["a missing section of a level", "words\n", "### Tasks", `words\n\n### Tasks\n\n${NEW}\n`],
    ["below frontmatter", "---\na: 1\n---\n", undefined, `---\na: 1\n---\n${NEW}\n`],
    ["in the note's line endings", "- a\r\n", undefined, `- a\r\n${NEW}\r\n`],
  ])("%s", (_place, text, heading, expected) => {
    expect(appended(text, heading, ONE)).toBe(expected);
  });

  it("subtasks of a numbered list have no numbers", () => {
    const boxes = [{ title: "a" }, { title: "b", parent: 0 }, { title: "c" }];
    expect(appended("1. x\n", undefined, boxes, { globalFilter: "#t" })).toBe(
      "1. x\n2. [ ] #t a\n\t- [ ] #t b\n3. [ ] #t c\n",
    );
  });

  it("subtasks stand behind what they are part of, indented like the list", () => {
    const boxes = [{ title: "a" }, { title: "b" }, { title: "c", parent: 0 }, { title: "d", parent: 2 }];
    const result = (text: string) =>
      appendCheckboxes(text, undefined, boxes, {
        settings: settingsOf({ globalFilter: "#t" }),
        path: vaultPath("a.md"),
        today,
      });
    expect(result("")).toMatchObject({
      text: "- [ ] #t a\n\t- [ ] #t c\n\t\t- [ ] #t d\n- [ ] #t b\n",
      places: [{ line: 1 }, { line: 4 }, { line: 2 }, { line: 3 }],
    });
    expect(result("- x\n  - y\n").text).toBe("- x\n  - y\n- [ ] #t a\n  - [ ] #t c\n    - [ ] #t d\n- [ ] #t b\n");
  });
});

describe("what they say", () => {
  const full: NewCheckbox = {
    title: "water",
    due: today,
    scheduled: today,
    start: today,
    priority: "High",
    recurrence: "weekly",
    tags: ["home"],
  };

  it("fields in the plugin's order, the global filter, and ➕ by its setting", () => {
    const days = "🛫 2025-08-30 ⏳ 2025-08-30 📅 2025-08-30";
    expect(appended("", undefined, [full])).toBe(`- [ ] water #home ⏫ 🔁 every week ${days}\n`);
    expect(appended("", undefined, [full], { globalFilter: "#task", setCreatedDate: true })).toBe(
      `- [ ] #task water #home ⏫ 🔁 every week ➕ 2025-08-30 ${days}\n`,
    );
    expect(appended("", undefined, ONE, { taskFormat: "dataview" })).toBe("- [ ] new  [due:: 2025-08-30]\n");
  });

  it("a tag where nothing else would make it a task", () => {
    expect(appended("", undefined, [{ title: "a" }])).toBe("- [ ] a #task\n");
  });

  it.each([
    { among: "- [ ] milk\n- [x] eggs\n", data: {}, writes: "- [ ] a\n- [ ] new 📅 2025-08-30\n" },
    { among: "- [ ] milk\r\n", data: {}, writes: "- [ ] a\r\n- [ ] new 📅 2025-08-30\r\n" },
    { among: "- [ ] milk\n", data: { globalFilter: "#t" }, writes: "- [ ] a\n- [ ] #t new 📅 2025-08-30\n" },
    {
      among: "- [ ] milk\n",
      data: { setCreatedDate: true },
      writes: "- [ ] a\n- [ ] new ➕ 2025-08-30 📅 2025-08-30\n",
    },
    { among: "- [ ] milk\n- [ ] rent #task\n", data: {}, writes: "- [ ] a #task\n- [ ] new 📅 2025-08-30\n" },
    { among: "- milk\n", data: {}, writes: "- [ ] a #task\n- [ ] new 📅 2025-08-30\n" },
    { among: "- [ ] \n", data: {}, writes: "- [ ] a #task\n- [ ] new 📅 2025-08-30\n" },
  ])("among $among with $data as the others do, if the caller allows it", ({ among, data, writes }) => {
    const context = { settings: settingsOf(data), path: vaultPath("a.md"), today };
    const add = (mayBePlain: boolean) =>
      appendCheckboxes(among, undefined, [{ title: "a" }, ...ONE], { ...context, mayBePlain }).text;
    expect(add(true)).toBe(among + writes);
    expect(add(false)).not.toMatch(/^- \[ \] a$/m);
  });

  it.each<[string, NewCheckbox]>([
    ["a title that reads as fields", { title: "a 📅 2025-01-01" }],
    ["a series without a day", { title: "a", recurrence: "every week" }],
    ["a rule without words", { title: "a", due: today, recurrence: "FREQ=HOURLY" }],
  ])("refuses %s", (_what, box) => {
    expect(() => appended("x\n", undefined, [box])).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  });
});

it.each(["# A\n\n```js\ncode\n", "words\n<!-- a\n", "%% a\n", "# A\n~~~\n# B\n"])(
  "refuses to add below what is not closed: %j",
  (text) => {
    expect(() => appended(text, undefined, ONE)).toThrow("code block or comment that is not closed");
  },
);

it("only adds lines, each where it says", () => {
  const line = fc.constantFrom("- a", "  - b", "words", "# One", "## Two", "", "> q", "1. c", "```", "---", "\t* d");
  const texts = fc.tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom("\n", "\r\n"), fc.boolean());
  fc.assert(
    fc.property(texts, fc.constantFrom(undefined, "One", "New"), ([lines, ending, isEnded], heading) => {
      const text = lines.join(ending) + (isEnded ? ending : "");
      const context = { settings: settingsOf(), path: vaultPath("a.md"), today };
      const add = () => appendCheckboxes(text, heading, ONE, context);
      if (lines.filter((one) => one === "```").length % 2 === 1) return;
      if (
        heading === "One" &&
        headings(text, splitNote(text).bodyStart).filter((one) => one.text === "One").length > 1
      ) {
        expect(add).toThrow(/several such headings/);
        return;
      }
      const result = add();
      const [after, before] = [result.text.split(/\r?\n/), text.split(/\r?\n/)];
      expect(after[(result.places[0]?.line ?? 0) - 1]?.replace(/^[\s>]*(?:[-*+]|\d+\.) /, "- ")).toBe(NEW);
      const added = after.length - before.length;
      expect(added).toBeLessThanOrEqual(6);
      const at = after.findIndex((each, place) => each !== before[place]);
      const rest = [...after.slice(0, at), ...after.slice(at + added)];
      expect(rest.filter((each) => each !== "")).toEqual(before.filter((each) => each !== ""));
    }),
  );
});
