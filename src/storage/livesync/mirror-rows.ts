/** Stores the mirror for the next process, one row per file. */
import type { VaultPath } from "../path.js";
import type { DriverStore } from "../storage.js";
import type { KeptEvidence } from "./codec/settings.js";
import type { Range, Sequence } from "./couch.js";
import type { MirroredFile } from "./mirror.js";
import { revisionStamp } from "./stamp.js";

/** The mirror as of a place in the feed of changes. */
export interface KeptMirror {
  readonly fingerprint: string;
  /** Creation time of the database, if the server says it. */
  readonly instance: string | undefined;
  /** `pbkdf2salt`. */
  readonly salt: string | undefined;
  readonly sequence: Sequence;
  /** What an interrupted listing has left. */
  readonly unlisted: readonly Range[];
  /** A database that lacks one has been restored or recreated. */
  readonly recent: readonly (readonly [id: string, revision: string])[];
  readonly files: readonly MirroredFile[];
  /** Documents to read again; faults are not stored. */
  readonly doubtful: readonly string[];
  readonly evidence: KeptEvidence;
}

/** Rows of another edition are dropped. */
const EDITION = 5;
/** No document has this id. */
const HEAD = "";

/** An array takes half the size of an object with names. */
type Row = readonly [
  revision: string,
  path: string,
  size: number,
  modified: number,
  created: number,
  type: string,
  isInline: 0 | 1,
  chunks: string,
  conflicts: readonly string[],
];

export async function loadMirror(store: DriverStore): Promise<KeptMirror | undefined> {
  const rows = await store.rows();
  // Checksums guarantee that this program wrote it.
  const head = JSON.parse(rows.get(HEAD) ?? "{}") as Partial<KeptMirror> & { edition?: number; count?: number };
  // A file whose row is hidden would be missing from every answer.
  if (head.edition !== EDITION || head.count !== rows.size - 1) return undefined;
  const files: MirroredFile[] = [];
  for (const [id, row] of rows) if (id !== HEAD) files.push(fileOf(id, JSON.parse(row) as Row));
  return { ...(head as Omit<KeptMirror, "files">), files };
}

/** @param changed ids since it was stored or loaded; undefined: store everything */
export async function saveMirror(
  store: DriverStore,
  { files, ...rest }: KeptMirror,
  changed: ReadonlySet<string> | undefined,
): Promise<void> {
  const { encrypted, v2, obfuscated, caseSensitive, notes, sample } = rest.evidence;
  const evidence = { encrypted, v2, obfuscated, caseSensitive, notes, sample };
  const head = JSON.stringify({ ...rest, edition: EDITION, count: files.length, evidence });
  const rows = changed && new Map<string, string | undefined>([[HEAD, head]]);
  for (const id of changed ?? []) rows?.set(id, undefined);
  for (const file of files) if (changed?.has(file.id)) rows?.set(file.id, JSON.stringify(rowOf(file)));
  await store.saveRows(rows, function* () {
    yield [HEAD, head];
    for (const file of files) yield [file.id, JSON.stringify(rowOf(file))];
  });
}

function rowOf({ revision, stat, type, isInline, chunks, conflicts }: MirroredFile): Row {
  const { path, size, modified, created } = stat;
  return [revision, path, size, modified, created, type ?? "", isInline ? 1 : 0, chunks, conflicts];
}

function fileOf(id: string, row: Row): MirroredFile {
  const [revision, path, size, modified, created, type, isInline, chunks, conflicts] = row;
  return {
    id,
    revision,
    stat: { path: path as VaultPath, size, modified, created, stamp: revisionStamp(revision) },
    type: type === "" ? undefined : type,
    chunks,
    conflicts,
    isInline: isInline === 1,
    fault: undefined,
  };
}
