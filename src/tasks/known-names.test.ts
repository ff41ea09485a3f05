/** Areas and projects as callers name them, written as the vault spells them: by case, accents and alias, never by a beginning. */
import { expect, it } from "vitest";
import { note, taskVault } from "../../test/kit/task-vault.js";

const FILES = {
  "_areas/Maison/Maison.md": note("aliases: [Haus, Home]"),
  "_areas/Work.md": note("alias: Büro"),
  "_projects/Küche/plan.md": "plan",
  "_projects/Garden.md": note("aliases:\n  - Backyard\n  - Twice"),
  "_projects/Roof.md": note("aliases: Twice"),
};

it.each<[string, string, string[], string, string[], RegExp | undefined]>([
  ["own names stay", "Work", ["Küche"], "Work", ["Küche"], undefined],
  ["case and accents", "work", ["kuche"], "Work", ["Küche"], /^area "work" was written as "Work"/],
  ["letters of another shape", "𝕎ork", ["Ｇarden"], "Work", ["Garden"], /^area "𝕎ork" was written as "Work"/],
  ["paths", "Work", ["_projects/Garden.md"], "Work", ["Garden"], /"_projects\/Garden.md" was written as "Garden"/],
  ["paths of folders", "Work", ["/_projects/küche/"], "Work", ["Küche"], /was written as "Küche"/],
  ["paths of other folders", "Work", ["x/Garden.md"], "Work", ["x/Garden.md"], /^no project "x\/Garden.md" exists/],
  ["aliases", "home", ["backyard"], "Maison", ["Garden"], /^area "home" was written as "Maison"/],
  ["an alias of a note beside folders", "buro", [], "Work", [], /written as "Work"/],
  ["an alias that two have is nobody's", "Work", ["Twice"], "Work", ["Twice"], /^no project "Twice" exists/],
  ["a slip in an area is told, never mended", "Worc", [], "Worc", [], /^no area "Worc" exists; the nearest is "Work"$/],
  ["an area that is like none is as good as any", "Astronomy", [], "Astronomy", [], undefined],
  ["a beginning is offered, never written", "Work", ["Gard"], "Work", ["Gard"], /nearest is "Garden"$/],
])("%s", async (_, area, parentProjects, writtenArea, writtenProjects, said) => {
  const { tasks } = taskVault(FILES);
  const { task, adjustments } = await tasks.create({ title: "New", area, parentProjects });
  expect([task.area, task.parentProjects]).toEqual([writtenArea, writtenProjects]);
  expect(adjustments[0] ?? "").toMatch(said ?? /^$/);
  const updated = await tasks.update(task.id, { area, parentProjects });
  expect([updated.task.area, updated.task.parentProjects, updated.changed]).toEqual([
    writtenArea,
    writtenProjects,
    false,
  ]);
});

it.each([
  ["Reno", "Sale", []],
  ["Ren", "Sales", ['no area "Sales" exists; the nearest is "Sale"', 'no project "Ren" exists; the nearest is "Reno"']],
])("where no folder is one of projects, those that tasks name exist: %s", async (project, area, said) => {
  const { tasks } = taskVault({ "Projekte/Reno/Reno.md": "", "a.md": note("type: task\nprojects: Reno\narea: Sale") });
  const created = await tasks.create({ title: "New", area, parentProjects: [project] });
  expect(created.adjustments).toEqual(said);
});
