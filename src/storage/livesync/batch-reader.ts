/** Reads many files in few requests (docs: livesync). */
import { unlessLate } from "../../async/timers.js";
import { isVaultError, type VaultError } from "../../errors.js";
import {
  StoredContent,
  type DriverStore,
  type ReadManyOptions,
  type StoredFile,
  type UnreadableFile,
} from "../storage.js";
import { isHidden, type VaultPath } from "../path.js";
import { leavesOf } from "./codec/join-chunks.js";
import type { RawDocument } from "./codec/document.js";
import type { NoteMetadata } from "./codec/note.js";
import type { Current, Database } from "./database.js";
import type { Opened } from "./inspect.js";
import { recordOf, type MirroredFile } from "./mirror.js";
import { noteIn, storedFile, type DamageListener, type Leaves } from "./file-reader.js";

type Outcome = StoredFile | UnreadableFile;

/** In one request. */
const BATCH_BYTES = 1024 * 1024;
const BATCH_CHUNKS = 1000;
const BATCH_FILES = 250;
const SIGN_OF_LIFE_MS = 1000;

/** Empty batches while a promise is pending: the request's own deadline names the cause. */
export async function* signsOfLife(
  promise: Promise<object>,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly never[]> {
  while ((await unlessLate(promise, SIGN_OF_LIFE_MS)) === undefined) {
    signal?.throwIfAborted();
    yield [];
  }
}

interface BatchContext {
  readonly database: Database;
  readonly damage: DamageListener;
  readonly store: DriverStore | undefined;
  /** Without stored chunks. */
  readonly readAlone: (path: VaultPath) => Promise<StoredFile | undefined>;
}

export async function* readBatches(
  context: BatchContext,
  paths: readonly VaultPath[],
  { limit = Infinity, signal }: ReadManyOptions,
): AsyncGenerator<readonly Outcome[]> {
  const visible = paths.filter((path) => !isHidden(path));
  if (visible.length === 0) return;
  const refresh = context.database.current();
  yield* signsOfLife(refresh, signal);
  const current = await refresh;
  const files = visible.flatMap((path) => current.mirror.at(path) ?? []);
  const batches = inBatches(files);
  const start = (): Promise<readonly Outcome[]> | undefined => {
    const { value, done } = batches.next();
    if (done) return undefined;
    const reading = readBatch(context, value, current, limit, signal);
    reading.catch(() => undefined);
    return reading;
  };
  const underWay = [start(), start()];
  for (;;) {
    signal?.throwIfAborted();
    const reading = underWay.shift();
    if (!reading) return;
    yield* signsOfLife(reading, signal);
    const batch = await reading;
    underWay.push(start());
    yield batch;
  }
}

async function readBatch(
  context: BatchContext,
  files: readonly MirroredFile[],
  current: Current,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<readonly Outcome[]> {
  const notes = await recordsOf(context, files, current, signal);
  const wanted = new Set(notes.flatMap((note) => (isFault(note) ? [] : leavesOf(note))));
  const { leaves, store } = await leavesFor(context, wanted, current, signal);
  const strange = new Set<string>();
  const damage: DamageListener = {
    ...context.damage,
    onChunkMismatch: (path, chunk) => (strange.add(chunk), context.damage.onChunkMismatch(path, chunk)),
  };
  const read = await Promise.all(
    notes.map(async (note): Promise<Outcome | undefined> => {
      if (isFault(note)) return note;
      try {
        return headOf(await storedFile(note, current, leaves, damage), limit);
      } catch (error) {
        if (!isVaultError(error)) throw error;
        return readAgain(context, note, limit, error);
      }
    }),
  );
  await store(strange);
  return read.filter((file) => file !== undefined);
}

/** Downloads each chunk once. Stores those that match their id. */
async function leavesFor(
  { database, store }: BatchContext,
  wanted: ReadonlySet<string>,
  { fingerprint }: Opened,
  signal: AbortSignal | undefined,
): Promise<{ leaves: Leaves; store: (strange: ReadonlySet<string>) => Promise<void> }> {
  const leaves = new Map<string, RawDocument>();
  // A rebuilt database has another salt.
  const nameOf = (id: string): string => `${fingerprint.slice(0, 16)} ${id}`;
  const stored = await store?.texts([...wanted].map(nameOf));
  for (const id of wanted) {
    const text = stored?.get(nameOf(id));
    if (text !== undefined) leaves.set(id, JSON.parse(text) as RawDocument);
  }
  const missing = [...wanted].filter((id) => !leaves.has(id));
  const downloaded = await database.couch.leaves(missing, signal);
  for (const leaf of downloaded) leaves.set(leaf["_id"], leaf);
  const storeSound = async (strange: ReadonlySet<string>): Promise<void> => {
    const sound = downloaded.filter(({ _id: id }) => !strange.has(id));
    await store?.addTexts(new Map(sound.map((leaf) => [nameOf(leaf["_id"]), JSON.stringify(leaf)])));
  };
  return { leaves, store: storeSound };
}

/** A file may have changed since its document was read. */
async function readAgain(
  { readAlone }: BatchContext,
  { path, revision }: NoteMetadata,
  limit: number,
  error: VaultError,
): Promise<Outcome | undefined> {
  try {
    const file = await readAlone(path);
    return file && headOf(file, limit);
  } catch (again) {
    if (!isVaultError(again)) throw again;
    return { path, error: revision === undefined ? error : again };
  }
}

/** Some files have pieces in their own document. */
async function recordsOf(
  { database }: BatchContext,
  files: readonly MirroredFile[],
  opened: Opened,
  signal: AbortSignal | undefined,
): Promise<readonly (NoteMetadata | UnreadableFile)[]> {
  const inline = files.filter(({ isInline, fault }) => isInline && fault === undefined).map(({ id }) => id);
  const documents = await database.couch.byIds(inline, signal);
  const records = files.map(async (file): Promise<NoteMetadata | UnreadableFile | undefined> => {
    const { path } = file.stat;
    if (file.fault) return { path, error: file.fault };
    if (!file.isInline) return recordOf(file);
    const found = documents.get(file.id);
    return found?.kind === "document" ? noteIn(found.document, opened) : undefined;
  });
  return (await Promise.all(records)).filter((record) => record !== undefined);
}

function headOf(file: StoredFile, limit: number): StoredFile {
  return new StoredContent(file.stat, file.bytes.subarray(0, limit), () => file.revision);
}

function isFault(note: NoteMetadata | UnreadableFile): note is UnreadableFile {
  return "error" in note;
}

/** About sixteen characters and a separator. */
const chunksIn = ({ chunks }: MirroredFile): number => Math.ceil(chunks.length / 17);

function* inBatches(files: readonly MirroredFile[]): Generator<readonly MirroredFile[], undefined> {
  let batch: MirroredFile[] = [];
  let [bytes, chunks] = [0, 0];
  for (const file of files) {
    const isFull =
      bytes + file.stat.size > BATCH_BYTES || chunks + chunksIn(file) > BATCH_CHUNKS || batch.length === BATCH_FILES;
    if (batch.length > 0 && isFull) {
      yield batch;
      batch = [];
      bytes = 0;
      chunks = 0;
    }
    batch.push(file);
    bytes += file.stat.size;
    chunks += chunksIn(file);
  }
  if (batch.length > 0) yield batch;
  return undefined;
}
