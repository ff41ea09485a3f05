/** The page's state and actions, shared through a context. */
import { batch, computed, effect, type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { PageTransport } from "../transport/transport.js";
import { PageAddress } from "./address.js";
import { Connection } from "./connection.js";
import { Notices } from "./notices.js";
import { type ChangeResult, TaskChanges } from "./task-changes.js";
import type { ColumnStatus, TaskRow } from "./task-row.js";

export interface Question {
  readonly kind: "day" | "text" | "area" | "project" | "tag" | "lane";
  /** The note whose lanes are suggested. */
  readonly path?: string;
  /** Comma-separated. */
  readonly isList?: boolean;
  readonly label: string;
  readonly anchor?: Element | undefined;
  readonly value?: string | undefined;
  /**
   * @param answer empty for none
   * @returns false or "failed" to ask again with the typed text
   */
  readonly onAnswer: (answer: string) => void | Promise<boolean | ChangeResult>;
}

/** Values for tasks added in a column, group, lane, project or day. */
export interface AddPlace {
  /** Of the column or project. */
  readonly name?: string | undefined;
  /** The board and its lane. */
  readonly note?: string | undefined;
  readonly heading?: string | undefined;
  readonly status?: ColumnStatus | undefined;
  readonly area?: string | undefined;
  readonly project?: string | undefined;
  readonly priority?: string | undefined;
  /** For tasks added without a day. */
  readonly due?: string | undefined;
}

/** Shown over the view; the address stores the drawer. */
type Overlay =
  | { readonly kind: "none" }
  | { readonly kind: "search"; readonly onChoose?: ((task: TaskRow) => void) | undefined }
  | { readonly kind: "add"; readonly place?: AddPlace }
  | { readonly kind: "keys" | "session" }
  | { readonly kind: "ask"; readonly question: Question }
  | { readonly kind: "move"; readonly task: TaskRow; readonly anchor: HTMLElement };

interface Repeatable {
  refresh(): Promise<void>;
  end(): void;
}

const MAX_REMEMBERED = 80;
/** While calls fail although change events arrive. */
const ASK_AGAIN_MS = 1_000;
const ASK_TIMEOUT_MS = 10_000;
const NO_OVERLAY: Overlay = { kind: "none" };

export class TasksPage {
  readonly connection: Connection;
  readonly address: PageAddress;
  readonly notices = new Notices();
  readonly changes: TaskChanges;
  readonly selection = taskSelection();
  readonly overlay: Signal<Overlay> = signal(NO_OVERLAY);
  #beginning: Promise<void> | undefined;
  readonly #queries = new Set<Repeatable>();
  /** Whether change events arrive. */
  readonly #isFollowing = signal(false);
  /** Latest answers by query key, oldest first. */
  readonly #answers = new Map<string, unknown>();

  constructor(transport: PageTransport, address = new PageAddress()) {
    this.address = address;
    this.connection = new Connection(transport);
    this.changes = new TaskChanges(this.connection, this.notices, () => this.reread());
    address.onBack = () => {
      const isOpen = this.overlay.peek().kind !== "none";
      this.closeOverlay();
      return isOpen;
    };
    // The next login may be someone else's.
    effect(() => {
      if (this.connection.needsLogin.value) this.#answers.clear();
    });
    effect(() => this.#askAgain());
    effect(() => {
      if (this.overlay.value.kind !== "none") address.keepBack();
    });
    // Only a call shows whether the server is also unreachable.
    addEventListener("offline", () => void this.reread());
    // A selected task that was changed here is not changed elsewhere.
    this.changes.drawn.subscribe((drawn) => {
      const changed = [...drawn.values()].filter(({ id }) => this.selection.has(id));
      if (changed.length > 0) this.selection.add(changed);
    });
    const view = computed(() => address.route.value.view);
    // Another view may not show the selection, or has its own menu.
    effect(() => {
      void view.value;
      this.selection.clear();
      this.closeOverlay();
    });
    this.#follow(transport);
  }

  remembered(key: string): unknown {
    return this.#answers.get(key);
  }

  remember(key: string, answer: unknown): void {
    this.#answers.delete(key);
    this.#answers.set(key, answer);
    const [oldest = key] = this.#answers.keys();
    if (this.#answers.size > MAX_REMEMBERED) this.#answers.delete(oldest);
  }

  async reread(): Promise<void> {
    await this.changes.released();
    await Promise.all([...this.#queries].map(async (query) => query.refresh()));
    requestAnimationFrame(() => this.selection.keepShown());
  }

  /** Call again after a login, which may add tools. */
  begin(): Promise<void> {
    return (this.#beginning ??= this.connection
      .begin()
      .catch(() => {})
      .finally(() => (this.#beginning = undefined)));
  }

  add(query: Repeatable): () => void {
    this.#queries.add(query);
    return () => {
      this.#queries.delete(query);
      query.end();
    };
  }

  closeOverlay(): void {
    this.overlay.value = NO_OVERLAY;
  }

  /** A failed call makes the page offline, but a stream that survived the network loss never reconnects. */
  #askAgain(): (() => void) | undefined {
    const { isOnline, needsLogin } = this.connection;
    if (isOnline.value || needsLogin.value || !this.#isFollowing.value) return undefined;
    const ended = new AbortController();
    let isAsking = false;
    const ask = () => {
      if (isAsking || document.visibilityState === "hidden") return;
      isAsking = true;
      const signal = AbortSignal.timeout(ASK_TIMEOUT_MS);
      const asked = this.connection.call("get_agenda", { limit: 1 }, { signal });
      asked.catch(() => {}).finally(() => (isAsking = false));
    };
    const timer = setInterval(ask, ASK_AGAIN_MS);
    addEventListener("online", ask, ended);
    document.addEventListener("visibilitychange", ask, ended);
    return () => {
      clearInterval(timer);
      ended.abort();
      if (isOnline.peek()) this.#catchUp();
    };
  }

  #catchUp(): void {
    void this.reread();
    if (this.connection.tools.value === undefined) void this.begin();
  }

  #follow(transport: PageTransport): void {
    let hasBeenConnected = false;
    transport.follow({
      loggedOut: () => (this.connection.needsLogin.value = true),
      changed: () => void this.reread(),
      connected: (isConnected) => {
        batch(() => {
          this.#isFollowing.value = isConnected;
          this.connection.isOnline.value = isConnected;
        });
        // Another tab may have logged in.
        if (isConnected) this.connection.needsLogin.value = false;
        // Catches up on changes missed while not listening.
        const hasRead = this.connection.readAt.value !== undefined;
        if (isConnected && (hasBeenConnected || hasRead)) void this.reread();
        if (isConnected && this.connection.tools.value === undefined) void this.begin();
        hasBeenConnected ||= isConnected;
      },
    });
  }
}

/** The limit of `update_tasks`, and so of a selection. */
export const MAX_CHANGED = 500;

function taskSelection() {
  const tasks = signal<ReadonlyMap<string, TaskRow>>(new Map());
  const has = (id: string) => tasks.value.has(id);
  /** @returns false, without adding any, above the limit */
  const add = (some: readonly TaskRow[]): boolean => {
    const all = new Map([...tasks.value, ...some.map((task) => [task.id, task] as const)]);
    if (all.size <= MAX_CHANGED) tasks.value = all;
    return all.size <= MAX_CHANGED;
  };
  const toggle = (task: TaskRow): boolean => {
    if (!has(task.id)) return add([task]);
    tasks.value = new Map([...tasks.value].filter(([id]) => id !== task.id));
    return true;
  };
  /** Those that no list shows any longer would be changed unseen. */
  const keepShown = (): void => {
    if (tasks.value.size === 0) return;
    const shown = new Set(
      [...document.querySelectorAll<HTMLElement>("main [data-task]")].map(({ dataset }) => dataset["task"]),
    );
    tasks.value = new Map([...tasks.value].filter(([id]) => shown.has(id)));
  };
  return { tasks, has, add, toggle, keepShown, clear: () => void (tasks.value = new Map()) };
}

export const PageContext = createContext<TasksPage | undefined>(undefined);

export function usePage(): TasksPage {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error("outside of the page");
  return page;
}
