/** Documents as the database answers them: JSON of which nothing is believed, and what kind each is (docs: livesync, "Documents"). */
import { VaultError } from "../../../errors.js";

/** Any document. Only `_id` is certain; every other field is checked before it is used. */
export interface RawDocument {
  readonly _id: string;
  readonly [field: string]: unknown;
}

/** A piece of a file's content as it is stored. */
export interface LeafDocument extends RawDocument {
  readonly type: "leaf";
  readonly data: string;
  /** Present when `data` is encrypted; the id says nothing about it. */
  readonly e_?: true;
}

/** What one child of a note that is kept in the note itself looks like. */
export interface EdenEntry {
  readonly data: string;
  readonly epoch: number;
}
export type Eden = Readonly<Record<string, EdenEntry>>;

/** What a document says of a file, in the form in which it is stored. */
export interface NoteFields {
  readonly type: "plain" | "newnote";
  readonly path: string;
  /** Milliseconds since the epoch; 0 where the true values are sealed in `path`. */
  readonly ctime: number;
  readonly mtime: number;
  /** Bytes. */
  readonly size: number;
  readonly children: readonly string[];
  readonly eden: Eden;
}

/** The metadata of a file as it is stored, ready to PUT (with `_rev` when it replaces a document). */
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

/** Hidden files, settings sync, the plug-in store and chunks are recognised by their prefix, the rest by name. */
const FOREIGN = /^(i|ix|ps|h):|^_design\/|^_local\/|^syncinfo$|^obsydian_livesync_version$/;
const NOTE_TYPES: ReadonlySet<unknown> = new Set(["plain", "newnote", "notes", undefined, ""]);

/** Whether a document holds a piece of content. */
export function isLeaf(document: RawDocument): boolean {
  return document["type"] === "leaf";
}

/** Whether an id can be that of a file of the vault; what else lives in the database is left alone. */
export function isNoteId(id: string): boolean {
  return !FOREIGN.test(id);
}

/** Whether a document describes a file of the vault (deleted ones and tombstones included). */
export function isNoteDocument({ _id: id, type }: RawDocument): boolean {
  return isNoteId(id) && NOTE_TYPES.has(type);
}

/** Whether a document without a type has nothing of a file either: somebody else's. */
export function isBare({ type, data, children, deleted, _deleted }: RawDocument): boolean {
  if (type !== undefined && type !== "") return false;
  return typeof data !== "string" && !isTexts(data) && !isTexts(children) && deleted !== true && _deleted !== true;
}

/** Whether a document describes a file in a way that only later clients know. */
export function isUnknownNote({ _id: id, type, path, children }: RawDocument): boolean {
  return isNoteId(id) && !NOTE_TYPES.has(type) && typeof path === "string" && isTexts(children);
}

/** Whether a document holds content in a way that only later clients know. */
export function isUnknownChunk({ _id: id, type, _deleted }: RawDocument): boolean {
  return id.startsWith(LEAF_PREFIX) && type !== "leaf" && !NOTE_TYPES.has(type) && _deleted !== true;
}

/** Whether a document says that its file is deleted: softly, as clients do, or as a tombstone (section 7). */
export function isDeleted(document: RawDocument): boolean {
  return document["deleted"] === true || document["_deleted"] === true;
}

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a list of texts. */
export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** The refusal of a document whose fields are not what the format says. */
export function malformed(what: string, path?: string): VaultError {
  return new VaultError("SERVER_ERROR", `${what} is not what LiveSync writes; it is left alone.`, {
    ...(path === undefined ? {} : { path }),
    hint: "Open the vault in Obsidian and let LiveSync verify and repair its files.",
  });
}
