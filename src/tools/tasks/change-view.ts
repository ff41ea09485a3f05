/** A change of one task in words: what its fields were and what they are now (docs: tasks, "Many at once"). */
import type { TaskChange } from "../../tasks/writing/bulk.js";
import type { Task } from "../../tasks/task.js";
import { SETTABLE_FIELDS, type ShownField } from "../../tasks/fields/told-fields.js";
import { oneLine } from "../text.js";
import { fieldLines } from "./field-view.js";
import { shown } from "./task-view.js";

/** What is told of a task, in this order. */
const TOLD: readonly (readonly [label: string, valueOf: (task: Task) => string | undefined])[] = [
  ["title", ({ title }) => title],
  ["status", ({ status }) => status],
  ["priority", ({ priority }) => priority],
  ["due", ({ due }) => due],
  ...SETTABLE_FIELDS.map((field) => [field.label.toLowerCase(), (task: Task) => valueIn(task, field)] as const),
  ["area", ({ area }) => area],
  ["projects", ({ parentProjects }) => parentProjects.join(", ")],
  ["tags", ({ tags }) => tags.join(", ")],
  ["waits for", ({ blockedBy }) => blockedBy.join(", ")],
  ["repeats", ({ series }) => series?.rule],
];

function valueIn(task: Task, field: ShownField): string | undefined {
  const [[, value] = []] = fieldLines(task, [field]);
  return value;
}

/** `due 2026-11-19 → 2026-11-23; status To Do → Done`. */
export function changeInWords({ before, after, series, alsoChanged, passes }: TaskChange): string {
  const changes = TOLD.flatMap(([label, valueOf]) => {
    const [was, is] = [valueOf(before) || "none", valueOf(after) || "none"];
    return was === is ? [] : [`${label} ${shown(was)} → ${shown(is)}`];
  });
  const instance = series?.day === undefined ? [] : [`${VERB[series.kind]} ${series.day}`];
  const warning = passes === undefined ? [] : [`at or past the next instance, ${passes}`];
  const also = alsoChanged.length === 0 ? [] : [`also changes ${alsoChanged.map(oneLine).join(", ")}`];
  const all = [...instance, ...changes, ...warning, ...also];
  return all.length === also.length ? ["other properties or text", ...also].join("; ") : all.join("; ");
}

const VERB = {
  done: "done for",
  skipped: "skips",
  reopened: "reopens",
  unchanged: "unchanged:",
  closed: "closes",
} as const;
