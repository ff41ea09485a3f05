import { describe, expect, it } from "vitest";
import { VaultError } from "../errors.js";
import { argument, call, joined, nextPage, quotedArgument, said, SAME_CALL, usage } from "../text/wording.js";
import { speechOf } from "./speech.js";

const CHECKBOXES = call("search_tasks", { is: ["checkbox"] }, 'search_tasks is ["checkbox"]');
const WHOLE = said`${call("undo_edit", { path: "op-a-b" })} takes all of it back.`;

describe("what a sentence names, as a command writes it", () => {
  it.each([
    ["view", said`${call("run_view")} without a source lists all views.`, "view without a source lists all views."],
    ["add", said`${argument("dueDate")} "blursday" is not a day I know.`, '--due "blursday" is not a day I know.'],
    ["list", said`${argument("due")} "blursday" is no range`, '--due "blursday" is no range'],
    ["list", said`${quotedArgument("limit")} must be a whole number`, "--limit must be a whole number"],
    ["list", said`${quotedArgument("tags[0]")} must be a string`, "--tag must be a string"],
    ["find", said`${argument("date_from")} is after ${argument("date_to")}`, "--from is after --to"],
    ["find", said`leave ${argument("folder")} out to see all.`, "leave --folder out to see all."],
    ["show", said`or list more tasks with ${call("search_tasks")}.`, "or list more tasks with search."],
    ["show", said`${quotedArgument("taskId")} must not be empty`, "the task must not be empty"],
    ["set", said`${quotedArgument("updates.dueDate")} must be a string`, "due must be a string"],
    ["set", said`${quotedArgument("updates.parentProjects")} or ${argument("dueDate")}`, "project or due"],
    ["set", said`Name one with ${argument("updates.lane")}.`, "Name one with lane."],
    ["set", said`unknown argument ${quotedArgument("updates.constructor")}`, "unknown argument constructor"],
    ["list", said`unknown argument ${quotedArgument("constructor")}`, 'unknown argument "constructor"'],
    ["set", said`${usage("Arguments: taskId (required).")}`, "Write: set <task> <field>=<value> ..."],
    ["add", said`${usage("Arguments: title (required), area.")}`, "See add --help."],
    ["done", said`Name one with ${argument("updates.lane")}.`, "Name one with set <task> lane=<lane>."],
    [
      "done",
      said`Name the next day with ${argument("scheduled")} or ${argument("dueDate")} ${SAME_CALL}.`,
      "Name the next day with scheduled or due (set <task> status=Done <field>=<value>).",
    ],
    ["history", said`${argument("since")} "x" is not a day I know.`, '--since "x" is not a day I know.'],
    ["history", said`No operation op-x; ${call("get_history")} lists them.`, "No operation op-x; history lists them."],
    ["history", said`[More: ${nextPage('cursor "g"')}]`, "[More: --limit shows them.]"],
    ["today", said`List them: ${CHECKBOXES}.`, "List them: list --is checkbox."],
    ["search", said`list them: ${CHECKBOXES}.`, "list them: --is checkbox."],
    ["show", said`${call("find_notes", { query: "the $5 one" })}`, "find 'the $5 one'"],
    ["show", said`${call("find_notes", { query: "Bob's !x" })}`, String.raw`find 'Bob'\''s !x'`],
    ["show", said`${call("find_notes", { query: "Go now!" })}`, 'find "Go now!"'],
    ["show", said`${call("find_notes", { query: 'Go!" now' })}`, `find 'Go!" now'`],
    ["scan", said`${call("search_tasks", { query: "*", due: "this week" })}`, 'list --due "this week"'],
    [
      "search",
      said`${call("search_tasks", { query: "old roof", status: ["Done"], tags: ["a", "b"] })}`,
      'search "old roof" --status Done --tag a --tag b',
    ],
    ["set", WHOLE, "undo op-a-b takes all of it back."],
    [
      "today",
      said`${call("get_agenda", { section: "overdue" }, 'section "overdue"')}`,
      "list --due overdue --limit 100",
    ],
    ["show", said`${call("undo_edit", { path: "A b.md" })} restores it.`, 'undo "A b.md" restores it.'],
  ] as const)("%s: %s", (command, words, own) => expect(words.in(speechOf(command))).toBe(own));

  it.each([
    ["no command makes the call", said`${call("obsidian_append_note", { create: true })} makes 'a.md'.`],
    ["the command lacks the filter", said`${call("find_notes", { kind: "attachment" })} says which notes link to it.`],
    ["an option takes one word", said`${call("search_tasks", { status: ["Done", "Blocked"] })}`],
    ["it is a list of another day", said`${call("get_agenda", { section: "2026-11-27" })}`],
  ])("is left out, or replaced, where %s", (_, words) => {
    expect(words.in(speechOf("read"))).toBeUndefined();
    expect(words.or("Open it elsewhere.").in(speechOf("read"))).toBe("Open it elsewhere.");
    expect(joined(["It is there.", words], " ").in(speechOf("read"))).toBe("It is there.");
  });

  it("makes a refusal of the sentences that its caller can follow", () => {
    const hint = [said`Change it with ${call("edit_note")}.`, "Nothing was changed."];
    const error = new VaultError("INVALID_ARGUMENT", said`${argument("dueDate")} is wrong`, { hint, path: "a.md" });
    expect(error).toMatchObject({
      message: "dueDate is wrong",
      hint: "Change it with edit_note. Nothing was changed.",
    });
    const own = error.in(speechOf("set"));
    expect(own).toMatchObject({
      code: error.code,
      message: "due is wrong",
      hint: "Nothing was changed.",
      path: "a.md",
    });
    const alone = new VaultError("INVALID_ARGUMENT", "No.", { hint: hint.slice(0, 1) });
    expect(alone.in(speechOf("set")).hint).toBeUndefined();
  });
});
