/** Who a change is made for, where several callers share a process: each takes back the last change of its own (everyday, section 2). */
import { AsyncLocalStorage } from "node:async_hooks";

const callers = new AsyncLocalStorage<string>();

/** Runs work in the name of a caller, such as a token; whatever it changes is written down as this caller's. */
export function asCaller<Result>(name: string, work: () => Result): Result {
  return callers.run(name, work);
}

/** Undefined: the user whose process it is. */
export function currentCaller(): string | undefined {
  return callers.getStore();
}
