/** The vault's dialect is a query over rows: the same for the first call of a process as for later ones. */
import { describe, expect, it } from "vitest";
import { note, taskVault } from "../../../test/kit/task-vault.js";
import { checkNotes } from "../../cli/doctor/vault-checks.js";

const ENGLISH = Object.fromEntries(
  Array.from({ length: 72 }, (_, at) => [
    `T${at}.md`,
    note(`type: task\nstatus: open\ndateCreated: 2025-08-0${(at % 9) + 1}`),
  ]),
);
const GERMAN = Object.fromEntries(
  Array.from({ length: 4 }, (_, at) => [
    `D${at}.md`,
    note(`type: task\nstatus: offen\nfällig: 2025-09-01\nprojekt: ["[[Hochzeit]]"]\nerstellt: 2025-08-01`),
  ]),
);
const DRAFT = { title: "New", area: "Work", parentProjects: ["Wedding"], dueDate: "2025-09-01" };

async function created(files: Readonly<Record<string, string>>, readsFirst: boolean): Promise<string> {
  const vault = taskVault(files);
  if (readsFirst) await vault.tasks.agenda();
  const { task } = await vault.tasks.create(DRAFT);
  return vault.text(task.path);
}

describe("the keys of a new task", () => {
  it("are the same as the first call of a process and after a read", async () => {
    for (const files of [{ ...ENGLISH, ...GERMAN }, GERMAN])
      expect(await created(files, false)).toBe(await created(files, true));
  });

  it("are not those of few tasks in another language", async () => {
    const text = await created({ ...ENGLISH, ...GERMAN }, false);
    expect(text).toMatch(/\ndue: 2025-09-01\n/);
    expect(text).toMatch(/\nprojects:\n {2}- Wedding\n/);
    expect(text).toContain("\ndateCreated: ");
  });

  it("are those of most tasks that state the field", async () => {
    expect(await created(GERMAN, false)).toMatch(/\nfällig: 2025-09-01\n(.*\n)*projekt: \["\[\[Wedding\]\]"\]\n/);
    const some = { ...ENGLISH, "P.md": note("type: task\nepic: [A]"), "Q.md": note("type: task\nepic: [B]") };
    const others = { "R.md": note("type: task\nproject: [C]") };
    expect(await created({ ...some, ...others }, false)).toContain("\nepic: [Wedding]\n");
  });

  it("are never against the keys that TaskNotes is set to", async () => {
    const data = { ".obsidian/plugins/tasknotes/data.json": '{"fieldMapping": {"projects": "vorhaben"}}' };
    const plugins = { ".obsidian/community-plugins.json": '["tasknotes"]' };
    const text = await created({ ...GERMAN, ...data, ...plugins }, false);
    expect(text).toMatch(/\ndue: 2025-09-01\n/);
    expect(text).toContain("\nvorhaben: ");
    expect(text).toContain("\ndateCreated: ");
  });
});

it("doctor asks about keys that are mixed, and does not call them well", async () => {
  const findings = await checkNotes(taskVault({ ...ENGLISH, ...GERMAN }));
  const told = findings.filter(({ subject }) => subject === "dialect");
  expect(told).toEqual([
    {
      level: "note",
      subject: "dialect",
      message: 'created is written as "dateCreated" (72 tasks), "erstellt" (4 tasks): which is meant?',
      advice: 'New tasks get "dateCreated". Rename the other property in Obsidian if it is not meant.',
    },
  ]);
});
