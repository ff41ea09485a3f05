/** Reports the changes that a storage announces to a listener, until it stops listening. */
import type { Log } from "../log.js";
import type { Change, Storage } from "../storage/storage.js";

/** @returns a function that stops it; undefined when the storage announces no changes */
export function followChanges(
  storage: Storage,
  log: Log,
  listener: (change: Change) => void,
  failed: () => void = () => {},
): (() => void) | undefined {
  if (!storage.changes) return undefined;
  const abort = new AbortController();
  void tell(storage, abort.signal, listener).catch((error: unknown) => {
    log.warn("changes of subscribed notes can no longer be announced", { error: String(error) });
    failed();
  });
  return () => abort.abort();
}

async function tell(storage: Storage, signal: AbortSignal, listener: (change: Change) => void): Promise<void> {
  for await (const change of storage.changes?.(signal) ?? []) listener(change);
}
