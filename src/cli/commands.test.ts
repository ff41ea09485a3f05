/** The tool calls that commands stand for. */
import { describe, expect, it } from "vitest";
import { readCommandLine } from "./options/arguments.js";
import { COMMANDS } from "./commands.js";
import type { Option } from "./options/option-kinds.js";
import { toolsFor } from "../tools/registry.js";
import { OPTIONS, type OptionName } from "./options/options.js";

async function callOf(...argv: readonly string[]) {
  const { command, words, settings } = readCommandLine([...argv, "--vault", "v"], {}, () => false);
  return command && (await COMMANDS[command].call?.(words, settings));
}

describe("commands as tool calls", () => {
  it.each<[readonly string[], string, object]>([
    [["today"], "get_agenda", { view: "day" }],
    [["week"], "get_agenda", { view: "week" }],
    [["list"], "search_tasks", { query: "*" }],
    [["list", "--due", "this week"], "search_tasks", { query: "*", due: "this week", sort: "due" }],
    [
      ["list", "--due", "today", "--status", "Done"],
      "search_tasks",
      { query: "*", due: "today", status: ["Done"], sort: "due" },
    ],
    [["list", "--status", "cancelled"], "search_tasks", { query: "*", status: ["Cancelled"] }],
    [
      ["list", "--status", "done", "--status", "On Ice", "--priority", "high,low"],
      "search_tasks",
      { query: "*", status: ["Done", "On Ice"], priority: ["High", "Low"] },
    ],
    [
      ["list", "--due", "next 7 days", "--is", "ready", "--project", "Kitchen", "--status", "blocked"],
      "search_tasks",
      { query: "*", due: "next 7 days", is: ["ready"], project: ["Kitchen"], status: ["Blocked"], sort: "due" },
    ],
    [["search", "paint", "--due", "overdue"], "search_tasks", { query: "paint", due: "overdue" }],
    [["undo"], "undo_edit", {}],
    [["history"], "get_history", {}],
    [
      ["history", "Notes/a.md", "--since", "yesterday", "--by", "Claude", "--limit", "5"],
      "get_history",
      { path: "Notes/a.md", since: "yesterday", by: "Claude", limit: 5 },
    ],
    [["history", "--diff", "op-mbx1-a2"], "get_history", { diff: "op-mbx1-a2" }],
    [["undo", "op-mbx1-a2"], "undo_edit", { path: "op-mbx1-a2" }],
    [
      ["set", "Pay rent", "dueDate=next friday", "priority=high", "area="],
      "update_task",
      { taskId: "Pay rent", updates: { dueDate: "next friday", priority: "high", area: "" } },
    ],
    [["set", "Savings=plan", "due=friday"], "update_task", { taskId: "Savings=plan", updates: { dueDate: "friday" } }],
    [["set", "[[a=b]]", "due=friday"], "update_task", { taskId: "[[a=b]]", updates: { dueDate: "friday" } }],
    [
      ["set", "Pay rent", "parentProjects=a,[[b, c]]", "tags=x, y", "blockedBy=", "title=Rent, paid"],
      "update_task",
      {
        taskId: "Pay rent",
        updates: { parentProjects: ["a", "[[b, c]]"], tags: ["x", "y"], blockedBy: [], title: "Rent, paid" },
      },
    ],
  ])("%j", async (argv, tool, args) => {
    expect(await callOf(...argv)).toEqual({ tool, arguments: args });
  });

  it("takes no empty status or priority, which the tool would take for none", async () => {
    await expect(callOf("set", "Pay rent", "status=", "due=")).rejects.toThrow("status needs a value.");
    await expect(callOf("set", "Pay rent", "priority=")).rejects.toThrow("priority needs a value.");
  });

  it("says whether the task or the field is missing, and refuses a field under two names", async () => {
    await expect(callOf("set", "due=friday")).rejects.toThrow("No task is named before the field.");
    await expect(callOf("set", "Pay rent")).rejects.toThrow("No field is named that the task should get.");
    await expect(callOf("set", "Pay rent", "dueDate=today", "due=friday")).rejects.toThrow("due is given twice.");
  });

  it("has an option for each filter of search_tasks", () => {
    const { inputSchema } = toolsFor().find("search_tasks")?.listing ?? {};
    const without = new Set(["query", "cursor"]);
    const spelled: Readonly<Record<string, string>> = { tags: "tag", includeArchived: "archived" };
    for (const name of Object.keys(inputSchema?.properties ?? {}).filter((one) => !without.has(one))) {
      const option: Option = OPTIONS[(spelled[name] ?? name) as OptionName];
      expect(option.usedBy, name).toEqual(expect.arrayContaining(["list", "search"]));
    }
  });

  it("adds a line that is read, and needs an area for a status or description", async () => {
    expect(await callOf("add", "Buy", "milk", "tomorrow", "--priority", "High", "--project", "New kitchen")).toEqual({
      tool: "add_tasks",
      arguments: { text: "Buy milk tomorrow !high +[[New kitchen]]" },
    });
    await expect(callOf("add", "Milk", "--description", "x")).rejects.toThrow("--area is needed");
    await expect(callOf("add", "Milk", "--priority", "high", "--priority", "low")).rejects.toThrow(
      "--priority is given twice.",
    );
  });
});
