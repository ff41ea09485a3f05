/** Who made the call that is under way. */
import { AsyncLocalStorage } from "node:async_hooks";

/** As the journal stores it with a change. */
export interface CallOrigin {
  /** A token's name; undefined: the process's user. */
  readonly owner?: string | undefined;
  /** With its transport: `Claude (stdio)`. */
  readonly client?: string | undefined;
  /** May see changes of all owners; default: without an owner. */
  readonly seesAll?: boolean | undefined;
  readonly tool?: string | undefined;
}

const calls = new AsyncLocalStorage<CallOrigin>();

/** Inherits the fields that are not given. */
export function asCaller<Result>(caller: CallOrigin, work: () => Result): Result {
  return calls.run({ ...calls.getStore(), ...caller }, work);
}

export function currentCall(): CallOrigin {
  return calls.getStore() ?? {};
}
