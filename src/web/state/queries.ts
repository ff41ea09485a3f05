/** Repeatable queries; the latest answer stays until a newer one arrives. */
import { signal } from "@preact/signals";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { ToolAnswers, ToolArguments, ToolName } from "../transport/transport.js";
import { usePage } from "./page.js";
import type { TaskRow } from "./task-row.js";

export class LiveQuery<T> {
  readonly data = signal<T | undefined>(undefined);
  /** Of the latest attempt; earlier data stays. */
  readonly failure = signal<Error | undefined>(undefined);
  readonly #load: (signal: AbortSignal) => Promise<T>;
  readonly #ended = new AbortController();
  #running: Promise<void> | undefined;
  #isStale = false;
  #isBorrowed: boolean;

  /**
   * @param known an earlier answer
   * @param borrowed another key's answer, shown until the first; a failure drops it
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
 * Ends with its component. Shows its latest answer immediately, even offline.
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
      const answer = await load((name, args) => page.connection.call(name, args, { signal, isShared: true }));
      page.remember(key, answer);
      // Asked before a tick, it may come later.
      await page.changes.released();
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

export function useCall<Name extends ToolName>(name: Name, args: ToolArguments): LiveQuery<ToolAnswers[Name]> {
  return useQuery(JSON.stringify([name, args]), (call) => call(name, args));
}

/** Runs `work` after a pause without changes of what it depends on. @param work its signal aborts what it began */
export function useLater(pauseMs: number, work: (signal: AbortSignal) => unknown, on: readonly unknown[]): void {
  useEffect(() => {
    const ended = new AbortController();
    const timer = setTimeout(() => void work(ended.signal), pauseMs);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, on);
}

/** The server's limit for one answer. */
const MAX_AT_ONCE = 100;

/** All answers of a list. @param count of items wanted */
export async function* pagesOf<Name extends ToolName>(
  call: CallTool,
  name: Name,
  args: ToolArguments,
  count = Infinity,
  atOnce = MAX_AT_ONCE,
) {
  let next: object | undefined = {};
  for (let asked = 0; next !== undefined && asked < count;) {
    const limit = Math.min(count - asked, atOnce);
    const answer: ToolAnswers[Name] = await call(name, { ...args, ...next, limit });
    asked += limit;
    next = placeAfter(answer);
    yield answer;
  }
}

/** Where a list continues; undefined at its end. `get_agenda` names the list in it. */
function placeAfter(answer: object): object | undefined {
  const {
    cursor,
    projectCursor,
    areaCursor,
    next_offset: offset,
    sections,
  } = answer as {
    readonly [name in "cursor" | "projectCursor" | "areaCursor"]?: string;
  } & { readonly next_offset?: number; readonly sections?: readonly { readonly cursor?: string }[] };
  const found = cursor ?? projectCursor ?? areaCursor ?? sections?.[0]?.cursor;
  if (found !== undefined) return { cursor: found };
  return offset === undefined ? undefined : { offset };
}

export async function everyItem<Name extends ToolName, Item>(
  call: CallTool,
  name: Name,
  args: ToolArguments,
  partOf: (answer: ToolAnswers[Name]) => readonly Item[],
  atOnce = MAX_AT_ONCE,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const answer of pagesOf(call, name, args, Infinity, atOnce)) items.push(...partOf(answer));
  return items;
}

interface List<Item> {
  readonly items: readonly Item[];
  /** Includes those not loaded. */
  readonly total: number;
  readonly hasMore: boolean;
}

interface ListQuery<Item> extends List<Item> {
  readonly query: LiveQuery<List<Item>>;
  /** Does nothing while loading and at the end. @param count of pages */
  readonly showMore: (count?: number) => Promise<void>;
}

interface ListOptions<Item> {
  readonly max?: number | undefined;
  /** From another answer: calls nothing until more is wanted. */
  readonly first?: List<Item>;
}

/**
 * A list loaded by pages.
 * @param pageLength items shown at first, and added each time
 */
export function useList<Name extends ToolName, Item>(
  name: Name,
  args: ToolArguments,
  pageLength: number,
  partOf: (answer: ToolAnswers[Name]) => readonly [items: readonly Item[], total: number],
  { max = Infinity, first }: ListOptions<Item> = {},
): ListQuery<Item> {
  const key = JSON.stringify([name, args]);
  const count = useMemo(() => ({ wanted: pageLength, loaded: 0 }), [key]);
  const given = useRef(first);
  given.current = first;
  const isFirst = () => given.current !== undefined && count.wanted <= pageLength;
  const load = async (call: CallTool): Promise<List<Item>> => {
    const { wanted } = count;
    const items: Item[] = [];
    let [total, hasMore] = [0, false];
    if (!isFirst())
      for await (const answer of pagesOf(call, name, args, wanted)) {
        const [part, all] = partOf(answer);
        items.push(...part);
        total = all;
        hasMore = placeAfter(answer) !== undefined;
      }
    count.loaded = wanted;
    return isFirst() && given.current ? given.current : { items, total, hasMore };
  };
  const query = useQuery(key, load, { keepsLast: true });
  const shown = (latest = query.data.peek()) => (isFirst() ? given.current : (latest ?? given.current)) ?? NONE;
  const showMore = useCallback(
    async (pages = 1) => {
      if (count.loaded < count.wanted || count.wanted >= max || !shown().hasMore) return;
      count.wanted = Math.min(count.wanted + pages * pageLength, max);
      await query.refresh();
    },
    [query],
  );
  return { query, showMore, ...shown(query.data.value) };
}

const NONE: List<never> = { items: [], total: 0, hasMore: false };

export function useTasks(args: ToolArguments, pageLength: number, max?: number): ListQuery<TaskRow> {
  return useList("search_tasks", args, pageLength, ({ tasks, total }) => [tasks, total] as const, { max });
}
