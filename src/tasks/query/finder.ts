/** Finds tasks by words and filters, and gives advice (docs: tasks). */
import { meansAll } from "../../search/words.js";
import { argument, said, type Wording, counted } from "../../text/wording.js";
import { relationsOf } from "../relations.js";
import { fingerprintText } from "../../text/hash.js";
import { TimeSlice } from "../../async/timers.js";
import type { LocalDate } from "../../clock.js";
import type { ProgressOptions } from "../../index/refresh.js";
import { invalidArgument } from "../../errors.js";
import { baseName, foldName } from "../../storage/path.js";
import { nearest } from "../../text/nearest.js";
import type { Vault } from "../../vault/vault.js";
import type { TaskHits, TaskQuery } from "../api.js";
import { ownStatusOf } from "../fields/dialect.js";
import { bareName } from "../fields/property-values.js";
import { normaliseWord, STATUS_FILTERS, STATUSES } from "../fields/vocabulary.js";
import { noteOf } from "../known-names.js";
import type { TaskIndex } from "../task-index.js";
import { withOuterTags } from "../../markdown/links/property-links.js";
import { type Condition, not } from "../../index/subject.js";
import type { TaskRows } from "../rows/task-rows.js";
import { NAME_KINDS, type TaskScope } from "../rows/task-subject.js";
import type { Task, TaskFilters } from "../task.js";
import {
  DONE_WITHOUT_DAY,
  hasContext,
  hasStatus,
  isInArea,
  isOfProject,
  isTagged,
  meansNoneOrAny,
  notesMeant,
  taskConditions,
} from "./filter.js";
import { filterAdvice, NARROWING } from "./filter-words.js";
import { partialHits, taskHits, taskOrder } from "./order.js";
import { plainWith } from "./not-counted.js";
import {
  HIDDEN,
  type MisspeltWord,
  misspeltRemark,
  operatorsRemark,
  partialRemarks,
  smallWordsRemark,
  THE_QUERY,
  whatExcludes,
} from "../../search/nothing-found.js";
import { pageFrom, parseCursor } from "../../search/cursor.js";
import { selectionText } from "./selection.js";

interface Found {
  readonly total: number;
  readonly mark: number;
  readonly page: (offset: number, limit: number) => readonly number[];
  readonly misspelt: readonly MisspeltWord[];
  /** If small words were omitted. */
  readonly without?: string | undefined;
}

export class TaskFinder {
  readonly #vault: Vault;
  readonly #index: TaskIndex;
  /** Titles by id, per fingerprint; oldest first. */
  readonly #found = new Map<string, ReadonlyMap<string, string>>();

  constructor(vault: Vault, index: TaskIndex) {
    this.#vault = vault;
    this.#index = index;
  }

  async find(query: TaskQuery, options: ProgressOptions): Promise<TaskHits> {
    return await this.#index.ask(options, scopeOf(query), (rows) => this.#findAmong(query, rows, options));
  }

