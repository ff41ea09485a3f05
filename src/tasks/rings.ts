/** Tasks that wait for each other in a ring: finding such rings, and naming one. */
import type { Task } from "./task.js";

/** Longer rings are named by so many of their members. */
const MOST_NAMED = 10;

export function ringText(ring: readonly Task[]): string {
  const named = ring.slice(0, MOST_NAMED).map(({ title }) => title);
  const rest = ring.length > MOST_NAMED ? [`… (${ring.length} in all)`] : [];
  return [...named, ...rest, ring[0]?.title].join(" → ");
}

/** Depth first without recursion, because chains of dependencies may be as long as a vault. */
export function ringsAmong(tasks: readonly Task[], next: (task: Task) => readonly Task[]): (readonly Task[])[] {
  const rings: (readonly Task[])[] = [];
  const done = new Set<Task>();
  for (const start of tasks) {
    if (start.blockedBy.length === 0 || done.has(start)) continue;
    const trail: { readonly task: Task; readonly waitsFor: Iterator<Task> }[] = [];
    const places = new Map<Task, number>();
    const enter = (task: Task): void => {
      places.set(task, trail.length);
      trail.push({ task, waitsFor: next(task)[Symbol.iterator]() });
    };
    enter(start);
    for (let top = trail.at(-1); top; top = trail.at(-1)) {
      const step = top.waitsFor.next();
      if (step.done === true) {
        trail.pop();
        places.delete(top.task);
        done.add(top.task);
        continue;
      }
      const place = places.get(step.value);
      if (place !== undefined) rings.push(trail.slice(place).map(({ task }) => task));
      else if (!done.has(step.value)) enter(step.value);
    }
  }
  return rings;
}
