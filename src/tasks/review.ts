/** A review's sections, counts by day, and progress of projects (docs: tasks, "Finding"). */
import { storedText } from "../index/view.js";
import type { Clock, LocalDate } from "../clock.js";
import { toDayNumber } from "../dates/days.js";
import { ROWS_PER_FILE, type Condition, condition } from "../index/subject.js";
import { fold } from "../text/fold.js";
import { counted } from "../text/wording.js";
import {
  type AgendaEntry,
  type AgendaSection,
  type DaySpan,
  openSection,
  type PageOptions,
  type SectionKind,
} from "./agenda.js";
import { addDays, bareName } from "./fields/property-values.js";
import { PRIORITIES } from "./fields/vocabulary.js";
import { DONE_WITHOUT_DAY, isBlocked, isNamed, isOfArea, isReady, isStale } from "./query/filter.js";
import { AGENDA_ORDER, CLOSED_LAST, TIE, TITLE_KEY, type TaskRows } from "./rows/task-rows.js";
import { inheritedArea } from "./rows/task-lookup.js";
import { CLASSES, NAME_KINDS } from "./rows/task-subject.js";
import { grouped, type Task } from "./task.js";

export const DONE_DAYS = 7;

/** A cancelled or reopened task may keep the day on which it was once done; an open series was done on it. */
const IS_DONE = `(CASE task.series WHEN 1 THEN task.class <> ${CLASSES.indexOf("Cancelled")}
  ELSE task.class IN (${CLASSES.indexOf("Other")}, ${CLASSES.indexOf("Done")}) END)`;

export interface DayCount {
  readonly day: LocalDate;
  readonly done: number;
  readonly created: number;
  /** Open tasks at the end of the day, as far as dates tell. */
  readonly open: number;
}

export interface Review {
  readonly sections: readonly AgendaSection[];
  /** Projects without a ready task; with `projectNames` those without any task too. */
  readonly stuckProjects: readonly ProjectProgress[];
  readonly doneWithoutDay: number;
  /** The first day, and days with finished or created tasks. */
  readonly days: readonly DayCount[];
}

interface ReviewContext extends PageOptions {
  readonly today: LocalDate;
  /** Days whose done tasks are listed; default the last ones. */
  readonly done?: DaySpan | undefined;
  readonly projectNames?: readonly string[];
  readonly clock: Pick<Clock, "now" | "dayOf">;
  /** Days to count; 0 for none. */
  readonly days: number;
}

export function reviewOf(rows: TaskRows, context: ReviewContext): Review {
  const { today, clock, days, done: asked } = context;
  const done = asked ?? { from: addDays(today, -DONE_DAYS), to: today };
  const section = (kind: SectionKind, condition: Condition) => openSection(rows, kind, condition, context);
  const undated = "task.due IS NULL AND task.scheduled IS NULL";
  const high = `${undated} AND task.priority = ${PRIORITIES.indexOf("High")}`;
  return {
    sections: [
      doneSection(rows, done, context),
      section("overdue", { sql: "task.due < ?", values: [today] }),
      section("waiting", isBlocked(rows)),
      section("stale", isStale(today, clock)),
      section("important", condition(high)),
      section("undated", condition(undated)),
    ],
    stuckProjects: projectProgress(rows, context).filter(
      ({ kind, open, done: finished, ready }) => kind === "project" && ready === 0 && (open > 0 || finished === 0),
    ),
    doneWithoutDay: rows.total([DONE_WITHOUT_DAY]),
    days: days === 0 ? [] : countsByDay(rows, asked?.from ?? addDays(today, -days), asked?.to ?? today),
  };
}

/** Counts of created tasks omit those without a date. */
export function madeWithoutDay(rows: TaskRows): readonly string[] {
  const total = rows.total([condition("task.created IS NULL")]);
  return total === 0 ? [] : [`Not counted as made: ${counted(total, "task")} without a day of creation.`];
}

