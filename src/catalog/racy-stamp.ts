/** The racy-git rule: a stamp taken too soon after a change proves nothing, for another change may leave it as it is. */
import type { FileStat } from "../storage/storage.js";

const DAY = 24 * 60 * 60 * 1000;

/**
 * Whether the file may change again and keep its stamp: one of its times is within the granularity of the look, or after it
 * (a disk whose clock is ahead). The sizes, inodes and devices among the numbers are far from any time of day.
 */
export function isRacy({ stamp, modified }: FileStat, look: number, granularity: number): boolean {
  if (granularity === 0) return false;
  const earliest = look - granularity;
  if (modified >= earliest) return true;
  return stamp.some((value) => value >= earliest && value < look + DAY);
}
