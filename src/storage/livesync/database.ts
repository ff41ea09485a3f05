/** One LiveSync database as this process knows it: opened when first asked for, and brought up to date before every answer. */
import { isVaultError, VaultError } from "../../errors.js";
import type { VaultPath } from "../path.js";
import { startFault } from "./codec/database.js";
import { isNoteId, type RawDocument } from "./codec/document.js";
import { pathOf } from "./codec/note-id.js";
import { CHANGES_AT_ONCE, METADATA, type ChangeRow, type Couch, type Sequence } from "./couch.js";
import { mirrored, Mirror, type MirroredFile } from "./mirror.js";
import type { KeptMirror, MirrorFile } from "./mirror-file.js";
import { fingerprintOf, openDatabase, readMarks, reconsider, type Opened, type Secrets } from "./opening.js";
import { stampOf } from "./stamp.js";

export interface DatabaseOptions extends Secrets {
  readonly couch: Couch;
  /** Where the mirror is kept between processes. */
  readonly kept: MirrorFile | undefined;
  /** Milliseconds after which it is asked again whether the database may be used; default 10 s. */
  readonly believed?: number | undefined;
  /** Is told of every path that may have changed; undefined: all may have. */
  readonly onChange: (path: VaultPath | undefined) => void;
}

/** The database with its files, up to date. */
export interface Current extends Opened {
  readonly mirror: Mirror;
}

interface Known {
  readonly mirror: Mirror;
  sequence: Sequence;
  /** What changed since it was kept. */
  unkept: number;
}

const BELIEVED = 10_000;
const BATCH = 500;
const REBUILDINGS = 3;
/** Fewer changes than this are quicker asked for again than written down. */
const WORTH_KEEPING = 50;

