/** Work between answers: stores the rows that notes lack, and verifies stored rows. */
import { idleTurn, TimeSlice } from "../async/timers.js";
import type { VaultPath } from "../storage/path.js";
import type { FilesByPath } from "./file-stamps.js";
import { lacks, type ReadingContext, writeOf } from "./refresh.js";
import type { FileWrite, IndexStore } from "./store.js";

/** Texts read in an idle turn, which may block for 20 ms. */
const TEXTS_A_TURN = 16;

/** It answers calls meanwhile. */
interface CurrentIndex {
  /** Undefined: no call has been answered with the current settings. */
  readonly context: () => ReadingContext | undefined;
  readonly store: () => Promise<IndexStore>;
  /** True once the process ends. */
  readonly isOver: () => boolean;
}

/**
 * The words and later rows of notes that lack them.
 * @param parts those that each note should have
 */
export async function completeRows(known: FilesByPath, parts: number, index: CurrentIndex): Promise<void> {
  const subjects = index.context()?.subjects;
  if (!subjects) return;
  const missing: VaultPath[] = [];
  for (const file of known.values()) if (file.settled && lacks(file, parts, subjects)) missing.push(file.path);
  for (let at = 0; at < missing.length; at += TEXTS_A_TURN) {
    await idleTurn();
    const context = index.context();
    if (index.isOver()) return;
    if (context) await completeSome(missing.slice(at, at + TEXTS_A_TURN), known, parts, context, await index.store());
  }
}

async function completeSome(
  paths: readonly VaultPath[],
  known: FilesByPath,
  parts: number,
  context: ReadingContext,
  store: IndexStore,
): Promise<void> {
  const { storage, maxBytes } = context;
  const slice = new TimeSlice();
  const writes: FileWrite[] = [];
  for await (const batch of storage.readMany(paths, { limit: maxBytes }))
    for (const read of batch) {
      const path = "error" in read ? read.path : read.stat.path;
      const write = await writeOf(read, known.get(path), parts, context, slice);
      // What changed meanwhile is for the next refresh.
      if (write.isAddition) writes.push(write);
      if (slice.isOver) await slice.yield();
    }
  await store.put(writes);
  for (const { file } of writes) {
    // A refresh may have read the same text meanwhile.
    const now = known.get(file.path);
    if (now?.settled && now.stat === file.stat) known.set(file.path, { ...now, parts: now.parts | file.parts });
  }
}

/**
 * Verifies rows. Yields the last file that was verified; undefined when no more follow.
 * @throws SqliteError `corrupt`
 */
export async function* verifiedRows(
  store: IndexStore,
  from: number | undefined,
  isOver: () => boolean,
): AsyncGenerator<number | undefined> {
  if (from === undefined) return;
  let slice = new TimeSlice();
  for (const last of store.verifyAfter(from)) {
    if (slice.isOver) {
      await idleTurn();
      slice = new TimeSlice();
    }
    if (isOver()) return;
    yield last;
  }
  yield undefined;
}
