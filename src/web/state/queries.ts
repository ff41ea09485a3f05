/** Repeatable queries of components; the latest answer stays until a newer one arrives. */
import { signal } from "@preact/signals";
import { useCallback, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { ToolAnswers, ToolArguments, ToolName } from "../carrier/carrier.js";
import { usePage } from "./page.js";
import type { TaskRow } from "./task-row.js";

export class LiveQuery<T> {
  readonly data = signal<T | undefined>(undefined);
  /** Of the latest try; earlier data stays. */
  readonly failure = signal<Error | undefined>(undefined);
  readonly #load: (signal: AbortSignal) => Promise<T>;
  readonly #ended = new AbortController();
  #running: Promise<void> | undefined;
  #isStale = false;
  #isBorrowed: boolean;

  /**
   * @param known an earlier answer to this question
   * @param borrowed shown while there is none; a failure drops it
   */
  constructor(load: (signal: AbortSignal) => Promise<T>, known?: T, borrowed?: T) {
    this.#load = load;
    this.data.value = known ?? borrowed;
    this.#isBorrowed = known === undefined;
  }

  /** Requests during a run cause one more run, because its answer may be outdated. */
  refresh(): Promise<void> {
    this.#isStale = true;
    return (this.#running ??= this.#run());
  }

  end(): void {
    this.#ended.abort();
  }

  async #run(): Promise<void> {
    while (this.#isStale && !this.#ended.signal.aborted) {
      this.#isStale = false;
      await this.#ask();
    }
    this.#running = undefined;
  }

  async #ask(): Promise<void> {
    const { signal } = this.#ended;
    try {
      const data = await this.#load(signal);
      if (signal.aborted) return;
      // Most changes in the vault leave the answer unchanged: nothing to redraw.
      if (JSON.stringify(data) !== JSON.stringify(this.data.peek())) this.data.value = data;
      this.#isBorrowed = false;
      this.failure.value = undefined;
    } catch (error) {
      if (signal.aborted) return;
      if (this.#isBorrowed) this.data.value = undefined;
      this.failure.value = error instanceof Error ? error : new Error(String(error));
    }
  }
}

export type CallTool = <Name extends ToolName>(name: Name, args: ToolArguments) => Promise<ToolAnswers[Name]>;

/**
 * A query that ends with its component. Its latest answer is shown immediately, also without the server.
 * @param key what it depends on
 */
export function useQuery<T>(
  key: string,
  load: (call: CallTool) => Promise<T>,
  /** Shows the previous key's answer meanwhile. */
  { keepsLast = false } = {},
): LiveQuery<T> {
  const page = usePage();
  const last = useRef<LiveQuery<T> | undefined>(undefined);
  const query = useMemo(() => {
    const loaded = async (signal: AbortSignal) => {
      const answer = await load((name, args) => page.connection.call(name, args, { signal }));
      page.remember(key, answer);
      return answer;
    };
    const borrowed = keepsLast ? last.current?.data.peek() : undefined;
    return (last.current = new LiveQuery<T>(loaded, page.remembered(key) as T | undefined, borrowed));
  }, [page, key]);
  // Before painting, so that the server works meanwhile.
  useLayoutEffect(() => {
    const remove = page.add(query);
    void query.refresh();
    return remove;
  }, [page, query]);
  return query;
}

/** One call of a tool. */
export function useCall<Name extends ToolName>(name: Name, args: ToolArguments): LiveQuery<ToolAnswers[Name]> {
  return useQuery(JSON.stringify([name, args]), (call) => call(name, args));
}

interface PagedQuery<T> {
  readonly query: LiveQuery<T & { readonly hasMore: boolean }>;
  /** Does nothing while it loads, and at the end. */
  readonly showMore: () => void;
}

/** The server's limit for one answer. */
const MAX_AT_ONCE = 100;

/**
 * Calls of a tool that follow its cursor.
 * @param pageLength items shown at first, and added each time
 * @param collect makes one answer of several
 * @param max items at most
 */
export function usePages<Name extends ToolName, T extends object>(
  name: Name,
  args: ToolArguments,
  pageLength: number,
  collect: (answers: readonly ToolAnswers[Name][]) => T,
  max = Infinity,
): PagedQuery<T> {
  const key = JSON.stringify([name, args]);
  const count = useMemo(() => ({ wanted: pageLength, loaded: 0 }), [key]);
  const load = async (call: CallTool) => {
    const { wanted } = count;
    const answers: ToolAnswers[Name][] = [];
    let cursor: string | undefined;
    let asked = 0;
    do {
      const limit = Math.min(wanted - asked, MAX_AT_ONCE);
      const answer = await call(name, { ...args, limit, ...(cursor && { cursor }) });
      answers.push(answer);
      asked += limit;
      cursor = nextCursor(answer);
    } while (cursor !== undefined && asked < wanted);
    count.loaded = wanted;
    return { ...collect(answers), hasMore: cursor !== undefined };
  };
  const query = useQuery(key, load, { keepsLast: true });
  const showMore = useCallback(() => {
    if (count.loaded < count.wanted || count.wanted >= max || query.data.peek()?.hasMore !== true) return;
    count.wanted += pageLength;
    void query.refresh();
  }, [query]);
  return { query, showMore };
}

/** Of one list; `get_agenda` names the list in it. */
function nextCursor(answer: object): string | undefined {
  const { cursor, projectCursor, areaCursor }: Partial<Record<string, string>> = { ...answer };
  return cursor ?? projectCursor ?? areaCursor;
}

/** @param args of `search_tasks` */
export function useTasks(args: ToolArguments, pageLength: number, max?: number) {
  return usePages("search_tasks", args, pageLength, collectTasks, max);
}

function collectTasks(answers: readonly ToolAnswers["search_tasks"][]) {
  // A change between two answers may list a task twice.
  const tasks = new Map(answers.flatMap((answer) => answer.tasks).map((task): [string, TaskRow] => [task.id, task]));
  return { tasks: [...tasks.values()], total: answers.at(-1)?.total ?? 0 };
}
