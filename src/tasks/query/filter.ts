/** The filters of a query as SQL, one row a filter (docs: tasks, "Finding"). */
import { isWaiting } from "../dependencies.js";
import { argument, said, type Wording } from "../../text/said.js";
import type { Clock, LocalDate } from "../../clock.js";
import { type DayRange, echoDayRange, requireDayRange } from "../../dates/read-day.js";
import { VaultError } from "../../errors.js";
import { ROWS_PER_FILE, type Condition } from "../../index/subject.js";
import { tagsMeant } from "../../markdown/links/property-links.js";
import { foldName } from "../../storage/path.js";
import { fold } from "../../text/fold.js";
import type { FilteredField } from "../fields/fields.js";
import { bareName } from "../fields/property-values.js";
import { DAY_FILTERS } from "../fields/task-fields.js";
import { PRIORITIES, type StatusFilter } from "../fields/vocabulary.js";
import type { TaskFilters, TaskState } from "./task-query.js";
import { OPEN, type TaskRows } from "../rows/task-rows.js";
import { CLASSES, NAME_KINDS } from "../rows/task-subject.js";

interface FilterContext {
  readonly rows: TaskRows;
  readonly today: LocalDate;
  readonly clock: Pick<Clock, "now">;
}

interface TaskConditions {
  readonly conditions: readonly Condition[];
  /** How ranges in words were read. */
  readonly echoes: readonly Wording[];
}

export const STALE_DAYS = 30;
const DAY_MS = 86_400_000;
const UNASSIGNED = "unassigned";

const condition = (sql: string, ...values: Condition["values"]): Condition => ({ sql, values });
const not = ({ sql, values }: Condition): Condition => ({ sql: `NOT (${sql})`, values });
const either = (all: readonly Condition[]): Condition => ({
  sql: all.map(({ sql }) => `(${sql})`).join(" OR "),
  values: all.flatMap(({ values }) => values),
});

/** No values are no filter. */
const anyOf = (all: readonly Condition[]): Condition | readonly Condition[] => (all.length === 0 ? [] : either(all));

type FilterRows = {
  readonly [Name in Exclude<keyof TaskFilters, "query" | FilteredField>]-?: (
    value: NonNullable<TaskFilters[Name]>,
    context: FilterContext,
  ) => Condition | readonly Condition[];
};

const FILTERS: FilterRows = {
  includeArchived: (value) => (value ? [] : condition("task.archived = 0")),
  status: (value) => {
    const wanted: readonly StatusFilter[] = typeof value === "string" ? [value] : value;
    return wanted.length === 0 ? [] : condition(`task.class IN (${wanted.map((one) => CLASSES.indexOf(one)).join()})`);
  },
  area: (value, { rows }) => isInArea(value, rows),
  project: (value) => anyOf([value].flat().map(isOfProject)),
  priority: (value) => anyOf([value].flat().map((one) => condition("task.priority = ?", PRIORITIES.indexOf(one)))),
  context: (value) => hasContext(value),
  note: (value, { rows }) => isIn(value, rows),
  tags: (value) =>
    anyOf(
      value.flatMap((tag) =>
        meansNoneOrAny(tag) ? hasName(NAME_KINDS.tag, tag) : tagsMeant(tag).map(foldName).map(hasTag),
      ),
    ),
  is: (value, context) => value.flatMap((state) => STATES[state](context)),
};

/** Without `query`, which every search has, and `includeArchived`, which excludes nothing. */
export const FILTER_NAMES: readonly Exclude<keyof TaskFilters, "query" | "includeArchived">[] = [
  ...DAY_FILTERS.map(({ name }) => name),
  ...(Object.keys(FILTERS) as (keyof FilterRows)[]).filter((name) => name !== "includeArchived"),
];

