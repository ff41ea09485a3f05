/** One reader's snapshot, read: columns of numbers, one blob of paths, and the facts as JSON that is parsed when asked for. */
import type { VaultPath } from "../../storage/path.js";
import type { Stamp } from "../../storage/storage.js";
import { type EntryContent, noContent } from "../table.js";
import type { FactReader, NoteProblem } from "../catalog.js";
import { PackedFacts } from "../packed-facts.js";
import { hasStamp, PackedStat, rowWidth, type StatRows } from "../packed-stat.js";
import { bodyOf, headOf, type PartReader } from "./format.js";

/** What a snapshot must match to be usable. */
export interface SnapshotKind {
  /** The program's version. */
  readonly edition: string;
  readonly identity: string;
  readonly stampLength: number;
  readonly reader: FactReader<unknown>;
  /** The reader's place among those of the catalog. */
  readonly position: number;
}

/** The first bytes of a snapshot file, its head whole. */
export interface SnapshotStart {
  readonly bytes: Uint8Array;
  readonly fileSize: number;
}

export interface Head {
  readonly edition: string;
  readonly identity: string;
  readonly stampLength: number;
  readonly reader: string;
  readonly version: number;
  readonly summary?: unknown;
  readonly rows: number;
  readonly pathBytes: number;
  readonly problemBytes: number;
  readonly factBytes: number;
}

/** Flag of a row: its stamp proves what is kept about the file. */
export const SETTLED = 1;
/** Flag of a row: the file is a template. */
export const TEMPLATED = 2;

/** The rows of a snapshot; undefined when it is of another kind or damaged. */
export function decodeSnapshot(bytes: Uint8Array, kind: SnapshotKind): SnapshotRows | undefined {
  return unlessOdd(() => {
    const head = readHead(bytes, bytes.byteLength, kind);
    const body = head && bodyOf(bytes);
    return body && new SnapshotRows(head, kind.position, body);
  });
}

/** The reader's summary, from the first bytes of a snapshot. */
export function summaryOf(start: SnapshotStart, kind: SnapshotKind): unknown {
  return unlessOdd(() => readHead(start.bytes, start.fileSize, kind))?.summary;
}

/** Undefined where reading throws: the file is whole, but of a program that lays it out differently. */
function unlessOdd<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function readHead(bytes: Uint8Array, fileSize: number, kind: SnapshotKind): Head | undefined {
  const text = headOf(bytes, fileSize);
  if (!text) return undefined;
  const head = JSON.parse(Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString()) as Head;
  const sameStorage = head.identity === kind.identity && head.stampLength === kind.stampLength;
  const sameReader = head.reader === kind.reader.name && head.version === kind.reader.version;
  return head.edition === kind.edition && sameStorage && sameReader ? head : undefined;
}

/** A snapshot's rows, each decoded when a file with the same stamp turns up. */
export class SnapshotRows {
  readonly length: number;
  /** The place of its reader among those of the catalog. */
  readonly position: number;
  /** The reader's digest of its facts. */
  readonly summary: unknown;
  /** How many rows were asked for and had the right stamp. */
  recalled = 0;
  readonly #stats: StatRows;
  readonly #pathEnds: Uint32Array;
  readonly #flags: Uint8Array;
  readonly #paths: string;
  readonly #problems: ReadonlyMap<number, readonly NoteProblem[]>;
  readonly #factEnds: Uint32Array;
  readonly #facts: Buffer;
  /** Each path is made once, so that a listing that returns it again is recognised without comparing characters. */
  readonly #made: VaultPath[] = [];
  #next = 0;
  #places: Map<string, number> | undefined;

  constructor(head: Head, position: number, body: PartReader) {
    this.position = position;
    this.length = head.rows;
    this.summary = head.summary;
    const width = rowWidth(head.stampLength);
    this.#stats = { numbers: body.floats(head.rows * width), width };
    this.#pathEnds = body.words(head.rows);
    this.#flags = body.bytes(head.rows);
    this.#paths = body.bytes(head.pathBytes).toString();
    this.#problems = new Map(
      JSON.parse(body.bytes(head.problemBytes).toString()) as [number, readonly NoteProblem[]][],
    );
    this.#factEnds = body.words(head.rows);
    this.#facts = body.bytes(head.factBytes);
  }

  /** The row of a file, if its stamp proves that the file is unchanged. */
  recall(path: VaultPath, stamp: Stamp): number | undefined {
    const row = this.#find(path);
    if (row === undefined || !this.#proves(row, stamp)) return undefined;
    this.recalled++;
    return row;
  }

  /** @param path the row's */
  statOf(row: number, path: VaultPath): PackedStat {
    return new PackedStat(path, this.#stats, row * this.#stats.width);
  }

  /** @param stat the row's, with which its facts are kept */
  contentOf(row: number, stat: PackedStat): EntryContent {
    const shown = 1 << this.position;
    const nothing = noContent(shown);
    const templated = ((this.#flags[row] ?? 0) & TEMPLATED) !== 0;
    const problems = this.#problems.get(row) ?? nothing.problems;
    const start = startOf(this.#factEnds, row);
    const end = this.#factEnds[row] ?? 0;
    if (start === end) return templated || problems.length > 0 ? { ...nothing, templated, problems } : nothing;
    const facts: (PackedFacts | undefined)[] = [];
    for (let position = 0; position < this.position; position++) facts.push(undefined);
    facts.push(new PackedFacts(stat, this.#facts, start, end));
    return { templated, problems, shown, facts };
  }

  /** Storages list in nearly the same order every time, so the next row is usually the right one. */
  #find(path: VaultPath): number | undefined {
    let row: number | undefined = this.#next;
    if (row >= this.length || this.#path(row) !== path) row = this.#placeOf(path);
    if (row !== undefined) this.#next = row + 1;
    return row;
  }

  #placeOf(path: VaultPath): number | undefined {
    if (!this.#places) {
      this.#places = new Map();
      for (let row = 0; row < this.length; row++) this.#places.set(this.#path(row), row);
    }
    return this.#places.get(path);
  }

  #path(row: number): VaultPath {
    return (this.#made[row] ??= this.#paths.slice(startOf(this.#pathEnds, row), this.#pathEnds[row]) as VaultPath);
  }

  #proves(row: number, stamp: Stamp): boolean {
    const { numbers, width } = this.#stats;
    return ((this.#flags[row] ?? 0) & SETTLED) !== 0 && hasStamp(numbers, row * width, stamp);
  }
}

/** Where a row's part of a blob begins: where the one before ends. */
function startOf(ends: Uint32Array, row: number): number {
  return row === 0 ? 0 : (ends[row - 1] ?? 0);
}
