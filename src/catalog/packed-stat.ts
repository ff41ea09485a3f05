/**
 * Stats of files as rows of numbers in large blocks outside V8's heap: for each file the garbage collector sees one small object, whatever
 * is known of it.
 */
import type { VaultPath } from "../storage/path.js";
import type { FileStat, Stamp } from "../storage/storage.js";

/** Size, time of modification and time of creation stand before the stamp. */
const BEFORE_STAMP = 3;

/** Numbers of a row. @param stampLength of the storage */
export function rowWidth(stampLength: number): number {
  return BEFORE_STAMP + stampLength;
}

/** Rows of one width, one behind the other. */
export interface StatRows {
  readonly numbers: Float64Array;
  readonly width: number;
}

/** Looks like any other stat. Its stamp is made anew at every access; `hasStamp` compares without making one. */
export class PackedStat implements FileStat {
  readonly path: VaultPath;
  readonly #rows: StatRows;
  /** The place of its first number. */
  readonly #start: number;

  constructor(path: VaultPath, rows: StatRows, start: number) {
    this.path = path;
    this.#rows = rows;
    this.#start = start;
  }

  get size(): number {
    return this.#rows.numbers[this.#start] ?? 0;
  }

  get modified(): number {
    return this.#rows.numbers[this.#start + 1] ?? 0;
  }

  get created(): number {
    return this.#rows.numbers[this.#start + 2] ?? 0;
  }

  get stamp(): Stamp {
    const { numbers, width } = this.#rows;
    const stamp: number[] = [];
    // `Array.from` takes ten times as long.
    for (let i = this.#start + BEFORE_STAMP; i < this.#start + width; i++) stamp.push(numbers[i] ?? 0);
    return stamp;
  }

  hasStamp(stamp: Stamp): boolean {
    return stamp.length === this.#rows.width - BEFORE_STAMP && hasStamp(this.#rows.numbers, this.#start, stamp);
  }

  hasStampOf(other: PackedStat): boolean {
    return other === this || this.hasStamp(other.stamp);
  }

  /** Writes its row into a column of rows of the same width. */
  copyTo(target: Float64Array, row: number): void {
    const { numbers, width } = this.#rows;
    const first = row * width;
    for (let i = 0; i < width; i++) target[first + i] = numbers[this.#start + i] ?? 0;
  }
}

/** Whether a row that begins at `start` has this stamp. */
export function hasStamp(numbers: Float64Array, start: number, stamp: Stamp): boolean {
  const first = start + BEFORE_STAMP;
  for (let i = 0; i < stamp.length; i++) if (numbers[first + i] !== stamp[i]) return false;
  return true;
}

/** The first block is small, for short runs over few files; later ones grow up to the largest. */
const FIRST_ROWS = 16;
const MOST_ROWS = 1024;

/** Keeps stats of one storage. */
export class StatBlocks {
  #rows: StatRows = { numbers: new Float64Array(0), width: 0 };
  #used = 0;

  keep({ path, size, modified, created, stamp }: FileStat): PackedStat {
    const width = rowWidth(stamp.length);
    if (width !== this.#rows.width || this.#used + width > this.#rows.numbers.length) this.#begin(width);
    const start = this.#used;
    const { numbers } = this.#rows;
    [numbers[start], numbers[start + 1], numbers[start + 2]] = [size, modified, created];
    for (let i = 0; i < stamp.length; i++) numbers[start + BEFORE_STAMP + i] = stamp[i] ?? 0;
    this.#used += width;
    return new PackedStat(path, this.#rows, start);
  }

  #begin(width: number): void {
    const before = this.#rows.width === width ? this.#rows.numbers.length / width : 0;
    const rows = Math.min(MOST_ROWS, Math.max(FIRST_ROWS, before * 2));
    this.#rows = { numbers: new Float64Array(rows * width), width };
    this.#used = 0;
  }
}
