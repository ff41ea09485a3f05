/**
 * Finds tasks by words and filters, ordered and in pages, and advises where nothing is found (docs: tasks,
 * "search_tasks"; tasks, "Finding").
 */
import type { RefreshOptions } from "../../index/refresh.js";
import { BestHits } from "../../search/best-hits.js";
import type { Vault } from "../../vault/vault.js";
import type { TaskHits, TaskQuery } from "../api.js";
import { meansAll, taskRanker, taskOrder } from "./order.js";
import { pageFrom, parseCursor, fingerprintOf, selectionText } from "./selection.js";
import {
  type FilterContext,
  isDoneWithoutDay,
  taskFilter,
  type TaskFilters,
  type TaskState,
  hasTag,
  isInArea,
  isOfProject,
  meansNoneOrAny,
  TASK_STATES,
} from "./filter.js";
import type { TaskScope, TaskSnapshots } from "../task-snapshots.js";
import type { Task } from "../task.js";
import type { LocalDate } from "../../clock.js";
import { parseDayRange } from "../../dates/read-day.js";
import { foldName } from "../../storage/path.js";
import { nearest } from "../../text/nearest.js";
import { bareName } from "../fields/property-values.js";
import { DAY_FILTERS } from "../fields/task-fields.js";
import { statusOf } from "../fields/vocabulary.js";
import { tagsMeant } from "../../markdown/links/property-links.js";

interface Found {
  readonly all: readonly Task[];
  readonly first: readonly Task[];
}

export class TaskFinder {
  readonly #vault: Vault;
  readonly #snapshots: TaskSnapshots;
  /** One each: an index follows one list of tasks. */
  readonly #rankers = { tasks: taskRanker(), lines: taskRanker(), plain: taskRanker() };
  readonly #found = new FoundTasks();

  constructor(vault: Vault, snapshots: TaskSnapshots) {
    this.#vault = vault;
    this.#snapshots = snapshots;
  }

  async find(query: TaskQuery, options: RefreshOptions): Promise<TaskHits> {
    const { clock } = this.#vault;
    const today = clock.today();
    const { limit = Infinity } = query;
    const cursor = query.cursor === undefined ? undefined : parseCursor(query.cursor);
    const snapshot = await this.#snapshots.refresh(options, scopeOf(query));
    const isDependent = DEPENDENT.some((state) => query.is?.includes(state));
    const context = { today, clock, relations: isDependent ? snapshot.relations(today) : undefined };
    const filter = taskFilter(query, context);
    const { all, first } = await this.#search(query, snapshot.tasks, filter.accepts, (cursor?.offset ?? 0) + limit);
    const fingerprint = fingerprintOf(all);
    this.#found.remember(fingerprint, all);
    const { offset, remarks } = pageFrom(all, cursor, fingerprint);
    const page = first.slice(offset, offset + limit);
    return {
      tasks: page,
      total: all.length,
      offset,
      fingerprint,
      selection: selectionText(query, fingerprint),
      today,
      waitsFor: page.some(isWaiting) ? snapshot.relations(today).waitingNames(page) : new Map(),
      remarks: [
        ...filter.echoes,
        ...(await this.#doneWithoutDay(query, snapshot.tasks, context)),
        ...remarks,
        ...(all.length === 0 ? filterAdvice(query.query, today) : []),
        ...this.#unknown(query, all, snapshot.tasks),
      ],
    };
  }

  /** Undefined if this process does not remember the result. */
  since(fingerprint: string, now: readonly Task[]): FoundSince | undefined {
    return this.#found.since(fingerprint, now);
  }

  async #search(
    query: TaskQuery,
    tasks: readonly Task[],
    accept: (task: Task) => boolean,
    wanted: number,
  ): Promise<Found> {
    const all: Task[] = [];
    const byWords = !meansAll(query.query);
    const { sort = byWords ? "relevance" : "agenda" } = query;
    const inOrder =
      sort === "relevance" && byWords ? undefined : taskOrder(sort === "relevance" ? "agenda" : sort, query);
    if (!byWords) for (const task of tasks) if (accept(task)) all.push(task);
    if (byWords) {
      const limit = inOrder ? 0 : wanted;
      const { documents } = await this.#rankers[scopeOf(query)].search(tasks, query.query, {
        accept,
        limit,
        each: (task) => all.push(task),
      });
      if (!inOrder) return { all, first: documents };
    }
    const best = new BestHits<Task>(wanted, inOrder ?? (() => 0));
    for (const task of all) best.add(task, 0);
    return { all, first: best.documents() };
  }

  /** Filters on completed days miss tasks done without a day. */
  async #doneWithoutDay(query: TaskQuery, tasks: readonly Task[], context: FilterContext): Promise<readonly string[]> {
    if (query.completed === undefined) return [];
    const { accepts } = taskFilter({ ...query, completed: undefined }, context);
    const { all } = await this.#search(query, tasks, (task) => isDoneWithoutDay(task) && accepts(task), 0);
    const one = all.length === 1;
    return all.length === 0
      ? []
      : [`Not counted: ${all.length} ${one ? "task that is" : "tasks that are"} done without saying when.`];
  }

  /** A task needs only one of the tags, so there may be results although another tag is unknown. */
  #unknown(query: TaskQuery, found: readonly Task[], tasks: readonly Task[]): readonly string[] {
    const { area, project, tags } = query;
    const asked: TaskFilters = { query: "*", tags, ...(found.length === 0 && { area, project }) };
    if (unknownNames(asked, found).length === 0) return [];
    return unknownNames(asked, tasks);
  }
}

function scopeOf({ is = [] }: TaskQuery): TaskScope {
  if (is.includes("checkbox")) return "plain";
  return is.includes("inline") ? "lines" : "tasks";
}

