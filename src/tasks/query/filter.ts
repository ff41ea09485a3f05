/** The filters of a query as SQL, one row per filter (docs: tasks, "Finding"). */
import { isWaiting } from "../relations.js";
import { argument, said, type Wording } from "../../text/wording.js";
import type { Clock, LocalDate } from "../../clock.js";
import { type DayRange, echoDayRange, isInRange, requireDayRange } from "../../dates/read-day.js";
import { type VaultError, invalidArgument } from "../../errors.js";
import { anyOf, condition, type Condition, not, ROWS_PER_FILE } from "../../index/subject.js";
import { tagsMeant } from "../../markdown/links/property-links.js";
import { foldName } from "../../storage/path.js";
import { fold } from "../../text/fold.js";
import type { FilteredField } from "../fields/field-table.js";
import { bareName } from "../fields/property-values.js";
import { DAY_FILTERS } from "../fields/task-fields.js";
import { PRIORITIES, STATUS_FILTERS } from "../fields/vocabulary.js";
import { OPEN, type TaskRows, TITLE_KEY } from "../rows/task-rows.js";
import { CLASSES, NAME_KINDS } from "../rows/task-subject.js";
import { type Task, TASK_STATES, type TaskFilters, type TaskState } from "../task.js";

interface FilterContext {
  readonly rows: TaskRows;
  readonly today: LocalDate;
  readonly clock: Pick<Clock, "now">;
}

interface TaskConditions {
  readonly conditions: readonly Condition[];
  readonly echoes: readonly Wording[];
}

export const STALE_DAYS = 30;
const DAY_MS = 86_400_000;
const UNASSIGNED = "unassigned";

interface FilterRow<Value> {
  /** A list holds alternatives, except for `is`, where all must hold. */
  readonly takes: "one" | "list" | "flag";
  /** Its only values; undefined: any text. */
  readonly words?: readonly string[];
  /** The vault's own words are values too. */
  readonly takesOwnWords?: true;
  /** Accepts `none` and `any`. */
  readonly asksIfAny?: true;
  readonly where: (value: Value, context: FilterContext) => Condition | readonly Condition[];
}

export type FilterName = Exclude<keyof TaskFilters, "query">;
type FilterValue<Name extends FilterName> = NonNullable<TaskFilters[Name]>;
type FilterRows = { readonly [Name in FilterName]: FilterRow<FilterValue<Name>> };

const NO_FILTER: readonly Condition[] = [];

/** In the order of selections. */
export const FILTERS: FilterRows = {
  status: {
    takes: "list",
    words: STATUS_FILTERS,
    takesOwnWords: true,
    where: (value) => anyOf([value].flat().map(hasStatus)),
  },
  area: { takes: "one", asksIfAny: true, where: (value, { rows }) => isInArea(value, rows) },
  tags: { takes: "list", asksIfAny: true, where: (value) => anyOf(value.map(isTagged)) },
  includeArchived: { takes: "flag", where: (value) => (value ? NO_FILTER : condition("task.archived = 0")) },
  project: { takes: "list", asksIfAny: true, where: (value) => anyOf([value].flat().map(isOfProject)) },
  priority: {
    takes: "list",
    words: PRIORITIES,
    where: (value) =>
      condition(
        `task.priority IN (${[value]
          .flat()
          .map((one) => PRIORITIES.indexOf(one))
          .join()})`,
      ),
  },
  context: { takes: "one", asksIfAny: true, where: (value) => hasContext(value) },
  note: { takes: "one", where: (value, { rows }) => isIn(value, rows) },
  ...(Object.fromEntries(DAY_FILTERS.map((filter) => [filter.name, dayRow(filter)])) as Pick<
    FilterRows,
    FilteredField
  >),
  is: {
    takes: "list",
    words: TASK_STATES,
    where: (value, context) => value.map((state) => STATES[state](context)),
  },
};

function dayRow({ name, looks }: (typeof DAY_FILTERS)[number]): FilterRow<string> {
  return {
    takes: "one",
    asksIfAny: true,
    where: (text, { today }) => isOnDay(name, requireDayRange(argument(name), text, today, looks), today),
  };
}

export const FILTER_NAMES = Object.keys(FILTERS) as readonly FilterName[];

