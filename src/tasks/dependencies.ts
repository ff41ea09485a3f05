/** Dependencies and subtasks among the tasks of one snapshot (docs: tasks, "Dependencies and subtasks"). */
import type { LocalDate } from "../clock.js";
import { isOutstanding } from "./agenda.js";
import { grouped, isClosed, type Task, type TaskProblem } from "./task.js";
import { bareName } from "./fields/property-values.js";
import { parseRule } from "./recurrence/rule-words.js";
import { currentDay, describeRule, isInstanceOver } from "./recurrence/task-series.js";
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { scanLinks } from "../markdown/visit-note.js";
import { foldName, folderOf, ROOT, type VaultPath } from "../storage/path.js";

interface Blocker {
  readonly reference: string;
  readonly name: string;
  /** Empty if unresolved; several if they share an id. */
  readonly tasks: readonly Task[];
  readonly open: boolean;
}

export class Relations {
  readonly #snapshot: { readonly tasks: readonly Task[] };
  readonly #today: LocalDate;
  readonly #blockers = new Map<Task, readonly Blocker[]>();
  #names: TaskNames | undefined;
  #waiting: ReadonlyMap<Task, readonly Task[]> | undefined;
  #subtasks: ReadonlyMap<Task, readonly Task[]> | undefined;
  #cycles: readonly (readonly Task[])[] | undefined;

  constructor(snapshot: { readonly tasks: readonly Task[] }, today: LocalDate) {
    this.#snapshot = snapshot;
    this.#today = today;
  }

  blockersOf(task: Task): readonly Blocker[] {
    if (task.blockedBy.length === 0) return NONE;
    let blockers = this.#blockers.get(task);
    if (!blockers) this.#blockers.set(task, (blockers = task.blockedBy.map((name) => this.#blocker(task, name))));
    return blockers;
  }

  openBlockersOf(task: Task): readonly Blocker[] {
    return this.blockersOf(task).filter(({ open }) => open);
  }

  /** Names of open blockers, for blocked tasks only. */
  waitingNames(tasks: readonly Task[]): ReadonlyMap<Task, readonly string[]> {
    const named = tasks.map((task) => [task, this.openBlockersOf(task).map(({ name }) => name)] as const);
    return new Map(named.filter(([, names]) => names.length > 0));
  }

  isBlocked(task: Task): boolean {
    return isOutstanding(task) && (task.status === "Blocked" || this.blockersOf(task).some(({ open }) => open));
  }

  /** Outstanding, not blocked, and its day has come. */
  isReady(task: Task): boolean {
    if (!isOutstanding(task) || this.isBlocked(task)) return false;
    const day = currentDay(task, this.#today);
    return !(task.start !== undefined && task.start > this.#today) && !(day !== undefined && day > this.#today);
  }

  /** Including tasks that it no longer blocks. */
  waitingFor(task: Task): readonly Task[] {
    this.#waiting ??= grouped(this.#snapshot.tasks, (waiting) =>
      this.blockersOf(waiting).flatMap(({ tasks }) => tasks),
    );
    return this.#waiting.get(task) ?? [];
  }

  subtasksOf(task: Task): readonly Task[] {
    this.#subtasks ??= grouped(this.#snapshot.tasks, (child) => this.parentsOf(child));
    return this.#subtasks.get(task) ?? [];
  }

  /** Parents by position, and projects that are tasks. */
  parentsOf(task: Task): readonly Task[] {
    const names = this.#known;
    const above = task.parent === undefined ? [] : names.withId(task.parent);
    const projects =
      task.source === "note" ? task.parentProjects.flatMap((name) => names.notesNamed(name, task.path)) : [];
    return [...new Set([...above, ...projects])].filter((parent) => parent !== task);
  }

  cycles(): readonly (readonly Task[])[] {
    return (this.#cycles ??= cyclesAmong(this.#snapshot.tasks, (task) =>
      this.openBlockersOf(task).flatMap(({ tasks }) => tasks),
    ));
  }

