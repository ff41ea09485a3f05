/** Browser sessions: a cookie and a key, valid only together (docs: web, "Who may"). */
import type { EpochMilliseconds } from "../../../clock.js";
import { randomBytes } from "node:crypto";
import type { Caller } from "../guards.js";
import { digestOf, matchesDigest } from "../tokens.js";

const IDLE_MS = 12 * 60 * 60_000;
const LIFE_MS = 7 * 24 * 60 * 60_000;
const MAX_SESSIONS = 100;
const SWEEP_MS = 60_000;

export interface WebSession {
  readonly id: string;
  readonly caller: Caller;
  readonly keyDigest: Buffer;
  readonly until: EpochMilliseconds;
  lastUsed: number;
  readonly streams: Set<() => void>;
}

/** The server stores digests only. */
interface SessionSecrets {
  readonly cookie: string;
  readonly key: string;
  readonly session: WebSession;
}

export class WebSessions {
  readonly #now: () => EpochMilliseconds;
  /** By the cookie's digest. */
  readonly #open = new Map<string, WebSession>();
  readonly #sweeping: NodeJS.Timeout;

  constructor(now: () => EpochMilliseconds) {
    this.#now = now;
    this.#sweeping = setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  /** Ends the least recently used one past the limit. */
  begin(caller: Caller): SessionSecrets {
    this.sweep();
    const [cookie, key] = [randomBytes(32).toString("base64url"), randomBytes(32).toString("base64url")];
    const now = this.#now();
    const session: WebSession = {
      id: idOf(cookie),
      caller,
      keyDigest: digestOf(key),
      until: now + LIFE_MS,
      lastUsed: now,
      streams: new Set(),
    };
    this.#open.set(session.id, session);
    const [oldest] = this.#open.values();
    if (this.#open.size > MAX_SESSIONS && oldest) this.end(oldest);
    return { cookie, key, session };
  }

  /**
   * Marks the session as used.
   * @param cookies other ports' pages can set more
   */
  find(cookies: readonly string[], key: string): WebSession | undefined {
    for (const cookie of cookies) {
      const session = this.#open.get(idOf(cookie));
      if (!session || !matchesDigest(session.keyDigest, key)) continue;
      if (this.#isOver(session)) {
        this.end(session);
        return undefined;
      }
      session.lastUsed = this.#now();
      this.#open.delete(session.id);
      this.#open.set(session.id, session);
      return session;
    }
    return undefined;
  }

  isOpen(session: WebSession): boolean {
    return this.#open.get(session.id) === session && !this.#isOver(session);
  }

  end(session: WebSession): void {
    this.#open.delete(session.id);
    for (const endStream of session.streams) endStream();
  }

  sweep(): void {
    for (const session of this.#open.values()) if (this.#isOver(session)) this.end(session);
  }

  close(): void {
    clearInterval(this.#sweeping);
    for (const session of this.#open.values()) this.end(session);
  }

  /** A session with an open stream is not idle. */
  #isOver({ until, lastUsed, streams }: WebSession): boolean {
    const now = this.#now();
    return now >= until || (streams.size === 0 && now - lastUsed >= IDLE_MS);
  }
}

/** By digest, against timing attacks. */
const idOf = (cookie: string): string => digestOf(cookie).toString("hex");
