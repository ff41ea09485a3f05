/** Vaults whose TaskNotes has keys of its own for fields, or another tag or property that makes a note a task: read and written so. */
import { describe, expect, it } from "vitest";
import { note, refusal, taskVault } from "../../../test/kit/task-vault.js";

const DATA = ".obsidian/plugins/tasknotes/data.json";
const vaultWith = (settings: object, files: Readonly<Record<string, string>>) =>
  taskVault({ [DATA]: JSON.stringify(settings), ...files });

const MAPPED = { fieldMapping: { due: "Frist", status: "stage of it", dateCreated: "angelegt", projects: "vorhaben" } };

describe("keys of the vault's own", () => {
  const paint = note(
    "type: task\ntitle: Paint\nstage of it: open\nFrist: 2025-09-01\ndue: 2030-01-01\nvorhaben: [Haus]",
  );

  it("are read as their fields, and win over the usual ones", async () => {
    const { task } = vaultWith(MAPPED, { "Paint.md": paint });
    expect(await task("Paint.md")).toMatchObject({
      due: "2025-09-01",
      status: "To Do",
      parentProjects: ["Haus"],
      properties: {},
    });
  });

  it("are searched, listed and counted like the usual ones", async () => {
    const { tasks } = vaultWith(MAPPED, { "Paint.md": paint, "Other.md": note("type: task\ndue: 2025-08-01") });
    expect((await tasks.search({ query: "haus" })).tasks.map(({ path }) => path)).toEqual(["Paint.md"]);
    expect((await tasks.agenda()).overdue.map(({ path }) => path)).toEqual(["Other.md"]);
  });

  it("are what is changed where they stand, and what is written where the field is new", async () => {
    const vault = vaultWith(MAPPED, { "Paint.md": paint, "Bare.md": note("type: task\ntitle: Bare") });
    await vault.tasks.update("Paint", { dueDate: "2025-09-02", status: "Done" });
    expect(await vault.text("Paint.md")).toBe(
      paint.replace("Frist: 2025-09-01", "Frist: 2025-09-02").replace("stage of it: open", "stage of it: done"),
    );
    await vault.tasks.update("Bare", { dueDate: "2025-09-03" });
    expect(await vault.text("Bare.md")).toContain("\nFrist: 2025-09-03\n");
    const { task } = await vault.tasks.create({ title: "New", area: "Work", dueDate: "2025-09-04" });
    expect(await vault.text(task.path)).toMatch(/\nFrist: 2025-09-04\n(?:.*\n)*angelegt: 2025-08-30\n/);
  });

  it("are task fields to `properties`", async () => {
    const { tasks } = vaultWith(MAPPED, { "Paint.md": paint });
    const error = await refusal(tasks.update("Paint", { properties: { frist: "2025-10-01" } }));
    expect(error.message).toContain('"frist" is a task field; give it as dueDate');
  });

  it("count as soon as the settings say so, without a change of any note", async () => {
    const vault = taskVault({ "Paint.md": paint });
    expect((await vault.task("Paint.md")).due).toBe("2030-01-01");
    const { storage: settings } = vaultWith(MAPPED, {});
    const notes = vault.storage.readMany.bind(vault.storage);
    // Only Obsidian writes there: the vault looks elsewhere for its settings from now on.
    vault.storage.readMany = (paths, options) =>
      paths.some((path) => path.startsWith(".obsidian/")) ? settings.readMany(paths, options) : notes(paths, options);
    expect((await vault.task("Paint.md")).due).toBe("2025-09-01");
  });
});

describe("what makes a note a task", () => {
  const files = {
    "Tagged.md": note("tags: [errand, ToDo/home]"),
    "Filed.md": note("Kind: [Chore, x]"),
    "Plain.md": note("kind: thing\ntags: [todolist]"),
    "Usual.md": note("type: task"),
  };
  const titles = async (settings: object): Promise<string[]> => {
    const { tasks } = await vaultWith(settings, files).tasks.search({ query: "*" });
    return tasks.map(({ title }) => title).toSorted();
  };

  it.each<[string, object, string[]]>([
    ["the usual, by default", {}, ["Usual"]],
    ["the vault's own tag", { taskTag: "#todo" }, ["Tagged", "Usual"]],
    [
      "the vault's own property with its value",
      { taskIdentificationMethod: "property", taskPropertyName: "kind", taskPropertyValue: "chore" },
      ["Filed", "Usual"],
    ],
    [
      "the vault's own property with any value",
      { taskIdentificationMethod: "property", taskPropertyName: "kind", taskPropertyValue: "" },
      ["Filed", "Plain", "Usual"],
    ],
  ])("is %s", async (_, settings, expected) => {
    expect(await titles(settings)).toEqual(expected);
  });

  it("is what a new note gets, and what stays when tags are replaced", async () => {
    const tagged = vaultWith({ taskTag: "todo" }, files);
    const { task } = await tagged.tasks.create({ title: "New", area: "Work", tags: ["x"] });
    expect([task.rule, task.tags]).toEqual(["task-tag", ["todo", "x"]]);
    expect(await tagged.text(task.path)).not.toContain("type:");
    const { adjustments } = await tagged.tasks.update("Tagged", { tags: ["y"] });
    expect((await tagged.task("Tagged.md")).tags).toEqual(["ToDo/home", "y"]);
    expect(adjustments).toHaveLength(1);
    const filed = vaultWith(
      { taskIdentificationMethod: "property", taskPropertyName: "kind", taskPropertyValue: "Chore" },
      files,
    );
    const created = await filed.tasks.create({ title: "New", area: "Work" });
    expect(created.task.rule).toBe("task-property");
    expect(await filed.text(created.task.path)).toMatch(/^---\nkind: Chore\n/);
    expect((await filed.tasks.get("Filed.md")).why).toContain('property "kind"');
  });
});