  async #findAmong(given: TaskQuery, rows: TaskRows, { signal }: ProgressOptions): Promise<TaskHits> {
    const { clock } = this.#vault;
    const { filters: query, echoes: names } = await this.withNamesMeant(given, rows);
    const today = clock.today();
    const { limit = Infinity } = query;
    const cursor = query.cursor === undefined ? undefined : parseCursor(query.cursor);
    const context = { rows, today, clock };
    const { conditions, echoes } = taskConditions(query, context);
    const slice = new TimeSlice(signal);
    const { total, mark, page, misspelt, without } = await search(query, conditions, rows, slice);
    const fingerprint = fingerprintText(mark);
    if (total <= MAX_TASKS) this.#remember(fingerprint, rows.titles(page(0, total)));
    const { offset, remarks } = pageFrom(total, cursor, fingerprint);
    const tasks = rows.decode(page(offset, limit));
    const unknown = unknownNames(query, conditions, total, rows);
    const advice = total === 0 ? filterAdvice(query.query, today) : [];
    return {
      tasks,
      total,
      offset,
      fingerprint,
      selection: selectionText(given, fingerprint),
      today,
      waitsFor: new Map(
        tasks.flatMap((task) => {
          const waiting = relationsOf(rows).waitingOf(task);
          return waiting === undefined ? [] : [[task, waiting] as const];
        }),
      ),
      remarks: [
        ...names,
        ...echoes,
        ...(advice.length === 0 ? operatorsRemark(query.query) : []),
        ...(without === undefined ? [] : [smallWordsRemark("task", query.query, without)]),
        ...misspelt.map((one) => misspeltRemark("task", one)),
        ...(await doneWithoutDay(query, context, slice)),
        ...(await archivedToo(query, { ...context, total }, slice)),
        ...(await waitingOtherwise(query, context, slice)),
        ...remarks,
        ...advice,
        ...unknown,
        ...(total === 0 && advice.length === 0 ? await nothingFound(query, context, slice, unknown.length > 0) : []),
      ],
    };
  }

  /** Finds areas and projects also by alias, path or folder, and a status in each spelling. */
  async withNamesMeant<Filters extends Pick<TaskFilters, "area" | "project" | "status">>(
    filters: Filters,
    rows: TaskRows,
  ): Promise<{ readonly filters: Filters; readonly echoes: readonly Wording[] }> {
    const echoes: Wording[] = [];
    const meant = async (kind: "area" | "project", given: string): Promise<string> => {
      const isNamed = (name: string): boolean =>
        rows.total([kind === "area" ? isInArea(name, rows) : isOfProject(name)]) > 0;
      if (given.trim() === "" || meansNoneOrAny(given) || isNamed(given)) return given;
      const known = await noteOf(this.#vault, kind, given);
      const note = known ?? (await this.#index.fileMeant(given, rows));
      const name = note === undefined ? given : baseName(note).replace(/\.md$/i, "");
      if (foldName(name) === foldName(bareName(given)) || (known === undefined && !isNamed(name))) return given;
      echoes.push(said`Read ${argument(kind)} ${JSON.stringify(given)} as ${JSON.stringify(name)}.`);
      return name;
    };
    const { area, project, status } = filters;
    const read = {
      ...(status !== undefined && { status: [status].flat().flatMap((one) => statusMeant(one, rows, echoes)) }),
      ...(area !== undefined && { area: await meant("area", area) }),
      ...(project !== undefined && {
        project: await Promise.all([project].flat().map((one) => meant("project", one))),
      }),
    };
    return { filters: { ...filters, ...read }, echoes };
  }

  #remember(fingerprint: string, titles: ReadonlyMap<string, string>): void {
    this.#found.delete(fingerprint);
    this.#found.set(fingerprint, titles);
    const [oldest] = this.#found.keys();
    if (this.#found.size > MAX_SEARCHES && oldest !== undefined) this.#found.delete(oldest);
  }

  /** Undefined if this process has dropped it. */
  since(fingerprint: string, now: readonly Task[]): FoundSince | undefined {
    const before = this.#found.get(fingerprint);
    if (before === undefined) return undefined;
    const ids = new Set(now.map(({ id }) => id));
    return {
      came: now.flatMap(({ id, title }) => (before.has(id) ? [] : [title])),
      went: [...before].flatMap(([id, title]) => (ids.has(id) ? [] : [title])),
    };
  }
}

/** @throws INVALID_ARGUMENT for a word that neither the settings nor a task has */
function statusMeant(given: string, rows: TaskRows, echoes: Wording[]): readonly string[] {
  if ((STATUS_FILTERS as readonly string[]).includes(given)) return [given];
  const spellings = rows.statuses().filter((word) => normaliseWord(word) === normaliseWord(given));
  if (spellings.length > 0) return spellings;
  const known = ownStatusOf(given, rows.settings.taskNotes);
  if (known === undefined)
    throw invalidArgument(
      sentence("status", given, [...STATUSES, ...rows.statuses()], true),
      said`${argument("status")} "Other" finds all that have a word of their own.`,
    );
  if (known === given) return [given];
  echoes.push(said`Read ${argument("status")} ${JSON.stringify(given)} as ${JSON.stringify(known)}.`);
  return [known];
}

async function search(query: TaskQuery, where: readonly Condition[], rows: TaskRows, slice: TimeSlice): Promise<Found> {
  const byWords = !meansAll(query.query);
  const { sort = byWords ? "relevance" : "agenda" } = query;
  if (!byWords) {
    const order = taskOrder(sort === "relevance" ? "agenda" : sort, query);
    const { total, mark } = rows.count(where);
    return {
      total,
      mark,
      page: (offset, limit) => rows.ids(where, order, { offset, limit: limit === Infinity ? -1 : limit, total }),
      misspelt: [],
    };
  }
  const arePlain = (): boolean => rows.scope === "tasks" && plainWith(query.query, rows, where).boxes > 0;
  const hits = await taskHits(query.query, where, rows, { slice, arePlain });
  let { ids } = hits;
  if (sort !== "relevance") ids = rows.sorted(ids, taskOrder(sort, query));
  return {
    total: ids.length,
    mark: hits.mark,
    page: (offset, limit) => ids.slice(offset, offset + limit),
    misspelt: hits.misspelt,
    without: hits.without,
  };
}

/** The filter or word that excludes everything, and the tasks with the most words. */
async function nothingFound(
  query: TaskQuery,
  context: Parameters<typeof taskConditions>[1],
  slice: TimeSlice,
  isExplained: boolean,
): Promise<readonly Wording[]> {
  const { rows } = context;
  const parts = NARROWING.filter((name) => query[name] !== undefined).flatMap((name): readonly Part[] =>
    name === "is"
      ? stateParts(query.is)
      : [{ label: `${name} ${JSON.stringify(query[name])}`, without: (asked) => ({ ...asked, [name]: undefined }) }],
  );
  const byWords = !meansAll(query.query);
  const count = async (changed: Partial<TaskQuery>): Promise<number> => {
    const wanted = { ...query, ...changed };
    return (await search(wanted, taskConditions(wanted, context).conditions, rows, slice)).total;
  };
  const { conditions } = taskConditions(query, context);
  const partial = byWords ? await partialHits(query.query, conditions, rows, slice) : undefined;
  const names = partial && rows.decode(partial.best.map(({ id }) => id));
  const matches = (partial?.best ?? []).flatMap(({ lacks }, at) => {
    const task = names?.[at];
    return task === undefined ? [] : [{ name: `"${task.title}" (${task.id})`, lacks }];
  });
  const files = query.note === undefined ? [] : notesMeant(query.note, rows);
  const hidden = files.every(({ path }) => rows.view.isHidden(path)) ? files : [];
  const archived = query.includeArchived === true ? 0 : await count({ includeArchived: true });
  return [
    ...hidden.map(({ path }) => `'${path}' has no tasks: ${HIDDEN} have none.`),
    ...(archived > 0 ? [said`${counted(archived, "archived task")} found with ${argument("includeArchived")}.`] : []),
    ...(partial ? partialRemarks("task", { ...partial, matches }, parts.length + archived > 0) : []),
    ...(await whatExcludes({
      what: "task",
      isExplained: isExplained || hidden.length > 0,
      parts: [...parts.map(({ label }) => label), ...(byWords ? [THE_QUERY] : [])],
      count: async (isIn) => {
        const left = parts.reduce((asked, part, at) => (isIn(at) ? asked : part.without(asked)), query);
        return await count({ ...left, ...(isIn(parts.length) ? {} : { query: "*" }) });
      },
    })),
  ];
}

interface Part {
  readonly label: string;
  readonly without: (query: TaskQuery) => TaskQuery;
}

/** Except states that decide which rows to read. */
function stateParts(states: TaskQuery["is"] = []): readonly Part[] {
  return states
    .filter((state) => state !== "checkbox" && state !== "inline")
    .map((state) => ({
      label: states.length === 1 ? `is ["${state}"]` : `is "${state}"`,
      without(query) {
        const left = (query.is ?? []).filter((one) => one !== state);
        return { ...query, is: left.length === 0 ? undefined : left };
      },
    }));
}

/** Filters on completed days miss tasks done without a day; as a review does, this counts archived ones. */
async function doneWithoutDay(
  query: TaskQuery,
  context: { readonly rows: TaskRows; readonly today: LocalDate; readonly clock: { now(): number } },
  slice: TimeSlice,
): Promise<readonly string[]> {
  if (query.completed === undefined || /^\s*none\s*$/i.test(query.completed)) return [];
  const { conditions } = taskConditions({ ...query, completed: undefined, includeArchived: true }, context);
  const { total } = await search(query, [...conditions, DONE_WITHOUT_DAY], context.rows, slice);
  const are = total === 1 ? "task that is" : "tasks that are";
  return total === 0 ? [] : [`Not counted: ${total} ${are} done without saying when.`];
}

/** Done tasks are often archived. */
async function archivedToo(
  query: TaskQuery,
  { total, ...context }: Parameters<typeof taskConditions>[1] & { readonly total: number },
  slice: TimeSlice,
): Promise<readonly Wording[]> {
  if (total === 0 || query.completed === undefined || query.includeArchived === true) return [];
  const { conditions } = taskConditions({ ...query, includeArchived: true }, context);
  const archived = (await search(query, conditions, context.rows, slice)).total - total;
  return archived === 0 ? [] : [said`${counted(archived, "archived task")} found with ${argument("includeArchived")}.`];
}

/** A task that waits for another seldom has the status Blocked. */
async function waitingOtherwise(
  query: TaskQuery,
  context: Parameters<typeof taskConditions>[1],
  slice: TimeSlice,
): Promise<readonly Wording[]> {
  const { is = [] } = query;
  const statuses = [query.status ?? []].flat();
  if (is.includes("blocked") || !statuses.includes("Blocked")) return [];
  const waiting: TaskQuery = { ...query, status: undefined, is: [...is, "blocked"] };
  const where = [...taskConditions(waiting, context).conditions, ...statuses.map(hasStatus).map(not)];
  const { total } = await search(waiting, where, context.rows, slice);
  if (total === 0) return [];
  const wait = total === 1 ? "1 task waits" : `${total} tasks wait`;
  return [
    said`${wait} for others and ${total === 1 ? "has" : "have"} another status: ${argument("is")} ["blocked"] lists ${total === 1 ? "it" : "them"}.`,
  ];
}

function scopeOf({ is = [] }: TaskQuery): TaskScope {
  if (is.includes("checkbox")) return "plain";
  return is.includes("inline") ? "lines" : "tasks";
}

const MAX_SEARCHES = 16;

const MAX_TASKS = 500;

export interface FoundSince {
  readonly came: readonly string[];
  readonly went: readonly string[];
}

/** One tag or project suffices, so another may be unknown although there are results. */
function unknownNames(
  { area, project, context, tags = [] }: TaskQuery,
  where: readonly Condition[],
  found: number,
  rows: TaskRows,
): readonly Wording[] {
  const unknown = (kind: string, given: string, has: Condition, names: () => readonly string[]): readonly string[] => {
    const isFound = found > 0 && rows.total([...where, has]) > 0;
    return isFound || rows.total([has]) > 0 ? [] : [sentence(kind, given, names(), found === 0)];
  };
  const isName = (name: string | undefined): name is string => name !== undefined && !meansNoneOrAny(name);
  return [
    ...(found === 0 && isName(area) ? unknown("area", area, isInArea(area, rows), () => rows.areas()) : []),
    ...[project ?? []]
      .flat()
      .filter(isName)
      .flatMap((name) => unknown("project", name, isOfProject(name), () => rows.names(NAME_KINDS.project))),
    ...(found === 0 && isName(context)
      ? unknown("context", context, hasContext(context), () => rows.names(NAME_KINDS.context))
      : []),
    ...tags.filter(isName).flatMap((tag): readonly Wording[] => {
      const { globalFilter } = rows.view.settings.tasksPlugin;
      if (found === 0 && globalFilter !== "" && foldName(tag.replace(/^#?/, "#")) === foldName(globalFilter))
        return [
          said`"${globalFilter}" is the global filter of the plugin Tasks and no tag of its tasks: ${argument("is")} ["inline"] lists them.`,
        ];
      return unknown("tag", tag.replace(/^#+/, ""), isTagged(tag), () => withOuterTags(rows.names(NAME_KINDS.tag)));
    }),
  ];
}

const MAX_KNOWN = 10;

function sentence(kind: string, given: string, names: readonly string[], isAll: boolean): string {
  const shown = bareName(given).replace(/\s+/g, " ").slice(0, 80);
  const known = spellings(names);
  const near = nearest(shown, known);
  const quoted = (some: readonly string[]): string => some.map((name) => `"${name}"`).join(", ");
  const more = known.length > MAX_KNOWN ? ` and ${known.length - MAX_KNOWN} more` : "";
  const all = isAll && known.length > 0 ? ` Known: ${quoted(known.toSorted().slice(0, MAX_KNOWN))}${more}.` : "";
  return `No task has the ${kind} "${shown}".${near.length === 0 ? all : ` The nearest: ${quoted(near)}.`}`;
}

function spellings(names: readonly string[]): string[] {
  const known = new Map<string, string>();
  for (const name of names) if (!known.has(foldName(name))) known.set(foldName(name), bareName(name));
  return [...known.values()];
}
