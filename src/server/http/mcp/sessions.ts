/** The sessions of 2025-era clients: found by id and owner, ended when idle, limited in number. */
import { randomUUID } from "node:crypto";
import type { Log } from "../../../log.js";
import { traceOf } from "../../../tools/outcome.js";
import type { CallerView } from "../caller-view.js";
import { Refusal } from "../refusal.js";
import { Session, unknownSession } from "./session.js";

export interface SessionLimits {
  /** Milliseconds without a request or an open stream after which a session ends. */
  readonly idleMs: number;
  readonly most: number;
}

export const SESSION_LIMITS: SessionLimits = { idleMs: 30 * 60_000, most: 1000 };

export class Sessions {
  readonly #limits: SessionLimits;
  readonly #log: Log;
  /** Least recently used first. */
  readonly #open = new Map<string, Session>();
  readonly #sweeping: NodeJS.Timeout;

  constructor(log: Log, limits: SessionLimits = SESSION_LIMITS) {
    this.#log = log;
    this.#limits = limits;
    this.#sweeping = setInterval(() => this.#sweep(), Math.min(60_000, limits.idleMs / 2)).unref();
  }

  get size(): number {
    return this.#open.size;
  }

  /** @throws Refusal 503 when there are as many as allowed and none of them is idle */
  async begin(view: CallerView, caller: string): Promise<Session> {
    const { sessionPeer } = await import("./sdk-http.js");
    if (this.#open.size >= this.#limits.most) this.#makeRoom();
    const { mcp } = view.newEnd();
    const session = new Session(
      { id: randomUUID(), caller, now: performance.now() },
      (send) => sessionPeer(mcp, send),
      () => mcp.subscriptions.close(),
    );
    this.#open.set(session.id, session);
    return session;
  }

  /** @throws Refusal 404 when there is none of that id, or it is another caller's */
  find(id: string, caller: string): Session {
    const session = this.#open.get(id);
    if (session?.caller !== caller) throw unknownSession();
    session.lastUsed = performance.now();
    this.#open.delete(id);
    this.#open.set(id, session);
    return session;
  }

  end(session: Session): void {
    this.#open.delete(session.id);
    session.close().catch((error: unknown) => this.#log.debug("A session did not close cleanly", traceOf(error)));
  }

  /** Ends all of them. */
  close(): void {
    clearInterval(this.#sweeping);
    for (const session of this.#open.values()) this.end(session);
  }

  #sweep(): void {
    const latest = performance.now() - this.#limits.idleMs;
    for (const session of this.#open.values())
      if (session.lastUsed < latest && !session.busy && !session.streams) this.end(session);
  }

  /** Ends the oldest idle session: one that nobody listens to before one with an open stream. */
  #makeRoom(): void {
    const all = [...this.#open.values()].filter(({ busy }) => !busy);
    const oldest = all.find(({ streams }) => !streams) ?? all[0];
    if (!oldest)
      throw new Refusal(503, "Too many sessions", "All sessions are busy. Try again later.", {
        headers: { "Retry-After": "5" },
      });
    this.end(oldest);
  }
}
