/** The rows of the option table that say what a command finds or makes: a task's fields, a folder, days, how many. */
import { PRIORITIES } from "../../tasks/task.js";
import type { Option } from "./option-kinds.js";

const STATUS_VALUES = ["To Do", "In Progress", "Blocked", "Done"] as const;

export const COMMAND_OPTIONS = {
  area: {
    flag: "--area",
    kind: "text",
    placeholder: "area",
    help: "The task's area.",
    usedBy: ["add", "search", "list", "calendar"],
  },
  status: {
    flag: "--status",
    kind: "choice",
    values: STATUS_VALUES,
    help: "The task's status.",
    usedBy: ["add", "search", "list"],
  },
  priority: { flag: "--priority", kind: "choice", values: PRIORITIES, help: "The task's priority.", usedBy: ["add"] },
  due: {
    flag: "--due",
    kind: "text",
    placeholder: "YYYY-MM-DD",
    help: "The day a task is due, in words too; to find, a range as well.",
    usedBy: ["add", "search", "list"],
  },
  project: {
    flag: "--project",
    kind: "texts",
    placeholder: "project",
    help: "A project the task belongs to. Repeatable.",
    usedBy: ["add", "search", "list", "calendar"],
  },
  tag: {
    flag: "--tag",
    kind: "texts",
    placeholder: "tag",
    help: "A tag. Repeatable.",
    usedBy: ["add", "search", "list", "find", "calendar"],
  },
  folder: {
    flag: "--folder",
    kind: "text",
    placeholder: "path",
    help: "Only below this folder of the vault.",
    usedBy: ["find"],
  },
  from: {
    flag: "--from",
    kind: "text",
    placeholder: "day",
    help: "Only notes dated this day or later: by a day in the name, a date property, or else the last change.",
    usedBy: ["find"],
  },
  to: {
    flag: "--to",
    kind: "text",
    placeholder: "day",
    help: "Only notes dated this day or before.",
    usedBy: ["find"],
  },
  description: {
    flag: "--description",
    kind: "text",
    placeholder: "text",
    help: "What the task's note says below its title.",
    usedBy: ["add"],
  },
  limit: {
    flag: "--limit",
    kind: "count",
    most: 100,
    help: "How many results are shown, 1 to 100; of notes to 50.",
    usedBy: ["search", "list", "find"],
  },
  archived: { flag: "--archived", kind: "switch", help: "Find archived tasks too.", usedBy: ["search", "list"] },
  is: {
    flag: "--is",
    kind: "texts",
    placeholder: "state",
    help: "What a task is: outstanding, ready, blocked, recurring, inline or stale. Repeatable.",
    usedBy: ["search", "list"],
  },
} as const satisfies Record<string, Option>;