const DEPENDENT: readonly TaskState[] = ["ready", "blocked"];

const isWaiting = ({ blockedBy }: Task): boolean => blockedBy.length > 0;

const MAX_SEARCHES = 16;

const MAX_TASKS = 500;

/** Titles of added and removed tasks. */
export interface FoundSince {
  readonly came: readonly string[];
  readonly went: readonly string[];
}

class FoundTasks {
  /** Titles by id, by fingerprint; oldest first. */
  readonly #results = new Map<string, ReadonlyMap<string, string>>();

  remember(fingerprint: string, tasks: readonly Task[]): void {
    if (tasks.length > MAX_TASKS) return;
    this.#results.delete(fingerprint);
    this.#results.set(fingerprint, new Map(tasks.map(({ id, title }) => [id, title])));
    const [oldest] = this.#results.keys();
    if (this.#results.size > MAX_SEARCHES && oldest !== undefined) this.#results.delete(oldest);
  }

  since(fingerprint: string, now: readonly Task[]): FoundSince | undefined {
    const before = this.#results.get(fingerprint);
    if (before === undefined) return undefined;
    const ids = new Set(now.map(({ id }) => id));
    return {
      came: now.flatMap(({ id, title }) => (before.has(id) ? [] : [title])),
      went: [...before].flatMap(([id, title]) => (ids.has(id) ? [] : [title])),
    };
  }
}

const FILTER_NAMES: Readonly<Record<string, keyof TaskFilters>> = {
  ...Object.fromEntries(DAY_FILTERS.map(({ name }) => [name.toLowerCase(), name])),
  status: "status",
  area: "area",
  project: "project",
  priority: "priority",
  context: "context",
  note: "note",
  tag: "tags",
  tags: "tags",
  done: "completed",
  is: "is",
};

/** If words are a filter's value, names the filter. */
function filterAdvice(query: string, today: LocalDate): readonly string[] {
  if (meansAll(query)) return [];
  const whole = filterMeant(query.trim(), today);
  const words = query.trim().split(/\s+/);
  const found =
    whole === undefined
      ? words.map((word) => [word, filterMeant(word, today)] as const)
      : [[query.trim(), whole] as const];
  const meant = new Map(found.flatMap(([word, filter]) => (filter === undefined ? [] : [[word, filter] as const])));
  if (meant.size === 0) return [];
  const rest = whole === undefined ? words.filter((word) => !meant.has(word)).join(" ") : "";
  const named = [...meant.keys()].map((word) => `"${word}"`).join(" and ");
  const filters = [...new Set(meant.values())].join(", ");
  const kind = meant.size === 1 ? "is a filter, not a word" : "are filters, not words";
  return [`${named} ${kind}: call search_tasks with query ${JSON.stringify(rest === "" ? "*" : rest)} and ${filters}.`];
}

function filterMeant(text: string, today: LocalDate): string | undefined {
  const [, name = "", value = ""] = /^([A-Za-z]+):\s*(.+)$/s.exec(text) ?? [];
  const filter = FILTER_NAMES[name.toLowerCase()];
  if (filter !== undefined) return argument(filter, value);
  if (/^#[^\s#]+$/.test(text)) return argument("tags", text.slice(1));
  const word = text.toLowerCase();
  const [, finished] = /^(?:done|completed|finished) (.+)$/.exec(word) ?? [];
  if (finished !== undefined && parseDayRange(finished, today) !== undefined) return argument("completed", finished);
  if ((TASK_STATES as readonly string[]).includes(word)) return argument("is", word);
  const status = statusOf(text);
  if (status !== undefined && /\p{L}{3}/u.test(text)) return argument("status", status);
  return parseDayRange(text, today) === undefined || word === "any" || word === "none"
    ? undefined
    : argument("due", text);
}

function argument(name: string, value: string): string {
  const isList = name === "tags" || name === "is" || name === "status";
  return `${name} ${JSON.stringify(isList ? [value] : value)}`;
}

/** Suggests the nearest existing names. */
function unknownNames(filters: TaskFilters, tasks: readonly Task[]): readonly string[] {
  const { area, project, tags = [] } = filters;
  const unknown = (
    kind: string,
    given: string,
    hasName: (task: Task) => boolean,
    namesOf: (task: Task) => readonly string[],
  ): readonly string[] => (tasks.some(hasName) ? [] : [sentence(kind, given, tasks.flatMap(namesOf))]);
  return [
    ...(area === undefined || meansNoneOrAny(area)
      ? []
      : unknown("area", area, isInArea(area), (task) => (task.area === undefined ? [] : [task.area]))),
    ...(project === undefined || meansNoneOrAny(project)
      ? []
      : unknown("project", project, isOfProject(project), ({ parentProjects }) => parentProjects)),
    ...tags.flatMap((tag) => {
      const wanted = tagsMeant(tag).map(foldName);
      const hasIt = (task: Task): boolean => wanted.some((one) => hasTag(task, one));
      return wanted.length === 0 ? [] : unknown("tag", tag.replace(/^#+/, ""), hasIt, (task) => task.tags);
    }),
  ];
}

function sentence(kind: string, given: string, names: readonly string[]): string {
  const shown = bareName(given).replace(/\s+/g, " ").slice(0, 80);
  const near = nearest(shown, spellings(names));
  const hint = near.length === 0 ? "" : ` The nearest: ${near.map((name) => `"${name}"`).join(", ")}.`;
  return `No task has the ${kind} "${shown}".${hint}`;
}

function spellings(names: readonly string[]): string[] {
  const known = new Map<string, string>();
  for (const name of names) if (!known.has(foldName(name))) known.set(foldName(name), bareName(name));
  return [...known.values()];
}