/** @throws VaultError INVALID_ARGUMENT for an empty filter or an invalid range */
export function taskConditions(filters: TaskFilters, context: FilterContext): TaskConditions {
  assertNotEmpty(filters);
  const given = { includeArchived: false, ...filters };
  const conditions = Object.entries(FILTERS).flatMap(([name, read]) => {
    const value = given[name as keyof FilterRows];
    return value === undefined
      ? []
      : (read as (value: unknown, of: FilterContext) => Condition | Condition[])(value, context);
  });
  const ranges = DAY_FILTERS.flatMap(({ name, looks }) => {
    const text = filters[name];
    return text === undefined
      ? []
      : [{ name, text, range: requireDayRange(argument(name), text, context.today, looks) }];
  });
  return {
    conditions: [...conditions, ...ranges.map(({ name, range }) => isOnDay(name, range, context.today))],
    echoes: ranges.flatMap(({ name, text, range }) => echoDayRange(argument(name), text, range, context.today) ?? []),
  };
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** An empty filter is ambiguous: "no such value" or "no filter". */
function assertNotEmpty(filters: TaskFilters): void {
  for (const name of ["area", "project", "context", "note", ...DAY_FILTERS.map(({ name }) => name)] as const)
    if ([filters[name] ?? []].flat().some((text) => text.trim() === "")) throw emptyFilter(name);
  for (const name of ["status", "tags", "is", "priority", "project"] as const)
    if (isEmptyList(filters[name])) throw emptyFilter(name);
  if (filters.tags?.some((tag) => tagsMeant(tag).length === 0)) throw emptyFilter("tags");
}

const NAMED_VALUES: ReadonlySet<string> = new Set(["note", "status", "is", "priority"]);

function emptyFilter(name: string): VaultError {
  const hint = NAMED_VALUES.has(name)
    ? said`Leave ${argument(name)} out, or name what is wanted.`
    : said`Leave ${argument(name)} out, or write "none" for tasks without one and "any" for tasks with one.`;
  return new VaultError("INVALID_ARGUMENT", said`The filter ${argument(name)} is empty.`, { hint });
}

/** Its own area, else that of its project. */
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
    ? either([own, condition("task.id IN (SELECT task FROM temp.task_area WHERE key = ?)", key)])
    : own;
}

export const isOfProject = (given: string): Condition => hasName(NAME_KINDS.project, given);

export const hasContext = (given: string): Condition => hasName(NAME_KINDS.context, given.trim().replace(/^@/, ""));

/** Also hidden notes. A path means one note; a file name, every note of that name. */
export function notesMeant(note: string, { view }: TaskRows) {
  const wanted = foldName(bareName(note).replace(/^\/|\.md$/gi, ""));
  return view.filesNamed(wanted).filter(({ path }) => {
    const own = foldName(path.replace(/\.md$/i, ""));
    return own === wanted || (!wanted.includes("/") && own.endsWith(`/${wanted}`));
  });
}

/** In the note, on its board as a link, or below the folder of this path. */
function isIn(note: string, rows: TaskRows): Condition {
  const ids = notesMeant(note, rows).map(({ id }) => {
    const [first, last] = [id * ROWS_PER_FILE, (id + 1) * ROWS_PER_FILE - 1];
    return either([condition("task.id BETWEEN ? AND ?", first, last)].concat(rows.linkedFrom(first, last)));
  });
  if (ids.length > 0) return either(ids);
  const folder = note.trim().replace(/^(?:\.?\/)+|\/+$/g, "");
  return condition(
    `task.id / ${ROWS_PER_FILE} IN (SELECT id FROM file WHERE path > ? AND path < ?)`,
    `${folder}/`,
    `${folder}0`,
  );
}

/** `none` and `any` test whether there is a name. */
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

/** `a` finds the nested tag `a/b`. */
export function hasTag(wanted: string): Condition {
  return condition(
    "task.id IN (SELECT owner FROM task_name WHERE kind = ? AND (key = ? OR (key > ? AND key < ?)))",
    NAME_KINDS.tag,
    wanted,
    `${wanted}/`,
    `${wanted}0`,
  );
}

function isOnDay(name: FilteredField, range: DayRange, today: LocalDate): Condition {
  if (name === "completed" && range.kind === "overdue")
    throw new VaultError("INVALID_ARGUMENT", 'completed "overdue" is nothing: what is completed is not overdue.', {
      hint: 'Write a day or range, such as "last 7 days" or "this month".',
    });
  const column = `task.${name}`;
  const ofSeries = (test: string, ...values: Condition["values"]): readonly Condition[] =>
    name === "completed"
      ? [condition(`task.id IN (SELECT owner FROM task_name WHERE kind = ${NAME_KINDS.doneDay}${test})`, ...values)]
      : [];
  if (range.kind === "overdue") return condition(`${column} < ? AND ${OPEN.sql}`, today);
  if (range.kind === "days") {
    const { from = "", to = "9999-99-99" } = range;
    return either([
      condition(`${column} BETWEEN ? AND ?`, from, to),
      ...ofSeries(" AND key BETWEEN ? AND ?", from, to),
    ]);
  }
  const has = either([condition(`${column} IS NOT NULL`), ...ofSeries("")]);
  return range.kind === "any" ? has : not(has);
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

/** Open, like another open task of its title. */
const IS_DUPLICATE: Condition = condition(
  `${OPEN.sql} AND task.title_key IN (
    SELECT title_key FROM task WHERE open = 1 AND archived = 0 AND scope = 0 GROUP BY title_key HAVING count(*) > 1)`,
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
