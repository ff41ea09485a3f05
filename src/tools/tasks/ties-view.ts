/** How get_task shows what a task has to do with others, and how its series stands. */
import type { LocalDate } from "../../clock.js";
import { describeDay } from "../../dates/day-echo.js";
import type { TaskTies } from "../../tasks/service.js";
import type { Task } from "../../tasks/task.js";
import type { Infer, Schema } from "../schema.js";
import { oneLine } from "../text.js";
import { LIST_LIMIT, shown } from "./task-view.js";

const tasks = (description: string) =>
  ({
    type: "array",
    maxItems: LIST_LIMIT,
    description,
    items: {
      type: "object",
      description: "A task",
      properties: {
        id: { type: "string", description: "Task id" },
        title: { type: "string", description: "Title" },
        status: { type: "string", description: "Status" },
      },
      required: ["id", "title", "status"],
      additionalProperties: false,
    },
  }) as const satisfies Schema;

export const TIES_PROPERTIES = {
  ready: { type: "boolean", description: "Outstanding, not blocked, and its day has come" },
  blocked: { type: "boolean", description: "Outstanding, and held up by its status or by what it waits for" },
  blockedBy: {
    type: "array",
    maxItems: LIST_LIMIT,
    description: "What it waits for",
    items: {
      type: "object",
      description: "A task, or what no task is found for",
      properties: {
        name: { type: "string", description: "Its title, or its name in the note" },
        id: { type: "string", description: "Task id; absent when none is found" },
        open: { type: "boolean", description: "Whether it still holds this task up" },
      },
      required: ["name", "open"],
      additionalProperties: false,
    },
  },
  blocks: tasks("Tasks that wait for it"),
  subtasks: tasks("Its subtasks"),
  series: {
    type: "object",
    description: "How it repeats",
    properties: {
      rule: { type: "string", description: "The rule, in words where there are words for it" },
      understood: { type: "boolean", description: "Whether the rule can be followed" },
      current: { type: "string", description: "Day of the instance that is next, YYYY-MM-DD" },
      text: { type: "string", description: "The same in words" },
    },
    required: ["rule", "understood", "text"],
    additionalProperties: false,
  },
} as const satisfies Record<string, Schema>;

type TiesView = { readonly [Key in keyof typeof TIES_PROPERTIES]?: Infer<(typeof TIES_PROPERTIES)[Key]> | undefined };

export function tiesView(ties: TaskTies, today: LocalDate): TiesView {
  const { series, blockers, blocks, subtasks, isBlocked, isReady } = ties;
  return {
    ready: isReady,
    blocked: isBlocked,
    ...(blockers.length > 0 && {
      blockedBy: blockers.slice(0, LIST_LIMIT).map(({ name, open, tasks: [task] }) => {
        const blocker = { name: shown(name), open };
        return task ? Object.assign(blocker, { id: task.id }) : blocker;
      }),
    }),
    ...(blocks.length > 0 && { blocks: blocks.slice(0, LIST_LIMIT).map(brief) }),
    ...(subtasks.length > 0 && { subtasks: subtasks.slice(0, LIST_LIMIT).map(brief) }),
    ...(series && { series: seriesView(series, today) }),
  };
}

function brief({ id, title, status }: Task) {
  return { id, title: shown(title), status: shown(status) };
}

function seriesView(series: TaskTies["series"] & {}, today: LocalDate): Infer<(typeof TIES_PROPERTIES)["series"]> {
  const { rule, understood, current, isOver } = series;
  const now = current === undefined ? "" : `; ${isOver ? "over: " : "next "}${describeDay(current, today)}`;
  const text = `${shown(rule)}${understood ? "" : " (not understood)"}${now}`;
  return { rule: shown(rule), understood, ...(current !== undefined && { current }), text };
}

export function tiesLines(view: TiesView): readonly (readonly [label: string, value: string | undefined])[] {
  const { blockedBy = [], blocks = [], subtasks = [], series } = view;
  const waits = blockedBy.map(({ name, open }) => (open ? name : `${name} (done)`));
  const children = subtasks.map(({ id, title, status }) => `${title} (${status}, ${oneLine(id)})`);
  return [
    ["Repeats", series?.text],
    ["Waits for", waits.length === 0 ? undefined : waits.join(", ")],
    ["Blocks", blocks.length === 0 ? undefined : blocks.map(({ title }) => title).join(", ")],
    ["Subtasks", children.length === 0 ? undefined : children.join(", ")],
  ];
}
