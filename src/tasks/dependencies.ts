/** What tasks have to do with each other in one snapshot: what each waits for, what it holds up, which are subtasks (docs: tasks, "Dependencies and subtasks"). */
import type { LocalDate } from "../clock.js";
import { isClosed, isOutstanding } from "./agenda.js";
import { bareName } from "./fields/property-values.js";
import { currentDay, describeRule, isInstanceOver, isUnderstood } from "./recurrence/series.js";
import { TaskNames } from "./task-names.js";
import type { Task, TaskProblem } from "./task.js";

/** Something a task waits for. */
export interface Blocker {
  /** As the task names it. */
  readonly reference: string;
  /** What it is called: the title of the first task it means, else the name in the reference. */
  readonly name: string;
  /** The tasks it means; none when it cannot be resolved, several when they share an id. */
  readonly tasks: readonly Task[];
  /** Whether it still holds the task up. */
  readonly open: boolean;
}

export class Relations {
  readonly #look: { readonly tasks: readonly Task[] };
  readonly #today: LocalDate;
  readonly #blockers = new Map<Task, readonly Blocker[]>();
  #names: TaskNames | undefined;
  #waiting: ReadonlyMap<Task, readonly Task[]> | undefined;
  #subtasks: ReadonlyMap<Task, readonly Task[]> | undefined;
  #rings: readonly (readonly Task[])[] | undefined;

  /** @param look whose tasks are asked for when they are first needed */
  constructor(look: { readonly tasks: readonly Task[] }, today: LocalDate) {
    this.#look = look;
    this.#today = today;
  }

  /** What a task waits for, in its own order, done ones included. */
  blockersOf(task: Task): readonly Blocker[] {
    if (task.blockedBy.length === 0) return NONE;
    let blockers = this.#blockers.get(task);
    if (!blockers) this.#blockers.set(task, (blockers = task.blockedBy.map((name) => this.#blocker(task, name))));
    return blockers;
  }

  openBlockersOf(task: Task): readonly Blocker[] {
    return this.blockersOf(task).filter(({ open }) => open);
  }

  /** The names of what still holds tasks up, of those that something does. */
  waitingNames(tasks: readonly Task[]): ReadonlyMap<Task, readonly string[]> {
    const names = new Map<Task, readonly string[]>();
    for (const task of tasks) {
      const open = this.openBlockersOf(task);
      if (open.length > 0)
        names.set(
          task,
          open.map(({ name }) => name),
        );
    }
    return names;
  }

  /** Outstanding, and by its status or by another task not to be worked on. */
  isBlocked(task: Task): boolean {
    return isOutstanding(task) && (task.status === "Blocked" || this.blockersOf(task).some(({ open }) => open));
  }

  /** Outstanding, not blocked, and its day has come. */
  isReady(task: Task): boolean {
    if (!isOutstanding(task) || this.isBlocked(task)) return false;
    const day = currentDay(task, this.#today);
    return !(task.start !== undefined && task.start > this.#today) && !(day !== undefined && day > this.#today);
  }

  /** The tasks that wait for this one, whether or not it still holds them up. */
  waitingFor(task: Task): readonly Task[] {
    this.#waiting ??= grouped(this.#look.tasks, (waiting) => this.blockersOf(waiting).flatMap(({ tasks }) => tasks));
    return this.#waiting.get(task) ?? [];
  }

  subtasksOf(task: Task): readonly Task[] {
    this.#subtasks ??= grouped(this.#look.tasks, (child) => this.parentsOf(child));
    return this.#subtasks.get(task) ?? [];
  }

  /** The tasks that this one is part of: by its place, or because a project of it is a task. */
  parentsOf(task: Task): readonly Task[] {
    const names = this.#known;
    const above = task.parent === undefined ? [] : names.withId(task.parent);
    const projects =
      task.source === "note" ? task.parentProjects.flatMap((name) => names.notesNamed(name, task.path)) : [];
    return [...new Set([...above, ...projects])].filter((parent) => parent !== task);
  }

  /** Tasks that wait for each other in a ring, each ring once. */
  rings(): readonly (readonly Task[])[] {
    return (this.#rings ??= cyclesAmong(this.#look.tasks, (task) =>
      this.openBlockersOf(task).flatMap(({ tasks }) => tasks),
    ));
  }

  /** The ring that would close if a task waited for these as well; undefined when none would. */
  ringThrough(task: Task, blockers: readonly Task[]): readonly Task[] | undefined {
    const cameFrom = new Map<Task, Task | undefined>();
    const queue: Task[] = [];
    const reach = (next: readonly Task[], from: Task | undefined): void => {
      for (const found of next) {
        if (cameFrom.has(found)) continue;
        cameFrom.set(found, from);
        queue.push(found);
      }
    };
    reach(blockers, undefined);
    for (const at of queue) {
      if (at !== task)
        reach(
          this.blockersOf(at).flatMap(({ tasks }) => tasks),
          at,
        );
      else break;
    }
    if (!cameFrom.has(task)) return undefined;
    const ring: Task[] = [];
    for (let at = cameFrom.get(task); at; at = cameFrom.get(at)) ring.unshift(at);
    return [task, ...ring];
  }

  /** The tasks that a reference of a task means: of a note a link, a path or an id, of a line the sign of other lines. */
  resolve({ source, path }: Task, reference: string): readonly Task[] {
    return source === "line" ? this.#known.withSign(reference) : this.#known.meantBy(reference, path);
  }

  /** The lines that carry a sign. */
  signed(sign: string): readonly Task[] {
    return this.#known.withSign(sign);
  }

  problems(): TaskProblem[] {
    return this.rings().flatMap((ring): TaskProblem[] => {
      const [first] = ring;
      const message = `These tasks wait for each other: ${cycleText(ring)}.`;
      if (first === undefined) return [];
      return [{ path: first.path, message, ...(first.line !== undefined && { line: first.line }) }];
    });
  }

  #blocker(task: Task, reference: string): Blocker {
    const tasks = this.resolve(task, reference).filter((other) => other !== task);
    const isSelf = tasks.length === 0 && this.resolve(task, reference).includes(task);
    const name = tasks[0]?.title ?? bareName(reference);
    // What a note's link leads to may be made later; the sign of a line that is gone holds nothing up.
    const open = tasks.length === 0 ? isSelf || task.source === "note" : tasks.some(isOpen);
    return { reference, name, tasks: isSelf ? [task] : tasks, open };
  }

