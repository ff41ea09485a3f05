import { describe, expect, it } from "vitest";
import { contextOf, KnownTasks, workspaceOf } from "../../../test/kit/known-tasks.js";
import { toolsFor } from "../registry.js";

async function said(name: string, args: object): Promise<string> {
  const outcome = await toolsFor()
    .find(name)
    ?.call(args, contextOf(workspaceOf(new KnownTasks([]))));
  return `${outcome?.text ?? ""}\n${outcome?.ok === true ? (outcome.details ?? "") : ""}`;
}

describe("what a refused argument or word should have been", () => {
  it.each([
    ["search_tasks", { query: "*", is: ["overdue"] }, 'use due "overdue"'],
    ["search_tasks", { query: "*", is: ["done"] }, 'use status ["Done"]'],
    ["search_tasks", { query: "*", is: ["open"] }, 'use is ["outstanding"]'],
    ["search_tasks", { query: "*", status: ["!done"] }, 'use is ["outstanding"]'],
    ["search_tasks", { query: "*", status: ["not done"] }, 'use is ["outstanding"]'],
    ["search_tasks", { query: "*", status: ["-blocked"] }, "nothing is excluded"],
    ["search_tasks", { query: "*", priority: ["!high"] }, "nothing is excluded"],
    ["search_tasks", { query: "*", due_before: "2026-12-01" }, 'use due "before 2026-12-05"'],
    ["search_tasks", { query: "*", offset: 20 }, "use the cursor"],
    ["find_notes", { status: "read" }, "use properties"],
    ["search_tasks", { query: "*", status: ["open"] }, 'for all that are not finished: is ["outstanding"]'],
    ["search_tasks", { query: "*", assignee: "Anna" }, 'find_notes with properties {"assignee": "Anna"} finds'],
    ["create_task", { title: "a", area: "b", assignee: "Anna" }, 'or properties {"assignee": "Anna"}'],
    ["find_notes", { assignee: "Anna" }, 'use properties {"assignee": "Anna"}'],
    ["search_tasks", { query: "*", overdue: true }, 'use due "overdue"'],
    ["update_task", { taskId: "a", updates: { status: "Done" }, dry_run: true }, "undo_edit takes it back"],
    ["find_notes", { query: "a", max_results: 5 }, "use limit"],
    ["find_notes", { query: "a", path: "b" }, "use folder"],
    ["find_notes", { query: "a", order: "mtime" }, "use sort_by"],
    ["find_notes", { query: "a", filter: "b" }, "each filter is an argument of its own"],
    ["find_notes", { title: "a" }, "use query"],
    ["find_notes", { query: "a", page: 2 }, "use offset"],
    ["find_notes", { query: "a", date: "today" }, "use date_from"],
    ["search_tasks", { query: "a", top_k: 5 }, "use limit"],
    ["search_tasks", { query: "a", order_by: "due" }, "use sort"],
    ["obsidian_list_tags", { path: "a" }, "use folder"],
    ["get_history", { date: "today" }, "use since"],
    ["search", { query: "a", limit: 5 }, "narrow query or path"],
    ["search", { query: "a", tag: "b" }, "find_notes looks for titles and tags"],
    ["rename_tag", { tag: "a", new_name: "b" }, '"tag" (use from); unknown argument "new_name" (use to)'],
    ["rename_tag", { old_tag: "a", new_tag: "b" }, '"old_tag" (use from); unknown argument "new_tag" (use to)'],
    ["obsidian_move_note", { note: "a", new_path: "b/a" }, "use folder, new_name or both"],
  ])("%s %j", async (name, args, advice) => expect(await said(name, args)).toContain(advice));

  it.each([
    ["create_task", { title: "a", area: "b", status: "unfinished" }],
    ["create_task", { title: "a", area: "b", status: "!done" }],
    ["update_task", { taskId: "a", updates: { status: "not done" } }],
  ])("names no filter where a word is written: %s %j", async (name, args) => {
    const text = await said(name, args);
    expect(text).toMatch(/status" must be one of .*, got "[^"]*"\./);
  });

  it("is said once, however often it was wrong", async () => {
    const text = await said("search_tasks", { query: "*", sort: ["a", "b"] });
    expect(text.match(/"sort" must be/g)).toHaveLength(1);
  });
});
