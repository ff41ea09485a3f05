/** Projects: their notes are closed, archived and reopened as tasks are, and their areas are those of their tasks (findings, 3.5 and 3.6). */
import { describe, expect, it } from "vitest";
import { taskVault } from "../../test/kit/task-vault.js";

const PROJECT = "---\narea: Home\nstatus: active\n---\n# Kitchen\n";
const task = (properties = "") => `---\ntype: task\nstatus: to do\n${properties}---\n`;

describe("the area of a project", () => {
  const files = {
    "1 Projects/Kitchen/Kitchen.md": PROJECT,
    "1 Projects/Kitchen/Measure.md": task("title: Measure\n"),
    "1 Projects/Paint.md": task('title: Paint\nprojects: ["[[Kitchen]]"]\n'),
    "1 Projects/Own.md": task('title: Own\narea: Work\nprojects: ["[[Kitchen]]"]\n'),
    "1 Projects/Trip.md": task("title: Trip\narea: Leisure\n"),
    "1 Projects/Pack.md": task('title: Pack\nprojects: ["[[Trip]]"]\n'),
    "1 Projects/Loop.md": task('title: Loop\nprojects: ["[[Loop]]"]\n'),
    "1 Projects/Two.md": task('title: Two\nprojects: ["[[Kitchen]]", "[[Trip]]"]\n'),
  };

  it("is that of its tasks that name none, and they are found by it", async () => {
    const { tasks } = taskVault(files);
    const inArea = async (area: string) => {
      const { tasks: found } = await tasks.search({ query: "*", area });
      return found.map(({ title }) => title).toSorted();
    };
    expect(await inArea("home")).toEqual(["Measure", "Paint"]);
    expect(await inArea("Leisure")).toEqual(["Pack", "Trip"]);
    expect(await inArea("none")).toEqual(["Loop", "Two"]);
    expect((await tasks.get("Paint")).task).toMatchObject({ area: "Home", areaOf: "Kitchen" });
    expect((await tasks.update("Paint", { status: "Done" })).task).toMatchObject({ area: "Home", areaOf: "Kitchen" });
  });

  it("is not written into them", async () => {
    const { tasks, text } = taskVault(files);
    await tasks.update("Paint", { priority: "High" });
    expect(await text("1 Projects/Paint.md")).not.toContain("area");
  });
});

describe("a project's note", () => {
  const files = {
    "1 Projects/Kitchen/Kitchen.md": PROJECT,
    "1 Projects/Kitchen/Measure.md": task("title: Kitchen measures\n"),
    "1 Projects/Plain.md": "# Plain\n",
  };
  const path = "1 Projects/Kitchen/Kitchen.md";

  it.each(["Kitchen", "[[Kitchen]]", "kitchen", path, "1 Projects/Kitchen"])("is updated by %s", async (reference) => {
    const { tasks, text } = taskVault(files);
    const { adjustments, changed, undoable } = await tasks.update(reference, { status: "Done" });
    expect({ changed, undoable }).toEqual({ changed: true, undoable: true });
    expect(adjustments.join()).toContain("is a project: its note was changed, its open tasks (1) were not");
    expect(await text(path)).toMatch(/^status: done$/m);
    expect(await text("1 Projects/Kitchen/Measure.md")).toContain("status: to do");
  });

  it("is closed, reopened and archived, also without properties", async () => {
    const { tasks, text } = taskVault(files);
    await tasks.update("Kitchen", { status: "Done" });
    await tasks.update("Kitchen", { status: "In Progress" });
    expect(await text(path)).toMatch(/^status: in progress$/m);
    await tasks.update("Kitchen", { properties: { archived: "true" } });
    expect(await text(path)).toMatch(/^archived: true$/m);
    await tasks.update("Plain", { status: "Done" });
    expect(await text("1 Projects/Plain.md")).toMatch(/^---\nstatus: done\n---\n# Plain\n$/);
  });

  it("is no task for what reads, which says how to close it", async () => {
    const { tasks } = taskVault(files);
    await expect(tasks.get("Kitchen")).rejects.toMatchObject({
      message: `'${path}' is a project, not a task.`,
      hint: expect.stringContaining('updates {"status": "Done"} closes it'),
    });
  });
});

describe("the spelling of an area or project that only tasks name", () => {
  const files = {
    "1 Projects/a.md": task("area: Home\nprojects: [Büro]\n"),
    "1 Projects/b.md": task("area: Home\n"),
    "1 Projects/c.md": task("area: HOME\n"),
  };

  it("is written by every tool that writes one, also by a process that has read no tasks", async () => {
    const { tasks, reopened } = taskVault(files);
    const created = await tasks.create({ title: "New", area: "home", parentProjects: ["buro"] });
    expect(created.task).toMatchObject({ area: "Home", parentProjects: ["Büro"] });
    expect(created.adjustments).toContain('area "home" was written as "Home", as the vault spells it');
    const other = reopened().tasks;
    await other.search({ query: "*" });
    expect((await other.create({ title: "Newer", area: "Hóme" })).task.area).toBe("Home");
    expect((await other.update("New", { area: "hOME" })).task.area).toBe("Home");
    const { tasks: added } = await other.addMany({ text: "One +buro\nTwo", area: "home" });
    expect(added.map(({ task: one }) => [one?.area, one?.parentProjects])).toEqual([
      ["Home", ["Büro"]],
      ["Home", []],
    ]);
  });

  it("stays as given where a task has that very one", async () => {
    const { tasks } = taskVault(files);
    expect((await tasks.create({ title: "New", area: "HOME" })).task.area).toBe("HOME");
  });

  it("does not matter to a filter", async () => {
    const { tasks } = taskVault(files);
    expect((await tasks.search({ query: "*", area: "hömé" })).total).toBe(3);
    expect((await tasks.search({ query: "*", project: "BURO" })).total).toBe(1);
  });
});

describe("a new task with the title of an open one", () => {
  const files = {
    "1 Projects/Rent.md": task("id: task-rent\ntitle: Pay rent\n"),
    "1 Projects/Old.md": "---\ntype: task\nstatus: done\n---\n",
  };
  const remark = "an open task has the same title: id task-rent; both are there now";

  it("is made, and the answer names the other one", async () => {
    const { tasks } = taskVault(files);
    await tasks.search({ query: "*" });
    expect((await tasks.create({ title: "pay rent", area: "Home" })).adjustments).toContain(remark);
    expect((await tasks.create({ title: "Old", area: "Home" })).adjustments).toEqual([]);
  });

  it("is noticed by a process that has read no tasks: by its file, or by what others have stored", async () => {
    const { tasks } = taskVault({ "1 Projects/Pay rent.md": files["1 Projects/Rent.md"] });
    expect((await tasks.create({ title: "Pay rent", area: "Home" })).adjustments).toContain(remark);
  });
});
