/** Ids of checkbox lines in answers: each still means its line after another program inserts lines. */
import { describe, expect, it } from "vitest";
import { memoryVault } from "../../../test/kit/memory-vault.js";
import { wordsOf } from "../outcome.js";

const FILES = {
  "List.md": [
    "- [ ] Water the basil 🔁 every week 📅 2026-11-20 #task",
    "  - [ ] Fill the can #task",
    "- [ ] Order tiles 📅 2026-11-30 #task",
    "- [ ] Buy glue #task ^glue",
    "- [ ] Plain box",
    "- [ ] Rent 🔁 every month 📅 2026-12-01 🏁 delete #task",
  ].join("\n"),
  "Board.md":
    "---\nkanban-plugin: board\n---\n\n## To do\n\n- [ ] Sand the floor @{2026-11-25}\n- [ ] Wash 🔁 every week @{2026-11-23}\n\n## Done\n\n**Complete**\n- [x] Old card\n",
  "_projects/House.md": "---\ntype: task\nstatus: to do\n---\n# House\n",
  "_projects/Move.md": "---\ntype: task\nstatus: to do\npriority: low\n---\n# Move\n",
};

/** Each call's answer holds ids of lines, except the ones that only prepare. */
const CALLS: readonly (readonly [tool: string, args: object])[] = [
  ["scan_vault", {}],
  ["search_tasks", { query: "*" }],
  ["search_tasks", { query: "*", is: ["checkbox"] }],
  ["get_agenda", {}],
  ["get_agenda", { view: "projects" }],
  ["get_task", { taskId: "List.md:1" }],
  ["get_task", { taskId: "List.md:99" }],
  ["add_tasks", { text: "Buy paint #task\n  Stir it\nBuy milk", note: "List" }],
  ["add_tasks", { text: "Paint the wall due friday\n  Tape it", note: "Board", heading: "To do" }],
  ["add_tasks", { text: "Order tiles", plan: true }],
  ["update_task", { taskId: "List.md:1", updates: { status: "Done" } }],
  ["update_task", { taskId: "Rent", updates: { status: "Done" } }],
  ["update_task", { taskId: "Wash", updates: { status: "Done" } }],
  ["update_task", { taskId: "Sand the floor", updates: { lane: "Done" } }],
  ["update_task", { taskId: "Move", updates: { convert: "line", note: "List" } }],
  ["update_task", { taskId: "Order tiles #task", updates: { convert: "note" } }],
  ["update_tasks", { taskIds: ["Buy glue #task"], updates: { priority: "High" } }],
  ["undo_edit", {}],
];

/** `Note.md:14` without digits. */
const BARE = /\.md:\d+(?![\d~])/;
const LINE_ID = /[\w/]+\.md(?::\d+~[0-9a-f]{6}|#\^[A-Za-z0-9-]+)/g;

describe("an id of a line", () => {
  it("has digits or a block id in every answer", async () => {
    const { call } = memoryVault(FILES, { inlineTasks: "marked" });
    for (const [tool, args] of CALLS) {
      const answer = await call(tool, args);
      // A candidate of a refusal is an id too.
      const said = wordsOf(answer) + JSON.stringify(answer.ok ? answer.data : {});
      expect(said.replaceAll("List.md:99", ""), `${tool} ${JSON.stringify(args)}`).not.toMatch(BARE);
    }
  });

  it("still means its line after lines were inserted above", async () => {
    for (const [tool, args] of CALLS) {
      const { call, open } = memoryVault(FILES, { inlineTasks: "marked" });
      const answer = await call(tool, args);
      const ids = new Set(JSON.stringify(answer.ok ? answer.data : {}).match(LINE_ID));
      const titles = new Map<string, string>();
      for (const id of ids) titles.set(id, (await open.tasks.get(id)).task.title);
      for (const path of ["List.md", "Board.md"])
        await open.vault.writing.edit(path as never, (text) => text.replace("- [", "- [ ] Inserted\n- ["), "another");
      for (const [id, title] of titles) {
        const found = await open.tasks.get(id).catch((error: unknown) => error);
        // Two lines of one title, as of a series, are refused with both.
        const means = found instanceof Error ? found : (found as { task: { title: string } }).task.title;
        if (means instanceof Error) expect(means).toMatchObject({ code: "AMBIGUOUS_NAME" });
        else expect(means, `${tool} ${id}`).toBe(title);
      }
    }
  });

  it("of the next instance changes that instance or nothing", async () => {
    const { call, open, text } = memoryVault(
      { "List.md": "- [ ] Wash 🔁 every week 📅 2026-11-20 #task\n- [ ] Sing #task\n" },
      { inlineTasks: "marked" },
    );
    const done = await call("update_task", { taskId: "Wash #task", updates: { status: "Done" } });
    const { series } = (done.ok ? done.data : {}) as { readonly series?: { readonly nextId?: string } };
    expect(series?.nextId).toMatch(/^List\.md:1~[0-9a-f]{6}$/);
    await open.vault.writing.edit("List.md" as never, (now) => `- [ ] Another #task\n${now}`, "another program");
    await call("update_task", { taskId: series?.nextId, updates: { priority: "High" } });
    expect(await text("List.md")).toContain("- [ ] Another #task\n");
  });
});
