/** The catalog's snapshot as bytes: columns of stamps, one blob of paths, and each reader's facts as JSON that is parsed when asked for. */
import type { VaultPath } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";
import { FactRecord, NO_CONTENT, type Entry, type EntryContent } from "./catalog-entry.js";
import type { FactReader, NoteProblem } from "./catalog.js";
import { assemble, bodyOf, headOf, type PartReader } from "./snapshot-layout.js";

/** What a snapshot must agree with to be of use. */
export interface SnapshotKind {
  /** The program's version. */
  readonly edition: string;
  readonly identity: string;
  readonly stampLength: number;
  readonly readers: readonly FactReader<unknown>[];
}

export interface SnapshotRow {
  readonly stat: FileStat;
  readonly content: EntryContent;
  readonly settled: boolean;
}

interface Head {
  readonly edition: string;
  readonly identity: string;
  readonly stampLength: number;
  readonly readers: readonly { readonly name: string; readonly version: number; readonly summary?: unknown }[];
  readonly rows: number;
  readonly pathBytes: number;
  readonly problemBytes: number;
  /** Bytes of facts by reader. */
  readonly factBytes: readonly number[];
}

const SETTLED = 1;
const TEMPLATED = 2;

/** @param summaries by position of their reader */
export function encodeSnapshot(kind: SnapshotKind, table: Iterable<Entry>, summaries: readonly unknown[]): Uint8Array {
  const rows = [...table].filter(({ content }) => !content.unreadable);
  const paths = Buffer.from(rows.map(({ path }) => path).join(""));
  const problems = Buffer.from(JSON.stringify(problemsByRow(rows)));
  const facts = kind.readers.map((_, reader) => encodeFacts(rows, reader));
  const head: Head = {
    edition: kind.edition,
    identity: kind.identity,
    stampLength: kind.stampLength,
    readers: kind.readers.map(({ name, version }, reader) => ({ name, version, summary: summaries[reader] })),
    rows: rows.length,
    pathBytes: paths.byteLength,
    problemBytes: problems.byteLength,
    factBytes: facts.map(({ blob }) => blob.byteLength),
  };
  return assemble({
    head: Buffer.from(JSON.stringify(head)),
    body: [
      bytesOf(Float64Array.from(rows.flatMap(({ stat }) => [stat.size, stat.modified, stat.created, ...stat.stamp]))),
      bytesOf(endsOf(rows.map(({ path }) => path.length))),
      Uint8Array.from(rows, ({ settled, content }) => (settled ? SETTLED : 0) | (content.templated ? TEMPLATED : 0)),
      paths,
      problems,
      ...facts.flatMap(({ ends, blob }) => [bytesOf(ends), blob]),
    ],
  });
}

/** The rows of a snapshot; undefined when it is of another kind or not what was written. */
export function decodeSnapshot(bytes: Uint8Array, kind: SnapshotKind): readonly SnapshotRow[] | undefined {
  return unlessOdd(() => {
    const head = readHead(bytes, bytes.byteLength, kind);
    const body = head && bodyOf(bytes);
    return body && readRows(head, body);
  });
}

/** A reader's summary, from the first bytes of a snapshot. */
export function summaryOf(start: SnapshotStart, kind: SnapshotKind, reader: string): unknown {
  const head = unlessOdd(() => readHead(start.bytes, start.fileSize, kind));
  return head?.readers.find(({ name }) => name === reader)?.summary;
}

/** The first bytes of a snapshot file, its head whole. */
export interface SnapshotStart {
  readonly bytes: Uint8Array;
  readonly fileSize: number;
}

/** What was written whole, yet by a program that lays it out otherwise, is of no use either. */
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
  const sameReaders =
    head.readers.length === kind.readers.length &&
    head.readers.every(
      ({ name, version }, at) => kind.readers[at]?.name === name && kind.readers[at]?.version === version,
    );
  return head.edition === kind.edition && sameStorage && sameReaders ? head : undefined;
}

function readRows(head: Head, body: PartReader): readonly SnapshotRow[] {
  const { rows, stampLength } = head;
  const width = 3 + stampLength;
  const numbers = body.floats(rows * width);
  const pathEnds = body.words(rows);
  const flags = body.bytes(rows);
  const paths = body.bytes(head.pathBytes).toString();
  const problems = new Map(JSON.parse(body.bytes(head.problemBytes).toString()) as [number, readonly NoteProblem[]][]);
  const facts = head.factBytes.map((length) => ({ ends: body.words(rows), blob: body.bytes(length) }));
  const result: SnapshotRow[] = [];
  for (let row = 0; row < rows; row++) {
    const at = row * width;
    const stat: FileStat = {
      path: paths.slice(row === 0 ? 0 : pathEnds[row - 1], pathEnds[row]) as VaultPath,
      size: numbers[at] ?? 0,
      modified: numbers[at + 1] ?? 0,
      created: numbers[at + 2] ?? 0,
      stamp: Array.from(numbers.subarray(at + 3, at + width)),
    };
    const flag = flags[row] ?? 0;
    const records = readRecords(stat, row, facts);
    const found = problems.get(row);
    const templated = (flag & TEMPLATED) !== 0;
    const plain = !templated && found === undefined && records === NO_CONTENT.facts;
    const content = plain ? NO_CONTENT : { templated, problems: found ?? NO_CONTENT.problems, facts: records };
    result.push({ stat, content, settled: (flag & SETTLED) !== 0 });
  }
  return result;
}

interface FactColumn {
  /** Where each row's JSON ends in the blob; where the one before ends when the row has none. */
  readonly ends: Uint32Array;
  readonly blob: Buffer;
}

function readRecords(stat: FileStat, row: number, columns: readonly FactColumn[]): EntryContent["facts"] {
  let records: EntryContent["facts"] = NO_CONTENT.facts;
  columns.forEach(({ ends, blob }, reader) => {
    const start = row === 0 ? 0 : (ends[row - 1] ?? 0);
    const end = ends[row] ?? 0;
    if (end === start) return;
    const own = records === NO_CONTENT.facts ? columns.map((): FactRecord | undefined => undefined) : [...records];
    own[reader] = new FactRecord(stat, new BlobSlice(blob, start, end));
    records = own;
  });
  return records;
}

class BlobSlice {
  readonly #blob: Buffer;
  readonly #start: number;
  readonly #end: number;

  constructor(blob: Buffer, start: number, end: number) {
    this.#blob = blob;
    this.#start = start;
    this.#end = end;
  }

  text(): string {
    return this.#blob.toString("utf8", this.#start, this.#end);
  }
}

function encodeFacts(rows: readonly Entry[], reader: number): FactColumn {
  const texts = rows.map(({ content }) => content.facts[reader]?.json() ?? "");
  return { ends: endsOf(texts.map((text) => Buffer.byteLength(text))), blob: Buffer.from(texts.join("")) };
}

function problemsByRow(rows: readonly Entry[]): readonly (readonly [number, readonly NoteProblem[]])[] {
  return rows.flatMap(({ content }, row) => (content.problems.length > 0 ? [[row, content.problems] as const] : []));
}

function endsOf(lengths: readonly number[]): Uint32Array {
  let end = 0;
  return Uint32Array.from(lengths, (length) => (end += length));
}

function bytesOf(column: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}
