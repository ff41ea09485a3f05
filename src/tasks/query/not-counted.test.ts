/** Open plain checkboxes are counted without a row for each of them. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { refusal, taskVault, type TaskVault } from "../../../test/kit/task-vault.js";
import type { TaskFilters } from "../task.js";
import { FUZZ_FACTOR } from "../../../test/kit/fuzz.js";

const storedBoxes = ({ vault }: TaskVault): number =>
  vault.index.latest?.get<[number]>("SELECT count(*) FROM task WHERE scope = 2")?.[0] ?? 0;

const LINES = [
  "- [ ] lamp",
  "- [ ] lamp again",
  "  - [/] blue lamp #shop",
  "- [x] lamp done",
  "> - [ ] Ärger #shop/food ^b1",
  "- [ ] dated lamp 📅 2025-09-01",
  "- [ ] lamp [priority:: high]",
  "- [>] moved lamp",
  "- [ ] #shop",
];
const FOLDERS = ["", "2 Areas/Home/", "1 Projects/Kitchen/", "4 Archive/", "daily/2025-08-29 "];
const QUESTIONS: readonly Partial<TaskFilters>[] = [
  {},
  { query: "lamp" },
  { query: "lamp home" },
  { query: "arger" },
  { query: "shop", status: "In Progress" },
  { status: ["To Do", "Blocked"] },
  { area: "Home" },
  { project: "Kitchen" },
  { project: "none", area: "none" },
  { tags: ["shop"] },
  { note: "n1" },
  { due: "any" },
  { due: "none", priority: "Medium" },
  { scheduled: "yesterday" },
  { priority: "High" },
  { context: "none" },
  { is: ["ready"] },
  { is: ["blocked"] },
  { is: ["stale"] },
  { is: ["recurring"] },
  { is: ["note"] },
  { is: ["card"] },
  { includeArchived: true, query: "again" },
];
const numberIn = (text: string | undefined): number => Number(/\d+/.exec(text ?? "0")?.[0]);

describe("open plain checkboxes that a question leaves out", () => {
  it("are as many as a search of checkboxes finds, whatever the words and filters", async () => {
    const note = fc.tuple(fc.constantFrom(...FOLDERS), fc.array(fc.constantFrom(...LINES), { maxLength: 8 }));
    const globalFilter = fc.constantFrom("", "#task", "#shop");
    await fc.assert(
      fc.asyncProperty(fc.array(note, { minLength: 1, maxLength: 4 }), globalFilter, async (notes, filter) => {
        const settings = { globalFilter: filter, useFilenameAsScheduledDate: true };
        const vault = taskVault({
          ".obsidian/plugins/obsidian-tasks-plugin/data.json": JSON.stringify(settings),
          ".obsidian/community-plugins.json": '["obsidian-tasks-plugin"]',
          "1 Projects/Kitchen/Kitchen.md": "---\ntype: project\narea: Home\n---\n",
          ...Object.fromEntries(notes.map(([folder, lines], at) => [`${folder}n${at}.md`, `${lines.join("\n")}\n`])),
        });
        await vault.tasks.search({ query: "*" });
        const counted: number[] = [];
        for (const question of QUESTIONS)
          counted.push(numberIn(String((await vault.tasks.notCounted(question)) ?? "0")));
        expect(storedBoxes(vault)).toBe(0);
        for (const [at, question] of QUESTIONS.entries()) {
          const is = [...(question.is ?? []), "checkbox", "outstanding"] as const;
          const { total } = await vault.tasks.search({ query: "*", ...question, is });
          expect([question, counted[at]]).toEqual([question, total]);
        }
      }),
      { numRuns: 40 * FUZZ_FACTOR },
    );
  });

  it("get rows only in the notes that a reference means", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 9 }, (_, at) => [`n${at}.md`, `- [ ] box ${at}\n- [ ] lamp of ${at}\n`]),
    );
    const vault = taskVault({ ...files, "task.md": "---\ntype: task\n---\n" });
    const { tasks } = vault;
    expect((await refusal(tasks.get("no such task"))).code).toBe("FILE_NOT_FOUND");
    expect(storedBoxes(vault)).toBe(0);
    expect((await tasks.get("n3.md:2")).task.title).toBe("lamp of 3");
    expect(storedBoxes(vault)).toBe(2);
    const { message, candidates } = await refusal(tasks.get("Box 5"));
    expect([message, candidates?.map(({ path }) => path)]).toEqual([
      'No task is named "Box 5", but a plain checkbox is:',
      ["n5.md"],
    ]);
    expect(storedBoxes(vault)).toBe(4);
    await tasks.update("n7.md:1", { status: "Done" });
    expect((await tasks.search({ query: "*", is: ["checkbox"] })).total).toBe(18);
    expect((await refusal(tasks.get("Box 5"))).candidates).toHaveLength(1);
  });

  it("follow their notes", async () => {
    const { tasks, put } = taskVault({ "a.md": "- [ ] lamp\n- [ ] bulb\n" });
    expect(numberIn(String(await tasks.notCounted({ query: "lamp" })))).toBe(1);
    await put("a.md", "- [x] lamp\n- [ ] bulb\n");
    await tasks.search({ query: "lamp" });
    expect(await tasks.notCounted({ query: "lamp" })).toBeUndefined();
    expect(numberIn(String(await tasks.notCounted()))).toBe(1);
  });
});
