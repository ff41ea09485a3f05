/** Starts worker threads. */
import { closeSync, openSync } from "node:fs";
import type { Worker, WorkerOptions } from "node:worker_threads";

/** A thread opens five. */
const HANDLES = 8;

/** Passes no environment variables. @throws EMFILE or ENFILE while handles are short: Node 20 would leak some */
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
