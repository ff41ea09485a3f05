/** Starts worker threads. */
import { closeSync, openSync } from "node:fs";
import type { Worker, WorkerOptions } from "node:worker_threads";

/** File handles that must be free: a thread opens five as it starts, and other calls open files meanwhile. */
const HANDLES = 8;

/**
 * Starts a thread without environment variables. @param program the path of a script
 * @throws EMFILE or ENFILE while handles are short: Node 20 loses some for good when a thread cannot start for want of them
 */
export async function startThread(program: string, options: WorkerOptions): Promise<Worker> {
  const threads = await import("node:worker_threads");
  const open: number[] = [];
  try {
    while (open.length < HANDLES) open.push(openSync(program, "r"));
  } finally {
    for (const handle of open) closeSync(handle);
  }
  return new threads.Worker(program, { env: {}, execArgv: [], ...options });
}
