/** The words of the review alone, which the first load does without. */
import { WORDS } from "../words.js";

export const REVIEW_WORDS = {
  nothingYet: "Nothing is open, and nothing was done in a year.",
  reviewOn: (day: string) => `Review, ${day}`,
  reviewSums: {
    open: "Open",
    done: "Done in 7 days",
    overdue: "Overdue",
    waiting: "Waiting",
    stale: "Stale",
    undated: "Without a day",
  },
  sinceThen: (change: number, days: number) =>
    change === 0
      ? `as ${days} days ago`
      : `${WORDS.number(Math.abs(change))} ${change > 0 ? "more" : "fewer"} in ${days} days`,
  inDays: (count: number, days: number) => `${WORDS.number(count)} in ${days} days`,
  openOverTime: "Open tasks",
  openOn: (day: string, open: number) => `${day}: ${WORDS.number(open)} open`,
  weekColumns: ["Week from", "Open at its end", "Added", "Done"],
  doneByDay: "Done by day",
  doneOnDay: (day: string, done: number, created: number) =>
    `${day}: ${WORDS.number(done)} done, ${WORDS.number(created)} added`,
  dayColumns: ["Day", "Done", "Added"],
  nothingDone: "None",
  orMore: (count: number) => `${count} or more`,
  asTable: "As a table",
  tableOf: (name: string) => `${name}, as a table`,
  doneWithoutDay: (count: number) =>
    count === 1 ? "1 more task is done and does not say when." : `${count} more tasks are done and do not say when.`,
  reviewSections: {
    overdue: { heading: "Overdue", empty: "Nothing is overdue." },
    waiting: {
      heading: "Waiting",
      note: "blocked, or for another task",
      empty: "Nothing is blocked or waits for another task.",
    },
    stale: {
      heading: "Stale",
      note: "unchanged for 30 days, no day ahead",
      empty: "Every open task was looked at in the last 30 days, or has a day ahead.",
    },
    undated: { heading: "Without a day", note: "neither due nor planned", empty: "Every open task has a day." },
    done: { heading: "Done in the last 7 days", empty: "Nothing was done in the last 7 days." },
  },
  stuckSection: "Projects without a ready task",
  nothingStuck: "Every project has a task that can be done.",
  listOf: (name: string, count: number) => `${name}: ${WORDS.number(count)}, show the list`,
  copyMarkdown: "Copy as Markdown",
  copied: "The review is copied.",
} as const;