/** Latest first; each instance of a series counts. With `titles`, only the latest of each. */
function doneSection(rows: TaskRows, { from, to }: DaySpan, { limit = Infinity, offset = 0, titles }: PageOptions) {
  const days = `(SELECT id AS task, completed AS day FROM task WHERE scope = 0 AND ${IS_DONE} AND completed BETWEEN ? AND ?
    UNION ALL SELECT owner, key FROM task_name WHERE kind = ${NAME_KINDS.doneDay} AND key BETWEEN ? AND ?) AS done`;
  const { sql, values } = rows.where([]);
  const found = `${days} CROSS JOIN task ON task.id = done.task WHERE ${sql}`;
  const all = [from, to, from, to, ...values];
  const [total = 0, mark = 0] =
    rows.view.get<[number, number]>(`SELECT count(*), total(task.mark) FROM ${found}`, ...all) ?? [];
  const page = rows.view.all<[number, Uint8Array, Uint8Array]>(
    `SELECT task.id, CAST(done.day AS BLOB), CAST(${TITLE_KEY} AS BLOB) FROM ${found} ORDER BY done.day DESC, ${AGENDA_ORDER}, ${TIE} LIMIT ? OFFSET ?`,
    ...all,
    limit === Infinity ? -1 : limit,
    offset < total ? offset : 0,
  );
  const like =
    titles === undefined ? page.map((row) => [row]) : [...grouped(page, (row) => storedText(row[2])).values()];
  const shown = like.slice(0, titles).flatMap(([row, ...others]) => (row ? [{ row, count: others.length + 1 }] : []));
  const tasks = rows.decode([...new Set(shown.map(({ row: [id] }) => id))]);
  const byId = new Map(tasks.map((task) => [rows.idOf(task), task]));
  const entries = shown.flatMap(({ row: [id, day], count: sameTitle }): AgendaEntry[] => {
    const task = byId.get(id);
    return task === undefined ? [] : [{ task, done: storedText(day) as LocalDate, sameTitle }];
  });
  return { kind: "done" as const, total, mark, entries };
}

function countsByDay(rows: TaskRows, from: LocalDate, today: LocalDate): readonly DayCount[] {
  const counts = new Map<LocalDate, { done: number; created: number }>([[from, { done: 0, created: 0 }]]);
  const count = (day: LocalDate, what: "done" | "created", by: number): void => {
    const known = counts.get(day) ?? { done: 0, created: 0 };
    counts.set(day, { ...known, [what]: known[what] + by });
  };
  for (const [day, by] of daysOf(rows, "created", from, today)) count(day, "created", by);
  for (const [day, by] of daysOf(rows, "completed", from, today)) count(day, "done", by);
  for (const [day, by] of seriesDaysOf(rows, from, today)) count(day, "done", by);
  const days = [...counts.keys()].sort();
  const open = openOn(days, rows);
  return days.map((day) => {
    const { done = 0, created = 0 } = counts.get(day) ?? {};
    return { day, done, created, open: open.get(day) ?? 0 };
  });
}

type Counted = readonly [day: LocalDate, count: number];

function daysOf(rows: TaskRows, column: "created" | "completed", from: LocalDate, to: LocalDate): Counted[] {
  return rows
    .select<[Uint8Array, number]>(
      `CAST(task.${column} AS BLOB), count(*)`,
      [
        { sql: `task.${column} BETWEEN ? AND ?`, values: [from, to] },
        ...(column === "completed" ? [condition(IS_DONE)] : []),
      ],
      `GROUP BY task.${column}`,
    )
    .map(([day, count]) => [storedText(day) as LocalDate, count]);
}

function seriesDaysOf(rows: TaskRows, from: LocalDate, to: LocalDate): Counted[] {
  return rows.view
    .all<[Uint8Array, number]>(
      `SELECT CAST(key AS BLOB), count(*) FROM task_name WHERE kind = ? AND key BETWEEN ? AND ? GROUP BY key`,
      NAME_KINDS.doneDay,
      from,
      to,
    )
    .map(([day, count]) => [storedText(day) as LocalDate, count]);
}

