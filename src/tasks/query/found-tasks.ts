/** Remembers what the last searches of this process found, so that a selection that finds others by now can say what came and what went. */
import type { Task } from "../task.js";

/** As many searches are remembered, and of each as many tasks as one call may change. */
const MAX_SEARCHES = 16;
const MAX_TASKS = 500;

/** Titles of the tasks by which two results differ. */
export interface FoundSince {
  readonly came: readonly string[];
  readonly went: readonly string[];
}

export class FoundTasks {
  /** Title by id, by the fingerprint of the result; the oldest first. */
  readonly #results = new Map<string, ReadonlyMap<string, string>>();

  remember(fingerprint: string, tasks: readonly Task[]): void {
    if (tasks.length > MAX_TASKS) return;
    this.#results.delete(fingerprint);
    this.#results.set(fingerprint, new Map(tasks.map(({ id, title }) => [id, title])));
    const [oldest] = this.#results.keys();
    if (this.#results.size > MAX_SEARCHES && oldest !== undefined) this.#results.delete(oldest);
  }

  /** Undefined for a result that another process found, or this one too long ago. */
  since(fingerprint: string, now: readonly Task[]): FoundSince | undefined {
    const before = this.#results.get(fingerprint);
    if (before === undefined) return undefined;
    const ids = new Set(now.map(({ id }) => id));
    return {
      came: now.flatMap(({ id, title }) => (before.has(id) ? [] : [title])),
      went: [...before].flatMap(([id, title]) => (ids.has(id) ? [] : [title])),
    };
  }
}