export class Database {
  readonly couch: Couch;
  readonly #options: DatabaseOptions;
  #opening: Promise<Opened> | undefined;
  #opened: Opened | undefined;
  #looking: Promise<void> | undefined;
  #lookedAt = -Infinity;
  #known: Known | undefined;
  #running: Promise<Current> | undefined;
  #next: Promise<Current> | undefined;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.couch = options.couch;
  }

  /**
   * The database, found fit for reading. A failure is not kept: the next call looks again.
   * @throws VaultError UNAVAILABLE naming the cause
   */
  async opened(): Promise<Opened> {
    if (this.#opened && performance.now() - this.#lookedAt > (this.#options.believed ?? BELIEVED)) {
      this.#looking ??= this.#lookAgain(this.#opened).finally(() => (this.#looking = undefined));
      await this.#looking;
    }
    if (this.#opened) return this.#opened;
    this.#opening ??= openDatabase(this.couch, this.#options).finally(() => (this.#opening = undefined));
    const opened = await this.#opening;
    this.#opened ??= opened;
    this.#lookedAt = performance.now();
    return this.#opened;
  }

  /** The database and its files as they are now: never older than this call. @throws VaultError as `opened` does */
  current(): Promise<Current> {
    if (!this.#running) return (this.#running = this.#run());
    // What runs may have asked before this call.
    this.#next ??= this.#running.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  /** What is known of a document, which may be out of date. */
  recall(id: string): MirroredFile | undefined {
    return this.#known?.mirror.byId(id);
  }

  /** @throws VaultError saying why nothing may be written */
  async writable(): Promise<Opened> {
    const opened = await this.opened();
    const isTold = opened.marks.milestone !== undefined;
    // Without a milestone every document is evidence of how the others are stored.
    const { settings } = isTold || this.#known ? (this.#opened ?? opened) : await this.current();
    if (settings.readOnly) throw settings.readOnly;
    return this.#opened ?? opened;
  }

  /** Keeps the mirror for the next process, where that is worth it. */
  keep(): void {
    const [known, opened, { kept }] = [this.#known, this.#opened, this.#options];
    if (!known || !opened || !kept || known.unkept < WORTH_KEEPING) return;
    const files = [...known.mirror.files];
    known.unkept = 0;
    kept.save({
      fingerprint: opened.fingerprint,
      sequence: known.sequence,
      evidence: opened.evidence,
      files: files.filter(({ fault }) => fault === undefined),
      doubtful: files.flatMap(({ id, fault }) => (fault === undefined ? [] : id)),
    });
  }

  #begin(): Promise<Current> {
    this.#next = undefined;
    return (this.#running = this.#run());
  }

  async #run(): Promise<Current> {
    try {
      for (let tries = 1; ; tries++) {
        const opened = await this.opened();
        const known = this.#known ?? (await this.#load(opened));
        const isFollowed = await this.#follow(known, opened);
        const now = await reconsider(opened, this.#options);
        // Unless it was found to be another database meanwhile.
        if (isFollowed && this.#opened === opened) {
          this.#opened = now;
          return { ...now, mirror: known.mirror };
        }
        this.#forget();
        if (tries === REBUILDINGS) throw rebuilt();
      }
    } finally {
      if (!this.#next) this.#running = undefined;
    }
  }

  /** Whether the database was locked, updated or rebuilt meanwhile. */
  async #lookAgain(opened: Opened): Promise<void> {
    const marks = await readMarks(this.couch);
    const isSame =
      fingerprintOf(marks) === opened.fingerprint &&
      JSON.stringify(marks.milestone?.["tweak_values"]) === JSON.stringify(opened.marks.milestone?.["tweak_values"]);
    const fault = startFault({ ...marks, evidence: opened.evidence, passphrase: undefined });
    if (isSame && !fault) {
      this.#lookedAt = performance.now();
      return;
    }
    this.#forget();
    if (fault) throw fault;
  }

  #forget(): void {
    this.#opened = undefined;
    this.#known = undefined;
    this.#options.onChange(undefined);
  }

  /** From the kept mirror where it is of this database, else from a listing. */
  async #load(opened: Opened): Promise<Known> {
    const { onChange } = this.#options;
    let isLoading = true;
    const mirror = new Mirror(
      (path) => (this.#opened ?? opened).codec.idOf(path),
      (path) => {
        if (!isLoading) onChange(path);
      },
    );
    const kept = this.#options.kept?.load();
    let known: Known;
    if (kept?.fingerprint === opened.fingerprint) {
      for (const file of kept.files) mirror.put(file);
      remember(opened.evidence, kept.evidence);
      known = { mirror, sequence: kept.sequence, unkept: 0 };
      await this.#look(known, opened, kept.doubtful);
    } else {
      known = { mirror, sequence: await this.couch.now(), unkept: WORTH_KEEPING };
      for (const range of METADATA) {
        for await (const page of this.couch.range(range)) await take(mirror, opened, page);
      }
    }
    isLoading = false;
    return (this.#known = known);
  }

  /** Takes over what changed since the mirror was last up to date. @returns false when another database has taken the name */
  async #follow(known: Known, opened: Opened): Promise<boolean> {
    for (;;) {
      const { rows, last } = await this.couch.changes(known.sequence);
      if (numberOf(last) < numberOf(known.sequence)) return false;
      await this.#apply(known, opened, rows);
      known.sequence = last;
      if (rows.length < CHANGES_AT_ONCE) return true;
    }
  }

  async #apply(known: Known, opened: Opened, rows: readonly ChangeRow[]): Promise<void> {
    const notes = rows.filter(({ id }) => isNoteId(id));
    known.unkept += notes.length;
    for (const { id, isDeleted } of notes) if (isDeleted) known.mirror.remove(id);
    const there = notes.flatMap(({ id, isDeleted }) => (isDeleted ? [] : id));
    await this.#look(known, opened, there);
  }

  async #look({ mirror }: Known, opened: Opened, ids: readonly string[]): Promise<void> {
    for (let start = 0; start < ids.length; start += BATCH) {
      const found = await this.couch.byIds(ids.slice(start, start + BATCH));
      const documents: RawDocument[] = [];
      for (const [id, one] of found) {
        if (one.kind === "document") documents.push(one.document);
        else mirror.remove(id);
      }
      await take(mirror, opened, documents);
    }
  }
}

/** Shows documents to the mirror. One that cannot be opened keeps no other from being seen. */
async function take(mirror: Mirror, { codec, evidence }: Opened, documents: readonly RawDocument[]): Promise<void> {
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
    if (one instanceof VaultError) takeFault(mirror, id, String(revision), one);
    else if (one?.kind === "note" && !one.deleted) mirror.put(mirrored(one));
    else if (one?.kind === "unnameable" && !one.deleted) mirror.passOver(id, one.path);
    else mirror.remove(id);
  }
}

function takeFault(mirror: Mirror, id: string, revision: string, fault: VaultError): void {
  const path = pathOf(fault.path ?? "");
  if (path === undefined) {
    mirror.passOver(id, id);
    return;
  }
  const stat = { path, size: 0, modified: 0, created: 0, stamp: stampOf(revision) };
  mirror.put({ id, stat, revision, type: undefined, chunks: "", conflicts: [], isInline: true, fault });
}

/** CouchDB's sequences begin with a number that only grows. */
function numberOf(sequence: Sequence): number {
  return typeof sequence === "number" ? sequence : Number.parseInt(sequence, 10) || 0;
}

function remember(evidence: Opened["evidence"], kept: KeptMirror["evidence"]): void {
  for (const name of ["encrypted", "v2", "obfuscated", "notes"] as const) evidence[name] ||= kept[name];
  evidence.caseSensitive ??= kept.caseSensitive;
}

function rebuilt(): VaultError {
  return new VaultError("UNAVAILABLE", "The database is being rebuilt.", {
    hint: "Try again when LiveSync has finished.",
  });
}