  get #known(): TaskNames {
    return (this.#names ??= new TaskNames(this.#look.tasks));
  }
}

/** Whether a task holds others up: of a series the status counts. */
function isOpen({ status, archived }: Task): boolean {
  return !archived && !isClosed(status);
}

const NONE: readonly Blocker[] = [];

function grouped(tasks: readonly Task[], keysOf: (task: Task) => readonly Task[]): ReadonlyMap<Task, readonly Task[]> {
  const groups = new Map<Task, Task[]>();
  for (const task of tasks)
    for (const key of new Set(keysOf(task))) {
      const group = groups.get(key);
      if (group) group.push(task);
      else groups.set(key, [task]);
    }
  return groups;
}

/** The state of a task's series. */
interface SeriesDetail {
  /** In words where there are words that mean it; else as it stands. */
  readonly rule: string;
  readonly understood: boolean;
  /** The day of the instance that is next to be done. */
  readonly current: LocalDate | undefined;
  /** The current instance, or the last one, is done or skipped. */
  readonly isOver: boolean;
}

/** What a task has to do with others. */
export interface TaskTies {
  readonly series: SeriesDetail | undefined;
  readonly blockers: readonly Blocker[];
  readonly isBlocked: boolean;
  readonly isReady: boolean;
  /** The tasks that wait for it. */
  readonly blocks: readonly Task[];
  readonly subtasks: readonly Task[];
}

/** What a task has to do with others, and the state of its series, for answers about one task. */
export function tiesOf(task: Task, relations: Relations, today: LocalDate): TaskTies {
  const { series } = task;
  return {
    series: series && {
      rule: describeRule(series),
      understood: isUnderstood(series),
      current: currentDay(task, today),
      isOver: isInstanceOver(task),
    },
    blockers: relations.blockersOf(task),
    isBlocked: relations.isBlocked(task),
    isReady: relations.isReady(task),
    blocks: relations.waitingFor(task),
    subtasks: relations.subtasksOf(task),
  };
}

/** How many members of a cycle are named. */
const MAX_NAMED = 10;

export function cycleText(cycle: readonly Task[]): string {
  const named = cycle.slice(0, MAX_NAMED).map(({ title }) => title);
  const rest = cycle.length > MAX_NAMED ? [`… (${cycle.length} in all)`] : [];
  return [...named, ...rest, cycle[0]?.title].join(" → ");
}

/** Depth first without recursion, because chains of dependencies may be as long as a vault. */
function cyclesAmong(tasks: readonly Task[], next: (task: Task) => readonly Task[]): (readonly Task[])[] {
  const cycles: (readonly Task[])[] = [];
  const done = new Set<Task>();
  for (const start of tasks) {
    if (start.blockedBy.length === 0 || done.has(start)) continue;
    const trail: { readonly task: Task; readonly waitsFor: Iterator<Task> }[] = [];
    const places = new Map<Task, number>();
    const enter = (task: Task): void => {
      places.set(task, trail.length);
      trail.push({ task, waitsFor: next(task)[Symbol.iterator]() });
    };
    enter(start);
    for (let top = trail.at(-1); top; top = trail.at(-1)) {
      const step = top.waitsFor.next();
      if (step.done === true) {
        trail.pop();
        places.delete(top.task);
        done.add(top.task);
        continue;
      }
      const place = places.get(step.value);
      if (place !== undefined) cycles.push(trail.slice(place).map(({ task }) => task));
      else if (!done.has(step.value)) enter(step.value);
    }
  }
  return cycles;
}
