/** Finding tasks in a vault: by words and filters, in an order, a page at a time (spec: tasks, section 6; tasks-2, section 7). */
import type { RefreshOptions } from "../catalog/catalog.js";
import { BestHits } from "../search/best-hits.js";
import type { Ranker } from "../search/ranker.js";
import type { Vault } from "../vault/vault.js";
import type { TaskHits, TaskQuery } from "./api.js";
import { type FoundSince, FoundTasks } from "./found-tasks.js";
import { meansAll, taskRanker } from "./queries.js";
import { filterAdvice, unknownNames } from "./search-advice.js";
import { type Cursor, parseCursor } from "./cursor.js";
import { fingerprintOf, selectionText } from "./selection.js";
import { taskFilter, type TaskFilters, type TaskState } from "./task-filter.js";
import type { TaskIndex } from "./task-index.js";
import type { TaskLook } from "./task-look.js";
import { taskOrder } from "./task-order.js";
import type { Task } from "./task.js";

/** What answers a query: all of it unordered, and its beginning in order. */
interface Found {
  readonly all: readonly Task[];
  /** At most as many as were wanted, in order. */
  readonly first: readonly Task[];
}

export class TaskFinder {
  readonly #vault: Vault;
  readonly #indexFor: (isAboutLines: boolean) => Promise<TaskIndex>;
  readonly #ranker: Ranker<Task>;
  readonly #answersOnce: boolean;
  readonly #found = new FoundTasks();

  /**
   * @param indexFor the tasks that count; for questions about lines those as well that the settings leave out
   * @param indexFrom from how many tasks on searches keep an index; undefined in a process that answers once
   */
  constructor(vault: Vault, indexFor: (isAboutLines: boolean) => Promise<TaskIndex>, indexFrom: number | undefined) {
    this.#vault = vault;
    this.#indexFor = indexFor;
    this.#ranker = taskRanker(indexFrom);
    this.#answersOnce = indexFrom === undefined;
  }

  /** @throws VaultError INVALID_ARGUMENT for a range or a cursor that cannot be read */
  async find(query: TaskQuery, options: RefreshOptions): Promise<TaskHits> {
    const { clock } = this.#vault;
    const today = clock.today();
    const { limit = Infinity } = query;
    const cursor = query.cursor === undefined ? undefined : parseCursor(query.cursor);
    const index = await this.#indexFor(query.is?.includes("inline") === true);
    const tasks = await this.#candidates(index, query, options);
    const everything = () => index.refresh(options);
    const look = DEPENDENT.some((state) => query.is?.includes(state)) ? await everything() : undefined;
    const filter = taskFilter(query, { today, clock, relations: look?.relations(today) });
    const { all, first } = await this.#search(query, tasks, filter.accepts, (cursor?.offset ?? 0) + limit);
    const fingerprint = fingerprintOf(all);
    this.#found.remember(fingerprint, all);
    const offset = placeOf(cursor, all);
    const page = first.slice(offset, offset + limit);
    return {
      tasks: page,
      total: all.length,
      offset,
      fingerprint,
      selection: selectionText(query, fingerprint),
      today,
      waitsFor: page.some(isWaiting) ? (await everything()).relations(today).waitingNames(page) : new Map(),
      remarks: [
        ...filter.echoes,
        ...cursorRemarks(cursor, offset, fingerprint),
        ...(all.length === 0 ? filterAdvice(query.query, today) : []),
        ...(await this.#unknown(query, all, everything)),
      ],
    };
  }

  /** What came and what went since a result was found; undefined where this process does not remember it. */
  since(fingerprint: string, now: readonly Task[]): FoundSince | undefined {
    return this.#found.since(fingerprint, now);
  }

  /** A process that answers once leaves out what cannot answer the words, unread. */
  async #candidates(index: TaskIndex, { query }: TaskQuery, options: RefreshOptions): Promise<readonly Task[]> {
    if (this.#answersOnce && !meansAll(query)) return index.candidates(query, options);
    return (await index.refresh(options)).tasks;
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
      const { documents } = await this.#ranker.search(tasks, query.query, {
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

  /** Names that no task has; of tags, which are any of several, one may hide among others that found something. */
  async #unknown(query: TaskQuery, found: readonly Task[], everything: () => Promise<TaskLook>) {
    const { area, project, tags } = query;
    const asked: TaskFilters = { query: "*", tags, ...(found.length === 0 && { area, project }) };
    if (unknownNames(asked, found).length === 0) return [];
    return unknownNames(asked, (await everything()).tasks);
  }
}

/** States that depend on other tasks. */
const DEPENDENT: readonly TaskState[] = ["ready", "blocked"];

const isWaiting = ({ blockedBy }: Task): boolean => blockedBy.length > 0;

/** A list that has become too short for the cursor begins anew. */
function placeOf(cursor: Cursor | undefined, all: readonly Task[]): number {
  return cursor === undefined || cursor.offset >= all.length ? 0 : cursor.offset;
}

function cursorRemarks(cursor: Cursor | undefined, offset: number, fingerprint: string): readonly string[] {
  if (cursor === undefined || cursor.fingerprint === fingerprint) return [];
  const place = offset === cursor.offset ? "the list goes on at the same place" : "the list begins anew";
  return [`The result has changed since this cursor was given; ${place}.`];
}