  /** The cycle that these blockers would close, if any. */
  cycleThrough(task: Task, blockers: readonly Task[]): readonly Task[] | undefined {
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
    const cycle: Task[] = [];
    for (let at = cameFrom.get(task); at; at = cameFrom.get(at)) cycle.unshift(at);
    return [task, ...cycle];
  }

  /** Notes name tasks by link, path or id; lines by the sign of a line. */
  resolve({ source, path }: Task, reference: string): readonly Task[] {
    return source === "line" ? this.#known.withSign(reference) : this.#known.meantBy(reference, path);
  }

  signed(sign: string): readonly Task[] {
    return this.#known.withSign(sign);
  }

  problems(): TaskProblem[] {
    return this.cycles().flatMap((cycle): TaskProblem[] => {
      const [first] = cycle;
      const message = `These tasks wait for each other: ${cycleText(cycle)}.`;
      if (first === undefined) return [];
      return [{ path: first.path, message, ...(first.line !== undefined && { line: first.line }) }];
    });
  }

  #blocker(task: Task, reference: string): Blocker {
    const tasks = this.resolve(task, reference).filter((other) => other !== task);
    const isSelf = tasks.length === 0 && this.resolve(task, reference).includes(task);
    const name = tasks[0]?.title ?? bareName(reference);
    // A linked note may be created later; a missing line blocks nothing.
    const open = tasks.length === 0 ? isSelf || task.source === "note" : tasks.some(isOpen);
    return { reference, name, tasks: isSelf ? [task] : tasks, open };
  }

  get #known(): TaskNames {
    return (this.#names ??= new TaskNames(this.#snapshot.tasks));
  }
}

function isOpen({ status, archived }: Task): boolean {
  return !archived && !isClosed(status);
}

const NONE: readonly Blocker[] = [];

interface SeriesDetail {
  /** In words if possible, else as written. */
  readonly rule: string;
  readonly understood: boolean;
  readonly current: LocalDate | undefined;
  readonly isOver: boolean;
}

export interface TaskDependencies {
  readonly series: SeriesDetail | undefined;
  readonly blockers: readonly Blocker[];
  readonly isBlocked: boolean;
  readonly isReady: boolean;
  readonly blocks: readonly Task[];
  readonly subtasks: readonly Task[];
}

