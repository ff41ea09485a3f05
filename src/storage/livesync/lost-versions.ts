/** Stores this user's last versions on a cluster, and merges those that lost (docs: livesync). */
import { setTimeout as delay } from "node:timers/promises";
import { diffArrays } from "diff";
import type { VaultPath } from "../path.js";
import type { WrittenFile } from "../storage.js";
import type { RawDocument } from "./codec/document.js";
import { Attempt, type Committer } from "./committer.js";
import type { LeafVersion } from "./couch.js";
import type { Current, Database } from "./database.js";
import type { FoundDocument, WholeNote, Reader } from "./file-reader.js";
import { isRecord, parseJson } from "../../text/decoded.js";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { putNewest } from "../../async/put-newest.js";
import { makePrivateFolder } from "../../private-folder.js";
import { sha256 } from "../../text/hash.js";

/** Another writer interfered: read again. */
export const AGAIN = Symbol("again");

/** For another server to act. */
const COMPETING_TIMEOUT_MS = 1500;

/** For versions that a lagging node did not list. */
const RETRY_AFTER_MS = 20_000;

/** The current version lacks changes of ours. */
interface Lost {
  readonly revision: string;
  readonly ancestor: string | undefined;
  readonly own: readonly OwnVersion[];
}

interface LostVersionsOptions {
  readonly own: OwnVersions;
  /** They cannot be merged. */
  readonly onConflict: (path: VaultPath) => void;
  /** Over the version that was read. */
  readonly put: (read: WholeNote, bytes: Uint8Array, attempt: Attempt) => Promise<WrittenFile | typeof AGAIN>;
  /** Excludes other changes of the path; repeats while `work` returns `AGAIN`. */
  readonly inTurn: (path: VaultPath, work: (attempt: Attempt) => Promise<unknown>) => Promise<unknown>;
}

export function lostVersions(database: Database, reader: Reader, commits: Committer, options: LostVersionsOptions) {
  const stuck = new Set<string>();
  /** Documents being settled, and the versions settled last. */
  const settling = new Set<string>();
  const settled = new Map<string, { readonly versions: string; readonly at: number }>();
  const ownVersions = options.own;

  /** In the background: every conflict with a version of this user. */
  function settleAll({ mirror }: Current): void {
    if (!database.isCluster) return;
    for (const id of ownVersions.ids) {
      const file = mirror.byId(id);
      if (!file || file.conflicts.length === 0 || settling.has(id)) continue;
      const revisions = [file.revision, ...file.conflicts];
      const [versions, since] = [revisions.join(), performance.now()];
      const last = settled.get(id);
      if (last?.versions === versions) {
        if (since - last.at < RETRY_AFTER_MS) continue;
        for (const revision of revisions) stuck.delete(revision);
      }
      settling.add(id);
      const settle = async (attempt: Attempt): Promise<unknown> => {
        attempt.waitsSince ??= since;
        const found = await reader.find(file.stat.path);
        if (found && (await settleOne(found, attempt)) === AGAIN) return AGAIN;
        return settled.set(id, { versions, at: performance.now() });
      };
      void delay(COMPETING_TIMEOUT_MS, undefined, { ref: false })
        .then(() => options.inTurn(file.stat.path, settle))
        .catch(() => undefined)
        .finally(() => settling.delete(id));
    }
  }

  /** @returns `AGAIN` when the file may have changed, or to wait for another server */
  async function settleOne(found: FoundDocument, attempt: Attempt): Promise<typeof AGAIN | undefined> {
    const { note, opened } = found;
    const { id, path, revision = "", conflicts, document } = note;
    const own = ownVersions.of(id);
    if (opened.marks.copies === 1 || conflicts.length === 0 || own.length === 0) return undefined;
    await attempt.writable;
    const versions = await database.couch.versions(id, Math.floor(opened.marks.copies / 2) + 1);
    const current = versions.find((one) => one.revision === revision);
    const others = versions.filter((one) => one !== current && !one.isDeleted);
    const unsure = own.find((one) => one.revision === revision && !one.isAcknowledged);
    const hasCompetitor = unsure !== undefined && others.some((one) => isCompeting(one, unsure));
    const [lost] = hasCompetitor || !current ? [] : findLost(others, current, own);
    if (!lost && !hasCompetitor) return undefined;
    if (lost && stuck.has(lost.revision)) {
      options.onConflict(path);
      return undefined;
    }
    // The loser's server acts first; one that acknowledged nothing waits longest.
    const isFirst = lost?.own.some((one) => one.revision === lost.revision && one.isAcknowledged) === true;
    attempt.waitsSince ??= performance.now();
    if (performance.now() - attempt.waitsSince < COMPETING_TIMEOUT_MS * (isFirst ? 1 : 2)) return AGAIN;
    attempt.waitsSince = undefined;
    if (!lost) {
      if (!(await commits.discard({ id, revision }, document))) return undefined;
      ownVersions.delete(revision);
      return AGAIN;
    }
    const merged = await merge(found, lost);
    if (merged !== "unfit") return merged;
    stuck.add(lost.revision);
    options.onConflict(path);
    return undefined;
  }

  /** A server may have built on our version, so histories decide. Mergeable versions first. */
  function findLost(others: readonly LeafVersion[], current: LeafVersion, own: readonly OwnVersion[]): readonly Lost[] {
    const lost = others.flatMap((one) => lostIn(one, current, own) ?? []);
    return lost.toSorted((one, other) => Number(stuck.has(one.revision)) - Number(stuck.has(other.revision)));
  }

  /** @returns undefined if deleting failed, which is tried again */
  async function merge(
    { note }: FoundDocument,
    { revision, ancestor, own }: Lost,
  ): Promise<typeof AGAIN | "unfit" | undefined> {
    const { id, path } = note;
    const read = await reader.readWhole(path);
    if (read?.note.revision !== note.revision || !read?.note.conflicts.includes(revision)) return AGAIN;
    const base = own.find((one) => one.base?.["_rev"] === ancestor)?.base;
    const ours = await content(read, revision);
    const before = ancestor === undefined ? undefined : await content(read, ancestor, base);
    const both = before && ours && mergedVersions(before, ours, read.file.bytes);
    if (!both) return "unfit";
    const attempt = new Attempt();
    const isWithin = Buffer.compare(both, read.file.bytes) === 0;
    if (!isWithin && (await options.put(read, both, attempt)) === AGAIN) {
      await commits.clear(attempt);
      return AGAIN;
    }
    const remaining = await commits.clear({ losers: [...attempt.losers, { id, revision }] });
    if (remaining.some((one) => one.revision === revision)) return isWithin ? undefined : AGAIN;
    for (const one of own) ownVersions.delete(one.revision);
    return AGAIN;
  }

  async function content(
    { note, opened }: WholeNote,
    revision: string,
    stored?: RawDocument,
  ): Promise<Uint8Array | undefined> {
    const document = stored ?? (await database.couch.revision(note.id, revision));
    return document && (await reader.contentOf(document, opened))?.bytes;
  }

  return { settleAll, settle: settleOne };
}

