/**
 * The files of one database in this process: listed once, updated by the feed of changes, and compared with the database
 * periodically.
 */
import { setTimeout as delay } from "node:timers/promises";
import { isVaultError, VaultError } from "../../errors.js";
import type { VaultPath } from "../path.js";
import { UnknownFormError } from "./codec/cipher.js";
import { isNoteId, type RawDocument } from "./codec/document.js";
import { pathOf } from "./codec/note-id.js";
import type { NoteMetadata } from "./codec/note.js";
import type { ChangeRow } from "./couch-answers.js";
import {
  CHANGES_AT_ONCE,
  METADATA,
  type ChangePage,
  type Couch,
  type Found,
  type Range,
  type Sequence,
} from "./couch.js";
import type { Opened } from "./inspect.js";
import type { KeptMirror } from "./mirror-rows.js";
import { mirrored, Mirror } from "./mirror.js";
import { generationOf, revisionStamp } from "./stamp.js";

export interface ReplicaOptions {
  readonly idOf: (path: VaultPath) => string;
  /** Called with every path that changed after the first listing. */
  readonly onChange: (path: VaultPath) => void;
  /** Milliseconds after which it is compared with the database again. */
  readonly compareAfter: number;
}

/** The requests of the first refresh after a stored mirror, sent before it is certain that the mirror is of this database. */
export interface AskedAhead {
  readonly changes: Promise<ChangePage>;
  readonly lacking: Promise<readonly string[]>;
}

/** Sends them immediately. Failures of answers that are not needed are ignored. */
export function askAhead(couch: Couch, { sequence, recent }: KeptMirror): AskedAhead {
  const asked = { changes: couch.changes(sequence), lacking: couch.lacking(new Map(recent)) };
  for (const answer of [asked.changes, asked.lacking]) answer.catch(() => undefined);
  return asked;
}

/** The mirror, and which documents were changed or removed since it was stored; undefined: store everything. */
export type MirrorChange = Pick<KeptMirror, "sequence" | "unlisted" | "recent" | "files" | "doubtful"> & {
  readonly changed: ReadonlySet<string> | undefined;
};

const BATCH = 500;
/** Milliseconds after which a node of a cluster that lacks a change is queried again. */
export const STALE_PAUSES = [20, 60, 180];
const RECENT = 20;

export class Replica {
  readonly mirror: Mirror;
  readonly #couch: Couch;
  readonly #compareAfter: number;
  /** The place in the feed at the begin of the listing, or the last one; undefined before that. */
  #sequence: Sequence | undefined;
  #unlisted: readonly Range[] = METADATA;
  /** While everything is listed again: the known documents that have not been listed yet. */
  #unmet: Set<string> | undefined;
  /** Documents to fetch again: the answer was older than announced, or could not be decrypted. */
  readonly #doubtful = new Map<string, string>();
  readonly #recent = new RecentRevisions();
  #comparedAt = performance.now();
  #isRelistDue = false;
  #ahead: AskedAhead | undefined;
  /** Documents that were listed so far. */
  listed = 0;
  #isQuiet = true;
  #wentBack = false;
  /** Something has changed since it was stored. */
  #isUnsaved = false;
  /** What is stored is of another database: everything must be stored. */
  #isNew = true;

