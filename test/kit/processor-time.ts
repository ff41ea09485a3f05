/** How much processor time work takes, for tests of linear time: unlike the clock's, it does not grow while other programs keep the machine busy. */

/** Milliseconds of this process, its threads included, until the work is done. */
export async function processorTime(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  return process.cpuUsage(start).user / 1000;
}
