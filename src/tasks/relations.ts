/** What tasks have to do with each other as of one look: what each waits for, what it holds up, which are subtasks (spec: tasks-2, section 5). */
import type { LocalDate } from "../clock.js";
import { foldName } from "../storage/path.js";
import { isClosed, isOutstanding } from "./agenda.js";
import { bareName, isLink } from "./fields/property-values.js";
import { currentDay } from "./series.js";
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

/** Longer rings are named by so many of their members. */
const MOST_NAMED = 10;

export class Relations {
  readonly #tasks: readonly Task[];
  readonly #today: LocalDate;
  readonly #blockers = new Map<Task, readonly Blocker[]>();
  #names: Names | undefined;
  #waiting: ReadonlyMap<Task, readonly Task[]> | undefined;
  #subtasks: ReadonlyMap<Task, readonly Task[]> | undefined;
  #rings: readonly (readonly Task[])[] | undefined;

  constructor(tasks: readonly Task[], today: LocalDate) {
    this.#tasks = tasks;
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
    this.#waiting ??= grouped(this.#tasks, (waiting) => this.blockersOf(waiting).flatMap(({ tasks }) => tasks));
    return this.#waiting.get(task) ?? [];
  }

  subtasksOf(task: Task): readonly Task[] {
    this.#subtasks ??= grouped(this.#tasks, (child) => this.parentsOf(child));
    return this.#subtasks.get(task) ?? [];
  }

  /** The tasks that this one is part of: by its place, or because a project of it is a task. */
  parentsOf(task: Task): readonly Task[] {
    const names = (this.#names ??= new Names(this.#tasks));
    const above = task.parent === undefined ? [] : names.withId(task.parent);
    const projects = task.source === "note" ? task.parentProjects.flatMap((name) => names.notesNamed(name)) : [];
    return [...new Set([...above, ...projects])].filter((parent) => parent !== task);
  }

  /** Tasks that wait for each other in a ring, each ring once. */
  rings(): readonly (readonly Task[])[] {
    return (this.#rings ??= ringsAmong(this.#tasks, (task) => this.openBlockersOf(task).flatMap(({ tasks }) => tasks)));
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
  resolve(task: Task, reference: string): readonly Task[] {
    const names = (this.#names ??= new Names(this.#tasks));
    return task.source === "line" ? names.withSign(reference) : names.meantBy(reference);
  }

  /** The lines that carry a sign. */
  signed(sign: string): readonly Task[] {
    return (this.#names ??= new Names(this.#tasks)).withSign(sign);
  }

  problems(): TaskProblem[] {
    return this.rings().flatMap((ring): TaskProblem[] => {
      const [first] = ring;
      const message = `These tasks wait for each other: ${ringText(ring)}.`;
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
}

/** Whether a task holds others up: of a series the status counts. */
function isOpen({ status, archived }: Task): boolean {
  return !archived && !isClosed(status);
}

export function ringText(ring: readonly Task[]): string {
  const named = ring.slice(0, MOST_NAMED).map(({ title }) => title);
  const rest = ring.length > MOST_NAMED ? [`… (${ring.length} in all)`] : [];
  return [...named, ...rest, ring[0]?.title].join(" → ");
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

/** Depth first without recursion, because chains of dependencies may be as long as a vault. */
function ringsAmong(tasks: readonly Task[], next: (task: Task) => readonly Task[]): (readonly Task[])[] {
  const rings: (readonly Task[])[] = [];
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
      if (place !== undefined) rings.push(trail.slice(place).map(({ task }) => task));
      else if (!done.has(step.value)) enter(step.value);
    }
  }
  return rings;
}

/** By what names tasks are known to each other. */
class Names {
  readonly #ids = new Map<string, Task[]>();
  readonly #paths = new Map<string, Task[]>();
  readonly #files = new Map<string, Task[]>();
  readonly #signs = new Map<string, Task[]>();

  constructor(tasks: readonly Task[]) {
    for (const task of tasks) {
      add(this.#ids, task.id, task);
      if (task.sign !== undefined) add(this.#signs, task.sign, task);
      if (task.source !== "note") continue;
      const path = foldName(task.path.replace(/\.md$/i, ""));
      add(this.#paths, path, task);
      add(this.#files, path.slice(path.lastIndexOf("/") + 1), task);
    }
  }

  withId(id: string): readonly Task[] {
    return this.#ids.get(id) ?? [];
  }

  withSign(sign: string): readonly Task[] {
    return this.#signs.get(sign) ?? [];
  }

  /** The note of this name; of several the one whose path is shortest, as a link means it. */
  notesNamed(name: string): readonly Task[] {
    const path = foldName(name.replace(/^\/|\.md$/gi, ""));
    const found = this.#paths.get(path) ?? this.#files.get(path) ?? [];
    if (found.length < 2) return found;
    return found.toSorted((a, b) => a.path.length - b.path.length || (a.path < b.path ? -1 : 1)).slice(0, 1);
  }

  meantBy(reference: string): readonly Task[] {
    if (!isLink(reference)) return this.#ids.get(reference) ?? this.notesNamed(reference);
    const [, target = "", block] = /^!?\[\[([^\]|#^]*)(?:#?(\^[^\]|]+))?/.exec(reference.trim()) ?? [];
    if (block === undefined) return this.notesNamed(target.trim());
    const inNote = foldName(target.trim().replace(/\.md$/i, ""));
    return [...this.#ids]
      .filter(([id]) => id.endsWith(`#${block}`))
      .flatMap(([, tasks]) => tasks)
      .filter(({ path }) => {
        const folded = foldName(path.replace(/\.md$/i, ""));
        return folded === inNote || folded.endsWith(`/${inNote}`);
      });
  }
}

function add(map: Map<string, Task[]>, key: string, task: Task): void {
  const known = map.get(key);
  if (known) known.push(task);
  else map.set(key, [task]);
}