  constructor(couch: Couch, { idOf, onChange, compareAfter }: ReplicaOptions) {
    this.#couch = couch;
    this.#compareAfter = compareAfter;
    this.mirror = new Mirror(idOf, (path) => {
      if (!this.#isQuiet) onChange(path);
    });
  }

  /**
   * Loads the mirror of an earlier process, to be compared with the database before it is used. @param ahead answers for the
   * next refresh
   */
  restore(kept: KeptMirror, ahead?: AskedAhead): void {
    this.#ahead = ahead;
    for (const file of kept.files) this.mirror.put(file);
    this.mirror.takeTouched();
    this.#isNew = false;
    for (const id of kept.doubtful) this.#doubtful.set(id, "");
    this.#recent.reset(kept.recent);
    this.#sequence = kept.sequence;
    this.#unlisted = kept.unlisted;
    this.#comparedAt = -Infinity;
  }

  /** The data for the next process; undefined when nothing has changed. Called just before it is stored. */
  takeKept(): MirrorChange | undefined {
    if (this.#sequence === undefined || !this.#isUnsaved) return undefined;
    const touched = this.mirror.takeTouched();
    const changed = this.#isNew ? undefined : touched;
    [this.#isUnsaved, this.#isNew] = [false, false];
    const files = [...this.mirror.files];
    const faulty = files.flatMap(({ id, fault }) => (fault === undefined ? [] : id));
    return {
      changed,
      sequence: this.#sequence,
      unlisted: this.#unmet || this.#isRelistDue ? METADATA : this.#unlisted,
      recent: [...this.#recent.all],
      files: files.filter(({ fault }) => fault === undefined),
      doubtful: [...new Set([...faulty, ...this.#doubtful.keys()])],
    };
  }

  /** The newest known revision of a document. */
  revisionOf(id: string): string | undefined {
    return this.#recent.of(id) ?? this.mirror.byId(id)?.revision;
  }

  /** Called after a write of this process: a node's feed may report it later than the next request. */
  wrote(note: NoteMetadata): void {
    const { id, revision = "", deleted } = note;
    if (generationOf(revision) < generationOf(this.revisionOf(id) ?? "")) return;
    this.#recent.saw(id, revision);
    // Only the database knows the versions in conflict.
    if (deleted) this.mirror.remove(id);
    else this.mirror.put({ ...mirrored(note), conflicts: this.mirror.byId(id)?.conflicts ?? [] });
  }

  /** Makes the next refresh compare with the database: something was older than expected. */
  suspect(): void {
    this.#comparedAt = -Infinity;
  }

  /** Makes the next refresh list everything again; equal documents stay. */
  relist(): void {
    this.#isRelistDue = true;
  }

  /**
   * Refreshes the mirror. After a failure, finished parts are not repeated. @returns whether the feed went back behind a known
   * revision: its node is late, or the database was made again under its name
   */
  async refresh(opened: Opened): Promise<boolean> {
    this.#wentBack = false;
    let ahead = this.#ahead;
    this.#ahead = undefined;
    if (this.#isRelistDue) {
      this.#beginAnew();
      ahead = undefined;
    }
    await this.#list(opened);
    const [isSame] = await Promise.all([this.#isSame(ahead?.lacking), this.#follow(opened, ahead?.changes)]);
    if (!isSame) {
      this.#beginAnew();
      await this.#list(opened);
      await this.#follow(opened);
    }
    this.#isQuiet = false;
    return this.#wentBack;
  }

  #beginAnew(): void {
    this.#isRelistDue = false;
    this.#sequence = undefined;
    this.#unlisted = METADATA;
    this.#unmet = new Set([...this.mirror.files].map(({ id }) => id));
  }

  async #list(opened: Opened): Promise<void> {
    if (this.#unlisted.length === 0) return;
    this.#sequence ??= (await this.#couch.info()).sequence;
    for (let [range, ...others] = this.#unlisted; range; [range, ...others] = this.#unlisted) {
      for await (const page of this.#couch.range(range)) {
        await this.#take(
          opened,
          page.filter((document) => !this.#isMet(document)),
        );
        this.listed += page.length;
        this.#isUnsaved = true;
        this.#unlisted = [{ from: page.at(-1)?.["_id"] ?? range.from, to: range.to, isAfter: true }, ...others];
      }
      this.#unlisted = others;
    }
    for (const id of this.#unmet ?? []) this.mirror.remove(id);
    this.#unmet = undefined;
    const newest = [...this.mirror.files].toSorted((one, other) => one.stat.modified - other.stat.modified);
    this.#recent.reset(newest.slice(-RECENT).map(({ id, revision }) => [id, revision]));
    this.#comparedAt = performance.now();
  }

  /** Whether a listed document equals the known one. */
  #isMet({ _id: id, _rev: revision, _conflicts: conflicts = [] }: RawDocument): boolean {
    this.#unmet?.delete(id);
    const known = this.mirror.byId(id);
    if (known === undefined || known.fault || known.revision !== revision) return false;
    return JSON.stringify(known.conflicts) === JSON.stringify(conflicts);
  }

  /** Whether the database still has the revisions seen last. Sequences prove nothing: a restored server repeats them. */
  async #isSame(asked?: Promise<readonly string[]>): Promise<boolean> {
    if (performance.now() - this.#comparedAt < this.#compareAfter) return true;
    const lacking = await (asked ?? this.#couch.lacking(this.#recent.all));
    this.#comparedAt = performance.now();
    if (lacking.length === 0) return true;
    // A node that has just returned may not have received them yet.
    await delay(STALE_PAUSES.at(-1) ?? 0);
    const still = await this.#couch.lacking(this.#recent.all);
    return still.length === 0;
  }

  /** Applies the changes since the last refresh. The feed of another node may go back and repeat known ones. */
  async #follow(opened: Opened, asked?: Promise<ChangePage>): Promise<void> {
    const doubtful = new Map(this.#doubtful);
    this.#doubtful.clear();
    await this.#look(opened, doubtful);
    for (let page = asked; ; page = undefined) {
      const { rows, last } = await (page ?? this.#couch.changes(this.#sequence ?? 0));
      await this.#apply(opened, rows);
      this.#sequence = last;
      if (rows.length < CHANGES_AT_ONCE) return;
    }
  }

  async #apply(opened: Opened, rows: readonly ChangeRow[]): Promise<void> {
    const told = new Map<string, string>();
    for (const row of rows) {
      if (!isNoteId(row.id) || this.#isKnown(row)) continue;
      const [revision = ""] = row.revisions;
      this.#recent.saw(row.id, revision);
      this.#isUnsaved = true;
      if (row.isDeleted) this.mirror.remove(row.id);
      else told.set(row.id, revision);
    }
    await this.#look(opened, told);
  }

  /** Whether a row reports nothing new: the file is known, or the row comes from an outdated node. */
  #isKnown({ id, revisions, isDeleted }: ChangeRow): boolean {
    const file = this.mirror.byId(id);
    const known = this.revisionOf(id);
    if (known === undefined || revisions.length === 0) return false;
    const newest = Math.max(...revisions.map(generationOf));
    if (newest < generationOf(known)) {
      this.#wentBack = true;
      return true;
    }
    if (isDeleted || file?.fault) return false;
    return file?.revision === revisions[0] && sameTexts(file?.conflicts ?? [], revisions.slice(1));
  }

  /** @param told documents with the announced revisions; empty: unknown */
  async #look(opened: Opened, told: ReadonlyMap<string, string>): Promise<void> {
    const ids = [...told.keys()];
    for (let start = 0; start < ids.length; start += BATCH) {
      let wanted = ids.slice(start, start + BATCH);
      for (const pause of [...STALE_PAUSES, undefined]) {
        const found = await this.#couch.byIds(wanted);
        wanted = wanted.filter((id) => isBehind(found.get(id), told.get(id) ?? ""));
        await this.#takeFound(opened, found, new Set(wanted));
        if (wanted.length === 0) break;
        if (pause === undefined) for (const id of wanted) this.#doubtful.set(id, told.get(id) ?? "");
        else await delay(pause);
      }
    }
  }

  async #takeFound(opened: Opened, found: ReadonlyMap<string, Found>, except: ReadonlySet<string>): Promise<void> {
    const documents: RawDocument[] = [];
    for (const [id, one] of found) {
      if (except.has(id)) continue;
      if (one.kind === "document") documents.push(one.document);
      else this.mirror.remove(id);
    }
    await this.#take(opened, documents);
  }

  /** Adds documents to the mirror. One that cannot be decrypted does not block the others. */
  async #take({ codec, evidence }: Opened, documents: readonly RawDocument[]): Promise<void> {
    const opened = await Promise.all(
      documents.map((document) =>
        codec.open(document).catch((error: unknown) => {
          if (isVaultError(error) && !(error instanceof UnknownFormError)) return error;
          throw error;
        }),
      ),
    );
    for (const [index, document] of documents.entries()) {
      const one = opened[index];
      const { _id: id, _rev: revision } = document;
      evidence.see(document);
      if (isNoteId(id)) this.mirror.saw(document);
      if (one instanceof VaultError) takeFault(this.mirror, id, String(revision), one);
      else if (one?.kind === "note" && !one.deleted) this.mirror.put(mirrored(one));
      else if (one?.kind === "unnameable" && !one.deleted) this.mirror.passOver(id, one.path);
      else this.mirror.remove(id);
    }
  }
}

function takeFault(mirror: Mirror, id: string, revision: string, fault: VaultError): void {
  const path = pathOf(fault.path ?? "");
  if (path === undefined) {
    mirror.passOver(id, id);
    return;
  }
  const stat = { path, size: 0, modified: 0, created: 0, stamp: revisionStamp(revision) };
  mirror.put({ id, stat, revision, type: undefined, chunks: "", conflicts: [], isInline: true, fault });
}

/** Whether an answer is older than a revision that the document is known to have had. */
export function isBehind(found: Found | undefined, revision: string): boolean {
  if (revision === "" || found === undefined) return false;
  if (found.kind === "missing") return true;
  const current = found.kind === "document" ? found.document["_rev"] : found.revision;
  // A deletion without a revision is accepted.
  return typeof current === "string" && generationOf(current) < generationOf(revision);
}

function sameTexts(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.toSorted().join() === other.toSorted().join();
}

/** Documents that are compared, in one request. */
const COUNT = 20;

class RecentRevisions {
  readonly #revisions = new Map<string, string>();

  get all(): ReadonlyMap<string, string> {
    return this.#revisions;
  }

  of(id: string): string | undefined {
    return this.#revisions.get(id);
  }

  /** Records a document's revision. */
  saw(id: string, revision: string): void {
    const before = this.#revisions.get(id);
    if (before !== undefined && generationOf(before) > generationOf(revision)) return;
    this.#revisions.delete(id);
    this.#revisions.set(id, revision);
    for (const oldest of this.#revisions.keys()) {
      if (this.#revisions.size <= COUNT) break;
      this.#revisions.delete(oldest);
    }
  }

  /** Starts again with these, the newest last. */
  reset(revisions: Iterable<readonly [id: string, revision: string]>): void {
    this.#revisions.clear();
    for (const [id, revision] of revisions) this.saw(id, revision);
  }
}