/** Of our parent, not an older conflict of devices. */
function isCompeting({ history }: LeafVersion, { base }: OwnVersion): boolean {
  return base === undefined || history.includes(String(base["_rev"]));
}

function lostIn(version: LeafVersion, current: LeafVersion, own: readonly OwnVersion[]): Lost | undefined {
  const ancestor = version.history.find((one) => current.history.includes(one));
  const start = ancestor === undefined ? undefined : version.history.indexOf(ancestor);
  const since = new Set(version.history.slice(0, start));
  const ours = own.filter((one) => since.has(one.revision));
  return ours.length === 0 ? undefined : { revision: version.revision, ancestor, own: ours };
}

/** Of the base, `to` excluded. */
interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

const LINE = /[^\n]*\n|[^\n]+$/g;
/** More takes too long. */
const MAX_EDITS = 2000;

/**
 * Adds lines at one place where other packages see a conflict, theirs first.
 * @returns undefined when both changed the same lines differently
 */
export function mergedVersions(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array): Uint8Array | undefined {
  const lines = linesOf(base);
  const [own, others] = [hunks(lines, linesOf(ours)), hunks(lines, linesOf(theirs))];
  if (!own || !others) return undefined;
  const hunksInOrder = inOrder(others, own);
  if (!hunksInOrder) return undefined;
  const parts: string[] = [];
  let done = 0;
  for (const { from, to, lines: changed } of hunksInOrder) {
    parts.push(...lines.slice(done, from), ...changed);
    done = to;
  }
  return Buffer.from([...parts, ...lines.slice(done)].join(""), "latin1");
}

/** Undefined for a conflict. */
function inOrder(theirs: readonly Hunk[], ours: readonly Hunk[]): readonly Hunk[] | undefined {
  const result: Hunk[] = [];
  let [at, own] = [0, 0];
  for (;;) {
    const [first, second] = [theirs[at], ours[own]];
    if (!first || !second) return [...result, ...theirs.slice(at), ...ours.slice(own)];
    if (isIncluded(second, first)) {
      result.push(first);
      at++;
      own++;
    } else if (isBefore(first, second)) {
      result.push(first);
      at++;
    } else if (isBefore(second, first)) {
      result.push(second);
      own++;
    } else return undefined;
  }
}

