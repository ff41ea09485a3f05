/** Follows `/web/events` while the page is visible, and reconnects (docs: web, "Calls, news, conflicts"). */
import type { NewsListener } from "./carrier.js";
import { readEvents } from "./event-lines.js";

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** After this a hidden page stops listening. */
const HIDDEN_MS = 300_000;

export interface NewsSource {
  readonly open: (signal: AbortSignal) => Promise<Response>;
  /** Emits `login` after a login. */
  readonly logins: EventTarget;
}

export function followNews({ open, logins }: NewsSource, listener: NewsListener): () => void {
  const ended = new AbortController();
  const wakes = new EventTarget();
  const wake = () => wakes.dispatchEvent(new Event("wake"));
  let connection = new AbortController();
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const looked = () => {
    clearTimeout(hiding);
    if (document.visibilityState === "hidden") hiding = setTimeout(() => connection.abort(), HIDDEN_MS);
    else wake();
  };
  addEventListener("online", wake, ended);
  document.addEventListener("visibilitychange", looked, ended);
  logins.addEventListener("login", wake, ended);

  const turn = new NewsTurn();
  /** `waiting`: another tab listens. */
  let state: "listening" | "waiting" | "resting" = "resting";
  let isConnected = false;
  /** Another tab listened for this one, and may have missed changes when it ended. */
  let wasHelped = false;
  const tellConnected = (is: boolean) => {
    isConnected = is;
    listener.connected(is);
  };
  turn.hear((news) => {
    if (news === "asked") {
      if (state === "listening" && isConnected) turn.tell("connected");
    } else if (state === "waiting") {
      wasHelped = true;
      if (news === "changed") listener.changed();
      else if (!isConnected) tellConnected(true);
    } else if (state === "resting" && document.visibilityState === "visible") wake();
  }, ended.signal);

  /** @returns whether a login is required */
  async function listen(signal: AbortSignal): Promise<boolean> {
    state = "listening";
    const response = await open(signal);
    if (response.status === 401) return true;
    if (!response.ok) throw new Error("no news");
    tellConnected(true);
    turn.tell("connected");
    const changed = () => {
      turn.tell("changed");
      listener.changed();
    };
    if (wasHelped) changed();
    wasHelped = false;
    for await (const { event } of readEvents(response)) if (event === "changed") changed();
    return false;
  }

  async function keepListening(): Promise<void> {
    let pause = FIRST_PAUSE_MS;
    while (!ended.signal.aborted) {
      const began = performance.now();
      state = "waiting";
      connection = new AbortController();
      const signal = AbortSignal.any([connection.signal, ended.signal]);
      const isLoggedOut = await turn.take(signal, () => listen(signal)).catch(() => false);
      state = "resting";
      if (ended.signal.aborted) return;
      const isHidden = connection.signal.aborted;
      if (isLoggedOut) listener.loggedOut();
      else if (!isHidden) tellConnected(false);
      if (performance.now() - began > MAX_PAUSE_MS) pause = FIRST_PAUSE_MS;
      await paused(isHidden || isLoggedOut ? undefined : pause, wakes, ended.signal);
      pause = Math.min(pause * 2, MAX_PAUSE_MS);
    }
  }

  void keepListening();
  return () => ended.abort();
}

/** Ends early when a retry is worthwhile. */
function paused(ms: number | undefined, wakes: EventTarget, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
    const go = () => {
      clearTimeout(timer);
      resolve();
    };
    wakes.addEventListener("wake", go, { once: true });
    signal.addEventListener("abort", go, { once: true });
  });
}

const NAME = "vault-news";

/** A waiting tab asks; the listening tab sends the others. */
type TabNews = "asked" | "connected" | "changed";

/** Browsers open six connections to a server, so one tab's stream serves all tabs. */
class NewsTurn {
  /** Undefined over plain HTTP, where pages have no locks and each tab listens itself. */
  readonly #channel = "locks" in navigator ? new BroadcastChannel(NAME) : undefined;

  hear(listener: (news: TabNews) => void, signal: AbortSignal): void {
    this.#channel?.addEventListener("message", ({ data }) => listener(data as TabNews), { signal });
    signal.addEventListener("abort", () => this.#channel?.close(), { once: true });
  }

  tell(news: TabNews): void {
    this.#channel?.postMessage(news);
  }

  /** Runs once no other tab does. @throws when the signal aborts first */
  async take<Result>(signal: AbortSignal, run: () => Promise<Result>): Promise<Result> {
    if (!this.#channel) return await run();
    this.tell("asked");
    return await navigator.locks.request(NAME, { signal }, run);
  }
}
