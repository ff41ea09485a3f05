/** Argument handling as a table: what is taken, what is refused, and in which words. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isVaultError } from "../../errors.js";
import { readArguments } from "./arguments.js";
import { TOOLS } from "../all-tools.js";
import type { ObjectSchema } from "../schema.js";
import { validatorFor } from "../validator.js";
import { FUZZ_FACTOR } from "../../../test/kit/fuzz.js";

const RUNS = 100 * FUZZ_FACTOR;

const tool = (name: string) => {
  const found = TOOLS.find((tool) => tool.name === name);
  if (!found) throw new Error(`no tool ${name}`);
  return found;
};

async function read(name: string, args: unknown, schema: ObjectSchema = tool(name).input): Promise<unknown> {
  return readArguments(args, schema, await validatorFor(name, schema)).value;
}

async function refusal(name: string, args: unknown): Promise<string> {
  try {
    await read(name, args);
  } catch (error) {
    if (isVaultError(error, "INVALID_ARGUMENT")) return error.message;
    throw error;
  }
  throw new Error("was accepted");
}

/** JSON text, so that `__proto__` is an own key and lone surrogates are what a client can send. */
const json = (text: string): unknown => JSON.parse(text);

describe("sloppy but clear arguments", () => {
  it.each<[string, unknown, unknown]>([
    ["search_tasks", { query: "a" }, { query: "a", limit: 20 }],
    ["search_tasks", { query: "a", limit: "20" }, { query: "a", limit: 20 }],
    ["search_tasks", { query: "a", limit: " 7 " }, { query: "a", limit: 7 }],
    ["search_tasks", { query: "a", limit: 7.0 }, { query: "a", limit: 7 }],
    ["search_tasks", { query: "a", limit: null, status: null, tags: null }, { query: "a", limit: 20 }],
    ["search_tasks", { query: "a", status: "in_progress" }, { query: "a", status: ["In Progress"], limit: 20 }],
    ["search_tasks", { query: "a", status: "TODO" }, { query: "a", status: ["To Do"], limit: 20 }],
    ["search_tasks", { query: "a", status: ["todo", "DONE"] }, { query: "a", status: ["To Do", "Done"], limit: 20 }],
    ["search_tasks", { query: "a", status: ["Not started"] }, { query: "a", status: ["To Do"], limit: 20 }],
    ["search_tasks", { query: "a", status: "nicht begonnen" }, { query: "a", status: ["To Do"], limit: 20 }],
    ["update_task", { taskId: "a", status: "not started" }, { taskId: "a", updates: { status: "To Do" } }],
    ["update_task", { taskId: "a", priority: "!high" }, { taskId: "a", updates: { priority: "High" } }],
    ["search_tasks", { query: "a", status: "" }, { query: "a", limit: 20 }],
    ["search_tasks", { query: "a", tags: "work" }, { query: "a", tags: ["work"], limit: 20 }],
    ["search_tasks", { query: "a", tags: '["x","y"]' }, { query: "a", tags: ["x", "y"], limit: 20 }],
    ["search_tasks", { query: "a", tags: "" }, { query: "a", tags: [], limit: 20 }],
    ["search_tasks", { query: "a", tags: "[draft]" }, { query: "a", tags: ["[draft]"], limit: 20 }],
    [
      "create_task",
      { title: "a", area: "b", priority: "HIGH", dueDate: "", status: "to do" },
      { title: "a", area: "b", priority: "High", dueDate: "", status: "To Do" },
    ],
    [
      "create_task",
      { title: "1", area: "2", dueDate: null },
      { title: "1", area: "2", priority: "Medium", status: "To Do" },
    ],
    [
      "create_task",
      { title: "a", area: "b", due_date: "2025-01-01" },
      { title: "a", area: "b", dueDate: "2025-01-01", status: "To Do", priority: "Medium" },
    ],
    ["update_task", { taskId: "a", status: "Done", updates: {} }, { taskId: "a", updates: { status: "Done" } }],
    ["find_notes", { exists_only: 1, count_only: "0" }, { exists_only: true, count_only: false, limit: 10, offset: 0 }],
    ["find_notes", { query: 2026 }, { query: "2026", limit: 10, offset: 0 }],
    ["search", { query: 7 }, { query: "7", regex: false }],
    ["run_view", { source: "a", view: 2 }, { source: "a", view: "2", limit: 50 }],
    ["update_task", { taskId: "a", updates: '{"status":"done"}' }, { taskId: "a", updates: { status: "Done" } }],
    ["update_task", { taskId: "a", updates: { dueDate: null } }, { taskId: "a", updates: { dueDate: "" } }],
    ["update_task", { taskId: "a", updates: { dueDate: "" } }, { taskId: "a", updates: { dueDate: "" } }],
    ["update_task", { taskId: "a", updates: { title: null, area: "x" } }, { taskId: "a", updates: { area: "x" } }],
    ["update_task", { taskId: "a", dueDate: null }, { taskId: "a", updates: { dueDate: "" } }],
    ["update_task", { taskId: "a", updates: { tags: null } }, { taskId: "a", updates: { tags: [] } }],
    [
      "update_task",
      { taskId: "a", updates: { status: "Done", start: null } },
      { taskId: "a", updates: { status: "Done" } },
    ],
    ["update_task", { taskId: "a", status: "Done", start: null }, { taskId: "a", updates: { status: "Done" } }],
    ["update_tasks", { tasks: ["a"], updates: { due: null } }, { tasks: ["a"], updates: { due: "" } }],
    ["update_tasks", { tasks: ["a"], updates: { due: null, area: "x" } }, { tasks: ["a"], updates: { area: "x" } }],
    ["set_properties", { notes: ["a"], properties: { b: null, c: "d" } }, { notes: ["a"], properties: { c: "d" } }],
  ])("%s takes %j", async (name, args, expected) => {
    expect(await read(name, args)).toEqual(expected);
  });

  it.each([
    [
      "update_task",
      { taskId: "a", updates: { status: "Done", dueDate: null, title: null } },
      "null of dueDate, title as",
    ],
    ["update_tasks", { tasks: ["a"], updates: { status: "Done", dueDate: null } }, "null of dueDate as"],
    ["set_properties", { notes: ["a"], properties: { b: null, c: "d" } }, "null of b as"],
    ["update_task", { taskId: "a", updates: { status: "Done", properties: { b: null } } }, "null of b as"],
    ["update_task", { taskId: "a", updates: { dueDate: null } }, ""],
  ])("%s says what it ignored of %j", async (name, args, says) => {
    const schema = tool(name).input;
    const { remarks } = readArguments(args, schema, await validatorFor(name, schema));
    expect(remarks.join()).toBe(says && `${says} not given ("" clears a field that can be empty)`);
  });

  it("looks for notes without a property where a filter of it is null", async () => {
    const schema = tool("find_notes").input;
    const read = readArguments({ properties: { b: null } }, schema, await validatorFor("find_notes", schema));
    expect([read.value, read.remarks.join()]).toMatchObject([{ properties: { b: "none" } }, 'b null as "none"']);
  });

  it.each<[string, object, readonly string[]]>(
    TOOLS.map(({ name, input }) => [
      name,
      Object.fromEntries(Object.keys(input.properties).map((key) => [key, null])),
      input.required ?? [],
    ]),
  )("%s takes null of every optional argument as not given", async (name, nulls, required) => {
    const outcome = await read(name, nulls).catch((error: unknown) => error);
    if (required.length === 0) expect(outcome).toEqual(await read(name, {}));
    else
      expect(outcome).toMatchObject({
        message: `Invalid arguments: ${required.map((one) => `"${one}" is required`).join("; ")}.`,
      });
  });

  it("keeps the caller's order of fields", async () => {
    const updates = { status: "Done", area: "x", title: "y" };
    expect(JSON.stringify(await read("update_task", { taskId: "a", updates }))).toBe(
      JSON.stringify({ taskId: "a", updates }),
    );
  });

  it("leaves the caller's object alone", async () => {
    const args = Object.freeze({ query: "a", tags: Object.freeze(["b"]), status: "todo" });
    await read("search_tasks", args);
    expect(args).toEqual({ query: "a", tags: ["b"], status: "todo" });
  });
});

