/** Every file's metadata in memory, and as stored rows. */
import { isRecord } from "../../text/decoded.js";
import type { VaultError } from "../../errors.js";
import { baseName, folderOf, isHiddenName, ROOT, type VaultPath } from "../path.js";
import type { DriverStore, FileStat, FolderEntry, ListOptions, UnlistedEntry, Revision } from "../storage.js";
import { isChunked, type RawDocument, revisionOf, revisionStamp } from "./codec/document.js";
import type { NoteMetadata } from "./codec/note.js";
import type { KeptEvidence } from "./codec/database-settings.js";
import type { Range, Sequence } from "./couch.js";

export interface MirroredFile {
  readonly id: string;
  readonly stat: FileStat;
  /** `_rev`. */
  readonly revision: string;
  readonly type: string | undefined;
  /** Separated by spaces, to save memory. */
  readonly chunks: string;
  /** Of other devices. */
  readonly conflicts: readonly string[];
  /** Reading needs the document. */
  readonly isInline: boolean;
  /** The stat is unreliable. */
  readonly fault: VaultError | undefined;
}

/** JSON does not escape it. */
const SEPARATOR = " ";

export function mirrored(note: NoteMetadata): MirroredFile {
  const { id, revision = "", path, size, modified, created, children, conflicts, document } = note;
  const { type, eden } = document;
  const chunks = children.join(SEPARATOR);
  return {
    id,
    stat: { path, size, modified, created, stamp: revisionStamp(revision) },
    revision,
    type: typeof type === "string" ? type : undefined,
    chunks,
    conflicts,
    isInline:
      !isChunked(type) ||
      (isRecord(eden) && Object.keys(eden).length > 0) ||
      chunksOf(chunks).length !== children.length,
    fault: undefined,
  };
}

/** For content in chunks only. */
export function recordOf(file: MirroredFile): NoteMetadata {
  const { id, stat, revision, type, chunks, conflicts } = file;
  const { path, size, created, modified } = stat;
  const document = { _id: id, _rev: revision, type, eden: {} };
  const children = chunksOf(chunks);
  return { kind: "note", id, revision, path, deleted: false, size, created, modified, children, conflicts, document };
}

export function chunksOf(chunks: string): readonly string[] {
  return chunks === "" ? [] : chunks.split(SEPARATOR);
}

interface Folder {
  readonly files: MirroredFile[];
  readonly folders: VaultPath[];
}
const NOTHING: Folder = { files: [], folders: [] };

export class Mirror {
  readonly #files = new Map<string, MirroredFile>();
  readonly #byPath = new Map<VaultPath, MirroredFile>();
  #touched = new Set<string>();
  /** No known path. */
  readonly #leftOut = new Map<string, UnlistedEntry>();
  /** Of LiveSync's first versions, or another program. */
  readonly #untyped = new Set<string>();
  readonly #idOf: (path: VaultPath) => string;
  readonly #onChange: (path: VaultPath) => void;
  #folders: { readonly tree: ReadonlyMap<VaultPath, Folder>; readonly changes: number } | undefined;
  #changes = 0;

  /** @param idOf this id's document wins among several of one path */
  constructor(idOf: (path: VaultPath) => string, onChange: (path: VaultPath) => void) {
    this.#idOf = idOf;
    this.#onChange = onChange;
  }

  takeTouched(): ReadonlySet<string> {
    const touched = this.#touched;
    this.#touched = new Set();
    return touched;
  }

  get files(): Iterable<MirroredFile> {
    return this.#files.values();
  }

  get size(): number {
    return this.#files.size;
  }

  /** By this process. */
  get untyped(): number {
    return this.#untyped.size;
  }

  saw({ _id: id, type }: RawDocument): void {
    if (type === undefined || type === "") this.#untyped.add(id);
    else this.#untyped.delete(id);
  }

  at(path: VaultPath): MirroredFile | undefined {
    return this.#byPath.get(path);
  }

  byId(id: string): MirroredFile | undefined {
    return this.#files.get(id);
  }

