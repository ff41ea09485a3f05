/** The words of views that are loaded later. */
import { countOf, WORDS } from "./words.js";

export const LATER_WORDS = {
  noHistory: "Nothing was changed yet. What you or an assistant changes here is listed with its undo.",
  actions: {
    deleted: "Deleted",
    moved: "Moved or renamed",
    extended: "Text added",
    added: "Added",
    changed: "Changed",
  },
  changed: (names: string) => `${names} changed`,
  changedBy: (name: string) => `by ${name}`,
  differenceCut: "The difference is longer than an answer; the rest is not shown.",
  takeBack: "Take back",
  redo: "Do again",
  filterChanges: "Filter by note, action or name",
  fieldChanged: (name: string, before: string, after: string) =>
    before === "" ? `${name} ${after}` : `${name} ${before} → ${after || "(empty)"}`,
  instances: {
    complete: (days: string) => `Done for ${days}`,
    skipped: (days: string) => `Skipped ${days}`,
  },
  noBoard: "This note is no Kanban board, or it has no lanes.",
  noCards: "No cards.",
  ofLimit: (count: number, limit: number) => `${WORDS.number(count)} of ${limit}`,
  month: "Month",
  /** `27 Nov – 3 Dec`, `7 – 13 Dec`. */
  weekOf: (from: string, to: string) => `${from.replace(/ .*/, (month) => (to.endsWith(month) ? "" : month))} – ${to}`,
  previousWeek: "Previous week",
  thisWeek: "This week",
  fromToday: "From today",
  followingWeek: "Next week",
  doneByWeek: "Done by week",
  estimateLeft: (minutes: number, estimated: number, open: number) =>
    `${WORDS.duration(minutes)} left (${estimated} of ${open} estimated)`,
  noProjects: "No task belongs to a project. Write +Kitchen in a new task, and the project Kitchen is here.",
  noAreas: "No task belongs to an area. Areas are folders such as _areas/Home, or the property area.",
  order: "Order",
  orders: { stuck: "Stuck first", late: "By next day", name: "By name" },
  projectSummary: (active: number, stuck: number) =>
    `${active} under way${stuck === 0 ? "" : `, ${stuck} without a next action`}`,
  onTheBoard: "On the board",
  foreignPicture: (address: string) => `Picture: ${address}`,
} as const;

export const PROJECT_WORDS = {
  projects: "Projects",
  areas: "Areas",
  percent: (percent: number) => `${percent}%`,
  doneOfAll: (done: number, all: number) => `${WORDS.number(done)} of ${WORDS.number(all)} done`,
  blockedCount: (count: number) => `${WORDS.number(count)} blocked`,
  noTasksYet: "No tasks yet",
  unchangedFor: (days: number) => `Unchanged for ${countOf(days, "day")}`,
  nextAction: "Next:",
  nothingReady: "No task is ready",
  nothingOpen: "Nothing is open",
  nextDay: (day: string) => `Next day: ${day}`,
  lateSince: (day: string) => `Late since ${day}`,
} as const;

export const APP_WORDS = {
  showsOnly: "This client shows tasks and cannot change them.",
  cancelled: "The call was cancelled.",
  openBoard: "Open the board",
  backToList: "Back to the conversation",
  copyLink: (address: string) => `This client opens no links. Copy it: ${address}`,
  mostUrgent: "Most urgent",
  alsoDue: "Also overdue or due this week",
  sums: (open: number, overdue: number, week: number) =>
    `${countOf(open, "outstanding task")}, ${WORDS.number(overdue)} overdue, ${WORDS.number(week)} due this week`,
} as const;

export const VIEW_WORDS = {
  help: "Bases and Tasks queries of your notes",
  block: (kind: string, name: string, number: string) =>
    name.startsWith(kind) ? `block ${number}` : `${kind}, block ${number}`,
  viewsOf: (source: string) => `Views of ${source}`,
  rows: (count: number) => `${WORDS.number(count)} ${count === 1 ? "row" : "rows"}`,
  noRows: "No row fits this view.",
  file: "File",
  columns: { ctime: "Created", mtime: "Modified" },
  refused: "This view cannot be answered as it is written. Nothing was evaluated.",
  fault: (place: string, reason: string) => `${place}: ${reason}.`,
  nearest: (name: string) => `Did you mean ${name}?`,
  correctIt: "Correct it in its file: the page asks again when the file changes.",
  none: "No view is saved yet",
  firstStep:
    "A view is a question that you save once: a .base file, or a block in any note. It appears here as soon as it is in the vault, with or without Obsidian.",
  samples: [
    ["Tasks that are due", "```tasks\nnot done\ndue before in 7 days\ngroup by filename\n```\n"],
    [
      "Notes changed this week",
      '```base\nfilters: file.mtime > now() - "7 days"\nviews:\n  - type: table\n    name: Changed this week\n    order: [file.name, file.mtime]\n```\n',
    ],
  ],
  copySample: (name: string) => `Copy “${name}”`,
  copied: "Copied: paste it into a note.",
} as const;

export const REVIEW_WORDS = {
  highPriority: "High priority",
  nothingYet: "Nothing is open, and nothing was done in a year.",
  reviewOn: (day: string) => `Review, ${day}`,
  reviewSums: {
    open: "Open",
    done: "Done in 7 days",
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
    count === 1
      ? "1 more task is done and does not say when."
      : `${WORDS.number(count)} more tasks are done and do not say when.`,
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
