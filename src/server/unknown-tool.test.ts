import { describe, expect, it } from "vitest";
import { TOOLS } from "../tools/all-tools.js";
import { insteadOf } from "./tool-methods.js";

const NAMES = TOOLS.map(({ name }) => name);

describe("a tool that does not exist", () => {
  it.each([
    ["delete_task", 'Call "obsidian_delete_note" (a task is a note).'],
    ["deleteTasks", 'Call "obsidian_delete_note" (a task is a note).'],
    ["complete_task", 'Call "update_task" (with status "Done").'],
    ["list_tasks", 'Call "search_tasks" (with query *, or filters).'],
    ["rename_task", 'Call "update_task" (with a new title).'],
    ["creat_task", 'Did you mean "create_task"?'],
    ["updateTask", 'Did you mean "update_task"?'],
    ["edit_task", 'To change, there is "update_task", "update_tasks".'],
    ["delete_note", 'To delete, there is "obsidian_delete_note".'],
    ["remove_file", 'To delete, there is "obsidian_delete_note", "delete".'],
    ["undo", 'Did you mean "undo_edit"?'],
    ["serch", 'Did you mean "search"?'],
  ])("%s", (name, sentence) => expect(insteadOf(name, NAMES)).toBe(sentence));

  it("names no tool that is not offered", () => {
    expect(insteadOf("delete_task", ["scan_vault", "view"])).toBe("The tools are: scan_vault, view.");
    expect(insteadOf("delete_task", ["delete", "view"])).toBe('Call "delete" (a task is a note).');
    expect(insteadOf("zzz", ["view"])).toBe("The tools are: view.");
  });
});