  put(file: MirroredFile): void {
    const { path } = file.stat;
    const before = this.#forget(file.id);
    this.#files.set(file.id, file);
    const rival = this.#byPath.get(path);
    if (rival === undefined || this.#idOf(path) === file.id) this.#byPath.set(path, file);
    if (before !== undefined && before !== path) this.#changed(before);
    this.#changed(path);
  }

  remove(id: string): void {
    const path = this.#forget(id);
    if (path !== undefined) this.#changed(path);
  }

  leaveOut(id: string, name: string, reason: "name" | "unreadable"): void {
    this.remove(id);
    if (name.split("/").some(isHiddenName)) return;
    const path = name as VaultPath;
    this.#leftOut.set(id, { folder: folderOf(path), name: baseName(path), kind: "file", reason });
  }

  get leftOut(): Iterable<string> {
    return this.#leftOut.keys();
  }

  *list({ wants, onUnlisted }: ListOptions): Generator<FileStat> {
    const tree = this.#tree();
    const queue: VaultPath[] = [ROOT];
    for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
      const { files, folders } = tree.get(path) ?? NOTHING;
      for (const { stat } of files) if (wants?.(stat.path, "file") ?? true) yield stat;
      for (const folder of folders) if (wants?.(folder, "folder") ?? true) queue.push(folder);
    }
    if (onUnlisted) for (const entry of this.#leftOut.values()) onUnlisted(entry);
  }

  /** Folders exist where files are. */
  children(path: VaultPath): readonly FolderEntry[] | undefined {
    const folder = this.#tree().get(path);
    if (!folder) return undefined;
    const entry = (at: VaultPath, kind: "file" | "folder"): FolderEntry => ({ name: baseName(at), path: at, kind });
    return [
      ...folder.folders.map((at) => entry(at, "folder")),
      ...folder.files.map(({ stat }) => entry(stat.path, "file")),
    ];
  }

  #tree(): ReadonlyMap<VaultPath, Folder> {
    if (this.#folders?.changes === this.#changes) return this.#folders.tree;
    const tree = new Map<VaultPath, Folder>([[ROOT, { files: [], folders: [] }]]);
    const folderAt = (path: VaultPath): Folder => {
      let folder = tree.get(path);
      if (!folder) {
        tree.set(path, (folder = { files: [], folders: [] }));
        folderAt(folderOf(path)).folders.push(path);
      }
      return folder;
    };
    for (const file of this.#byPath.values()) folderAt(folderOf(file.stat.path)).files.push(file);
    this.#folders = { tree, changes: this.#changes };
    return tree;
  }

  conflicts(): ReadonlyMap<VaultPath, readonly Revision[]> {
    const found = new Map<VaultPath, readonly Revision[]>();
    for (const [path, { conflicts }] of this.#byPath)
      if (conflicts.length > 0) found.set(path, conflicts.map(revisionOf));
    return found;
  }

  isFolder(path: VaultPath): boolean {
    for (const one of this.#byPath.keys()) if (one.startsWith(`${path}/`)) return true;
    return false;
  }

  isBelowFile(path: VaultPath): boolean {
    for (let folder = folderOf(path); folder !== ROOT; folder = folderOf(folder)) {
      if (this.#byPath.has(folder)) return true;
    }
    return false;
  }

  #forget(id: string): VaultPath | undefined {
    this.#touched.add(id);
    this.#leftOut.delete(id);
    const file = this.#files.get(id);
    if (!file) return undefined;
    const { path } = file.stat;
    this.#files.delete(id);
    if (this.#byPath.get(path) !== file) return undefined;
    this.#byPath.delete(path);
    const other = this.#hasCompeting ? [...this.#files.values()].find(({ stat }) => stat.path === path) : undefined;
    if (other) this.#byPath.set(path, other);
    return path;
  }

  /** Of one path. */
  get #hasCompeting(): boolean {
    return this.#files.size > this.#byPath.size;
  }

  #changed(path: VaultPath): void {
    this.#changes++;
    this.#onChange(path);
  }
}

/** At one place in the feed. */
export interface KeptMirror {
  readonly fingerprint: string;
  readonly instance: string | undefined;
  /** `pbkdf2salt`. */
  readonly salt: string | undefined;
  readonly sequence: Sequence;
  /** By an interrupted listing. */
  readonly unlisted: readonly Range[];
  /** A database that lacks one was restored or recreated. */
  readonly recent: readonly (readonly [id: string, revision: string])[];
  readonly files: readonly MirroredFile[];
  /** To read again; faults are not stored. */
  readonly doubtful: readonly string[];
  readonly evidence: KeptEvidence;
}

/** Other editions are dropped. */
const EDITION = 6;
const HEAD = "";

/** Half the size of an object. */
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
  // A checksum guarantees its origin.
  const head = JSON.parse(rows.get(HEAD) ?? "{}") as Partial<KeptMirror> & { edition?: number; count?: number };
  // A file without its row would miss from every answer.
  if (head.edition !== EDITION || head.count !== rows.size - 1) return undefined;
  const files: MirroredFile[] = [];
  for (const [id, row] of rows) if (id !== HEAD) files.push(fileOf(id, JSON.parse(row) as Row));
  return { ...(head as Omit<KeptMirror, "files">), files };
}

/** @param changed ids since the last time; undefined: all */
export async function saveMirror(
  store: DriverStore,
  { files, ...rest }: KeptMirror,
  changed: ReadonlySet<string> | undefined,
): Promise<void> {
  const { encrypted, v2, obfuscated, caseSensitive, notes, sample, unknown } = rest.evidence;
  const evidence = { encrypted, v2, obfuscated, caseSensitive, notes, sample, unknown };
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
