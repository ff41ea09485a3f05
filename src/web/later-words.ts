/** The words of views alone that are loaded later. */
import { countOf } from "./words.js";

export const LATER_WORDS = {
  historyHelp: "Changes made through this server, newest first",
  noHistory: "Nothing was changed yet. What you or an assistant changes here is listed with its undo.",
  notesChanged: (count: number) => countOf(count, "note"),
  showDifference: "Difference",
  differenceCut: "The difference is longer than an answer; the rest is not shown.",
  takeBack: "Take back",
  redo: "Do again",
  filterChanges: "Filter by note, action or name",
  fieldChanged: (name: string, before: string, after: string) =>
    before === "" ? `${name} ${after}` : `${name} ${before} → ${after || "(empty)"}`,
  noBoard: "This note is no Kanban board, or it has no lanes.",
  ofLimit: (count: number, limit: number) => `${count} of ${limit}`,
  month: "Month",
  weekOf: (from: string, to: string) => `${from} to ${to}`,
  previousWeek: "Previous week",
  thisWeek: "This week",
  fromToday: "From today",
  followingWeek: "Next week",
  doneByWeek: "Done by week",
  estimateLeft: (minutes: number, estimated: number, open: number) =>
    `${minutes < 60 ? "" : `${Math.floor(minutes / 60)} h `}${minutes % 60} min left (${estimated} of ${open} estimated)`,
  noProjects: "No task belongs to a project. Write +Kitchen in a new task, and the project Kitchen is here.",
  noAreas: "No task belongs to an area. Areas are folders such as _areas/Home, or the property area.",
  order: "Order",
  orders: { stuck: "Stuck first", late: "By next day", name: "By name" },
  projectSummary: (active: number, stuck: number) =>
    stuck === 0 ? `${countOf(active, "project")} under way` : `${active} under way, ${stuck} without a next action`,
  undatedHeading: "Without a day",
  onTheBoard: "On the board",
} as const;
