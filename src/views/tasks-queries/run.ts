/** Answers a Tasks plugin's query block over the vault's checkbox lines (docs: tasks, "Tasks queries"). */
import { TimeSlice } from "../../async/timers.js";
import { WorkTime } from "../../clock.js";
import { toDayNumber } from "../../dates/days.js";
import type { RefreshOptions } from "../../index/refresh.js";
import type { Condition, SqlValue } from "../../index/subject.js";
import type { IndexView } from "../../index/view.js";
import { lineSettings } from "../../tasks/line-format/line-settings.js";
import {
  type CheckboxLine,
  type LineColumn,
  lineStatuses,
  notePlaces,
  checkboxLines,
  type ShownLine,
  shownLines,
  waitingLines,
} from "../../tasks/rows/checkbox-rows.js";
import { TaskRows } from "../../tasks/rows/task-rows.js";
import { fingerprintText, hashNumber } from "../../text/hash.js";
import type { Vault } from "../../vault/vault.js";
import { faultOf, Misread, RefusedView, type ViewGroup } from "../answer.js";
import { EVERY_LINE, everyOf, type Filter, isSet, type LineSet, type QueryContext } from "./filters.js";
import { columnsOf, firstOf, groupsOf, lineOrder, MAX_GROUPED } from "./sort-and-group.js";
import { type TasksQuery, readStatement, statementReader, type TasksQuerySource } from "./query.js";

export type { TasksQuerySource } from "./query.js";

export type TasksRow = ShownLine;

/** Rows before the page; a task in several groups is a row in each. */
interface Page {
  readonly offset?: number;
  readonly limit?: number;
}

interface TasksAnswer {
  /** All, in order; `rows` are the page's, `total` counts those left by the query's limits. */
  readonly groups: readonly ViewGroup<TasksRow>[];
  /** Of all pages, after the query's limits. */
  readonly count: number;
  /** Before the query's limits. */
  readonly total: number;
  /** Changes with rows or their order. */
  readonly fingerprint: string;
  /** Which a query never finds; 0 unless it found nothing. */
  readonly taskNotes: number;
}

const MAX_SOURCE = 64 * 1024;
const MAX_MS = 2_000;

/** @throws RefusedView when a clause cannot be answered */
export async function runTasksQuery(
  source: TasksQuerySource,
  vault: Pick<Vault, "index" | "clock">,
  page: Page = {},
  options: RefreshOptions = {},
): Promise<TasksAnswer> {
  const { index } = vault;
  // Another call may change rows between two turns.
  return await index.ask({ ...options, rows: ["checkboxes", "tasks"] }, async (view) => {
    for (let latest = view; ; latest = index.latest ?? latest) {
      const found = await answerFrom(latest, source, vault.clock, page, options.signal);
      if (index.latest === latest || index.latest === undefined) return found;
    }
  });
}

async function answerFrom(
  view: IndexView,
  source: TasksQuerySource,
  clock: Vault["clock"],
  { offset = 0, limit = Infinity }: Page,
  signal?: AbortSignal,
): Promise<TasksAnswer> {
  const statuses = lineStatuses(view.settings.tasksPlugin.statuses);
  const slice = new TimeSlice(signal);
  const about: QueryContext = {
    today: toDayNumber(clock.today()),
    form: lineSettings(view.settings, {}).form,
    statuses,
    notes: notePlaces(view),
    waiting: () => waitingLines(view, about),
  };
  const work = new WorkTime();

  /** Sets of lines are sought among lines that meet all other filters. */
  async function whereOf(filters: readonly Filter[]): Promise<Condition> {
    const isSimple = ({ values }: Filter): boolean => !values.some(isSet);
    // Conditions on texts last: each reads another row.
    const simple = filters.filter(isSimple).toSorted((one, other) => cost(one) - cost(other));
    const first = await said(everyOf(simple), EVERY_LINE);
    return both(first, await said(everyOf(filters.filter((filter) => !isSimple(filter))), first));
  }

  async function said({ sql, values }: Filter, candidates: Condition): Promise<Condition> {
    const found: SqlValue[] = [];
    for (const value of values) found.push(isSet(value) ? JSON.stringify(await idsIn(value, candidates)) : value);
    return { sql, values: found };
  }

  async function idsIn({ where, value }: LineSet, candidates: Condition): Promise<readonly number[]> {
    const condition = where === undefined ? candidates : both(candidates, await said(where, candidates));
    return (await linesFor(condition, value ? [value.column] : [], value?.fits)).lines.map(({ id }) => id);
  }

  async function linesFor(where: Condition, columns: readonly LineColumn[], fits?: (line: CheckboxLine) => boolean) {
    const found: CheckboxLine[] = [];
    let mark = 0;
    for (const { lines, mark: own } of checkboxLines(view, { ...about, where, columns })) {
      for (const line of lines) if (!fits || fits(line)) found.push(line);
      mark = (mark + own) | 0;
      if (work.exceeds(MAX_MS)) throw refused(source, `the query takes longer than ${MAX_MS / 1000} s`);
      if (!slice.isOver) continue;
      work.pause();
      await slice.yield();
      work.resume();
    }
    return { lines: found, mark };
  }

  const query = readQuery(statementReader(source, view.settings.tasksQueries), source, about);
  const { filters, sorters, groupers, limit: most, groupLimit } = query;
  const { lines, mark } = await linesFor(await whereOf(filters), columnsOf(sorters, groupers));
  const order = lineOrder(sorters, about);
  const total = lines.length;
  const groups = groupsOf(most < total ? firstOf(lines, most, order) : lines, groupers, about);
  if (groups === undefined) throw refused(source, `the groups repeat lines more than ${MAX_GROUPED} times`);
  let count = 0;
  const shown = groups.map(({ labels, lines: own }) => {
    const size = labels.length === 0 ? own.length : Math.min(own.length, groupLimit);
    const [from, to] = [Math.max(offset - count, 0), Math.min(offset + limit - count, size)];
    count += size;
    const page = from < to ? firstOf(own, to, order).slice(from) : [];
    const rows = shownLines(view, page);
    return { labels, total: size, rows };
  });
  return {
    groups: shown,
    count,
    total,
    fingerprint: fingerprintText(
      mark ^ hashNumber(JSON.stringify([query.statements, about.today, view.settings.tasksPlugin.statuses])),
    ),
    taskNotes: total > 0 ? 0 : new TaskRows(view, clock).total([{ sql: "task.line = 0", values: [] }]),
  };
}

const both = (one: Condition, other: Condition): Condition => ({
  sql: `(${one.sql}) AND (${other.sql})`,
  values: [...one.values, ...other.values],
});
const cost = ({ sql }: Filter): number => Number(sql.includes("checkbox_text"));

function readQuery(
  reader: ReturnType<typeof statementReader>,
  source: TasksQuerySource,
  about: QueryContext,
): TasksQuery {
  if (Buffer.byteLength(source.text) > MAX_SOURCE)
    throw refused(source, `the query has more than ${MAX_SOURCE / 1024} KiB`);
  const statements = reader.read();
  const query: TasksQuery = {
    statements: statements.map(({ text }) => text),
    filters: [],
    sorters: [],
    groupers: [],
    limit: Infinity,
    groupLimit: Infinity,
  };
  for (const statement of statements)
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
  return new RefusedView([faultOf(clause, `line ${firstLine}`, new Misread(reason))]);
}
