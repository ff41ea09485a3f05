import { computed, signal } from "@preact/signals";
import type { TaskRow } from "./task-row.js";

/** The limit of `update_tasks`. */
export const MAX_SELECTED = 500;

export class TaskSelection {
  readonly tasks = signal<ReadonlyMap<string, TaskRow>>(new Map());
  readonly size = computed(() => this.tasks.value.size);

  has(id: string): boolean {
    return this.tasks.value.has(id);
  }

  toggle(task: TaskRow): boolean {
    if (!this.has(task.id)) return this.add([task]);
    const rest = new Map(this.tasks.value);
    rest.delete(task.id);
    this.tasks.value = rest;
    return true;
  }

  /** @returns false, adding none, if that exceeds the limit */
  add(tasks: readonly TaskRow[]): boolean {
    const all = new Map([...this.tasks.value, ...tasks.map((task) => [task.id, task] as const)]);
    if (all.size > MAX_SELECTED) return false;
    this.tasks.value = all;
    return true;
  }

  clear(): void {
    this.tasks.value = new Map();
  }
}
