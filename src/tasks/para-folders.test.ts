import { expect, it } from "vitest";
import { note, taskVault } from "../../test/kit/task-vault.js";

it("names a PARA folder that came since the last scan, though it has no notes", async () => {
  const { tasks, put } = taskVault({ "_projects/a.md": note("type: task") });
  expect((await tasks.agenda()).paraFolders.projects).toEqual(["_projects"]);
  await put("_areas/plan.canvas", "");
  expect((await tasks.agenda()).paraFolders.areas).toEqual(["_areas"]);
});

it("reads tasks by the PARA folders there are when a note came, also where another note changed before", async () => {
  const { tasks, put } = taskVault({ "_projects/a.md": note("type: task") });
  const areas = async () =>
    Object.fromEntries((await tasks.search({ query: "*" })).tasks.map(({ path, area }) => [path, area]));
  await areas();
  await put("_projects/a.md", note("type: task\npriority: high"));
  expect(await areas()).toEqual({ "_projects/a.md": undefined });
  await put("_areas/plan.canvas", "");
  await put("_projects/a.md", note("type: task\npriority: low"));
  expect((await tasks.agenda()).paraFolders.areas).toEqual(["_areas"]);
  await put("Areas/Work/b.md", note("type: task"));
  expect(await areas()).toEqual({ "Areas/Work/b.md": "Work", "_projects/a.md": undefined });
});
