/** How far each project and area is: done and open tasks, what comes next, what is held up (docs: tasks, "Finding"). */
import type { Clock, LocalDate } from "../clock.js";
import { toDayNumber } from "../dates/day-number.js";
import { foldName } from "../storage/path.js";
import { compareTasks, isOutstanding } from "./agenda.js";
import { bareName } from "./fields/property-values.js";
import type { Relations } from "./dependencies.js";
import type { Task } from "./task.js";

export interface ProjectProgress {
  readonly kind: "project" | "area";
  readonly name: string;
  readonly done: number;
  readonly open: number;
  readonly blocked: number;
  readonly ready: number;
  /** The first ready task in the order of the agenda. */
  readonly next?: Task;
  /** The earliest day of an open task. */
  readonly nextDay?: LocalDate;
  /** Minutes of its open tasks that have an estimate, and how many have one. */
  readonly estimateLeft: number;
  readonly estimated: number;
  /** Undefined while it has no tasks. */
  readonly daysWithoutChange: number | undefined;
}

export interface ProgressContext {
  readonly today: LocalDate;
  readonly clock: Pick<Clock, "dayOf">;
  readonly relations: Relations;
  /** Projects that the vault has a note or folder for; they are listed without tasks too. */
  readonly projectNames?: readonly string[];
}

/** Projects, then areas; those with something open first, in the order of their next day. */
export function projectProgress(tasks: readonly Task[], context: ProgressContext): readonly ProjectProgress[] {
  const live = tasks.filter(({ archived }) => !archived);
  const projects = grouped(live, ({ parentProjects }) => parentProjects);
  const areas = grouped(live, ({ area }) => (area === undefined ? [] : [area]));
  for (const name of context.projectNames ?? [])
    if (!projects.has(foldName(name))) projects.set(foldName(name), { name, tasks: [] });
  return [
    ...[...projects.values()].map((group) => progressOf("project", group, context)).sort(compareProgress),
    ...[...areas.values()].map((group) => progressOf("area", group, context)).sort(compareProgress),
  ];
}

interface Group {
  readonly name: string;
  readonly tasks: Task[];
}

/** By names that are equal but for case and accents, as they are spelt first. */
function grouped(tasks: readonly Task[], namesOf: (task: Task) => readonly string[]): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const task of tasks)
    for (const name of new Set(namesOf(task).map(bareName))) {
      const group = groups.get(foldName(name));
      if (group) group.tasks.push(task);
      else groups.set(foldName(name), { name, tasks: [task] });
    }
  return groups;
}

function progressOf(kind: ProjectProgress["kind"], { name, tasks }: Group, context: ProgressContext): ProjectProgress {
  const { today, clock, relations } = context;
  const open = tasks.filter(isOutstanding).sort(compareTasks);
  const ready = open.filter((task) => relations.isReady(task));
  const days = open.flatMap(({ due, scheduled }) => [due, scheduled].filter((day) => day !== undefined)).sort();
  const changed = Math.max(...tasks.map(({ modified }) => modified));
  const estimates = open.flatMap(({ timeEstimate }) => timeEstimate ?? []);
  const [next] = ready;
  const [nextDay] = days;
  return {
    kind,
    name,
    done: tasks.filter(({ status }) => status === "Done").length,
    open: open.length,
    blocked: open.filter((task) => relations.isBlocked(task)).length,
    ready: ready.length,
    ...(next && { next }),
    ...(nextDay && { nextDay }),
    estimateLeft: estimates.reduce((sum, minutes) => sum + minutes, 0),
    estimated: estimates.length,
    daysWithoutChange:
      tasks.length === 0 ? undefined : Math.max(0, toDayNumber(today) - toDayNumber(clock.dayOf(changed))),
  };
}

function compareProgress(a: ProjectProgress, b: ProjectProgress): number {
  const [first, second] = [a, b].map(({ open, nextDay }) => `${open > 0 ? 0 : 1}${nextDay ?? "9999-99-99"}`);
  if (first !== second) return (first ?? "") < (second ?? "") ? -1 : 1;
  return foldName(a.name) < foldName(b.name) ? -1 : 1;
}