export function dependenciesOf(task: Task, relations: Relations, today: LocalDate): TaskDependencies {
  const { series } = task;
  return {
    series: series && {
      rule: describeRule(series),
      understood: parseRule(series.rule).understood,
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

const MAX_NAMED = 10;

export function cycleText(cycle: readonly Task[]): string {
  const named = cycle.slice(0, MAX_NAMED).map(({ title }) => title);
  const rest = cycle.length > MAX_NAMED ? [`… (${cycle.length} in all)`] : [];
  return [...named, ...rest, cycle[0]?.title].join(" → ");
}

/** Iterative: a chain of dependencies may be as long as the vault. */
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

interface NoteReference {
  readonly form: "wikilink" | "markdown" | "path";
  /** `.md` optional; empty for the note itself. */
  readonly target: string;
  /** Block id, with `^`. */
  readonly block?: string;
}

const PLAIN_LINK = /^\[\[([^[\]|#^]+)(?:\|[^[\]]*)?\]\]$/;

const PATH = /^(?![a-z][a-z\d+.-]*:)(?:[^[\]]*[\\/][^[\]]*|[^[\]]+\.md)$/i;

/** Undefined for other text, such as an id or a bare name. */
export function readReference(text: string): NoteReference | undefined {
  const trimmed = text.trim();
  const plain = PLAIN_LINK.exec(trimmed)?.[1];
  if (plain !== undefined) return { form: "wikilink", target: plain.trim() };
  if (PATH.test(trimmed)) return { form: "path", target: trimmed };
  if (!/\]\]$|\)$/.test(trimmed)) return undefined;
  const [link] = scanLinks(trimmed, splitNote(trimmed));
  if (link === undefined || link.start !== 0 || link.end !== trimmed.length) return undefined;
  const { form, target, subpath } = link;
  const [block] = /\^[^#^]+$/.exec(subpath) ?? [];
  return { form, target: target.trim(), ...(block !== undefined && { block }) };
}

class TaskNames {
  readonly #ids: ReadonlyMap<string, readonly Task[]>;
  /** By block id, with `^`. */
  readonly #blocks: ReadonlyMap<string, readonly Task[]>;
  readonly #signs: ReadonlyMap<string, readonly Task[]>;
  readonly #paths: ReadonlyMap<string, readonly Task[]>;
  readonly #files: ReadonlyMap<string, readonly Task[]>;

  constructor(tasks: readonly Task[]) {
    const notes = tasks.filter(({ source }) => source === "note");
    const blocks = tasks.filter(({ source, id }) => source === "line" && id.includes("#^"));
    this.#ids = grouped(tasks, ({ id }) => id);
    this.#signs = grouped(tasks, ({ sign }) => sign);
    this.#paths = grouped(notes, ({ path }) => noteKey(path));
    this.#files = grouped(notes, ({ path }) => lastPart(noteKey(path)));
    this.#blocks = grouped(blocks, ({ id }) => id.slice(id.lastIndexOf("#^") + 1));
  }

  withId(id: string): readonly Task[] {
    return this.#ids.get(id) ?? [];
  }

  withSign(sign: string): readonly Task[] {
    return this.#signs.get(sign) ?? [];
  }

  /**
   * Tasks by full path, or by its end, nearest first as for links. `./` and `../` are relative to the folder of `from`.
   */
  notesNamed(name: string, from: VaultPath): readonly Task[] {
    const path = pathMeant(name, from);
    if (path === undefined) return [];
    const whole = this.#paths.get(path);
    if (whole !== undefined) return whole.slice(0, 1);
    const found = this.#files.get(lastPart(path)) ?? [];
    const fitting = path.includes("/") ? found.filter((task) => noteKey(task.path).endsWith(`/${path}`)) : found;
    return fitting.length < 2 ? fitting : fitting.toSorted(nearestTo(from)).slice(0, 1);
  }

  meantBy(reference: string, from: VaultPath): readonly Task[] {
    const named = readReference(reference);
    if (named === undefined) return orElse(this.withId(reference), () => this.notesNamed(reference, from));
    const { target, block } = named;
    if (block !== undefined) return this.#blockIn(target, block, from);
    if (named.form === "path") return orElse(this.withId(reference), () => this.notesNamed(target, from));
    return orElse(this.notesNamed(target, from), () => this.withId(target));
  }

  #blockIn(target: string, block: string, from: VaultPath): readonly Task[] {
    const path = target === "" ? noteKey(from) : pathMeant(target, from);
    return (this.#blocks.get(block) ?? []).filter((task) => {
      const key = noteKey(task.path);
      return key === path || (path !== undefined && key.endsWith(`/${path}`));
    });
  }
}

const orElse = (found: readonly Task[], otherwise: () => readonly Task[]): readonly Task[] =>
  found.length > 0 ? found : otherwise();

/** Undefined if the path leaves the vault. */
function pathMeant(text: string, from: VaultPath): string | undefined {
  const name = text.replaceAll("\\", "/");
  if (!/^\.\.?\//.test(name)) return noteKey(name.replace(/^\/+/, ""));
  const folder = folderOf(from);
  const parts = folder === ROOT ? [] : folder.split("/");
  for (const part of name.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== "." && part !== "") parts.push(part);
  }
  return noteKey(parts.join("/"));
}

const noteKey = (path: string): string => foldName(path.replace(/\.md$/i, ""));

const lastPart = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** In or below the note's folder first, then the shortest path. */
function nearestTo(from: VaultPath): (a: Task, b: Task) => number {
  const folder = folderOf(from);
  const isNear = ({ path }: Task): boolean => folder !== ROOT && path.startsWith(`${folder}/`);
  return (a, b) => Number(isNear(b)) - Number(isNear(a)) || a.path.length - b.path.length || (a.path < b.path ? -1 : 1);
}
