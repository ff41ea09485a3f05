/** The results of a task search, loaded page by page. */
import { useCallback, useEffect, useRef } from "preact/hooks";
import type { LiveQuery } from "./live-query.js";
import { type TasksPage, useQuery } from "./page.js";
import type { TaskRow } from "./task-row.js";

/** The server's limit for one answer. */
const MAX_AT_ONCE = 100;

export interface PagedTasks {
  readonly tasks: readonly TaskRow[];
  readonly total: number;
}

export interface TasksQuery {
  readonly query: LiveQuery<PagedTasks>;
  readonly showMore: () => void;
}

/**
 * @param args of `search_tasks`
 * @param pageLength tasks shown at first, and added each time
 */
export function useTasks(args: Readonly<Record<string, unknown>>, pageLength: number): TasksQuery {
  const key = JSON.stringify(args);
  const wanted = useRef(pageLength);
  const query = useQuery(key, (page, signal) => load(page, args, wanted.current, signal), {
    keepsLast: true,
    remembers: true,
  });
  useEffect(() => {
    wanted.current = pageLength;
  }, [key]);
  const showMore = useCallback(() => {
    const { tasks = [], total = 0 } = query.data.value ?? {};
    // The last request may still be running.
    if (tasks.length < wanted.current || tasks.length >= total) return;
    wanted.current += pageLength;
    void query.refresh();
  }, [query]);
  return { query, showMore };
}

async function load({ connection }: TasksPage, args: object, wanted: number, signal: AbortSignal): Promise<PagedTasks> {
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
