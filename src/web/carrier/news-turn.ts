/** Lets one tab of a browser listen for all of them: browsers open six connections to a server, and a stream keeps one. */

const NAME = "vault-news";

/** `asked`: a waiting tab requests the state. The listening tab sends the others. */
export type TabNews = "asked" | "connected" | "changed";

export class NewsTurn {
  /** Undefined where pages have no locks (plain HTTP from another machine): there each tab listens itself. */
  readonly #channel = "locks" in navigator ? new BroadcastChannel(NAME) : undefined;

  /** Messages of other tabs, until the signal aborts. */
  hear(listener: (news: TabNews) => void, signal: AbortSignal): void {
    this.#channel?.addEventListener("message", ({ data }) => listener(data as TabNews), { signal });
    signal.addEventListener("abort", () => this.#channel?.close(), { once: true });
  }

  tell(news: TabNews): void {
    this.#channel?.postMessage(news);
  }

  /** Runs as soon as no other tab does, unless the signal aborts first. */
  async take<Result>(signal: AbortSignal, run: () => Promise<Result>): Promise<Result> {
    if (!this.#channel) return await run();
    this.tell("asked");
    return await navigator.locks.request(NAME, { signal }, run);
  }
}
