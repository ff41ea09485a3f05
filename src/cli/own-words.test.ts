import { describe, expect, it } from "vitest";
import { hintsInOwnWords, inOwnWords } from "./own-words.js";

describe("what a tool refused, in the words of the command", () => {
  it.each([
    ["view", "run_view without a source lists all views.", "view without a source lists all views."],
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
    ["history", 'since "x" is not a day I know.', '--since "x" is not a day I know.'],
    ["history", "No operation op-x; get_history lists them.", "No operation op-x; history lists them."],
    [
      "find",
      "Check the spelling, or leave folder out to see all.",
      "Check the spelling, or leave --folder out to see all.",
    ],
    [
      "read",
      "view shows other files, delete removes them; both are of the toolset files.",
      "Open it with another program.",
    ],
    [
      "read",
      '\'a.zip\' is no text.\nfind_notes with kind "attachment" and query "a.zip" says which notes link to it.',
      "'a.zip' is no text.",
    ],
    ["set", 'Invalid arguments: "taskId" must not be empty.', "Invalid arguments: the task must not be empty."],
    ["set", "Name one with updates.lane.", "Name one with lane=<lane>."],
    [
      "set",
      'Invalid: "updates.properties" must be an object, got "a".',
      'Invalid: properties must be written as {"name":"text"}, got "a".',
    ],
    [
      "done",
      "❌ Error: update_task is not available: this server is read-only.\nThe server must be started without --read-only to change the vault.",
      "❌ Error: done would change the vault.\nLeave --read-only out to allow it.",
    ],
    ["done", "Name one with updates.lane.", "Name one with set <task> lane=<lane>."],
  ] as const)("%s: %s", (command, text, own) => expect(inOwnWords(command, text)).toBe(own));
});

describe("the hints below an answer, in the words of the command", () => {
  it.each([
    [
      "today",
      'Not counted: 9 open plain checkboxes in 4 notes. List them: search_tasks is ["checkbox"].',
      "Not counted: 9 open plain checkboxes in 4 notes. List them: list --is checkbox.",
    ],
    [
      "search",
      '1 plain checkbox matches "x"; list them: search_tasks is ["checkbox"].',
      '1 plain checkbox matches "x"; list them: --is checkbox.',
    ],
    ["list", '1: a\nMore: 1,200, cursor "20#81da167e"', "1: a\nMore: --limit shows them."],
    [
      "scan",
      'Checkboxes marked as tasks that do not count here: 2; search_tasks with is: ["inline"] lists them.',
      "Checkboxes marked as tasks that do not count here: 2; list --is inline lists them.",
    ],
    [
      "scan",
      '- and 3 more: search_tasks with query "*", is ["outstanding"] and due "this week"',
      '- and 3 more: list --due "this week"',
    ],
    [
      "search",
      '"overdue" is a filter, not a word: call search_tasks with query "*" and due "overdue".',
      '"overdue" is a filter, not a word: list --due "overdue"',
    ],
    [
      "search",
      '"done" and "#a" are filters, not words: call search_tasks with query "roof" and status ["Done"], tags ["a"].',
      '"done" and "#a" are filters, not words: search "roof" --status "Done" --tag "a"',
    ],
    [
      "search",
      '"context:x" is a filter, not a word: call search_tasks with query "*" and context "x".',
      '"context:x" is a filter, not a word.',
    ],
    ["set", 'undo_edit with path "op-a-b" takes all of it back.', "undo op-a-b takes all of it back."],
    ["set", "'a.md' was deleted; undo_edit restores it", "'a.md' was deleted; undo restores it"],
    ["history", 'op-1\n[More: cursor "g"]', "op-1\nMore: --limit shows them."],
    ["today", '… and 80 more: section "overdue", cursor "20"', "… and 80 more: list --due overdue --limit 100"],
    ["week", '… and 8 more: section "2026-11-27", cursor "20"', "… and 8 more"],
    ["add", 'Read dueDate "friday" as Fri 2026-12-04.', 'Read --due "friday" as Fri 2026-12-04.'],
    [
      "set",
      'id a\nRead dueDate "fri" as Fri.\nRead "updates.due" as "updates.dueDate".',
      'id a\nRead due "fri" as Fri.',
    ],
    ["set", 'Read "updates.due" as "updates.dueDate", "x" as "Done".', 'Read "x" as "Done".'],
    ["list", '1: search_tasks is ["checkbox"]; id a.md', '1: search_tasks is ["checkbox"]; id a.md'],
  ] as const)("%s: %s", (command, text, own) => expect(hintsInOwnWords(command, text)).toBe(own));
});
