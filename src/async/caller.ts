/** Who made the running call. */
import { AsyncLocalStorage } from "node:async_hooks";

/** Stored in the journal with a change. */
export interface CallOrigin {
  /** A token's name; default: the process's user. */
  readonly owner?: string | undefined;
  /** With its transport: `Claude (stdio)`. */
  readonly client?: string | undefined;
  /** Default: only changes without an owner. */
  readonly seesAll?: boolean | undefined;
  readonly tool?: string | undefined;
}

const calls = new AsyncLocalStorage<CallOrigin>();

/** Inherits missing fields. */
export function asCaller<Result>(caller: CallOrigin, work: () => Result): Result {
  return calls.run({ ...calls.getStore(), ...caller }, work);
}

export function currentCall(): CallOrigin {
  return calls.getStore() ?? {};
}
