/** All that the page knows and can do, handed to every part of it. */
import { type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Carrier } from "../carrier/carrier.js";
import { PageAddress } from "./address.js";
import { Connection } from "./connection.js";
import { LiveQuery } from "./live-query.js";
import { Notices } from "./notices.js";
import { TaskSelection } from "./selection.js";
import { TaskChanges } from "./task-changes.js";
import type { ColumnStatus, TaskRow } from "./task-row.js";

/** Asks for one value: a day, or a name that is completed. */
export interface Question {
  readonly kind: "day" | "text" | "area" | "project" | "tag" | "lane";
  /** The note whose lanes are completed. */
  readonly path?: string;
  /** Several names, with commas between them. */
  readonly isList?: boolean;
  readonly label: string;
  readonly value?: string | undefined;
  /** @param answer empty for none */
  readonly onAnswer: (answer: string) => void;
}

/** What holds of tasks that are added in a place: in a column, a group or a project. */
export interface AddPlace {
  readonly status?: ColumnStatus | undefined;
  readonly area?: string | undefined;
  readonly project?: string | undefined;
  readonly priority?: string | undefined;
}

/** What lies over the view, in addition to the drawer that the address opens. */
export type Overlay =
  | { readonly kind: "none" }
  | { readonly kind: "search"; readonly onChoose?: ((task: TaskRow) => void) | undefined }
  | { readonly kind: "add"; readonly place?: AddPlace }
  | { readonly kind: "keys" }
  | { readonly kind: "ask"; readonly question: Question }
  | { readonly kind: "move"; readonly task: TaskRow; readonly anchor: HTMLElement };

const NO_OVERLAY: Overlay = { kind: "none" };

export class TasksPage {
  readonly connection: Connection;
  readonly address: PageAddress;
  readonly notices = new Notices();
  readonly changes: TaskChanges;
  readonly selection = new TaskSelection();
  readonly overlay: Signal<Overlay> = signal(NO_OVERLAY);
  #beginning: Promise<void> | undefined;
  readonly #queries = new Set<LiveQuery<unknown>>();

  constructor(carrier: Carrier, address = new PageAddress()) {
    this.address = address;
    this.connection = new Connection(carrier);
    this.changes = new TaskChanges(this.connection, this.notices, () => this.reread());
    this.#follow(carrier);
  }

  /** Asks again for everything the page shows. */
  async reread(): Promise<void> {
    await Promise.all([...this.#queries].map(async (query) => query.refresh()));
  }

  /** After a login: what was offered before may have been too little. */
  begin(): Promise<void> {
    return (this.#beginning ??= this.connection
      .learnTools()
      .catch(() => {})
      .finally(() => (this.#beginning = undefined)));
  }

  add(query: LiveQuery<unknown>): () => void {
    this.#queries.add(query);
    return () => {
      this.#queries.delete(query);
      query.end();
    };
  }

  closeOverlay(): void {
    this.overlay.value = NO_OVERLAY;
  }

  #follow(carrier: Carrier): void {
    let hasBeenConnected = false;
    carrier.follow({
      loggedOut: () => (this.connection.needsLogin.value = true),
      changed: () => void this.reread(),
      connected: (isConnected) => {
        this.connection.isOnline.value = isConnected;
        // Another tab may have logged in for all.
        if (isConnected) this.connection.needsLogin.value = false;
        // Changes made while nobody listened; the first time, those since the first answers.
        const hasRead = this.connection.readAt.value !== undefined;
        if (isConnected && (hasBeenConnected || hasRead)) void this.reread();
        if (isConnected && this.connection.tools.value === undefined) void this.begin();
        hasBeenConnected ||= isConnected;
      },
    });
  }
}

export const PageContext = createContext<TasksPage | undefined>(undefined);

export function usePage(): TasksPage {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error("outside of the page");
  return page;
}

/**
 * A question asked for as long as its part is on the page.
 * @param key what the question depends on, @param keepsLast the answer to the last question stays until there is one to this
 */
export function useQuery<T>(
  key: string,
  load: (page: TasksPage, signal: AbortSignal) => Promise<T>,
  keepsLast = false,
): LiveQuery<T> {
  const page = usePage();
  const last = useRef<LiveQuery<T> | undefined>(undefined);
  const query = useMemo(() => {
    const fresh = new LiveQuery<T>(async (signal) => load(page, signal));
    if (keepsLast && last.current) fresh.data.value = last.current.data.peek();
    last.current = fresh;
    return fresh;
  }, [page, key]);
  // Before it is painted: the server is at work meanwhile.
  useLayoutEffect(() => {
    const remove = page.add(query);
    void query.refresh();
    return remove;
  }, [page, query]);
  return query;
}
