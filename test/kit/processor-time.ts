/**
 * Tests of time that hold on every machine, however busy: they compare the processor time of work with that of other work on the same machine.
 * The clock's time, and limits in seconds, grow with what else runs.
 */
import { readFileSync } from "node:fs";
import { expect } from "vitest";

const FACTOR = 8;
/** For 8 times the size: linear work takes 8 times as long, quadratic work 64 times. */
const MAX_GROWTH = 22;
/** The shortest of them counts: other programs slow some down. */
const MAX_TRIES = 5;
/** Milliseconds. Quadratic work of the sizes in these tests takes seconds. */
const QUICK_MS = 100;

/**
 * Fails if the work takes more than linear time.
 * @param size one at which quadratic work takes a second or more
 */
export async function expectLinear(
  work: (size: number) => unknown,
  size: number,
  { quickMs = QUICK_MS } = {},
): Promise<void> {
  await expectNotSlower(MAX_GROWTH, [() => work(size), () => work(Math.ceil(size / FACTOR))], { quickMs });
}

/** Fails if the work takes more than so many times as long as the other work, unless it is quick. */
export async function expectNotSlower(
  times: number,
  [work, other]: readonly [work: () => unknown, other: () => unknown],
  { quickMs = QUICK_MS } = {},
): Promise<void> {
  let [taken, unit] = [Infinity, Infinity];
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    taken = Math.min(taken, await processorTime(work));
    if (taken < quickMs) return;
    unit = Math.min(unit, await processorTime(other));
    if (taken < unit * times) return;
  }
  expect(taken / unit, `${taken} ms, not ${unit} ms`).toBeLessThan(times);
}

/** Milliseconds of this process, its threads included, until the work is done. */
async function processorTime(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Milliseconds that the process's first thread has worked, or the clock's where the system does not tell: what keeps a ping waiting. */
export function busyTime(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/task/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    // User and system time, in hundredths of a second.
    return 10 * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return performance.now();
  }
}
