/** What is copied of a review: headings with true numbers, plain lines, nothing that Markdown would read as more. */
import { expect, it } from "vitest";
import { reviewMarkdown, reviewSections } from "./review.js";
import type { TaskRow } from "./task-row.js";

const TODAY = "2026-11-21";
const task = (given: Partial<TaskRow> & { readonly done?: string }) => ({
  id: "a",
  path: "a.md",
  title: "A",
  status: "To Do",
  priority: "Medium" as const,
  revision: "r",
  ...given,
});
const FRAME = { view: "review", today: TODAY, todayIn: "today", remarks: [] } as const;

it("names what there is and how much is left out", () => {
  const text = reviewMarkdown({
    ...FRAME,
    days: [
      { day: "2026-10-22", done: 0, created: 2, open: 2 },
      { day: TODAY, done: 1, created: 3, open: 4 },
    ],
    stuckProjects: [{ name: "Kit_chen", open: 1 }],
    stuckProjectCount: 2,
    sections: [
      {
        kind: "overdue",
        name: "Overdue",
        total: 12,
        tasks: [task({ title: "[x] #now <b>", due: "2026-11-20", priority: "High" })],
      },
      { kind: "stale", name: "Stale", total: 0, tasks: [] },
      {
        kind: "done",
        name: "Done in the last 7 days",
        total: 3,
        tasks: [
          task({ id: "w", title: "Water", done: TODAY }),
          task({ id: "w", title: "Water", done: "2026-11-20", area: "Home", parentProjects: ["Balcony"] }),
        ],
      },
    ],
  });
  expect(text).toBe(
    [
      "# Review, Saturday 21 November",
      "",
      "- Open: 4 (2 more in 30 days)",
      "- Done in 7 days: 1 (1 in 30 days)",
      "- Overdue: 12",
      "- Waiting: 0",
      "- Stale: 0",
      "- Without a day: 0",
      "",
      "## Overdue (12)",
      "",
      String.raw`- \[x\] \#now \<b\> (Due yesterday, High priority)`,
      "- … 11 more",
      "",
      "## Done in the last 7 days (2)",
      "",
      "- Water (Done today, yesterday, Home · Balcony)",
      "- … 1 more",
      "",
      "## Projects without a ready task (2)",
      "",
      String.raw`- Kit\_chen`,
      "- … 1 more",
      "",
    ].join("\n"),
  );
});

it("knows every section by its kind, whatever its heading says", () => {
  const kinds = ["overdue", "waiting", "stale", "undated", "done"] as const;
  const sections = reviewSections({
    ...FRAME,
    sections: kinds.map((kind) => ({ kind, name: "Heading", total: 1, tasks: [] })),
  });
  expect(sections.map(({ total }) => total)).toEqual([1, 1, 1, 1, 1]);
});