/** A version merged before. */
function isIncluded(ours: Hunk, theirs: Hunk): boolean {
  if (ours.from !== theirs.from || ours.to !== theirs.to) return false;
  if (ours.lines.length === 0) return theirs.lines.length === 0;
  return theirs.lines.some((_, at) => ours.lines.every((line, index) => theirs.lines[at + index] === line));
}

/** Lines added come before changes at the same place. */
function isBefore(first: Hunk, second: Hunk): boolean {
  return first.to <= second.from;
}

/** Latin-1 keeps the bytes. */
function linesOf(bytes: Uint8Array): string[] {
  return Buffer.from(bytes).toString("latin1").match(LINE) ?? [];
}

function hunks(before: string[], after: string[]): readonly Hunk[] | undefined {
  const parts = diffArrays(before, after, { maxEditLength: MAX_EDITS });
  if (!parts) return undefined;
  const found: Hunk[] = [];
  let at = 0;
  let open: { from: number; lines: string[] } | undefined;
  const close = (): void => {
    if (open) found.push({ ...open, to: at });
    open = undefined;
  };
  for (const { added, removed, value } of parts) {
    if (!added && !removed) close();
    else open ??= { from: at, lines: [] };
    if (added) open?.lines.push(...value);
    else at += value.length;
  }
  close();
  return found;
}

interface OwnVersion {
  readonly id: string;
  readonly revision: string;
  /** The database forgets old revisions, but no chunk. Undefined for a new or long file. */
  readonly base: RawDocument | undefined;
  /** False: too few nodes accepted it, as reported. */
  readonly isAcknowledged: boolean;
}

const MAX_VERSIONS = 1000;
const MAX_BASE_LENGTH = 8 * 1024;
/** A longer file keeps the last versions. */
const MAX_FILE_SIZE = 4 * 1024 * 1024;

export class OwnVersions {
  readonly #file: string | undefined;
  readonly #versions = new Map<string, OwnVersion>();
  #isLoaded = false;

  /** @param folder undefined: store nothing @param identity without credentials */
  constructor(folder: string | undefined, identity: string) {
    this.#file = folder === undefined ? undefined : join(folder, `${sha256(identity).slice(0, 16)}.written`);
  }

  of(id: string): readonly OwnVersion[] {
    this.#load();
    return [...this.#versions.values()].filter((version) => version.id === id);
  }

  get ids(): ReadonlySet<string> {
    this.#load();
    return new Set([...this.#versions.values()].map(({ id }) => id));
  }

  add(version: OwnVersion): void {
    this.#remember(version);
    if (this.#file === undefined || !version.isAcknowledged) return;
    const { id, revision, base } = version;
    const document = base && JSON.stringify(base).length <= MAX_BASE_LENGTH ? base : undefined;
    try {
      makePrivateFolder(dirname(this.#file));
      fs.appendFileSync(this.#file, `${JSON.stringify({ id, revision, base: document })}\n`, { mode: 0o600 });
      if (fs.statSync(this.#file).size > MAX_FILE_SIZE) this.#shorten(this.#file);
    } catch {}
  }

  delete(revision: string): void {
    this.#versions.delete(revision);
  }

  #remember(version: OwnVersion): void {
    putNewest(this.#versions, version.revision, version, MAX_VERSIONS);
  }

  #load(): void {
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    const since = [...this.#versions.values()];
    for (const line of this.#file === undefined ? [] : storedLines(this.#file)) {
      const version = versionIn(line);
      if (version) this.#remember(version);
    }
    for (const version of since) this.#remember(version);
  }

  #shorten(file: string): void {
    const shorter = `${file}-${process.pid}`;
    fs.writeFileSync(shorter, `${storedLines(file).join("\n")}\n`, { mode: 0o600 });
    fs.renameSync(shorter, file);
  }
}

function storedLines(file: string): readonly string[] {
  try {
    return fs.readFileSync(file, "utf8").trim().split("\n").slice(-MAX_VERSIONS);
  } catch {
    return [];
  }
}

function versionIn(line: string): OwnVersion | undefined {
  const found = parseJson(line);
  if (!isRecord(found)) return undefined;
  const { id, revision, base } = found;
  if (typeof id !== "string" || typeof revision !== "string") return undefined;
  return { id, revision, base: isRecord(base) ? (base as RawDocument) : undefined, isAcknowledged: true };
}
