/** Answers a block of the Tasks plugin's query language over the vault's checkbox lines (docs: tasks, "Tasks queries"). */
import { TimeSlice } from "../../async/yield-to-loop.js";
import { stopwatch } from "../../clock.js";
import { toDayNumber } from "../../dates/days.js";
import type { RefreshOptions } from "../../index/refresh.js";
import type { Condition, SqlValue } from "../../index/subject.js";
import type { IndexView } from "../../index/view.js";
import {
  CheckboxLines,
  type LineColumn,
  LineStatuses,
  notePlaces,
  type ShownLine,
  shownLines,
  waitingLines,
} from "../../tasks/rows/checkbox-rows.js";
import { TaskRows } from "../../tasks/rows/task-rows.js";
import type { Vault } from "../../vault/vault.js";
import { RefusedView, type ViewGroup } from "../answer.js";
import { EVERY_LINE, everyOf, type Filter, isSet, type LineSet } from "./filter-sql.js";
import type { QuerySurroundings } from "./filters.js";
import { columnsOf, groupsOf, type LineGroup, MAX_GROUPED, sorted } from "./order.js";
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
  /** For cursors: another one when rows or their order differ. */
  readonly fingerprint: string;
  readonly warnings: readonly string[];
  /** Notes that are tasks, which a query never finds; 0 unless it found nothing. */
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
  // Another call may change rows between two turns: then this one reads them again.
  return await index.ask({ ...options, rows: ["checkboxes", "tasks"] }, async (view) => {
    for (let latest = view; ; latest = index.latest ?? latest) {
      const found = await new QueryRun(source, latest, vault, options.signal).answer(page);
      if (index.latest === latest || index.latest === undefined) return found;
    }
  });
}

class QueryRun {
  readonly #source: TasksQuerySource;
  readonly #view: IndexView;
  readonly #clock: Vault["clock"];
  readonly #slice: TimeSlice;
  readonly #about: QuerySurroundings;
  #worked = 0;

  constructor(source: TasksQuerySource, view: IndexView, { clock }: Pick<Vault, "clock">, signal?: AbortSignal) {
    this.#source = source;
    this.#view = view;
    this.#clock = clock;
    this.#slice = new TimeSlice(signal);
    const statuses = new LineStatuses(view.settings.tasksPlugin.statuses);
    this.#about = {
      today: toDayNumber(clock.today()),
      statuses,
      notes: notePlaces(view),
      waiting: () => waitingLines(view, statuses),
    };
  }

  async answer({ offset = 0, limit = Infinity }: Page): Promise<TasksAnswer> {
    const [source, view] = [this.#source, this.#view];
    const { today, notes } = this.#about;
    const query = readQuery(new StatementReader(source, view.settings.tasksQueries), source, this.#about);
    const { filters, sorters, groupers, limit: most, groupLimit } = query;
    const lines = await this.#lines(await this.#whereOf(filters), columnsOf(sorters, groupers));
    const places = Array.from(sorted(lines, sorters, today).subarray(0, most));
    const groups = groupsOf(lines, places, { groupers, limit: groupLimit, today });
    if (groups === undefined) throw refused(source, `the groups repeat lines more than ${MAX_GROUPED} times`);
    let before = 0;
    const shown = groups.map(({ labels, lines: own }) => {
      const page = own.slice(Math.max(offset - before, 0), Math.max(offset + limit - before, 0));
      before += own.length;
      const ids = page.map((place) => lines.ids[place] ?? 0);
      return { labels, total: own.length, rows: ids.length === 0 ? [] : shownLines(view, ids, notes) };
    });
    const total = lines.ids.length;
    return {
      groups: shown,
      count: before,
      total,
      fingerprint: fingerprintOf(groups, lines.ids),
      warnings: [],
      taskNotes: total > 0 ? 0 : new TaskRows(view, this.#clock).total([{ sql: "task.line = 0", values: [] }]),
    };
  }

  async #whereOf(filters: readonly Filter[]): Promise<Condition> {
    const isSimple = ({ values }: Filter): boolean => !values.some(isSet);
    // Conditions on texts last: each reads another row.
    const simple = filters.filter(isSimple).toSorted((one, other) => cost(one) - cost(other));
    const first = await this.#said(everyOf(simple), EVERY_LINE);
    return both(first, await this.#said(everyOf(filters.filter((filter) => !isSimple(filter))), first));
  }

  async #said({ sql, values }: Filter, candidates: Condition): Promise<Condition> {
    const found: SqlValue[] = [];
    for (const value of values) found.push(isSet(value) ? JSON.stringify(await this.#idsIn(value, candidates)) : value);
    return { sql, values: found };
  }

  async #idsIn({ where, text }: LineSet, candidates: Condition): Promise<readonly number[]> {
    const condition = where === undefined ? candidates : both(candidates, await this.#said(where, candidates));
    if (text === undefined) return (await this.#lines(condition, [])).ids;
    const ids: number[] = [];
    await this.#lines(condition, [text.column], (lines, at) => {
      if (text.fits(lines.textAt(at, text.column))) ids.push(lines.ids[at] ?? 0);
    });
    return ids;
  }

  async #lines(
    where: Condition,
    columns: readonly LineColumn[],
    visit?: (lines: CheckboxLines, at: number) => void,
  ): Promise<CheckboxLines> {
    const lines = new CheckboxLines({ ...this.#about, where, columns });
    let [since, visited] = [stopwatch(), 0];
    for (const count of lines.read(this.#view)) {
      if (visit) while (visited < count) visit(lines, visited++);
      this.#worked += stopwatch() - since;
      if (this.#worked > MAX_MS) throw refused(this.#source, `the query takes longer than ${MAX_MS / 1000} s`);
      if (this.#slice.isOver) await this.#slice.yield();
      since = stopwatch();
    }
    return lines;
  }
}

const both = (one: Condition, other: Condition): Condition => ({
  sql: `(${one.sql}) AND (${other.sql})`,
  values: [...one.values, ...other.values],
});
const cost = ({ sql }: Filter): number => Number(sql.includes("checkbox_text"));

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

function fingerprintOf(groups: readonly LineGroup[], ids: readonly number[]): string {
  let [low, high] = [groups.length, 9];
  for (const { lines } of groups)
    for (const place of lines) {
      const id = ids[place] ?? 0;
      low = Math.imul(low ^ (id % 2 ** 32), 0x01000193);
      high = Math.imul(high ^ Math.floor(id / 2 ** 22), 0x85ebca6b) ^ low;
    }
  return ((high >>> 0) * 2 ** 21 + (low & 0x1fffff)).toString(36);
}
