/** A column of the board: its cards a page at a time, its whole height a drop target (docs: web, "Views", "Stack"). */
import type { JSX } from "preact";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { useDrop } from "../parts/dragging.js";
import { searchArguments } from "../parts/filter-bar.js";
import { QueryState } from "../parts/query-state.js";
import { TaskList } from "../parts/task-list.js";
import { type TasksPage, usePage, useQuery } from "../state/page.js";
import { canChange, setStatus, statusName } from "../state/task-actions.js";
import { canHold, type ColumnStatus, isColumnStatus, type TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";

const PAGE_LENGTH = 50;
/** The most that the server returns in one call. */
const MAX_AT_ONCE = 100;
/** Longer columns need a filter. */
const MAX_SHOWN = 500;

/** Other columns have the agenda's order. */
const LATEST_FIRST: ReadonlySet<string> = new Set(["Done", "Cancelled"]);

interface Loaded {
  readonly tasks: readonly TaskRow[];
  readonly total: number;
}

/** The first `wanted` tasks of a column, loaded in several calls if needed. */
async function load({ connection }: TasksPage, args: object, wanted: number, signal: AbortSignal): Promise<Loaded> {
  const tasks = new Map<string, TaskRow>();
  let cursor: string | undefined;
  let total = 0;
  do {
    const limit = Math.min(wanted - tasks.size, MAX_AT_ONCE);
    const part = await connection.call("search_tasks", { ...args, limit, ...(cursor && { cursor }) }, { signal });
    for (const task of part.tasks) tasks.set(task.id, task);
    ({ cursor, total } = part);
    if (part.tasks.length === 0) break;
  } while (cursor !== undefined && tasks.size < wanted);
  return { tasks: [...tasks.values()], total };
}

export interface BoardColumnProps {
  /** `Cancelled` and `Other` are only shown: no tool sets them. */
  readonly status: ColumnStatus | "Cancelled" | "Other";
  readonly today: string;
  readonly onTags: (tags: readonly string[]) => void;
}

export function BoardColumn({ status, today, onTags }: BoardColumnProps): JSX.Element | null {
  const page = usePage();
  const column = useRef<HTMLElement>(null);
  const wanted = useRef(PAGE_LENGTH);
  const filters = page.address.filters.value;
  const args = {
    ...searchArguments(filters),
    status: [status],
    sort: LATEST_FIRST.has(status) ? "modified" : "agenda",
  };
  const key = JSON.stringify(args);
  const query = useQuery(key, (from, signal) => load(from, args, wanted.current, signal), true);
  const loaded = query.data.value;
  const isOver = useDrop(
    column,
    isColumnStatus(status) ? (task) => void setStatus(page, task, status) : undefined,
    (task) => canHold(task, status),
  );

  useEffect(() => {
    wanted.current = PAGE_LENGTH;
  }, [key]);
  useEffect(() => onTags(loaded?.tasks.flatMap(({ tags = [] }) => tags) ?? []), [loaded]);
  const onEnd = useCallback(() => {
    const { tasks = [], total = 0 } = query.data.value ?? {};
    if (tasks.length < wanted.current || tasks.length >= total || wanted.current >= MAX_SHOWN) return;
    wanted.current += PAGE_LENGTH;
    void query.refresh();
  }, [query]);

  const tasks = rowsOf(page, loaded?.tasks ?? [], status);
  const total = (loaded?.total ?? 0) + tasks.length - (loaded?.tasks.length ?? 0);
  // Most vaults have no statuses of their own.
  if (status === "Other" && total === 0) return null;
  const name = status === "Other" ? WORDS.other : statusName(status);
  const id = `column-${status.replace(" ", "-")}`;
  const beyond = tasks.length >= MAX_SHOWN ? total - tasks.length : 0;
  return (
    <section class={isOver.value ? "column over" : "column"} ref={column} aria-labelledby={id} data-status={status}>
      <h2 id={id}>
        <span class="status-dot" />
        {name} <span class="count">{loaded ? total.toLocaleString("en") : ""}</span>
      </h2>
      {status === "Other" && <p class="hint">{WORDS.otherHelp}</p>}
      <QueryState query={query} />
      {loaded && tasks.length === 0 && status !== "Other" && <p class="empty">{WORDS.emptyColumn[status]}</p>}
      <TaskList
        name={status}
        label={WORDS.tasksIn(name)}
        tasks={tasks}
        total={total}
        today={today}
        isDraggable={canChange(page)}
        onEnd={onEnd}
      />
      {beyond > 0 && <p class="hint">{WORDS.tooManyShown(beyond)}</p>}
    </section>
  );
}

/** The column's tasks with pending changes: without those that leave it, with those that come to it on top. */
function rowsOf(
  { changes }: TasksPage,
  tasks: readonly TaskRow[],
  status: BoardColumnProps["status"],
): readonly TaskRow[] {
  const drawn = changes.drawn.value;
  if (drawn.size === 0) return tasks;
  const isHere = (row: TaskRow) =>
    status === "Other" ? !isColumnStatus(row.status) && row.status !== "Cancelled" : row.status === status;
  const known = new Set(tasks.map(({ id }) => id));
  const coming = [...drawn].flatMap(([id, row]) => (!known.has(id) && isHere(row) ? [row] : []));
  return [...coming, ...tasks.map((task) => changes.seen(task)).filter(isHere)];
}
