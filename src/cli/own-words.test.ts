import { describe, expect, it } from "vitest";
import { inOwnWords } from "./own-words.js";

describe("what a tool refused, in the words of the command", () => {
  it.each([
    ["add", 'dueDate "blursday" is not a day I know.', '--due "blursday" is not a day I know.'],
    ["list", 'due "blursday" is no range', '--due "blursday" is no range'],
    [
      "list",
      '"limit" must be a whole number from 1 to 100, got 0',
      "--limit must be a whole number from 1 to 100, got 0",
    ],
    ["find", 'date_from "x" is not a day', '--from "x" is not a day'],
    [
      "show",
      "Give one of these ids, or list more tasks with search_tasks.",
      "Give one of these ids, or list more tasks with search.",
    ],
    [
      "set",
      'Invalid arguments: "updates" must name at least one field: title, dueDate.\nArguments: taskId (required).',
      "Invalid arguments: there must be at least one field: title, due.\nWrite: set <task> <field>=<value> ...",
    ],
    ["set", '"updates.dueDate" must be a string', "due must be a string"],
    ["set", 'dueDate "x" is not a day', 'due "x" is not a day'],
    ["add", "Invalid.\nArguments: title (required), area.", "Invalid.\nSee add --help."],
    [
      "read",
      "Error: There is no daily note for 2025-08-30 yet.\nobsidian_append_note with create: true makes 'a.md'.",
      "Error: There is no daily note for 2025-08-30 yet.",
    ],
    ["find", "date_from (2025-08-30) is after date_to (2025-08-29)", "--from (2025-08-30) is after --to (2025-08-29)"],
    ["show", 'Item not found: My "due" list', 'Item not found: My "due" list'],
    [
      "done",
      "Name the next day with scheduled or dueDate in the same call, or give another recurrence.",
      "Name the next day with scheduled or due, using set (set <task> status=Done scheduled=<day>), or give another recurrence.",
    ],
  ] as const)("%s: %s", (command, text, own) => expect(inOwnWords(command, text)).toBe(own));
});
