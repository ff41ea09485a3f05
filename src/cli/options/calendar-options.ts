/** The rows of the option table about calendars (docs/calendar.md). */
import type { Option } from "./option-kinds.js";

export const CALENDAR_OPTIONS = {
  done: {
    flag: "--done",
    kind: "switch",
    help: "Show done tasks in the calendar too, with a check mark.",
    usedBy: ["calendar"],
  },
  dates: {
    flag: "--dates",
    kind: "choice",
    values: ["due", "scheduled", "both"],
    help: "Which days stand in the calendar. Default: the day a task is due, else the one it is scheduled for.",
    usedBy: ["calendar"],
  },
  component: {
    flag: "--component",
    kind: "choice",
    values: ["event", "todo"],
    fallback: "event",
    help: "Events, which every calendar program shows, or to-dos, which some do.",
    usedBy: ["calendar"],
  },
  alarm: {
    flag: "--alarm",
    kind: "text",
    placeholder: "HH:MM",
    help: "Remind at this time of the day itself.",
    usedBy: ["calendar"],
  },
} as const satisfies Record<string, Option>;
