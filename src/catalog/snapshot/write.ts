/** A reader's rows as the pieces of a snapshot file. */
import { TimeSlice } from "../../async/yield-to-loop.js";
import type { Entry } from "../table.js";
import type { NoteProblem } from "../catalog.js";
import { PackedFacts } from "../packed-facts.js";
import { rowWidth } from "../packed-stat.js";
import { type Head, SETTLED, type SnapshotKind, TEMPLATED } from "./read.js";
import { assemble } from "./format.js";

/** What goes into a snapshot. */
export interface SnapshotContents {
  readonly entries: readonly (Entry | undefined)[];
  /** The reader's digest of its facts. */
  readonly summary: unknown;
}

/**
 * A snapshot as the pieces of a file. Facts are not copied: their pieces are those of the blocks that hold them. Rows do not change while
 * others have their turns: a file that changed has another row.
 */
export async function encodeSnapshot(
  kind: SnapshotKind,
  { entries, summary }: SnapshotContents,
): Promise<readonly Uint8Array[]> {
  const rows = rowsOf(entries, kind.position);
  const { stats, pathEnds, flags, problems, factEnds, ...texts } = await columnsOf(rows, kind);
  const paths = Buffer.from(texts.paths);
  const problemText = Buffer.from(JSON.stringify(problems));
  const head: Head = {
    edition: kind.edition,
    identity: kind.identity,
    stampLength: kind.stampLength,
    reader: kind.reader.name,
    version: kind.reader.version,
    summary,
    rows: rows.length,
    pathBytes: paths.byteLength,
    problemBytes: problemText.byteLength,
    factBytes: factEnds.at(-1) ?? 0,
  };
  return assemble(Buffer.from(JSON.stringify(head)), [
    [bytesOf(stats)],
    [bytesOf(pathEnds)],
    [flags],
    [paths],
    [problemText],
    [bytesOf(factEnds)],
    PackedFacts.pieces(rows, kind.position),
  ]);
}

/** The entries that the reader was shown, without those that could not be read. */
function rowsOf(entries: readonly (Entry | undefined)[], position: number): Entry[] {
  const rows: Entry[] = [];
  for (const entry of entries)
    if (entry && entry.content.shown & (1 << position) && !entry.content.unreadable) rows.push(entry);
  return rows;
}

/** Looking at the clock after every row would cost as much as the row. */
const ROWS_A_LOOK = 256;

/** All columns in one plain loop: over ten thousand rows each loop costs a millisecond. */
async function columnsOf(rows: readonly Entry[], { position, stampLength }: SnapshotKind) {
  const width = rowWidth(stampLength);
  const stats = new Float64Array(rows.length * width);
  const pathEnds = new Uint32Array(rows.length);
  const flags = new Uint8Array(rows.length);
  const factEnds = new Uint32Array(rows.length);
  const problems: (readonly [row: number, problems: readonly NoteProblem[]])[] = [];
  const paths: string[] = [];
  let [row, pathEnd, factEnd] = [0, 0, 0];
  const slice = new TimeSlice();
  for (const { stat, content, settled } of rows) {
    const { path } = stat;
    stat.copyTo(stats, row);
    paths.push(path);
    pathEnds[row] = pathEnd += path.length;
    flags[row] = (settled ? SETTLED : 0) | (content.templated ? TEMPLATED : 0);
    factEnds[row] = factEnd += content.facts[position]?.length ?? 0;
    if (content.problems.length > 0) problems.push([row, content.problems]);
    row++;
    if (row % ROWS_A_LOOK === 0 && slice.isOver) await slice.yield();
  }
  return { stats, pathEnds, flags, factEnds, problems, paths: paths.join("") };
}

function bytesOf(column: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}
