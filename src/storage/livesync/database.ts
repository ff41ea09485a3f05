/** A database, refreshed before every answer, and its feed of changes (docs: livesync). */
import { Coalesced } from "../../async/coalesce.js";
import { Deferred } from "../../async/timers.js";
import { VaultError, isVaultError } from "../../errors.js";
import type { VaultPath } from "../path.js";
import type { DriverStore } from "../storage.js";
import { laterDeviceFault, startFault } from "./codec/database-settings.js";
import { IDS, isNoteId } from "./codec/document.js";
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
import { type KeptMirror, loadMirror, type Mirror, saveMirror } from "./mirror.js";
import type { RebuildGuard } from "./rebuild-guard.js";
import { askAhead, Replica, type AskedAhead } from "./replica.js";
import { setTimeout as delay } from "node:timers/promises";
import { changeIn } from "./couch-answers.js";

interface DatabaseOptions extends Secrets {
  readonly couch: Couch;
  readonly store: DriverStore | undefined;
  readonly guard: RebuildGuard;
  readonly believed?: number | undefined;
  readonly compareAfter?: number | undefined;
  /** Undefined: any path. */
  readonly onChange: (path: VaultPath | undefined) => void;
}

export interface Current extends Opened {
  readonly mirror: Mirror;
}

const RECHECK_AFTER_MS = 10_000;
const COMPARE_AFTER_MS = 60_000;
const MAX_REBUILDS = 3;
/** After a refresh; also stored on close. */
const KEEP_DELAY_MS = 2_000;

