/** Going on in one section of an agenda, and in one kind of the projects view. */
import { describe, expect, it } from "vitest";
import { contextOf, workspaceOf } from "../../../test/kit/known-tasks.js";
import { note, taskVault } from "../../../test/kit/task-vault.js";
import type { AgendaAnswer } from "./agenda-text.js";
import { getAgenda } from "./get_agenda.js";

const files = Object.fromEntries(
  Array.from({ length: 60 }, (_, at) => [
    `t${String(at).padStart(2, "0")}.md`,
    note(`type: task\ndue: 2025-08-${at < 30 ? "20" : "30"}\nprojects: P${String(at).padStart(2, "0")}`),
  ]),
);
const vault = taskVault(files);

async function ask(args: object) {
  const outcome = await getAgenda.call(args, contextOf(workspaceOf(vault.tasks)));
  if (!outcome.ok) return { text: outcome.text, data: {} as AgendaAnswer };
  return { text: outcome.text, data: outcome.data as unknown as AgendaAnswer };
}

describe("an agenda that is cut", () => {
  it("says for each section how to see the rest, and goes on there to its end", async () => {
    const { data, text } = await ask({});
    expect(data.sections?.map(({ kind, total, tasks }) => [kind, total, tasks.length])).toEqual([
      ["overdue", 30, 30],
      ["day", 30, 20],
    ]);
    const cursor = data.sections?.[1]?.cursor ?? "";
    expect(text).toContain(`… and 10 more: section "2025-08-30", cursor "${cursor}"`);
    const rest = await ask({ section: "2025-08-30", cursor });
    expect(rest.data.sections).toMatchObject([{ kind: "day", total: 30, offset: 20, tasks: { length: 10 } }]);
    expect(rest.data.sections?.[0]?.cursor).toBeUndefined();
  });

  it("lists one section alone, an empty one too, with a limit of its own", async () => {
    const first = await ask({ section: "overdue", limit: 7 });
    expect(first.data.sections).toMatchObject([{ kind: "overdue", tasks: { length: 7 } }]);
    const review = await ask({ view: "review", section: "undated" });
    expect(review.data.sections).toMatchObject([{ kind: "undated", total: 0 }]);
    expect(review.data.stuckProjectCount).toBeUndefined();
  });

  it("goes on in the projects", async () => {
    const { data } = await ask({ view: "projects" });
    expect([data.projects?.length, data.projectCount, data.areaCount]).toEqual([50, 60, 0]);
    const rest = await ask({ view: "projects", kind: "project", cursor: data.projectCursor });
    expect([rest.data.projects?.length, rest.data.projects?.[0]?.name, rest.data.areaCount]).toEqual([
      10,
      "P50",
      undefined,
    ]);
  });

  it("says of a project's next task how far it is", async () => {
    await vault.put("t01.md", note("type: task\nstatus: doing\ndue: 2025-08-20\nprojects: P01"));
    const { data, text } = await ask({ view: "projects" });
    expect(data.projects?.slice(0, 2).map(({ nextStatus }) => nextStatus)).toEqual(["To Do", "In Progress"]);
    expect(text).toContain("next: t00 (id t00.md);");
    expect(text).toContain("next: t01 (id t01.md, In Progress);");
  });

  it("says that a list has changed since its cursor was given", async () => {
    const { data } = await ask({ section: "overdue", limit: 7 });
    await vault.put("t00.md", note("type: task\nstatus: done"));
    const rest = await ask({ section: "overdue", cursor: data.sections?.[0]?.cursor });
    expect(rest.data.remarks).toEqual([
      "The result has changed since this cursor was given; the list goes on at the same place.",
    ]);
  });

  it.each<[object, RegExp]>([
    [{ cursor: "7#01234567" }, /section does not name it.*Give the section/s],
    [{ view: "projects", cursor: "7#01234567" }, /kind does not name it/],
    [{ section: "late" }, /"late" is no section.*overdue, done/s],
    [{ kind: "area" }, /takes no kind/],
    [{ view: "projects", section: "overdue" }, /takes no section/],
  ])("refuses %j", async (args, message) => expect((await ask(args)).text).toMatch(message));
});
