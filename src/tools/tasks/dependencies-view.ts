/** How get_task shows a task's dependencies and the state of its series. */
import type { LocalDate } from "../../clock.js";
import { describeDay } from "../../dates/day-words.js";
import type { TaskDependencies } from "../../tasks/service.js";
import type { Task } from "../../tasks/task.js";
import { array, boolean, object, optional, string, type Infer } from "../schema.js";
import { oneLine } from "../text.js";
import { LIST_LIMIT, NAMED_TASK, shown } from "./task-view.js";

const tasks = (description: string) =>
  array(
    object(
      {
        ...NAMED_TASK,
        status: string("Status"),
      },
      "A task",
    ),
    description,
    { maxItems: LIST_LIMIT },
  );

export const DEPENDENCY_PROPERTIES = {
  ready: optional(boolean("Outstanding, not blocked, and its day has come")),
  blocked: optional(boolean("Outstanding, and held up by its status or by what it waits for")),
  blockedBy: optional(
    array(
      object(
        {
          name: string("Its title, or its name in the note"),
          id: optional(string("Task id; absent when none is found")),
          open: boolean("Whether it still holds this task up"),
        },
        "A task, or what no task is found for",
      ),
      "What it waits for",
      { maxItems: LIST_LIMIT },
    ),
  ),
  blocks: optional(tasks("Tasks that wait for it")),
  subtasks: optional(tasks("Its subtasks")),
  series: optional(
    object(
      {
        rule: string("The rule, in words where there are words for it"),
        understood: boolean("Whether the rule can be followed"),
        current: optional(string("Day of the instance that is next, YYYY-MM-DD")),
        text: string("The same in words"),
      },
      "How it repeats",
    ),
  ),
};

const DEPENDENCIES = object(DEPENDENCY_PROPERTIES);
type DependenciesView = Infer<typeof DEPENDENCIES>;

export function dependenciesView(dependencies: TaskDependencies, today: LocalDate): DependenciesView {
  const { series, blockers, blocks, subtasks, isBlocked, isReady } = dependencies;
  return {
    ready: isReady,
    blocked: isBlocked,
    blockedBy: listed(blockers, ({ name, open, tasks: [task] }) => ({ name: shown(name), open, id: task?.id })),
    blocks: listed(blocks, brief),
    subtasks: listed(subtasks, brief),
    series: series && seriesView(series, today),
  };
}

/** Undefined for an empty list. */
function listed<Item, Shown>(items: readonly Item[], show: (item: Item) => Shown): readonly Shown[] | undefined {
  return items.length === 0 ? undefined : items.slice(0, LIST_LIMIT).map(show);
}

function brief({ id, title, status }: Task) {
  return { id, title: shown(title), status: shown(status) };
}

function seriesView(series: TaskDependencies["series"] & {}, today: LocalDate): DependenciesView["series"] & {} {
  const { rule, understood, current, isOver } = series;
  const now = current === undefined ? "" : `; ${isOver ? "over: " : "next "}${describeDay(current, today)}`;
  const text = `${shown(rule)}${understood ? "" : " (not understood)"}${now}`;
  return { rule: shown(rule), understood, current, text };
}

export function dependencyLines(
  view: DependenciesView,
): readonly (readonly [label: string, value: string | undefined])[] {
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
