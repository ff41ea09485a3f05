/** Kinds of documents, which are untrusted JSON, and their revisions (docs: livesync, "Documents"). */
import { VaultError } from "../../../errors.js";
import { sha256 } from "../../../text/hash.js";
import type { Revision, Stamp } from "../../storage.js";

/** Check every field but `_id`. */
export interface RawDocument {
  readonly _id: string;
  readonly [field: string]: unknown;
}

export interface LeafDocument extends RawDocument {
  readonly type: "leaf";
  readonly data: string;
  /** `data` is encrypted; the id does not show that. */
  readonly e_?: true;
}

/** In the note itself. */
interface EdenEntry {
  readonly data: string;
  readonly epoch: number;
}
export type Eden = Readonly<Record<string, EdenEntry>>;

export interface NoteFields {
  readonly type: "plain" | "newnote";
  readonly path: string;
  /** Milliseconds; 0 when encrypted in `path`. */
  readonly ctime: number;
  readonly mtime: number;
  /** Bytes. */
  readonly size: number;
  readonly children: readonly string[];
  readonly eden: Eden;
}

export interface NoteDocument extends RawDocument, NoteFields {
  readonly deleted?: true;
}

export const IDS = {
  version: "obsydian_livesync_version",
  milestone: "_local/obsydian_livesync_milestone",
  parameters: "_local/obsidian_livesync_sync_parameters",
} as const;

export const LEAF_PREFIX = "h:";
export const OBFUSCATED_PREFIX = "f:";

/** Hidden files, settings sync, plug-in store, chunks. */
const FOREIGN = /^(i|ix|ps|h):|^_design\/|^_local\/|^syncinfo$|^obsydian_livesync_version$/;
const NOTE_TYPES: ReadonlySet<unknown> = new Set(["plain", "newnote", "notes", undefined, ""]);

export function isLeaf(document: RawDocument): boolean {
  return document["type"] === "leaf";
}

export function isNoteId(id: string): boolean {
  return !FOREIGN.test(id);
}

/** Deleted ones too. */
export function isNoteDocument({ _id: id, type }: RawDocument): boolean {
  return isNoteId(id) && NOTE_TYPES.has(type);
}

/** Another program's. */
export function isBare({ type, data, children, deleted, _deleted }: RawDocument): boolean {
  if (type !== undefined && type !== "") return false;
  return typeof data !== "string" && !isTexts(data) && !isTexts(children) && deleted !== true && _deleted !== true;
}

/** Another type, with a field or the id of a file. */
export function isUnknownNote({ _id: id, type, path, children }: RawDocument): boolean {
  if (!isNoteId(id) || NOTE_TYPES.has(type)) return false;
  return typeof path === "string" || isTexts(children) || id.startsWith(OBFUSCATED_PREFIX);
}

export function isUnknownChunk({ _id: id, type, _deleted }: RawDocument): boolean {
  return id.startsWith(LEAF_PREFIX) && type !== "leaf" && !NOTE_TYPES.has(type) && _deleted !== true;
}

export function isChunked(type: unknown): type is NoteFields["type"] {
  return type === "plain" || type === "newnote";
}

/** By a flag or a tombstone. */
export function isDeleted(document: RawDocument): boolean {
  return document["deleted"] === true || document["_deleted"] === true;
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

export function malformed(what: string, path?: string): VaultError {
  return new VaultError("SERVER_ERROR", `${what} is not what LiveSync writes; it is left alone.`, {
    path,
    hint: "Open the vault in Obsidian and let LiveSync verify and repair its files.",
  });
}

/** The number, and the hash in three numbers that a double holds exactly. */
export const STAMP_LENGTH = 4;

const COUCH = /^\d{1,15}-[0-9a-f]{32}$/;
const DIGITS = 32;
const PART = 12;
const ZERO = "0".charCodeAt(0);
const LETTERS = "a".charCodeAt(0);

/** `7-0123...`: 7 and the hash's 128 bits. */
export function revisionStamp(revision: string): Stamp {
  // A replicator may write any form.
  if (!COUCH.test(revision)) return parts(0, sha256(revision), 0);
  const dash = revision.indexOf("-");
  return parts(Number(revision.slice(0, dash)), revision, dash + 1);
}

function parts(generation: number, text: string, start: number): Stamp {
  const end = start + DIGITS;
  const [second, third] = [start + PART, start + 2 * PART];
  return [generation, numberIn(text, start, second), numberIn(text, second, third), numberIn(text, third, end)];
}

/** Much faster than `parseInt`. */
function numberIn(text: string, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    number = number * 16 + (code < LETTERS ? code - ZERO : code - LETTERS + 10);
  }
  return number;
}

/** The same for every server. */
export function revisionOf(revision: string): Revision {
  return revision as Revision;
}

/** Number of writes. A smaller one is older; a greater one proves nothing. */
export function generationOf(revision: string): number {
  return Number.parseInt(revision, 10) || 0;
}
