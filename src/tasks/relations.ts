/** Dependencies and subtasks among tasks (docs: tasks, "Dependencies and subtasks"). */
import type { LocalDate } from "../clock.js";
import { isOutstanding, currentDay, describeRule, isInstanceOver } from "./recurrence/series.js";
import { grouped, isClosed, type Task, type TaskProblem } from "./task.js";
import { bareName } from "./fields/property-values.js";
import { parseRule } from "./recurrence/rule-words.js";
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { scanLinks } from "../markdown/visit-note.js";
import { baseName, fileTitle, foldName, folderOf, ROOT, type VaultPath } from "../storage/path.js";
import { fold } from "../text/fold.js";
import { type Condition, condition } from "../index/subject.js";
import { notesNamed, temporary } from "./rows/task-lookup.js";
import { OPEN, type TaskRows } from "./rows/task-rows.js";
import { NAME_KINDS } from "./rows/task-subject.js";

interface Blocker {
  readonly reference: string;
  readonly name: string;
  /** Empty if unresolved; several if they share an id. */
  readonly tasks: readonly Task[];
  readonly open: boolean;
}

export interface Waiting {
  readonly names: readonly string[];
  /** The earliest day that one of these is due. */
  readonly due: LocalDate | undefined;
}

export class Relations {
  readonly #rows: TaskRows;
  readonly #names: ReturnType<typeof taskNames>;
  readonly #today: LocalDate;
  readonly #blockers = new Map<Task, readonly Blocker[]>();
  #waiting: ReadonlyMap<Task, readonly Task[]> | undefined;

  constructor(rows: TaskRows, today: LocalDate) {
    this.#rows = rows;
    this.#names = taskNames(rows);
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

  waitingOf(task: Task): Waiting | undefined {
    const open = this.openBlockersOf(task);
    if (open.length === 0) return undefined;
    const [due] = open.flatMap(({ tasks }) => tasks.flatMap((one) => one.due ?? [])).toSorted();
    return { names: open.map(({ name }) => name), due };
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
    this.#waiting ??= grouped(this.#withBlockers(), (waiting) =>
      this.blockersOf(waiting).flatMap(({ tasks }) => tasks),
    );
    return this.#waiting.get(task) ?? [];
  }

  #withBlockers(): readonly Task[] {
    return this.#rows.list([condition("task.waits = 1")], "(task.line > 0), task.id");
  }

  /** Children by position, and tasks of the project that the note is. */
  subtasksOf(task: Task): readonly Task[] {
    const below: Condition = { sql: "task.parent = ?", values: [task.id] };
    const key = fold(fileTitle(task.path));
    const ofProject: Condition = {
      sql: `task.id IN (SELECT owner FROM task_name WHERE kind = ? AND (key = ? OR substr(key, -length(?)) = ?))`,
      values: [NAME_KINDS.project, key, `/${key}`, `/${key}`],
    };
    const candidates = [below, ...(task.source === "note" ? [ofProject] : [])].flatMap((condition) =>
      this.#rows.ids([condition], undefined),
    );
    const children = this.#rows.decode([...new Set(candidates)]);
    return children.filter((child) => this.parentsOf(child).includes(task));
  }

  /** Parents by position, and projects that are tasks. */
  parentsOf(task: Task): readonly Task[] {
    const above = task.parent === undefined ? [] : this.#names.withId(task.parent);
    const projects =
      task.source === "note" ? task.parentProjects.flatMap((name) => this.#names.notesNamed(name, task.path)) : [];
    return [...new Set([...above, ...projects])].filter((parent) => parent !== task);
  }

  cycles(): readonly (readonly Task[])[] {
    return cyclesAmong(this.#withBlockers(), (task) => this.openBlockersOf(task).flatMap(({ tasks }) => tasks));
  }

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
    return source === "line" ? this.#names.withSign(reference) : this.#names.meantBy(reference, path);
  }

  signed(sign: string): readonly Task[] {
    return this.#names.withSign(sign);
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
}

const isOpen = ({ status, archived }: Task): boolean => !archived && !isClosed(status);

const known = new WeakMap<TaskRows, Relations>();

export function relationsOf(rows: TaskRows): Relations {
  let relations = known.get(rows);
  if (!relations) known.set(rows, (relations = new Relations(rows, rows.clock.today())));
  return relations;
}

export function isWaiting(rows: TaskRows): Condition {
  const name = `waiting_${rows.scope}`;
  temporary(rows.view, name, "task INTEGER PRIMARY KEY", (insert) => {
    for (const task of rows.list([OPEN, condition("task.waits = 1")]))
      if (relationsOf(rows).openBlockersOf(task).length > 0) insert(rows.idOf(task) ?? -1);
  });
  return condition(`task.id IN (SELECT task FROM temp.${name})`);
}

const NONE: readonly Blocker[] = [];

interface SeriesDetail {
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
  /** `.md` optional; empty for the same note. */
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

function taskNames(rows: TaskRows) {
  const known = new Map<string, readonly Task[]>();

  function withId(id: string): readonly Task[] {
    return once(`id ${id}`, () => rows.with({ by: "ref", value: id }));
  }

  function withSign(sign: string): readonly Task[] {
    return once(`sign ${sign}`, () => rows.list([{ sql: "task.sign = ?", values: [sign] }]));
  }

  function once(key: string, ask: () => readonly Task[]): readonly Task[] {
    let found = known.get(key);
    if (!found) known.set(key, (found = ask()));
    return found;
  }

  /** Nearest first as for links. `./` and `../` start at the folder of `from`. */
  function tasksNamed(name: string, from: VaultPath): readonly Task[] {
    const path = pathMeant(name, from);
    if (path === undefined) return [];
    const found = once(`note ${baseName(path)}`, () => rows.decode(notesNamed(rows.view, path).map(({ id }) => id)));
    const whole = found.find((task) => noteKey(task.path) === path);
    if (whole !== undefined) return [whole];
    const fitting = found.filter((task) =>
      path.includes("/") ? noteKey(task.path).endsWith(`/${path}`) : baseName(noteKey(task.path)) === path,
    );
    return fitting.length < 2 ? fitting : fitting.toSorted(nearestTo(from)).slice(0, 1);
  }

  function meantBy(reference: string, from: VaultPath): readonly Task[] {
    const named = readReference(reference);
    if (named === undefined) return orElse(withId(reference), () => tasksNamed(reference, from));
    const { target, block } = named;
    if (block !== undefined) return blockIn(target, block, from);
    if (named.form === "path") return orElse(withId(reference), () => tasksNamed(target, from));
    return orElse(tasksNamed(target, from), () => withId(target));
  }

  function blockIn(target: string, block: string, from: VaultPath): readonly Task[] {
    const path = target === "" ? noteKey(from) : pathMeant(target, from);
    if (path === undefined) return [];
    return rows.with({ by: "block", note: path, block: block.slice(1) }).filter((task) => {
      const key = noteKey(task.path);
      return key === path || key.endsWith(`/${path}`);
    });
  }

  return { withId, withSign, notesNamed: tasksNamed, meantBy };
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

/** In or below the note's folder first, then the shortest path. */
function nearestTo(from: VaultPath): (a: Task, b: Task) => number {
  const folder = folderOf(from);
  const isNear = ({ path }: Task): boolean => folder !== ROOT && path.startsWith(`${folder}/`);
  return (a, b) => Number(isNear(b)) - Number(isNear(a)) || a.path.length - b.path.length || (a.path < b.path ? -1 : 1);
}
