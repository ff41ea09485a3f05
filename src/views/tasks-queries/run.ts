/** Answers a block of the Tasks plugin's query language over the vault's checkbox lines (docs: tasks, "Tasks queries"). */
import { TimeSlice } from "../../async/yield-to-loop.js";
import { stopwatch } from "../../clock.js";
import { toDayNumber } from "../../dates/days.js";
import type { RefreshOptions } from "../../index/refresh.js";
import type { Condition } from "../../index/subject.js";
import type { IndexView } from "../../index/view.js";
import {
  checkboxLines,
  type CheckboxLine,
  LineStatuses,
  notePlaces,
  type ShownLine,
  shownLines,
  waitingLines,
} from "../../tasks/rows/checkbox-rows.js";
import { TaskRows } from "../../tasks/rows/task-rows.js";
import type { Vault } from "../../vault/vault.js";
import { RefusedView, type ViewGroup } from "../answer.js";
import type { QuerySurroundings } from "./filters.js";
import { groupsOf, type LineGroup, MAX_GROUPED, sorted } from "./order.js";
import { type TasksQuery, readStatement } from "./query.js";
import { StatementReader, type TasksQuerySource } from "./statements.js";

export type { TasksQuerySource } from "./statements.js";

export type TasksRow = ShownLine;

/** Rows of the answer before the page; a task in several groups is a row in each. */
interface Page {
  readonly offset?: number;
  readonly limit?: number;
}

interface TasksAnswer {
  /** All groups, in order. `rows` are those of the page; `total` counts those that the query's limits leave. */
  readonly groups: readonly ViewGroup<TasksRow>[];
  /** Rows of all groups and pages, after the query's limits. */
  readonly count: number;
  /** Tasks that the filters find, before the query's limits. */
  readonly total: number;
  /** Another one when other rows are found, or the same in another order: for cursors. */
  readonly fingerprint: string;
  readonly warnings: readonly string[];
  /** Notes that are tasks, which a query never finds; 0 unless it found nothing. */
  readonly taskNotes: number;
}

const MAX_SOURCE = 64 * 1024;
const MAX_MS = 2_000;
/** SQLite refuses a statement of very many conditions. */
const MAX_IN_SQL = 100;

/** @throws RefusedView when a clause cannot be answered */
export async function runTasksQuery(
  source: TasksQuerySource,
  vault: Pick<Vault, "index" | "clock">,
  page: Page = {},
  options: RefreshOptions = {},
): Promise<TasksAnswer> {
  const { index } = vault;
  // Another call may change rows between two turns: then this one reads them again.
  return await index.ask({ ...options, rows: ["checkboxes", "tasks"] }, async (view) => {
    for (let latest = view; ; latest = index.latest ?? latest) {
      const found = await answered(source, latest, vault, page, new TimeSlice(options.signal));
      if (index.latest === latest || index.latest === undefined) return found;
    }
  });
}

async function answered(
  source: TasksQuerySource,
  view: IndexView,
  { clock }: Pick<Vault, "clock">,
  { offset = 0, limit = Infinity }: Page,
  slice: TimeSlice,
): Promise<TasksAnswer> {
  const { tasksPlugin, tasksQueries } = view.settings;
  const [statuses, notes] = [new LineStatuses(tasksPlugin.statuses), notePlaces(view)];
  const about: QuerySurroundings = {
    today: toDayNumber(clock.today()),
    statuses,
    notes,
    waiting: () => waitingLines(view, statuses),
  };
  const query = readQuery(new StatementReader(source, tasksQueries), source, about);
  const { filters, sorters, groupers, limit: most, groupLimit } = query;
  // Conditions on texts last: each reads another row.
  const inSql = filters.slice(0, MAX_IN_SQL).filter(({ sql }) => sql !== undefined);
  const where = inSql.flatMap(({ sql }) => sql ?? []).toSorted((one, other) => cost(one) - cost(other));
  const tests = filters.filter((filter) => !inSql.includes(filter));
  const withTexts = [...tests, ...sorters, ...groupers].some(({ readsTexts }) => readsTexts);
  const lines: CheckboxLine[] = [];
  let [worked, since] = [0, stopwatch()];
  for (const some of checkboxLines(view, { notes, statuses, where, withTexts })) {
    for (const line of some) if (tests.every(({ test }) => test(line))) lines.push(line);
    worked += stopwatch() - since;
    if (worked > MAX_MS) throw refused(source, `the query takes longer than ${MAX_MS / 1000} s`);
    if (slice.isOver) await slice.yield();
    since = stopwatch();
  }
  const groups = groupsOf(sorted(lines, sorters, about.today).slice(0, most), groupers, groupLimit, about.today);
  if (groups === undefined) throw refused(source, `the groups repeat lines more than ${MAX_GROUPED} times`);
  return {
    groups: pageOf(groups, offset, limit, view),
    count: groups.reduce((count, group) => count + group.lines.length, 0),
    total: lines.length,
    fingerprint: fingerprintOf(groups),
    warnings: [],
    taskNotes: lines.length > 0 ? 0 : new TaskRows(view, clock).total([{ sql: "task.line = 0", values: [] }]),
  };
}

const cost = ({ sql }: Condition): number => Number(sql.includes("checkbox_text"));

function readQuery(reader: StatementReader, source: TasksQuerySource, about: QuerySurroundings): TasksQuery {
  if (Buffer.byteLength(source.text) > MAX_SOURCE)
    throw refused(source, `the query has more than ${MAX_SOURCE / 1024} KiB`);
  const query: TasksQuery = {
    filters: [],
    sorters: [],
    groupers: [],
    limit: Infinity,
    groupLimit: Infinity,
  };
  for (const statement of reader.read())
    try {
      readStatement(statement.text, query, about);
    } catch (error) {
      reader.fault(statement, error);
    }
  if (reader.faults.length > 0) throw new RefusedView(reader.faults);
  if (query.columns !== undefined) query.groupers.unshift(query.columns);
  return query;
}

function refused({ text, firstLine }: TasksQuerySource, reason: string): RefusedView {
  const [clause = ""] = text.trim().split("\n");
  return new RefusedView([{ clause: clause.slice(0, 80), place: `line ${firstLine}`, reason }]);
}

function pageOf(groups: readonly LineGroup[], offset: number, limit: number, view: IndexView): ViewGroup<TasksRow>[] {
  let before = 0;
  return groups.map(({ labels, lines }) => {
    const [from, to] = [Math.max(offset - before, 0), Math.max(offset + limit - before, 0)];
    before += lines.length;
    return { labels, total: lines.length, rows: shownLines(view, lines.slice(from, to)) };
  });
}

function fingerprintOf(groups: readonly LineGroup[]): string {
  let [low, high] = [groups.length, 9];
  for (const { lines } of groups)
    for (const { id } of lines) {
      low = Math.imul(low ^ (id % 2 ** 32), 0x01000193);
      high = Math.imul(high ^ Math.floor(id / 2 ** 22), 0x85ebca6b) ^ low;
    }
  return ((high >>> 0) * 2 ** 21 + (low & 0x1fffff)).toString(36);
}
