/**
 * A file's document: its id, refused names, and its decrypted metadata (docs: livesync,
 * "Document id", "Documents", "Encryption", "Writing").
 */
import { isRecord, parseJson } from "../../../text/decoded.js";
import type { EpochMilliseconds } from "../../../clock.js";
import { TimeSlice } from "../../../async/timers.js";
import { isHidden, ROOT, storedPath, type VaultPath } from "../../path.js";
import { type Cipher, encrypted, unknownForm, unopened } from "./cipher.js";
import {
  isBare,
  isChunked,
  isDeleted,
  isNoteDocument,
  isTexts,
  isUnknownNote,
  malformed,
  OBFUSCATED_PREFIX,
  type RawDocument,
} from "./document.js";
import { VaultError } from "../../../errors.js";
import { sha256 } from "../../../text/hash.js";

export interface IdRules {
  readonly caseSensitive: boolean;
  /** Undefined: readable ids. */
  readonly obfuscation: string | undefined;
}

export function noteId(path: VaultPath, { caseSensitive, obfuscation }: IdRules): string {
  const normal = normalPath(path);
  const name = caseSensitive ? normal : normal.toLowerCase();
  if (obfuscation === undefined) return name.startsWith("_") ? `/${name}` : name;
  return OBFUSCATED_PREFIX + sha256(`${obfuscation}:${name}`);
}

export function obfuscationKey(passphrase: string): string {
  return sha256(passphrase);
}

/**
 * Undefined: outside the vault, hidden, the client's own, or invalid. A leading slash is valid only before an
 * underscore.
 */
export function pathOf(text: string): VaultPath | undefined {
  const named = normalPath(text.startsWith("/_") ? text.slice(1) : text);
  if (named === "" || named.includes(":")) return undefined;
  let path: VaultPath | undefined = ROOT;
  let from = 0;
  while (path !== undefined && from <= named.length) {
    const slash = named.indexOf("/", from);
    const end = slash < 0 ? named.length : slash;
    path = storedPath(path, named.slice(from, end));
    from = end + 1;
  }
  return path;
}

/** As the client spells it. */
export function normalPath<Path extends string>(path: Path): Path {
  if (/^[\x20-\x7e]*$/.test(path)) return path;
  return path.replaceAll("\u00a0", " ").normalize("NFC") as Path;
}

/** These make a client stop or rebuild its vault; also its logs. */
const COMMANDS = /^(?:redflag[^/]*\.md|flag_[^/]*\.md|livesync_log_.*)$/i;
const MAX_SIZE = 50 * 1024 * 1024;

/** @throws INVALID_ARGUMENT, PERMISSION_DENIED or TOO_LARGE */
export function assertSyncable(path: VaultPath, size = 0): void {
  if (path.includes(":")) {
    throw new VaultError("INVALID_ARGUMENT", `'${path}' has a colon, which LiveSync keeps for itself.`, {
      path,
      hint: "Choose a name without a colon.",
    });
  }
  if (isHidden(path)) {
    throw new VaultError("PERMISSION_DENIED", `'${path}' is hidden; LiveSync keeps hidden files apart.`, { path });
  }
  if (COMMANDS.test(path)) {
    throw new VaultError("PERMISSION_DENIED", `'${path}' is a name that LiveSync obeys as a command or logs to.`, {
      path,
      hint: "Choose another name.",
    });
  }
  if (size > MAX_SIZE) {
    throw new VaultError("TOO_LARGE", `'${path}' would be longer than 50 MB; LiveSync does not sync such files.`, {
      path,
    });
  }
}

export interface NoteMetadata {
  readonly kind: "note";
  readonly id: string;
  /** `_rev`; undefined for a new document. */
  readonly revision: string | undefined;
  readonly path: VaultPath;
  readonly deleted: boolean;
  /** Bytes by the writer's count, not reliable. */
  readonly size: number;
  readonly created: EpochMilliseconds;
  readonly modified: number;
  /** Perhaps repeated. */
  readonly children: readonly string[];
  /** `_conflicts`, when requested. */
  readonly conflicts: readonly string[];
  readonly document: RawDocument;
}

/** `tombstone`: deleted, no path. `unnameable`: no tool may see its path. `foreign`: no file of the vault. */
export type OpenedNote =
  | NoteMetadata
  | { readonly kind: "tombstone"; readonly id: string }
  | { readonly kind: "unnameable"; readonly id: string; readonly path: string; readonly deleted: boolean }
  | { readonly kind: "foreign" };

const SEALED = "/\\:";
/** Of a path encrypted by V1. */
const V1_LENGTH = 64;

interface Fields {
  readonly path: unknown;
  readonly size: unknown;
  readonly mtime: unknown;
  readonly ctime: unknown;
  readonly children: unknown;
}

/** @throws UNAVAILABLE when it is unreadable, SERVER_ERROR for invalid fields */
export async function openNote(
  document: RawDocument,
  cipher: Cipher | undefined,
  slice = new TimeSlice(),
): Promise<OpenedNote> {
  const { _id: id, _rev: revision, _conflicts: conflicts } = document;
  if (isUnknownNote(document)) throw unknownForm(`The document '${id}'`, { path: clearPath(document) });
  if (!isNoteDocument(document)) return { kind: "foreign" };
  const deleted = isDeleted(document);
  if (deleted && typeof document["path"] !== "string") return { kind: "tombstone", id };
  if (isBare(document)) return { kind: "foreign" };
  const fields = await openedFields(document, cipher, slice);
  if (typeof fields.path !== "string") throw malformed(`The document '${id}'`);
  const path = pathOf(fields.path);
  if (path === undefined) return { kind: "unnameable", id, path: fields.path, deleted };
  const children = fields.children ?? (isChunked(document["type"]) && !deleted ? undefined : []);
  if (!isTexts(children)) throw malformed(`The list of chunks of '${path}'`, path);
  const modified = count(fields.mtime);
  return {
    kind: "note",
    id,
    revision: typeof revision === "string" ? revision : undefined,
    path,
    deleted,
    size: count(fields.size),
    modified,
    created: count(fields.ctime) || modified,
    children,
    conflicts: isTexts(conflicts) ? conflicts : [],
    document,
  };
}

function clearPath({ _id: id, path = id }: RawDocument): string | undefined {
  return typeof path === "string" && !id.startsWith(OBFUSCATED_PREFIX) ? path : undefined;
}

async function openedFields(document: RawDocument, cipher: Cipher | undefined, slice: TimeSlice): Promise<Fields> {
  const { _id: id, path = id, size, mtime, ctime, children } = document;
  const clear = { path, size, mtime, ctime, children };
  if (typeof path !== "string" || !id.startsWith(OBFUSCATED_PREFIX)) return clear;
  const isV2 = path.startsWith(SEALED);
  if (!isV2 && !(path.startsWith("%") && path.length > V1_LENGTH)) return clear;
  const what = `The metadata of the document '${id}'`;
  if (!cipher) throw encrypted(what);
  const text = await cipher.open(isV2 ? path.slice(SEALED.length) : path).catch((error: unknown) => {
    throw unopened(what, error);
  });
  if (slice.isOver) await slice.yield();
  return isV2 ? sealedFields(text, what) : { ...clear, path: text };
}

function sealedFields(text: string, what: string): Fields {
  const fields = parseJson(text);
  if (!isRecord(fields)) throw malformed(what);
  const { path, size, mtime, ctime, children } = fields;
  return { path, size, mtime, ctime, children };
}

/** For the document's `path`. */
export async function sealedV2(fields: object, cipher: Cipher): Promise<string> {
  return SEALED + (await cipher.sealV2(JSON.stringify(fields)));
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
