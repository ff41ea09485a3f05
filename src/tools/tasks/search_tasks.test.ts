/** What a row of search_tasks says of why it is found, and what the list may lack. */
import { describe, expect, it } from "vitest";
import { contextOf, workspaceOf } from "../../../test/kit/known-tasks.js";
import { note, taskVault } from "../../../test/kit/task-vault.js";
import { searchTasks } from "./search_tasks.js";

const DAYS = Array.from({ length: 10 }, (_, at) => `2025-08-${20 + at}`);
const files = {
  "plants.md": note(
    `type: task\nrecurrence: FREQ=DAILY\nscheduled: 2025-08-30\ncomplete_instances: [${DAYS.join(", ")}]`,
  ),
  "tax.md": note("type: task\nstatus: done\ncompletedDate: 2025-08-28"),
};

async function ask(args: object, notes: Readonly<Record<string, string>> = files): Promise<string> {
  const outcome = await searchTasks.call(args, contextOf(workspaceOf(taskVault(notes).tasks)));
  return `${outcome.text}\n${outcome.ok ? (outcome.details ?? "") : ""}`;
}

describe("a row found by a completed day", () => {
  it("says which day of a series it was", async () => {
    const text = await ask({ query: "*", completed: "2025-08-28" });
    expect(text).toMatch(/: plants; .*; done Thu 2025-08-28 \(2 days ago\)/);
    expect(text).toMatch(/: tax; .*; done Thu 2025-08-28 \(2 days ago\)/);
    expect(text).not.toContain("was done on");
  });

  it("names the last of several days, and the others in a remark", async () => {
    const text = await ask({ query: "plants", completed: "this month" });
    expect(text).toMatch(/: plants; .*; done Fri 2025-08-29 \(1 day ago\)/);
    const named = DAYS.toReversed().slice(0, 7).join(", ");
    expect(text).toContain(`"plants" was done on ${named}, and 3 earlier days.`);
  });

  it("says nothing where no completed day is asked for", async () => {
    expect(await ask({ query: "plants" })).not.toContain("done ");
  });
});

it("says which notes could not be read, whose tasks the list may lack", async () => {
  const text = await ask({ query: "*" }, { ...files, "broken.md": note("type: task\ntags: [a") });
  expect(text).toMatch(/\n1 note cannot be read in full: broken\.md\.$/);
});

describe("a clock time", () => {
  const notes = {
    "meet.md": note("type: task\ndue: 2025-08-30T14:30"),
    "call.md": note("type: task\ndue: 2025-08-30T09:15:00Z\nscheduled: 2025-08-30 08:00"),
    "report.md": note("type: task\ndue: 2025-08-30"),
    "form.md": note("type: task\ndue: 2025-08-30T00:00:00"),
    "Board.md": "---\nkanban-plugin: board\n---\n\n## Doing\n\n- [ ] Dentist @{2025-08-30} @@{16:45}\n",
  };

  it("is shown with its day", async () => {
    const text = await ask({ query: "*", due: "today" }, notes);
    expect(text).toContain("due Sat 2025-08-30 (today) at 14:30");
    expect(text).toContain("due Sat 2025-08-30 (today) at 09:15; scheduled Sat 2025-08-30 (today) at 08:00");
    expect(text).toMatch(/Dentist; .*due Sat 2025-08-30 \(today\) at 16:45/);
  });

  it("adds nothing to a task without one, or at midnight, which stands for the whole day", async () => {
    const text = await ask({ query: "*", due: "today" }, notes);
    expect(text).toMatch(/: report; id report\.md; due Sat 2025-08-30 \(today\)\n/);
    expect(text).toMatch(/: form; id form\.md; due Sat 2025-08-30 \(today\)\n/);
  });
});

describe("a row of a task that is not to be done now", () => {
  const notes = {
    "later.md": note("type: task\nstart: 2025-09-02"),
    "begun.md": note("type: task\nstart: 2025-08-02"),
    "stretch.md": note(
      "type: task\nrecurrence: DTSTART:20250801;FREQ=DAILY\nscheduled: 2025-08-30\ncomplete_instances: [2025-08-30]",
    ),
  };

  it("says on which day it starts, if that is to come", async () => {
    const text = await ask({ query: "*" }, notes);
    expect(text).toContain("later.md; starts Tue 2025-09-02 (in 3 days)");
    expect(text).not.toContain("begun.md; starts");
  });

  it("says that its instance of the day is done", async () => {
    expect(await ask({ query: "*", scheduled: "today" }, notes)).toMatch(
      /: stretch; .*; done Sat 2025-08-30 \(today\)/,
    );
  });
});

describe("what is done", () => {
  const notes = Object.fromEntries(
    ["05", "25", "15"].map((day) => [`n${day}.md`, note(`type: task\nstatus: done\ncompletedDate: 2025-08-${day}`)]),
  );
  it.each([{ query: "*" }, { query: "*", status: ["Done"] }, { query: "*", completed: "august 2025" }])(
    "is listed with the latest first: %j",
    async (args) => {
      const all = { ...notes, "open.md": note("type: task") };
      const order = [...(await ask(args, all)).matchAll(/^\d+: (\w+);/gm)].map(([, title]) => title);
      expect(order.filter((title) => title !== "open")).toEqual(["n25", "n15", "n05"]);
    },
  );

  it("counts archived tasks apart", async () => {
    const all = { ...notes, "_archive/n20.md": note("type: task\nstatus: done\ncompletedDate: 2025-08-20") };
    const text = await ask({ query: "*", completed: "this month" }, all);
    expect(text).toContain("Found 3 tasks.");
    expect(text).toContain("1 archived task found with includeArchived.");
    expect(await ask({ query: "*", completed: "this month", includeArchived: true }, all)).not.toContain(
      "archived task",
    );
    expect(await ask({ query: "*" }, all)).not.toContain("archived task");
  });
});

describe("a status of the vault's own", () => {
  const notes = {
    "roof.md": note("type: task\nstatus: On Ice"),
    "attic.md": note("type: task\nstatus: on-ice"),
    "cellar.md": note("type: task\nstatus: parked"),
    "paint.md": note("type: task\nstatus: todo"),
  };

  it.each([
    [["on ice"], 2],
    [["Parked", "To Do"], 2],
    [["Other"], 3],
  ] as const)("is found by its word: %j", async (status, total) => {
    expect(await ask({ query: "*", status }, notes)).toContain(`Found ${total} tasks.`);
  });

  it("is refused with the nearest when no task has it, and as a negation", async () => {
    expect(await ask({ query: "*", status: ["parkd"] }, notes)).toMatch(
      /^❌ .*No task has the status "parkd"\. The nearest: "parked"\.\n/,
    );
    expect(await ask({ query: "*", status: ["!parked"] }, notes)).toContain("nothing is excluded");
  });
});

it("refuses the cursor of another tool's list, and says so where that of another search does not fit", async () => {
  const text = await ask({ query: "*", limit: 1 });
  const [, cursor = ""] = /cursor "([^"]+)"/.exec(text) ?? [];
  expect(await ask({ query: "*", limit: 5, cursor })).toContain("Showing 2 to 2.");
  expect(await ask({ query: "plants", cursor })).toContain("has changed since this cursor was given");
  expect(await ask({ query: "*", cursor: `${cursor}00ff` })).toContain("is of another list");
});
