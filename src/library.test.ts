/** The library as JavaScript calls it: wrong arguments are refused and change nothing. */
import { existsSync, readFileSync } from "node:fs";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TemporaryVault } from "../test/kit/temporary-vault.js";
import { fixedClock } from "./clock.js";
import { openLivesyncVault, openVault, type VaultHandle } from "./library.js";
import type { HistoryRequest, NoteDraft, NoteSearch, QuickDraft, TaskQuery, Tasks, VaultPath } from "./library.js";

const NOTE = "---\ntype: task\nstatus: To Do\ndue: 2025-09-01\n---\n# Roof\n";
const OPTIONS = { clock: fixedClock("2025-08-30T12:00:00Z") };

let files: TemporaryVault;
let vault: VaultHandle;
beforeAll(async () => {
  files = new TemporaryVault({ "Roof.md": NOTE });
  vault = await openVault(files.folder, OPTIONS);
});
afterAll(async () => {
  await vault.close();
  files.remove();
});

/** Without types, as in JavaScript. */
type Untyped = Record<"tasks" | "notes" | "links" | "files", Record<string, (...given: unknown[]) => Promise<unknown>>>;
const call = async (method: string, ...given: unknown[]): Promise<unknown> => {
  const [service = "", name = ""] = method.split(".");
  return (vault as unknown as Untyped)[service as keyof Untyped][name]?.(...given);
};

it("gives remarks that console.log shows", async () => {
  const { adjustments } = await vault.tasks.update("Roof", { dueDate: "tomorrow" });
  expect(inspect(adjustments)).toContain("Read due");
  await vault.files.undo("Roof.md");
});