/** @param days ascending */
function openOn(days: readonly LocalDate[], rows: TaskRows): ReadonlyMap<LocalDate, number> {
  const first = days[0];
  if (first === undefined) return new Map();
  const changes = new Map<LocalDate, number>();
  const change = (day: LocalDate, by: number) => changes.set(day, (changes.get(day) ?? 0) + by);
  for (const { from = first, to, count } of openSpans(rows)) {
    change(from < first ? first : from, count);
    if (to !== undefined) change(to < first ? first : to, -count);
  }
  let open = 0;
  return new Map(days.map((day) => [day, (open += changes.get(day) ?? 0)]));
}

interface OpenSpans {
  /** Undefined: before all counted days. */
  readonly from: LocalDate | undefined;
  readonly to: LocalDate | undefined;
  readonly count: number;
}

/** Without tasks whose dates do not say, such as cancelled ones. */
function openSpans(rows: TaskRows): readonly OpenSpans[] {
  const last = `max(coalesce(task.completed, ''),
    coalesce((SELECT max(key) FROM task_name WHERE owner = task.id AND kind = ${NAME_KINDS.doneDay}), ''))`;
  const done = `CASE WHEN task.series = 0 THEN coalesce(task.completed, '') ELSE ${last} END`;
  const known: Condition = {
    // Some notes are created after the event they describe.
    sql: `task.open = 1 OR (${done} <> '' AND coalesce(task.created, '') <= ${done})`,
    values: [],
  };
  return rows
    .select<[Uint8Array, Uint8Array, number]>(
      `CAST(coalesce(task.created, '') AS BLOB), CAST(CASE WHEN task.open = 1 THEN '' ELSE ${done} END AS BLOB), count(*)`,
      [known],
      "GROUP BY 1, 2",
    )
    .map(([from, to, count]) => ({ from: dayOf(storedText(from)), to: dayOf(storedText(to)), count }));
}

const dayOf = (text: string): LocalDate | undefined => (text === "" ? undefined : (text as LocalDate));

export interface ProjectProgress {
  readonly kind: "project" | "area";
  readonly name: string;
  /** As names are compared. */
  readonly key: string;
  readonly done: number;
  readonly open: number;
  readonly blocked: number;
  readonly ready: number;
  /** By `withNext`. */
  readonly next?: Task;
  readonly nextDay?: LocalDate;
  /** Minutes. */
  readonly estimateLeft: number;
  readonly estimated: number;
  /** Undefined without tasks. */
  readonly daysWithoutChange: number | undefined;
}

interface ProgressContext {
  readonly today: LocalDate;
  readonly clock: Pick<Clock, "dayOf">;
  /** Listed even without tasks. */
  readonly projectNames?: readonly string[];
}

/** Projects, then areas; with open tasks first, by next day. Names are equal without case and accents. */
export function projectProgress(rows: TaskRows, context: ProgressContext): readonly ProjectProgress[] {
  const projects = progressOf("project", rows, context);
  const known = new Set(projects.map(({ name }) => fold(name)));
  const empty = (context.projectNames ?? []).filter((name) => !known.has(fold(name)) && known.add(fold(name)));
  return [
    ...[...projects, ...empty.map(withoutTasks)].sort(compareProgress),
    ...progressOf("area", rows, context).toSorted(compareProgress),
  ];
}

const withoutTasks = (name: string): ProjectProgress => ({
  kind: "project",
  name,
  key: fold(name),
  done: 0,
  open: 0,
  blocked: 0,
  ready: 0,
  estimateLeft: 0,
  estimated: 0,
  daysWithoutChange: undefined,
});

/** The rows that the tasks of all groups come from, and what names a group. */
function groupsOf(kind: ProjectProgress["kind"], rows: TaskRows): { readonly from: string; readonly key: string } {
  if (kind === "project") {
    const from = `task_name AS named CROSS JOIN task ON task.id = named.owner WHERE named.kind = ${NAME_KINDS.project}`;
    return { from, key: "named.key" };
  }
  const inherited = rows.fillAreas() ? "(SELECT key FROM temp.task_area WHERE task_area.task = task.id)" : "NULL";
  return { from: "task WHERE 1", key: `coalesce(task.area_key, ${inherited})` };
}

