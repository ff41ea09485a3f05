/** The library as JavaScript calls it: wrong arguments are refused and change nothing. */
import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TemporaryVault } from "../test/kit/temporary-vault.js";
import { fixedClock } from "./clock.js";
import { openVault, type VaultHandle } from "./library.js";

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

describe("the library without TypeScript", () => {
  it.each([
    ["tasks.update", ["Roof", { due: "2025-10-01" }], 'Did you mean "dueDate"?'],
    ["tasks.update", ["Roof", { dueDate: null, scheduled: null }], '"" clears'],
    ["tasks.create", [{ title: null, area: "Home" }], "must be text"],
    ["tasks.update", ["Roof", { tags: "home" }], "must be a list of texts"],
    ["tasks.update", ["Roof", { status: "Done" }, { expected: "x" }], 'Did you mean "expectedRevision"?'],
    ["tasks.update", ["Roof"], "Argument 2 of tasks.update must be an object"],
    ["tasks.updateMany", ["Roof", { status: "Done" }], "must be a list of texts"],
    ["tasks.create", [{ title: "Wall", area: "Home", due: "2025-10-01" }], 'Did you mean "dueDate"?'],
    ["tasks.search", [{ query: "roof", limit: -1 }], "must be a whole number from 0"],
    ["tasks.search", [{ query: "*", is: ["late"] }], "must be a list of outstanding,"],
    ["tasks.search", [{ query: "*", status: "Someday" }], "must be a list of To Do,"],
    ["tasks.days", [{ from: "today" }], 'unknown property "from"'],
    ["notes.find", [{ tag: ["home"] }], 'Did you mean "tags"?'],
    ["notes.find", [{ sortBy: "name" }], "must be one of mtime,"],
    ["notes.delete", ["Roof", { permanent: "no" }], "must be true or false"],
    ["notes.setProperties", [undefined, { ai: "no" }], "must be an object"],
    ["notes.setProperties", ["Roof", { ai: "no" }], "must be an object"],
    ["notes.setProperties", [["Roof"], { ai: 1 }], "must be an object of texts"],
    ["notes.read", [], "Argument 1 of notes.read must be text"],
    ["links.find", [3], "Argument 1 of links.find must be text"],
    ["files.insert", ["Roof.md", 0.5, "x"], "must be a whole number from 0"],
    ["files.delete", ["Roof.md", { permanently: true }], 'Did you mean "permanent"?'],
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

  it("accepts one status in place of a list, and history without arguments", async () => {
    expect(await call("tasks.search", { query: "*", status: "To Do" })).toMatchObject({ total: 1 });
    expect(await call("files.history")).toMatchObject({ entries: [] });
  });

  it.each([
    [{ readonly: true }, 'Did you mean "readOnly"?'],
    [{ access: [{ denied: ["x"] }] }, 'unknown property "denied"'],
    [{ access: [{ deny: "Private" }] }, "must be a list of texts"],
    [{ maxFileSize: "10M" }, "must be a whole number"],
    [{ inlineTasks: "some" }, "must be one of auto, off, marked, all"],
    [null, "must be an object"],
  ])("openVault refuses the options %j", async (options, words) => {
    const opening = openVault(files.folder, options as never);
    const error: unknown = await opening.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "VaultError", code: "INVALID_ARGUMENT" });
    const { message, hint } = error as { message: string; hint: string };
    expect(`${message} ${hint}`).toContain(words);
  });

  it("refuses every call after close, so that nothing is written that undo does not know", async () => {
    const closed = await openVault(files.folder, OPTIONS);
    await closed.close();
    await closed.close();
    await expect(closed.files.create("After.md", "x")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(await closed.call("scan_vault")).toMatchObject({ ok: false, error: { code: "UNAVAILABLE" } });
    expect(existsSync(files.at("After.md"))).toBe(false);
  });
});