describe("the library without TypeScript", () => {
  it.each([
    [
      "tasks.update",
      ["Roof", { due: "2025-10-01" }],
      'unknown argument "updates.due" (did you mean "updates.dueDate"?)',
    ],
    ["tasks.update", ["Roof", { dueDate: null, scheduled: null }], '"" clears'],
    ["tasks.create", [{ title: null, area: "Home" }], '"draft.title" is required'],
    ["tasks.update", ["Roof", { tags: "home" }], '"updates.tags" must be a list of strings'],
    ["tasks.update", ["Roof", { status: "Done" }, { expected: "x" }], 'did you mean "options.expectedRevision"?'],
    [
      "tasks.update",
      ["Roof"],
      'of tasks.update: "updates" is required and must be an object. Arguments: reference (required), updates (required), options.',
    ],
    ["tasks.updateMany", ["Roof", { status: "Done" }], '"tasks" must be a list of strings, got a string'],
    ["tasks.create", [{ title: "Wall", area: "Home", due: "2025-10-01" }], 'did you mean "draft.dueDate"?'],
    ["tasks.search", [{ query: "roof", limit: -1 }], '"query.limit" must be a whole number not below 0, got -1'],
    ["tasks.search", [{ query: "*", is: ["late"] }], '"query.is[0]" must be one of "outstanding",'],
    ["tasks.search", [{ query: "*", status: "Someday" }], 'No task has the status "Someday"'],
    ["tasks.days", [{ from: "today" }], 'unknown argument "query.from". Arguments: date, days,'],
    ["notes.find", [{ tag: ["home"] }], 'did you mean "search.tags"?'],
    ["notes.find", [{ sortBy: "name" }], '"search.sortBy" must be one of "mtime",'],
    ["notes.delete", ["Roof", { permanent: "no" }], "must be true or false"],
    ["notes.setProperties", [undefined, { ai: "no" }], "must be an object"],
    ["notes.setProperties", ["Roof", { ai: "no" }], "must be an object"],
    ["notes.setProperties", [["Roof"], { ai: 1 }], '"properties.ai" must be a string'],
    ["notes.read", [], '"reference" is required and must be a string'],
    ["links.find", [3], '"reference" must be a string, got a number'],
    ["files.insert", ["Roof.md", 0.5, "x"], '"after" must be a whole number not below 0, got 0.5'],
    ["files.delete", ["Roof.md", { permanently: true }], 'did you mean "options.permanent"?'],
    ["files.delete", ["Roof.md", { allFields: true }], 'unknown argument "options.allFields"'],
    [
      "links.merge",
      ["Roof.md", "N.md", "x", { isNamed: 1 }],
      '"join" must be a function, got a string; "options.isNamed"',
    ],
    ["notes.read", ["Roof", { signal: 1 }], '"options.signal" must be an object'],
    ["notes.read", ["Roof", { signal: {} }], '"options.signal" must be an object with throwIfAborted(), got an object'],
    ["files.syncCopies", [{}], '"signal" must be an object with throwIfAborted()'],
  ])("%s refuses %j", async (method, given, words) => {
    const error: unknown = await call(method, ...given).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "VaultError", code: "INVALID_ARGUMENT" });
    const { message, hint } = error as { message: string; hint: string };
    expect(`${message} ${hint}`).toContain(words);
    expect(readFileSync(files.at("Roof.md"), "utf8")).toBe(NOTE);
  });

  it("takes null as not given, and null alone among updates as empty", async () => {
    const files = new TemporaryVault({ "Roof.md": NOTE, "N.md": "---\na: 1\nb: 2\n---\n" });
    const vault = await openVault(files.folder, OPTIONS);
    const { tasks, notes } = vault as unknown as Untyped;
    expect(await tasks["search"]?.({ query: "roof", area: null, limit: null, is: null }, null)).toMatchObject({
      total: 1,
    });
    expect(
      await tasks["update"]?.("Roof", { status: "Done", dueDate: null, title: null }, { expectedRevision: null }),
    ).toMatchObject({
      adjustments: ['Read null of dueDate, title as not given ("" clears a field that can be empty).'],
    });
    expect(readFileSync(files.at("Roof.md"), "utf8")).toBe(NOTE.replace("To Do", "Done"));
    await tasks["updateMany"]?.(["Roof"], { dueDate: null });
    expect(readFileSync(files.at("Roof.md"), "utf8")).toContain("\ndue:\n");
    await notes["setProperties"]?.(["N"], { a: null, b: "3" });
    expect(readFileSync(files.at("N.md"), "utf8")).toBe("---\na: 1\nb: 3\n---\n");
    await vault.close();
    files.remove();
  });

  it("refuses a password of the wrong type without its value", async () => {
    const configuration = { url: "http://localhost:1", database: "notes", password: 12_345, headers: "Bearer abc" };
    const error: unknown = await openLivesyncVault(configuration as never).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect((error as Error).message).toContain('"configuration.password" must be a string, got a number');
    expect((error as Error).message).not.toMatch(/12345|abc/);
  });

  it("counts the tags of a folder", async () => {
    expect(await call("notes.tags", ".")).toEqual([]);
  });

  it("accepts every argument that its types declare", async () => {
    const { signal } = new AbortController();
    const progress = { signal, onProgress: () => undefined };
    const search: Required<NoteSearch> = {
      ...progress,
      query: "nothing",
      folder: ".",
      tags: ["x"],
      properties: { a: "1" },
      orphan: false,
      linksTo: "Roof",
      modifiedAfter: "2020-01-01",
      modifiedBefore: "2030-01-01",
      dateFrom: "2020-01-01",
      dateTo: "2030-01-01",
      sinceDays: 0.5,
      hasAttachments: false,
      sortBy: "ctime",
      sortOrder: "asc",
      limit: 1000,
      offset: 0,
      show: ["a"],
      includeContent: false,
      countOnly: true,
      snippetLength: 20,
    };
    const query: Required<TaskQuery> = {
      query: "nothing",
      status: "Done",
      area: "x",
      project: "x",
      priority: ["High"],
      context: "x",
      note: "Roof",
      tags: ["x"],
      is: ["ready"],
      includeArchived: true,
      sort: "due",
      limit: 1000,
      cursor: "x",
      due: "today",
      scheduled: "today",
      completed: "today",
    };
    const history: Required<HistoryRequest> = { path: "x" as VaultPath, since: 0, by: "x", limit: 1000, cursor: "x" };
    const note: Required<NoteDraft> = {
      name: "Roof",
      folder: "x",
      content: "x",
      template: "x",
      section: "x",
      overwrite: true,
      expected: "x",
    };
    const quick: Required<QuickDraft> = { text: "Wall", note: "Roof", heading: "x", area: "x", template: "x" };
    const view: Required<Parameters<Tasks["viewBase"]>[0]> = { name: "x", selection: "*", group: "area" };
    const draft = { title: "x", area: "x", status: "To Do", description: "x", properties: { a: "1" } } as const;
    const reader = await openVault(files.folder, { ...OPTIONS, readOnly: true });
    const calls = [
      reader.notes.find(search),
      reader.notes.setProperties(search, { a: "" }, { ...progress, plan: "show" }),
      reader.notes.create(note),
      reader.tasks.search(query, progress),
      reader.tasks.viewBase(view, progress),
      reader.tasks.planMany(quick),
      reader.tasks.create({ ...draft, priority: "High", dueDate: "", tags: [] }),
      reader.tasks.update("Roof", { convert: "line", note: "x", lane: "x", occurrence: "skip", status: "Done" }),
      reader.files.history(history),
    ];
    for (const outcome of await Promise.allSettled(calls))
      expect(String(outcome.status === "rejected" && outcome.reason)).not.toContain("Invalid arguments");
    await reader.close();
  });

  it("accepts one status in place of a list, and history without arguments", async () => {
    expect(await call("tasks.search", { query: "*", status: "To Do" })).toMatchObject({ total: 1 });
    expect(await call("files.history")).toMatchObject({ entries: [] });
  });

  it.each([
    [{ readonly: true }, 'did you mean "options.readOnly"?'],
    [{ access: [{ denied: ["x"] }] }, 'unknown argument "options.access[0].denied"'],
    [{ access: [{ deny: "Private" }] }, '"options.access[0].deny" must be a list of strings'],
    [{ maxFileSize: "10M" }, "must be a whole number"],
    [{ log: { warn: () => undefined } }, '"options.log" must be an object with error(), warn(), info(), debug()'],
    [{ clock: {} }, '"options.clock" must be an object with now(), today(), dayOf()'],
    [{ inlineTasks: "some" }, 'must be one of "auto", "off", "marked", "all"'],
    [null, '"options" must be an object, got null. Leave it out'],
    [{ cacheFolder: 7 }, "must be a string, got a number. Arguments: folder (required), options."],
  ])("openVault refuses the options %j", async (options, words) => {
    const opening = openVault(files.folder, options as never);
    const error: unknown = await opening.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "VaultError", code: "INVALID_ARGUMENT" });
    const { message, hint } = error as { message: string; hint: string };
    expect(`${message} ${hint}`).toContain(words);
  });

  it("does nothing that was aborted before it began", async () => {
    const signal = AbortSignal.abort(new Error("mine"));
    const calls: Record<string, unknown[]> = {
      "notes.read": ["Roof"],
      "notes.locate": ["Roof"],
      "notes.summarise": ["Roof", 9],
      "notes.append": ["Roof", "x"],
      "notes.prepend": ["Roof", "x"],
      "notes.replaceSection": ["Roof", "Roof", "x"],
      "links.find": ["Roof"],
    };
    for (const [method, given] of Object.entries(calls))
      await expect(call(method, ...given, { signal }), method).rejects.toThrow("mine");
    await expect(vault.notes.find({ query: "x", signal })).rejects.toThrow("mine");
    await expect(vault.files.syncCopies(signal)).rejects.toThrow("mine");
    const change = { taskId: "Roof", updates: { priority: "High" } };
    expect(await vault.call("update_task", change, { signal })).toMatchObject({
      ok: false,
      text: "❌ Error: The call was cancelled.",
    });
    expect(await vault.call("update_task", change, { sgnal: signal } as never)).toMatchObject({
      ok: false,
      text: expect.stringContaining('did you mean "options.signal"?') as unknown,
    });
    expect(readFileSync(files.at("Roof.md"), "utf8")).toBe(NOTE);
  });

  it("closes when running calls have ended", async () => {
    const closing = await openVault(files.folder, OPTIONS);
    const created = closing.tasks.create({ title: "Race", area: "Home" });
    const called = closing.call("add_tasks", { text: "Second race" });
    await closing.close();
    expect(existsSync(files.at((await created).task.path))).toBe(true);
    expect(await called).toMatchObject({ ok: true });
  });

  it("refuses every call after close, so that nothing is written that undo does not know", async () => {
    const closed = await openVault(files.folder, OPTIONS);
    await closed.close();
    await closed.close();
    await expect(closed.files.create("After.md", "x")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(await closed.call("scan_vault")).toMatchObject({ ok: false, error: { code: "UNAVAILABLE" } });
    expect(existsSync(files.at("After.md"))).toBe(false);
  });

  it("refuses what a graph is asked after close", async () => {
    const closed = await openVault(files.folder, OPTIONS);
    const graph = await closed.links.graph();
    await closed.close();
    expect(() => graph.linkless()).toThrow("The index that this graph asks is closed.");
  });
});