function progressOf(
  kind: ProjectProgress["kind"],
  rows: TaskRows,
  { today, clock }: ProgressContext,
): readonly ProjectProgress[] {
  return rows.view.once(`each ${kind} in ${rows.scope} on ${today}`, () => progressNow(kind, rows, { today, clock }));
}

function progressNow(
  kind: ProjectProgress["kind"],
  rows: TaskRows,
  { today, clock }: ProgressContext,
): readonly ProjectProgress[] {
  const { from, key } = groupsOf(kind, rows);
  const [blocked, ready] = [isBlocked(rows), isReady(rows, today)];
  const counts = rows.view.all<
    [Uint8Array, number, number, number, number, number, number, Uint8Array, number, number]
  >(
    `SELECT CAST(${key} AS BLOB), min(${kind === "project" ? "named.id" : "task.id"}),
       count(*) FILTER (WHERE task.class = ${CLASSES.indexOf("Done")}),
       count(*) FILTER (WHERE task.open = 1), count(*) FILTER (WHERE ${blocked.sql}), count(*) FILTER (WHERE ${ready.sql}),
       max((SELECT modified FROM file WHERE file.id = task.id / ${ROWS_PER_FILE})),
       CAST(coalesce(min(min(coalesce(task.due, '~'), coalesce(task.scheduled, '~'))) FILTER (WHERE task.open = 1), '~') AS BLOB),
       coalesce(sum(task.estimate) FILTER (WHERE task.open = 1), 0),
       count(task.estimate) FILTER (WHERE task.open = 1)
     FROM ${from} AND task.scope = 0 AND task.archived = 0 AND ${key} IS NOT NULL GROUP BY ${key} ORDER BY 2`,
    ...blocked.values,
    ...ready.values,
  );
  return counts.map(([bytes, first, done, open, isWaiting, isNext, modified, day, estimateLeft, estimated]) => {
    const [groupKey, nextDay] = [storedText(bytes), storedText(day)];
    const progress: ProjectProgress = {
      kind,
      name: nameOfGroup(kind, groupKey, first, rows),
      key: groupKey,
      done,
      open,
      blocked: isWaiting,
      ready: isNext,
      estimateLeft,
      estimated,
      daysWithoutChange: Math.max(0, toDayNumber(today) - toDayNumber(clock.dayOf(modified))),
    };
    return nextDay === "~" ? progress : Object.assign(progress, { nextDay: nextDay as LocalDate });
  });
}

/** With the first ready task of each. */
export function withNext(
  shown: readonly ProjectProgress[],
  rows: TaskRows,
  today: LocalDate,
): readonly ProjectProgress[] {
  const ready = [isReady(rows, today), condition("task.archived = 0")];
  return shown.map((group) => {
    const { kind, key, ready: total } = group;
    if (total === 0) return group;
    const [id] = rows.view.once(`first ready of ${kind} ${key} in ${rows.scope} on ${today}`, () =>
      kind === "project"
        ? rows.ids([...ready, isNamed(NAME_KINDS.project, key)], CLOSED_LAST, { limit: 1, by: "id" })
        : rows.ids([...ready, isOfArea(key, rows)], CLOSED_LAST, { limit: 1, total }),
    );
    return id === undefined ? group : { ...group, next: rows.one(id) };
  });
}

/** The first spelling. */
function nameOfGroup(kind: ProjectProgress["kind"], key: string, first: number, { view }: TaskRows): string {
  const [name] =
    kind === "project"
      ? (view.get<[Uint8Array]>("SELECT CAST(shown AS BLOB) FROM task_name WHERE id = ?", first) ?? [])
      : (view.get<[Uint8Array | null]>(
          `SELECT CAST(coalesce(area, ${inheritedArea(view, "area")}) AS BLOB) FROM task WHERE id = ?`,
          first,
        ) ?? []);
  return name ? bareName(storedText(name)) : key;
}

function compareProgress(a: ProjectProgress, b: ProjectProgress): number {
  const [first, second] = [a, b].map(({ open, nextDay }) => `${open > 0 ? 0 : 1}${nextDay ?? "9999-99-99"}`);
  if (first !== second) return (first ?? "") < (second ?? "") ? -1 : 1;
  return fold(a.name) < fold(b.name) ? -1 : 1;
}
