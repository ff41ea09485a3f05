/** A database's files: listed once, updated by the feed, compared periodically. */
import { setTimeout as delay } from "node:timers/promises";
import { putNewest } from "../../async/put-newest.js";
import { isVaultError, VaultError } from "../../errors.js";
import type { VaultPath } from "../path.js";
import { isDeleted, isNoteId, type RawDocument, generationOf, revisionStamp } from "./codec/document.js";
import { type NoteMetadata, pathOf } from "./codec/note.js";
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
import { type KeptMirror, mirrored, Mirror } from "./mirror.js";

interface ReplicaOptions {
  readonly idOf: (path: VaultPath) => string;
  /** After the first listing. */
  readonly onChange: (path: VaultPath) => void;
  /** Milliseconds. */
  readonly compareAfter: number;
}

/** Before it is certain that the stored mirror is of this database. */
export interface AskedAhead {
  readonly changes: Promise<ChangePage>;
  readonly lacking: Promise<readonly string[]>;
}

/** An unused answer may fail silently. */
export function askAhead(couch: Couch, { sequence, recent }: KeptMirror): AskedAhead {
  const asked = { changes: couch.changes(sequence), lacking: couch.lacking(new Map(recent)) };
  for (const answer of [asked.changes, asked.lacking]) answer.catch(() => undefined);
  return asked;
}

/** `changed` undefined: store everything. */
type MirrorChange = Pick<KeptMirror, "sequence" | "unlisted" | "recent" | "files" | "doubtful"> & {
  readonly changed: ReadonlySet<string> | undefined;
};

const BATCH = 500;
/** Until a lagging node is queried again. */
export const STALE_PAUSES_MS = [20, 60, 180];

export class Replica {
  readonly mirror: Mirror;
  readonly #couch: Couch;
  readonly #compareAfter: number;
  /** At the beginning of the listing, then after the last change. */
  #sequence: Sequence | undefined;
  #unlisted: readonly Range[] = METADATA;
  /** Known documents, while listing again. */
  #unmet: Set<string> | undefined;
  /** Outdated, or not decrypted. */
  readonly #doubtful = new Map<string, string>();
  readonly #recent = new RecentRevisions();
  #comparedAt = performance.now();
  #isRelistDue = false;
  #ahead: AskedAhead | undefined;
  #isQuiet = true;
  #wentBack = false;
  #isUnsaved = false;
  #isNew = true;

