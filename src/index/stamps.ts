/** What stamps prove: an equal one that the text is the same, unless it is racy. */
import type { FileStat, Stamp } from "../storage/storage.js";
import type { KnownFile } from "./known-files.js";

/** All stamps of a storage have the same length. */
export const hasStamp = ({ stat }: KnownFile, stamp: Stamp): boolean => stat.endsWith(`,${stamp.join()}]`);

/** No disk's clock is further ahead. */
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The racy-git rule: a second change within the clock's granularity can leave a stamp equal. Times
 * after the reading come from a disk whose clock is ahead. The other numbers of a stamp are far
 * from any time of day.
 */
export function isRacy({ stamp, modified }: FileStat, startedAt: number, granularity: number): boolean {
  if (granularity === 0) return false;
  const earliest = startedAt - granularity;
  if (modified >= earliest) return true;
  return stamp.some((value) => value >= earliest && value < startedAt + DAY_MS);
}
