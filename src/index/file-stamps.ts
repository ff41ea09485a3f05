/** What this process knows of the vault's files: which there are, and what their stamps prove. */
import { isNote } from "../obsidian/ignore.js";
import type { VaultPath } from "../storage/path.js";
import type { FileStat, Stamp } from "../storage/storage.js";

export interface KnownFile {
  readonly path: VaultPath;
  /** Its numbers, as the column `stat`: a refresh compares thousands, and parses few. */
  readonly stat: string;
  readonly isNote: boolean;
  /** A template or excluded by settings: kept out of every answer. */
  readonly hidden: boolean;
  /** It exists and could not be read; every refresh tries again. */
  readonly unreadable: boolean;
  /** The stamp was taken long enough after the last change to prove the text (the racy-stamp rule). */
  readonly settled: boolean;
  /** Which rows are stored: `HAS_WORDS`, `HAS_LATER`, `partOf`. */
  readonly parts: number;
}

/** The words of its text. */
export const HAS_WORDS = 1;
/** The rows of `Subject.readLater`. */
export const HAS_LATER = 2;
/** The rows of `Subject.read`. @param number of the subject, from 0 */
export const partOf = (number: number): number => 4 << number;
export const ALL_PARTS = 0xffff;

/** Hidden files included. */
export type FilesByPath = Map<VaultPath, KnownFile>;

/** Bits of the column `flags`, above those of `parts`. */
const SETTLED = ALL_PARTS + 1;
const UNREADABLE = 2 * SETTLED;

export function flagsOf({ parts, settled, unreadable }: KnownFile): number {
  return parts | (settled ? SETTLED : 0) | (unreadable ? UNREADABLE : 0);
}

/** The column `stat`. */
export function statText({ size, modified, created, stamp }: FileStat): string {
  return JSON.stringify([size, modified, created, ...stamp]);
}

export function storedStat({ path, stat }: KnownFile): FileStat {
  const [size = 0, modified = 0, created = 0, ...stamp] = stat === "" ? [] : (JSON.parse(stat) as number[]);
  return { path, size, modified, created, stamp };
}

/** From its row. */
export function knownFile(path: VaultPath, hidden: boolean, flags: number, stat: string): KnownFile {
  return {
    path,
    stat,
    isNote: isNote(path),
    hidden,
    unreadable: (flags & UNREADABLE) !== 0,
    settled: (flags & SETTLED) !== 0,
    parts: flags & ALL_PARTS,
  };
}

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