  constructor(couch: Couch, { idOf, onChange, compareAfter }: ReplicaOptions) {
    this.#couch = couch;
    this.#compareAfter = compareAfter;
    this.mirror = new Mirror(idOf, (path) => {
      if (!this.#isQuiet) onChange(path);
    });
  }

  /** The next refresh compares it with the database. */
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

  /** Just before storing. */
  takeKept(): MirrorChange | undefined {
    if (this.#sequence === undefined || !this.#isUnsaved) return undefined;
    const touched = this.mirror.takeTouched();
    const changed = this.#isNew ? undefined : touched;
    this.#isUnsaved = false;
    this.#isNew = false;
    const files = [...this.mirror.files];
    const faulty = files.flatMap(({ id, fault }) => (fault === undefined ? [] : id));
    return {
      changed,
      sequence: this.#sequence,
      unlisted: this.#unmet || this.#isRelistDue ? METADATA : this.#unlisted,
      recent: [...this.#recent.all],
      files: files.filter(({ fault }) => fault === undefined),
      doubtful: [...new Set([...faulty, ...this.mirror.leftOut, ...this.#doubtful.keys()])],
    };
  }

  revisionOf(id: string): string | undefined {
    return this.#recent.of(id) ?? this.mirror.byId(id)?.revision;
  }

  /** A node's feed may report this write late. */
  wrote(note: NoteMetadata): void {
    const { id, revision = "", deleted } = note;
    if (generationOf(revision) < generationOf(this.revisionOf(id) ?? "")) return;
    this.#recent.saw(id, revision);
    // Only the database knows whether conflicts remain.
    if (deleted) this.mirror.remove(id);
    else this.mirror.put({ ...mirrored(note), conflicts: this.mirror.byId(id)?.conflicts ?? [] });
  }

  needsSaving(): void {
    this.#isUnsaved = true;
  }

  suspect(): void {
    this.#comparedAt = -Infinity;
  }

  /** At the next refresh. */
  relist(): void {
    this.#isRelistDue = true;
  }

  /** Skips finished parts. @returns whether the feed went back behind a known revision */
  async refresh(opened: Opened): Promise<boolean> {
    this.#wentBack = false;
    let ahead = this.#ahead;
    this.#ahead = undefined;
    if (this.#isRelistDue) {
      this.#restart();
      ahead = undefined;
    }
    await this.#list(opened);
    const before = this.#sequence;
    const [isSame] = await Promise.all([this.#isSame(ahead?.lacking), this.#follow(opened, ahead?.changes)]);
    // Of another node, or of a recreated database.
    const isBack = placeOf(this.#sequence) < placeOf(before);
    if (isBack) this.suspect();
    if (!isSame || (isBack && !(await this.#isSame()))) {
      this.#restart();
      await this.#list(opened);
      await this.#follow(opened);
    }
    this.#isQuiet = false;
    return this.#wentBack;
  }

  #restart(): void {
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
        this.#isUnsaved = true;
        this.#unlisted = [{ from: page.at(-1)?.["_id"] ?? range.from, to: range.to, isAfter: true }, ...others];
      }
      this.#unlisted = others;
    }
    for (const id of this.#unmet ?? []) this.mirror.remove(id);
    this.#unmet = undefined;
    const newest = [...this.mirror.files].toSorted((one, other) => one.stat.modified - other.stat.modified);
    this.#recent.reset(newest.slice(-MAX_RECENT).map(({ id, revision }) => [id, revision]));
    this.#comparedAt = performance.now();
  }

  #isMet({ _id: id, _rev: revision, _conflicts: conflicts = [] }: RawDocument): boolean {
    this.#unmet?.delete(id);
    const known = this.mirror.byId(id);
    if (known === undefined || known.fault || known.revision !== revision) return false;
    return JSON.stringify(known.conflicts) === JSON.stringify(conflicts);
  }

  /** Sequences prove nothing: a restored server repeats them. */
  async #isSame(asked?: Promise<readonly string[]>): Promise<boolean> {
    if (performance.now() - this.#comparedAt < this.#compareAfter) return true;
    const lacking = await (asked ?? this.#couch.lacking(this.#recent.all));
    this.#comparedAt = performance.now();
    if (lacking.length === 0) return true;
    // A lagging node may not have them yet.
    await delay(STALE_PAUSES_MS.at(-1) ?? 0);
    const still = await this.#couch.lacking(this.#recent.all);
    return still.length === 0;
  }

  /** Another node's feed may repeat changes. */
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
    const announced = new Map<string, string>();
    for (const row of rows) {
      if (!isNoteId(row.id) || this.#isKnown(row)) continue;
      const [revision = ""] = row.revisions;
      this.#recent.saw(row.id, revision);
      this.#isUnsaved = true;
      if (row.isDeleted) this.mirror.remove(row.id);
      else announced.set(row.id, revision);
    }
    await this.#look(opened, announced);
  }

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

  async #look(opened: Opened, announced: ReadonlyMap<string, string>): Promise<void> {
    const ids = [...announced.keys()];
    for (let start = 0; start < ids.length; start += BATCH) {
      let wanted = ids.slice(start, start + BATCH);
      for (const pause of [...STALE_PAUSES_MS, undefined]) {
        const found = await this.#couch.byIds(wanted);
        wanted = wanted.filter((id) => isBehind(found.get(id), announced.get(id) ?? ""));
        await this.#takeFound(opened, found, new Set(wanted));
        if (wanted.length === 0) break;
        if (pause === undefined) for (const id of wanted) this.#doubtful.set(id, announced.get(id) ?? "");
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

  /** One document does not block the others. */
  async #take({ codec, evidence }: Opened, documents: readonly RawDocument[]): Promise<void> {
    const opened = await Promise.all(
      documents.map((document) =>
        codec.open(document).catch((error: unknown) => {
          if (isVaultError(error)) return error;
          throw error;
        }),
      ),
    );
    for (const [index, document] of documents.entries()) {
      const one = opened[index];
      const { _id: id, _rev: revision } = document;
      evidence.see(document);
      if (isNoteId(id)) this.mirror.saw(document);
      if (one instanceof VaultError && !isDeleted(document)) takeFault(this.mirror, id, String(revision), one);
      else if (one === undefined || one instanceof VaultError) this.mirror.remove(id);
      else if (one.kind === "note" && !one.deleted) this.mirror.put(mirrored(one));
      else if (one.kind === "unnameable" && !one.deleted) this.mirror.leaveOut(id, one.path, "name");
      else this.mirror.remove(id);
    }
  }
}

/** The leading number; proves nothing alone. */
const placeOf = (sequence: Sequence | undefined): number => Number.parseInt(String(sequence ?? 0), 10);

function takeFault(mirror: Mirror, id: string, revision: string, fault: VaultError): void {
  const path = pathOf(fault.path ?? "");
  if (path === undefined) {
    mirror.leaveOut(id, id, "unreadable");
    return;
  }
  const stat = { path, size: 0, modified: 0, created: 0, stamp: revisionStamp(revision) };
  mirror.put({ id, stat, revision, type: undefined, chunks: "", conflicts: [], isInline: true, fault });
}

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

/** Revisions compared in one request. */
const MAX_RECENT = 20;

class RecentRevisions {
  readonly #revisions = new Map<string, string>();

  get all(): ReadonlyMap<string, string> {
    return this.#revisions;
  }

  of(id: string): string | undefined {
    return this.#revisions.get(id);
  }

  saw(id: string, revision: string): void {
    const before = this.#revisions.get(id);
    if (before !== undefined && generationOf(before) > generationOf(revision)) return;
    putNewest(this.#revisions, id, revision, MAX_RECENT);
  }

  reset(revisions: Iterable<readonly [id: string, revision: string]>): void {
    this.#revisions.clear();
    for (const [id, revision] of revisions) this.saw(id, revision);
  }
}
