/** One LiveSync database as this process knows it: opened when first asked for, and brought up to date before every answer. */
import { Coalesced } from "../../async/coalesce.js";
import { VaultError } from "../../errors.js";
import type { VaultPath } from "../path.js";
import { BackOff } from "./back-off.js";
import { startFault } from "./codec/database.js";
import type { NoteMetadata } from "./codec/note.js";
import type { Couch } from "./couch.js";
import {
  databaseFingerprint,
  marksAfter,
  openDatabase,
  readMarks,
  reconsider,
  type Marks,
  type Opened,
  type Secrets,
} from "./inspect.js";
import type { Mirror, MirroredFile } from "./mirror.js";
import type { KeptMirror, MirrorFile } from "./mirror-file.js";
import { askAhead, Replica, type AskedAhead } from "./replica.js";

export interface DatabaseOptions extends Secrets {
  readonly couch: Couch;
  /** Where the mirror is kept between processes. */
  readonly kept: MirrorFile | undefined;
  /** Milliseconds after which it is asked again whether the database may be used; default 10 s. */
  readonly believed?: number | undefined;
  /** Milliseconds after which what was seen last is compared with the database again; default a minute. */
  readonly compareAfter?: number | undefined;
  /** Is told of every path that may have changed; undefined: all may have. */
  readonly onChange: (path: VaultPath | undefined) => void;
}

/** The database with its files, up to date. */
export interface Current extends Opened {
  readonly mirror: Mirror;
}

const BELIEVED = 10_000;
const COMPARE_AFTER = 60_000;
const REBUILDINGS = 3;