/** @throws INVALID_ARGUMENT for an empty filter or an invalid range */
export function taskConditions(filters: TaskFilters, context: FilterContext): TaskConditions {
  assertNotEmpty(filters);
  const given: TaskFilters = { includeArchived: false, ...filters };
  const conditions = FILTER_NAMES.flatMap((name) => {
    const [row, value] = [FILTERS[name] as FilterRow<unknown>, given[name]];
    return value === undefined ? [] : row.where(value, context);
  });
  const echoes = DAY_FILTERS.flatMap(({ name, looks }) => {
    const text = filters[name];
    const range = text && requireDayRange(argument(name), text, context.today, looks);
    return range ? (echoDayRange(argument(name), text, range, context.today) ?? []) : [];
  });
  return { conditions, echoes };
}

/** Empty is ambiguous: "no such value" or "no filter". */
function assertNotEmpty(filters: TaskFilters): void {
  for (const name of FILTER_NAMES) {
    const value = filters[name];
    const texts = [value ?? []].flat().map(String);
    const isEmpty = value !== undefined && (texts.length === 0 || texts.some((text) => text.trim() === ""));
    if (isEmpty || (name === "tags" && texts.some((tag) => tagsMeant(tag).length === 0))) throw emptyFilter(name);
  }
}

function emptyFilter(name: FilterName): VaultError {
  const hint = FILTERS[name].asksIfAny
    ? said`Leave ${argument(name)} out, or write "none" for tasks without one and "any" for tasks with one.`
    : said`Leave ${argument(name)} out, or name what is wanted.`;
  return invalidArgument(said`The filter ${argument(name)} is empty.`, hint);
}

/** @param given one of `STATUS_FILTERS`, or a word of the vault's own */
export function hasStatus(given: string): Condition {
  const at = CLASSES.findIndex((one) => one === given);
  return at < 0 ? condition("task.status = ?", given) : condition(`task.class = ${at}`);
}

/** Its own area, else its project's. */
export function isInArea(given: string, rows: TaskRows): Condition {
  const wanted = fold(bareName(given));
  const inherited = rows.fillAreas();
  if (foldName(bareName(given)) === UNASSIGNED || meansNoneOrAny(given)) {
    const has = inherited
      ? condition("task.area_key IS NOT NULL OR task.id IN (SELECT task FROM temp.task_area)")
      : condition("task.area_key IS NOT NULL");
    return wanted === "any" ? has : not(has);
  }
  return isOfArea(wanted, rows);
}

/** @param key folded */
export function isOfArea(key: string, rows: TaskRows): Condition {
  const own = condition("task.area_key = ?", key);
  return rows.fillAreas()
    ? anyOf([own, condition("task.id IN (SELECT task FROM temp.task_area WHERE key = ?)", key)])
    : own;
}

export const isOfProject = (given: string): Condition => hasName(NAME_KINDS.project, given);

export const hasContext = (given: string): Condition => hasName(NAME_KINDS.context, given.trim().replace(/^@/, ""));

/** Includes hidden notes. A file name may mean several. */
export function notesMeant(note: string, { view }: TaskRows) {
  const wanted = foldName(bareName(note).replace(/^\/|\.md$/gi, ""));
  return view.filesNamed(wanted).filter(({ path }) => {
    const own = foldName(path.replace(/\.md$/i, ""));
    return own === wanted || (!wanted.includes("/") && own.endsWith(`/${wanted}`));
  });
}

/** In the note, linked on its board, or below this folder. */
function isIn(note: string, rows: TaskRows): Condition {
  const ids = notesMeant(note, rows).map(({ id }) => {
    const [first, last] = [id * ROWS_PER_FILE, (id + 1) * ROWS_PER_FILE - 1];
    return anyOf([condition("task.id BETWEEN ? AND ?", first, last)].concat(rows.linkedFrom(first, last)));
  });
  if (ids.length > 0) return anyOf(ids);
  const folder = note.trim().replace(/^(?:\.?\/)+|\/+$/g, "");
  return condition(
    `task.id / ${ROWS_PER_FILE} IN (SELECT id FROM file WHERE path > ? AND path < ?)`,
    `${folder}/`,
    `${folder}0`,
  );
}

function hasName(kind: number, given: string): Condition {
  const wanted = fold(bareName(given));
  if (!meansNoneOrAny(given)) return isNamed(kind, wanted);
  const has = condition("task.id IN (SELECT owner FROM task_name WHERE kind = ?)", kind);
  return wanted === "any" ? has : not(has);
}

/** @param key folded */
export const isNamed = (kind: number, key: string): Condition =>
  condition("task.id IN (SELECT owner FROM task_name WHERE kind = ? AND key = ?)", kind, key);

export const meansNoneOrAny = (name: string): boolean => /^\s*(?:none|any)\s*$/i.test(name);

