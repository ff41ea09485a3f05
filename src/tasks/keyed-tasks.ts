/** Tasks by what they are looked up by: an id, a path, a title. */
import type { Task } from "./task.js";

/** What tasks are looked up by; undefined for a task that has no such name. One index serves all who give the same function. */
export type TaskKey = (task: Task) => string | undefined;

export class KeyedTasks {
  readonly #tasks: readonly Task[];
  /** Undefined: looked up once so far. */
  readonly #indexes = new Map<TaskKey, ReadonlyMap<string, readonly Task[]> | undefined>();

  constructor(tasks: readonly Task[]) {
    this.#tasks = tasks;
  }

  /** The tasks of which `key` gives this value, in their order. */
  with(key: TaskKey, value: string): readonly Task[] {
    if (!this.#indexes.has(key)) {
      // Most calls name one task: an index pays from the second on.
      this.#indexes.set(key, undefined);
      return this.#tasks.filter((task) => key(task) === value);
    }
    let index = this.#indexes.get(key);
    if (index === undefined) this.#indexes.set(key, (index = this.#indexed(key)));
    return index.get(value) ?? [];
  }

  #indexed(key: TaskKey): ReadonlyMap<string, readonly Task[]> {
    const index = new Map<string, Task[]>();
    for (const task of this.#tasks) {
      const value = key(task);
      if (value === undefined) continue;
      const known = index.get(value);
      if (known) known.push(task);
      else index.set(value, [task]);
    }
    return index;
  }
}