describe("a map of any names", () => {
  it("takes texts, and what is written plainly", async () => {
    const sent = JSON.parse('{"status":"Done","count":10,"done":true,"none":null,"__proto__":"x"}') as object;
    const { properties } = (await read("find_notes", { properties: sent })) as { properties: object };
    expect(Object.entries(properties)).toEqual([
      ["status", "Done"],
      ["count", "10"],
      ["done", "true"],
      ["none", "none"],
      ["__proto__", "x"],
    ]);
    expect(Object.getPrototypeOf(properties)).toBe(Object.prototype);
  });

  it("refuses what is no text", async () => {
    expect(await refusal("find_notes", { properties: { status: { is: "Done" } } })).toContain('"properties.status"');
  });
});

describe("refused arguments", () => {
  it.each<[string, unknown, RegExp]>([
    // the arguments themselves
    ["search_tasks", [], /must be an object, got a list/],
    ["search_tasks", "query", /must be an object, got "query"/],
    ["search_tasks", null, /must be an object, got null/],
    ["search_tasks", 5, /must be an object, got 5/],
    // wrong types, missing, unknown
    ["search_tasks", {}, /^Invalid arguments: "query" is required\.$/],
    ["create_task", {}, /"title" is required; "area" is required/],
    ["create_task", { title: null, area: "b" }, /"title" is required/],
    ["create_task", { title: 5, area: "b" }, /"title" must be a string, got 5/],
    ["create_task", { title: ["a"], area: "b" }, /"title" must be a string, got a list/],
    [
      "create_task",
      { title: { a: 1 }, area: true },
      /"title" must be a string, got an object; "area" must be a string, got true/,
    ],
    ["create_task", { title: "a", area: "b", tags: [1, "x"] }, /"tags\[0\]" must be a string, got 1/],
    ["create_task", { title: "a", area: "b", tags: { x: 1 } }, /"tags" must be a list of strings, got an object/],
    [
      "create_task",
      { title: "a", area: "b", tags: '{"add":["x"]}' },
      /"tags" must be a list of strings, got an object/,
    ],
    ["create_task", { title: "", area: "  \t" }, /"area" must not be blank; "title" must not be empty/],
    [
      "create_task",
      { title: "a", area: "b", status: "Cancelled" },
      /"status" must be one of "To Do", .*, got "Cancelled"/,
    ],
    [
      "update_task",
      { taskId: "a", updates: { notes: "x" } },
      /"updates.notes" \(did you mean "updates.description"\?\)/,
    ],
    ["search_tasks", { query: "a", sort: "-due" }, /"sort" must be one of .*, got "-due"/],
    ["find_notes", { sort_by: "-mtime" }, /"sort_by" must be one of .*, got "-mtime"/],
    ["update_task", { taskId: "a", updates: [] }, /"updates" must be an object, got a list/],
    ["update_task", { taskId: "a", updates: "done" }, /"updates" must be an object, got "done"/],
    ["update_task", { taskId: "a", updates: { status: 3 } }, /"updates.status" must be one of .*, got 3/],
    [
      "create_task",
      { title: "a", area: "b", dueDatum: "x" },
      /unknown argument "dueDatum" \(did you mean "dueDate"\?\)/,
    ],
    [
      "update_task",
      { taskId: "a", updates: { taskId: "b", status: "Done" } },
      /unknown argument "updates.taskId" \(did you mean "taskId"\?\)/,
    ],
    [
      "update_task",
      { taskId: "a", updates: { prioritty: "x" } },
      /"updates.prioritty" \(did you mean "updates.priority"\?\)/,
    ],
    [
      "update_task",
      { taskId: "a", updates: { assignee: "Ben", status: "Done" } },
      /"updates.assignee" \(tasks have no assignee: use contexts, tags or properties \{"assignee": "Anna"\}\)/,
    ],
    ["search_tasks", { query: "a", zzzzz: 1 }, /unknown argument "zzzzz"\.$/],
    ["search_tasks", { overdue: true }, /^[^;]*\(use due "overdue"\)\.$/],
    ["search_tasks", { due_before: "2026-12-01" }, /^[^;]*"due_before" \(use due "before 2026-12-05"\)\.$/],
    ["search_tasks", { from: "2026-11-29", to: "2026-12-01" }, /"from" \(use due "after .*"to" \(use due "before /],
    ["search_tasks", { completedAfter: "2026-12-01" }, /use completed "before 2026-12-05" or "after 2026-12-05"/],
    // S07
    ["search_tasks", { query: "a", limit: 0 }, /"limit" must be a whole number from 1 to 100, got 0/],
    ["search_tasks", { query: "a", limit: -1 }, /"limit" must be a whole number from 1 to 100, got -1/],
    ["search_tasks", { query: "a", limit: 101 }, /got 101/],
    ["search_tasks", { query: "a", limit: "101" }, /got 101/],
    ["search_tasks", { query: "a", limit: 1.5 }, /"limit" must be a whole number from 1 to 100, got 1.5/],
    ["search_tasks", { query: "a", limit: 1e308 }, /got 1e\+308/],
    ["search_tasks", { query: "a", limit: "many" }, /got "many"/],
    ["search_tasks", { query: "a", limit: "0x10" }, /got "0x10"/],
    ["search_tasks", { query: "a".repeat(1001) }, /"query" must have at most 1000 characters/],
    [
      "update_tasks",
      { tasks: Array.from({ length: 501 }, () => "a"), updates: { status: "Done" } },
      /^Invalid arguments: "tasks" must have at most 500 entries, got 501\.$/,
    ],
    ["create_task", json('{"title":"a\\ud800","area":"b"}'), /"title" holds half a character/],
    ["create_task", json('{"title":"a","area":"b","tags":["\\udc00"]}'), /"tags\[0\]" holds half a character/],
    ["update_task", json('{"taskId":"a","updates":{"description":"\\ud83d"}}'), /"updates.description" holds half/],
    ["search_tasks", json('{"query":"a","__proto__":{"limit":5}}'), /unknown argument "__proto__"/],
    [
      "update_task",
      json('{"taskId":"a","updates":{"__proto__":{"status":"Done"}}}'),
      /unknown argument "updates.__proto__"/,
    ],
    [
      "search_tasks",
      json('{"query":"a","constructor":1,"toString":2}'),
      /unknown argument "constructor"; unknown argument "toString"/,
    ],
    // D01, as far as the form goes
    ["create_task", { title: "a", area: "b", dueDate: 20250830 }, /"dueDate" must be a string, got 20250830/],
  ])("%s refuses %j", async (name, args, message) => {
    expect(await refusal(name, args)).toMatch(message);
  });

  it("says what may be given", async () => {
    await expect(read("search_tasks", {})).rejects.toMatchObject({
      hint: expect.stringMatching(/^Arguments: query \(required\), status, area, tags, .+, sort, cursor\.$/),
    });
  });

  it("pollutes no prototype", async () => {
    await refusal("search_tasks", json('{"query":"a","__proto__":{"polluted":1}}'));
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  it("is quick and short about a flood", async () => {
    const unknown = Object.fromEntries(Array.from({ length: 100_000 }, (_, number) => [`query${number}`, number]));
    const message = await refusal("search_tasks", unknown);
    expect(message.length).toBeLessThan(1000);
    expect(await refusal("search_tasks", { query: "a", tags: Array.from({ length: 100_000 }, () => 1) })).toMatch(
      /"tags" must have at most 1000 entries, got 100000/,
    );
    expect(
      (await refusal("create_task", { title: { a: 1 }, area: "b", status: "x".repeat(1_000_000) })).length,
    ).toBeLessThan(1000);
  });

  it("shows what came in on one line", async () => {
    expect(await refusal("search_tasks", { query: "a", priority: "x\n✅ Task done\u202E" })).toMatch(
      /got "x ✅ Task done"/,
    );
  });
});

describe("any arguments at all", () => {
  it.each(TOOLS.map((tool) => tool.name))("%s takes or refuses, and what it takes is valid", async (name) => {
    const { input } = tool(name);
    const validate = await validatorFor(name, input);
    const keys = fc.constantFrom(...Object.keys(input.properties), "updates", "x", "__proto__");
    const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom("Done", "todo", "2025-01-01", "5", null, ""));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(keys, value), async (args) => {
        try {
          const accepted = await read(name, args);
          expect(validate(structuredClone(accepted))).toEqual([]);
        } catch (error) {
          if (!isVaultError(error, "INVALID_ARGUMENT")) throw error;
        }
      }),
      { numRuns: RUNS },
    );
  });
});
