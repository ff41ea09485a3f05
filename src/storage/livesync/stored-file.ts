/** A file put together from its document and its chunks, with a word to whoever minds where these do not agree. */
import type { VaultPath } from "../path.js";
import type { FileStat, StoredFile } from "../storage.js";
import { isNoteDocument, type RawDocument } from "./codec/document.js";
import type { NoteMetadata } from "./codec/note.js";
import type { Opened } from "./inspect.js";
import { revisionOf, revisionStamp } from "./stamp.js";

/** Chunks by their ids. */
export type Leaves = ReadonlyMap<string, RawDocument>;

/** What is told of a file that is read all the same. */
export interface Doubts {
  /** It is not of the size that its document says. */
  onMismatch(path: VaultPath, size: number, found: number): void;
  /** A chunk of it does not hold what it is named after. */
  onStrange(path: VaultPath, chunk: string): void;
}

/** @throws VaultError naming the chunk that is missing or does not open */
export async function storedFile(
  note: NoteMetadata,
  { codec }: Opened,
  leaves: Leaves,
  doubts: Doubts,
): Promise<StoredFile> {
  const { path, size, revision = "" } = note;
  const bytes = await codec.decode(
    note,
    (id) => leaves.get(id),
    (chunk) => doubts.onStrange(path, chunk),
  );
  if (bytes.length !== size) doubts.onMismatch(path, size, bytes.length);
  return { stat: { ...statOf(note), size: bytes.length }, bytes, revision: revisionOf(revision) };
}

/** What a document says of its file, without the content. */
export function statOf({ path, size, modified, created, revision = "" }: NoteMetadata): FileStat {
  return { path, size, modified, created, stamp: revisionStamp(revision) };
}

/** The file that a document holds or held; undefined for tombstones and what is no file. */
export async function noteIn(document: RawDocument, { codec, evidence }: Opened): Promise<NoteMetadata | undefined> {
  if (!isNoteDocument(document)) return undefined;
  evidence.see(document);
  const opened = await codec.open(document);
  return opened.kind === "note" ? opened : undefined;
}