/** `a` also matches `a/b`; a text may name several tags. */
export function isTagged(given: string): Condition {
  if (meansNoneOrAny(given)) return hasName(NAME_KINDS.tag, given);
  const hasTag = (tag: string): Condition =>
    condition(
      "task.id IN (SELECT owner FROM task_name WHERE kind = ? AND (key = ? OR (key > ? AND key < ?)))",
      NAME_KINDS.tag,
      tag,
      `${tag}/`,
      `${tag}0`,
    );
  return anyOf(tagsMeant(given).map(foldName).map(hasTag));
}

function isOnDay(name: FilteredField, range: DayRange, today: LocalDate): Condition {
  if (name === "completed" && range.kind === "overdue")
    throw invalidArgument(
      'completed "overdue" is nothing: what is completed is not overdue.',
      'Write a day or range, such as "last 7 days" or "this month".',
    );
  const column = `task.${name}`;
  const ofSeries = (test: string, ...values: Condition["values"]): readonly Condition[] =>
    name === "completed"
      ? [condition(`task.id IN (SELECT owner FROM task_name WHERE kind = ${NAME_KINDS.doneDay}${test})`, ...values)]
      : [];
  if (range.kind === "overdue") return condition(`${column} < ? AND ${OPEN.sql}`, today);
  if (range.kind === "days") {
    const { from = "", to = "9999-99-99" } = range;
    return anyOf([condition(`${column} BETWEEN ? AND ?`, from, to), ...ofSeries(" AND key BETWEEN ? AND ?", from, to)]);
  }
  const has = anyOf([condition(`${column} IS NOT NULL`), ...ofSeries("")]);
  return range.kind === "any" ? has : not(has);
}

/** Days by which the filter finds a task, latest first. */
export function doneDaysMeant(
  { completed }: TaskFilters,
  task: Pick<Task, "completed" | "series">,
  today: LocalDate,
): readonly LocalDate[] {
  if (completed === undefined) return [];
  const range = requireDayRange(argument("completed"), completed, today, "back");
  const days = new Set([task.completed ?? [], task.series?.completed ?? []].flat());
  return [...days]
    .filter((day) => range.kind !== "days" || isInRange(day, range))
    .sort()
    .reverse();
}

export const DONE_WITHOUT_DAY: Condition = condition(
  `task.class = ${CLASSES.indexOf("Done")} AND task.completed IS NULL
   AND task.id NOT IN (SELECT owner FROM task_name WHERE kind = ${NAME_KINDS.doneDay})`,
);

export function isBlocked(rows: TaskRows): Condition {
  const waiting = isWaiting(rows);
  return {
    sql: `${OPEN.sql} AND (task.class = ${CLASSES.indexOf("Blocked")} OR ${waiting.sql})`,
    values: waiting.values,
  };
}

/** Outstanding, not blocked, and its day has come. */
export function isReady(rows: TaskRows, today: LocalDate): Condition {
  const blocked = isBlocked(rows);
  return {
    sql: `${OPEN.sql} AND NOT (${blocked.sql}) AND coalesce(task.start, '') <= ?
      AND (task.series = 0 OR coalesce(task.scheduled, task.due, '') <= ?)`,
    values: [...blocked.values, today, today],
  };
}

const STATES: Readonly<Record<TaskState, (context: FilterContext) => Condition>> = {
  outstanding: () => OPEN,
  ready: ({ rows, today }) => isReady(rows, today),
  blocked: ({ rows }) => isBlocked(rows),
  recurring: () => condition("task.series = 1"),
  checkbox: () => condition("task.scope = 2"),
  inline: () => condition("task.line > 0"),
  note: () => condition("task.line = 0"),
  card: ({ rows }) => rows.isCard(),
  stale: ({ today, clock }) => isStale(today, clock),
  duplicate: () => IS_DUPLICATE,
};

const IS_DUPLICATE: Condition = condition(
  `${OPEN.sql} AND ${TITLE_KEY} IN (
    SELECT ${TITLE_KEY} FROM task WHERE open = 1 AND archived = 0 AND scope = 0 GROUP BY 1 HAVING count(*) > 1)`,
);

/** Outstanding, unchanged for 30 days, no date from today on. */
export function isStale(today: LocalDate, clock: Pick<Clock, "now">): Condition {
  return condition(
    `${OPEN.sql} AND max(coalesce(task.due, ''), coalesce(task.scheduled, ''), coalesce(task.start, '')) < ?
     AND (SELECT modified FROM file WHERE file.id = task.id / ${ROWS_PER_FILE}) <= ?`,
    today,
    clock.now() - STALE_DAYS * DAY_MS,
  );
}