export class Database {
  readonly couch: Couch;
  readonly #options: DatabaseOptions;
  #opening: Promise<Opened> | undefined;
  #opened: Opened | undefined;
  #looking: Promise<void> | undefined;
  #lookedAt = -Infinity;
  #marks: Marks | undefined;
  #replica: Replica | undefined;
  #kept: KeptMirror | undefined;
  readonly #backOff = new BackOff();
  readonly #later = new Deferred(() => void this.keep());
  readonly #milestones = new Coalesced<void, never>(() => this.#readMilestone());
  readonly #refreshes = new Coalesced<Current, never>(() => this.#refresh());
  onRefresh: ((current: Current) => void) | undefined;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.couch = options.couch;
  }

  /** After failures, tries again with growing pauses. @throws UNAVAILABLE with the cause */
  async opened(onAnswer?: () => void): Promise<Opened> {
    if (this.#opened && performance.now() - this.#lookedAt > (this.#options.believed ?? RECHECK_AFTER_MS)) {
      this.#looking ??= this.#checkAfter(this.#opened).finally(() => (this.#looking = undefined));
      await this.#looking;
    }
    if (this.#opened) return this.#opened;
    this.#opening ??= this.#backOff
      .run(async () => {
        const { store } = this.#options;
        this.#lookedAt = performance.now();
        this.#kept ??= store && (await loadMirror(store));
        return openDatabase(this.couch, this.#options, this.#kept, onAnswer);
      })
      .finally(() => (this.#opening = undefined));
    const opened = await this.#opening;
    if (this.#opened) return this.#opened;
    this.#sawMarks(opened.marks);
    return (this.#opened = opened);
  }

  current(): Promise<Current> {
    return this.#refreshes.join();
  }

  get isCluster(): boolean {
    return (this.#opened?.marks.copies ?? 1) > 1;
  }

  /** May be outdated. */
  get replica(): Replica | undefined {
    return this.#replica;
  }

  /** @throws when it was locked or rebuilt */
  async writable(): Promise<Opened> {
    const start = performance.now();
    await this.opened();
    if (this.#lookedAt < start) await this.#milestones.join();
    let opened = await this.opened();
    // Without a milestone every document is evidence.
    if (opened.marks.milestone === undefined && !this.#replica) opened = await this.current();
    const fault = this.writeFault(this.#opened ?? opened);
    if (fault) throw fault;
    return this.#opened ?? opened;
  }

  writeFault({ settings, marks }: Opened): VaultError | undefined {
    const newest = this.#marks ?? marks;
    return settings.readOnly ?? laterDeviceFault(newest) ?? this.#options.guard.judge(newest);
  }

  /** As it is. @throws PERMISSION_DENIED */
  async acceptRebuilt(): Promise<void> {
    const { marks } = await this.opened();
    this.#options.guard.accept(this.#marks ?? marks);
  }

  async close(): Promise<void> {
    this.#later.cancel();
    await this.keep();
    await this.#options.store?.close();
  }

  async keep(): Promise<void> {
    const [replica, opened, { store }] = [this.#replica, this.#opened, this.#options];
    const kept = opened && store && replica?.takeKept();
    if (!kept) return;
    const { fingerprint, evidence, marks, settings } = opened;
    const { changed, ...files } = kept;
    const salt = settings.salt?.toString("base64");
    await saveMirror(store, { fingerprint, evidence, instance: marks.instance, salt, ...files }, changed);
  }

  async #refresh(): Promise<Current> {
    for (let tries = 1; ; tries++) {
      let ahead: AskedAhead | undefined;
      const opened = await this.opened(() => (ahead = this.#replica ? undefined : this.#askedAhead()));
      const replica = (this.#replica ??= this.#begun(opened, ahead));
      const wentBack = await replica.refresh(opened).catch((error: unknown) => {
        // Next time the address may serve another database.
        this.#lookedAt = -Infinity;
        replica.suspect();
        throw error;
      });
      const now = await reconsider(opened, this.#options);
      if (now !== opened) replica.needsSaving();
      if (wentBack && this.#opened === opened) await this.#checkAfter(opened);
      if (this.#opened === opened) {
        this.#opened = now;
        const current = { ...now, mirror: replica.mirror };
        this.onRefresh?.(current);
        this.#later.in(KEEP_DELAY_MS);
        return current;
      }
      if (tries === MAX_REBUILDS) throw rebuilt();
    }
  }

  async #readMilestone(): Promise<void> {
    const opened = await this.opened();
    const milestone = await this.couch.document(IDS.milestone);
    const marks = { ...(this.#marks ?? opened.marks), milestone };
    if (isSameRule(marks, opened)) this.#marks = marks;
    else await this.#checkAfter(opened);
  }

  #sawMarks(marks: Marks): void {
    this.#marks = marks;
    this.#options.guard.judge(marks);
  }

  async #checkAfter(opened: Opened): Promise<void> {
    const start = performance.now();
    const [found] = await readMarks(this.couch, async () => undefined);
    const marks = marksAfter(opened.marks, found);
    const fault = startFault({ ...marks, evidence: opened.evidence, passphrase: undefined });
    if (fault || !isSameRule(marks, opened)) {
      this.#forget();
      if (fault) throw fault;
      return;
    }
    this.#lookedAt = start;
    this.#sawMarks(marks);
    if (marks.instance === opened.marks.instance) return;
    this.#opened = { ...opened, marks };
    this.#replica?.relist();
  }

  #forget(): void {
    this.#opened = undefined;
    this.#replica = undefined;
    this.#options.onChange(undefined);
  }

  /** Before it is certain that the mirror is of this database. */
  #askedAhead(): AskedAhead | undefined {
    return this.#kept && askAhead(this.couch, this.#kept);
  }

  #begun(opened: Opened, ahead: AskedAhead | undefined): Replica {
    const { onChange, compareAfter = COMPARE_AFTER_MS } = this.#options;
    const idOf = (path: VaultPath): string => (this.#opened ?? opened).codec.idOf(path);
    const replica = new Replica(this.couch, { idOf, onChange, compareAfter });
    const kept = this.#kept;
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

/** A rebuild changes both parts. */
function isSameRule(marks: Marks, { fingerprint, marks: before }: Opened): boolean {
  const tweaks = (milestone: Marks["milestone"]): string => JSON.stringify(milestone?.["tweak_values"]);
  return databaseFingerprint(marks) === fingerprint && tweaks(marks.milestone) === tweaks(before.milestone);
}

/** Those usually pass. */
const FAILURES_WITHOUT_PAUSE = 3;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;

class BackOff {
  #failures = 0;
  #until = -Infinity;
  #error: unknown;

  /** @throws what the work throws, or threw recently */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (performance.now() < this.#until) throw this.#error;
    try {
      const result = await work();
      this.#failures = 0;
      return result;
    } catch (error) {
      this.#error = error;
      const pause = FIRST_PAUSE_MS * 2 ** (++this.#failures - FAILURES_WITHOUT_PAUSE);
      if (this.#failures >= FAILURES_WITHOUT_PAUSE) this.#until = performance.now() + Math.min(pause, MAX_PAUSE_MS);
      throw error;
    }
  }
}

/** After three times as long in silence it ends. */
const HEARTBEAT_MS = 20_000;
const SILENCE_TIMEOUT_MS = 3 * HEARTBEAT_MS;

export class Feed {
  readonly #database: Database;
  readonly #onGap: () => void;
  readonly #closing = new AbortController();
  #followers = 0;
  #listening: AbortController | undefined;

  constructor(database: Database, onGap: () => void) {
    this.#database = database;
    this.#onGap = onGap;
  }

  /** The database announces them at its next refresh. */
  follow(signal: AbortSignal): void {
    if (signal.aborted || this.#closing.signal.aborted) return;
    this.#followers++;
    if (!this.#listening) {
      this.#listening = new AbortController();
      void this.#listen(AbortSignal.any([this.#listening.signal, this.#closing.signal]));
    }
    const leave = (): void => {
      if (--this.#followers > 0) return;
      this.#listening?.abort();
      this.#listening = undefined;
    };
    signal.addEventListener("abort", leave, { once: true });
  }

  close(): void {
    this.#closing.abort();
  }

  async #listen(signal: AbortSignal): Promise<void> {
    let pause = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      try {
        await this.#database.current();
        await this.#hear(signal, () => (pause = FIRST_PAUSE_MS));
      } catch (error) {
        if (!isVaultError(error)) this.#onGap();
      }
      await delay(pause, undefined, { signal }).catch(() => undefined);
      pause = Math.min(pause * 2, MAX_PAUSE_MS);
    }
  }

  /** Until it ends or falls silent. */
  async #hear(signal: AbortSignal, onHeard: () => void): Promise<void> {
    const silence = new AbortController();
    const ended = AbortSignal.any([signal, silence.signal]);
    let timer = setTimeout(() => silence.abort(), SILENCE_TIMEOUT_MS);
    try {
      const body = await this.#database.couch.client.stream({
        method: "GET",
        path: "_changes",
        query: { feed: "continuous", heartbeat: HEARTBEAT_MS, since: (await this.#database.couch.info()).sequence },
        signal: ended,
      });
      await this.#database.current();
      const decoder = new TextDecoder();
      let rest = "";
      for await (const bytes of body) {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENCE_TIMEOUT_MS);
        onHeard();
        const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        if (lines.some(tellsOfNote)) await this.#database.current();
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Not chunks. An invalid line ends the feed. */
function tellsOfNote(line: string): boolean {
  if (line.trim() === "") return false;
  const row: unknown = JSON.parse(line);
  if (typeof row === "object" && row !== null && "last_seq" in row) return false;
  return isNoteId(changeIn(row).id);
}
