/** A token bucket per caller. */
import { putNewest } from "../../async/newest.js";

interface Rate {
  readonly perMinute: number;
  /** After a pause. */
  readonly burst: number;
}

interface Bucket {
  left: number;
  at: number;
}

/** Dropping the least recently used favours only its owner. */
const MAX_BUCKETS = 10_000;

export class RateLimit {
  readonly #rate: Rate;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** @param now monotonic milliseconds */
  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Seconds to wait, or 0. */
  take(caller: string): number {
    const { perMinute, burst } = this.#rate;
    const now = this.#now();
    const bucket = this.#buckets.get(caller) ?? { left: burst, at: now };
    const perMs = perMinute / 60_000;
    const left = Math.min(burst, bucket.left + (now - bucket.at) * perMs);
    const served = left >= 1;
    putNewest(this.#buckets, caller, { left: served ? left - 1 : left, at: now }, MAX_BUCKETS);
    return served ? 0 : Math.max(1, Math.ceil((1 - left) / perMs / 1000));
  }
}
