/** One tab of a browser listens to the server for all of them: browsers open six connections to a server, and a stream keeps one. */

const NAME = "vault-news";

/** `asked`: a tab waits and wants to know how it stands. The others are said by the tab that listens. */
export type TabNews = "asked" | "connected" | "changed";

export class NewsTurn {
  /** Missing where pages have no locks, over plain HTTP from elsewhere: there each tab listens itself. */
  readonly #channel = "locks" in navigator ? new BroadcastChannel(NAME) : undefined;

  /** What other tabs say, until the signal. */
  hear(listener: (news: TabNews) => void, signal: AbortSignal): void {
    this.#channel?.addEventListener("message", ({ data }) => listener(data as TabNews), { signal });
    signal.addEventListener("abort", () => this.#channel?.close(), { once: true });
  }

  tell(news: TabNews): void {
    this.#channel?.postMessage(news);
  }

  /** Runs as soon as no other tab does, and not at all when the signal comes before. */
  async take<Result>(signal: AbortSignal, run: () => Promise<Result>): Promise<Result> {
    if (!this.#channel) return await run();
    this.tell("asked");
    return await navigator.locks.request(NAME, { signal }, run);
  }
}