export class Database {
  readonly couch: Couch;
  readonly #options: DatabaseOptions;
  #opening: Promise<Opened> | undefined;
  #opened: Opened | undefined;
  #looking: Promise<void> | undefined;
  #lookedAt = -Infinity;
  #replica: Replica | undefined;
  /** What an earlier process left, from the first look on until the replica has begun with it. */
  #kept: KeptMirror | undefined;
  readonly #backOff = new BackOff();
  readonly #refreshes = new Coalesced<Current, never>(() => this.#refresh());

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.couch = options.couch;
  }

  /**
   * The database, found fit for reading. The next call after a failure looks again, later ones less and less often.
   * @param onAnswer is called when it is looked at for the first time, as soon as it has answered at all
   * @throws VaultError UNAVAILABLE naming the cause
   */
  async opened(onAnswer?: () => void): Promise<Opened> {
    if (this.#opened && performance.now() - this.#lookedAt > (this.#options.believed ?? BELIEVED)) {
      this.#looking ??= this.#lookAgain(this.#opened).finally(() => (this.#looking = undefined));
      await this.#looking;
    }
    if (this.#opened) return this.#opened;
    this.#opening ??= this.#backOff
      .run(() => openDatabase(this.couch, this.#options, { known: this.#left(), onAnswer }))
      .finally(() => (this.#opening = undefined));
    const opened = await this.#opening;
    this.#opened ??= opened;
    this.#lookedAt = performance.now();
    return this.#opened;
  }

  /** The database and its files as they are now: never older than this call. @throws VaultError as `opened` does */
  current(): Promise<Current> {
    return this.#refreshes.join();
  }

  /** How many documents have been listed so far. */
  get listed(): number {
    return this.#replica?.listed ?? 0;
  }

  /** What is known of a document, which may be out of date. */
  recall(id: string): MirroredFile | undefined {
    return this.#replica?.mirror.byId(id);
  }

  /** The newest revision that is known of a document. */
  revisionOf(id: string): string | undefined {
    return this.#replica?.revisionOf(id);
  }

  /** A document was written by this process. */
  wrote(note: NoteMetadata): void {
    this.#replica?.wrote(note);
  }

  /** The database answered something older than what is known. */
  suspect(): void {
    this.#replica?.suspect();
  }

  /** @throws VaultError saying why nothing may be written */
  async writable(): Promise<Opened> {
    const opened = await this.opened();
    const isTold = opened.marks.milestone !== undefined;
    // Without a milestone every document is evidence of how the others are stored.
    const { settings } = isTold || this.#replica ? (this.#opened ?? opened) : await this.current();
    if (settings.readOnly) throw settings.readOnly;
    return this.#opened ?? opened;
  }

  /** Keeps the mirror for the next process, where that is worth it. */
  keep(): void {
    const [replica, opened, { kept }] = [this.#replica, this.#opened, this.#options];
    const files = opened && kept && replica?.takeKept();
    if (!files) return;
    const { fingerprint, evidence, marks, settings } = opened;
    const salt = settings.salt?.toString("base64");
    kept.save({ fingerprint, evidence, instance: marks.instance, salt, ...files });
  }

  async #refresh(): Promise<Current> {
    for (let tries = 1; ; tries++) {
      let ahead: AskedAhead | undefined;
      const opened = await this.opened(() => (ahead = this.#replica ? undefined : this.#askedAhead()));
      const replica = (this.#replica ??= this.#begun(opened, ahead));
      await replica.refresh(opened).catch((error: unknown) => {
        // Whatever stands there when it can be reached again may be something else.
        this.#lookedAt = -Infinity;
        replica.suspect();
        throw error;
      });
      const now = await reconsider(opened, this.#options);
      // Unless it was found to be another database meanwhile.
      if (this.#opened === opened) {
        this.#opened = now;
        return { ...now, mirror: replica.mirror };
      }
      if (tries === REBUILDINGS) throw rebuilt();
    }
  }

  /** Whether the database was locked, updated, rebuilt or made anew meanwhile. */
  async #lookAgain(opened: Opened): Promise<void> {
    const [found] = await readMarks(this.couch, async () => undefined);
    const marks = marksAfter(opened.marks, found);
    const fault = startFault({ ...marks, evidence: opened.evidence, passphrase: undefined });
    if (fault || !isSameRule(marks, opened)) {
      this.#forget();
      if (fault) throw fault;
      return;
    }
    this.#lookedAt = performance.now();
    if (marks.instance === opened.marks.instance) return;
    this.#opened = { ...opened, marks };
    this.#replica?.relist();
  }

  #forget(): void {
    this.#opened = undefined;
    this.#replica = undefined;
    this.#options.onChange(undefined);
  }

  #left(): KeptMirror | undefined {
    return (this.#kept ??= this.#options.kept?.load());
  }

  /** The questions of the first refresh, asked of what was kept while it is not certain yet that it is of this database. */
  #askedAhead(): AskedAhead | undefined {
    const kept = this.#left();
    return kept && askAhead(this.couch, kept);
  }

  /** The replica, begun with what was kept where that is of this database. */
  #begun(opened: Opened, ahead: AskedAhead | undefined): Replica {
    const { onChange, compareAfter = COMPARE_AFTER } = this.#options;
    const idOf = (path: VaultPath): string => (this.#opened ?? opened).codec.idOf(path);
    const replica = new Replica(this.couch, { idOf, onChange, compareAfter });
    const kept = this.#left();
    this.#kept = undefined;
    if (kept?.fingerprint !== opened.fingerprint) return replica;
    replica.restore(kept, ahead);
    opened.evidence.recall(kept.evidence);
    if (kept.instance !== opened.marks.instance) replica.relist();
    return replica;
  }
}

function rebuilt(): VaultError {
  return new VaultError("UNAVAILABLE", "The database is being rebuilt.", {
    hint: "Try again when LiveSync has finished.",
  });
}

/** Whether files are stored by the same rules: LiveSync makes both parts of the fingerprint anew when it rebuilds a database. */
function isSameRule(marks: Marks, { fingerprint, marks: before }: Opened): boolean {
  const tweaks = (milestone: Marks["milestone"]): string => JSON.stringify(milestone?.["tweak_values"]);
  return databaseFingerprint(marks) === fingerprint && tweaks(marks.milestone) === tweaks(before.milestone);
}
