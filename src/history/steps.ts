/** The steps of a journal: written ahead of their changes, settled after them, found again by path, and pruned by number and size. */
import type { Clock } from "../clock.js";
import type { Log } from "../log.js";
import type { VaultPath } from "../storage/path.js";
import { KeptStep, OpenStep } from "./kept-step.js";
import type { JournalPlace } from "./store.js";
import { pruneJournal } from "./prune.js";
import {
  BLOCK,
  decodeStep,
  DRAWERS,
  drawerOf,
  encodeStep,
  keyOf,
  readStepName,
  stepId,
  type StepName,
  type StepRecord,
} from "./record.js";

export interface StepBookOptions {
  readonly place: JournalPlace;
  readonly clock: Clock;
  readonly log: Log;
  /** Steps a file may have; the oldest go first. */
  readonly limit: number;
  /** Bytes of all steps together; the oldest go first. */
  readonly maxSize: number;
}

/** A file that was started so long ago (milliseconds) and is still damaged is not being written any more. */
const LEFT_OVER = 60_000;
/** Counts the blocks that were written since the last pruning, a byte for each: appending is the one sum that needs no lock. */
const COUNTER = "blocks";
const ROOT_DRAWER = "";

export class StepBook {
  readonly #options: StepBookOptions;
  #isPruning = false;
  #hasWarned = false;
  #hasWarnedOfDamage = false;

  constructor(options: StepBookOptions) {
    this.#options = options;
  }

  /**
   * Writes a step ahead of its change.
   * @param image the file before, where the change replaces or removes it
   * @returns undefined when it cannot be kept
   */
  record(draft: Omit<StepRecord, "at" | "maker">, image?: Uint8Array): OpenStep | undefined {
    const { place, clock, limit, maxSize } = this.#options;
    try {
      const [key, at] = [keyOf(draft.path), clock.now()];
      const record: StepRecord = { ...draft, at, maker: place.maker };
      const bytes = encodeStep(record, image);
      const blocks = Math.max(1, Math.ceil(bytes.length / BLOCK));
      if (blocks * BLOCK > maxSize) return undefined;
      const older = this.#namesOf(key);
      const id = stepId({ key, number: (older[0]?.number ?? 0) + 1, at, blocks });
      const flushed = place.add(drawerOf(key), `${id}.open`, bytes);
      const tidied = this.#tidyUp(older.slice(limit - 1), blocks);
      return new OpenStep(new KeptStep(place, id, "open", record, image), Promise.all([flushed, tidied]));
    } catch (error) {
      this.#warn(error);
      return undefined;
    }
  }

  /** The steps of a path, newest first; each is read when it is asked for. Those that cannot be read are left out. */
  *newestFirst(path: VaultPath): Generator<KeptStep> {
    for (const name of this.#namesOf(keyOf(path))) {
      const step = this.#read(name);
      if (step?.record.path === path) yield step;
    }
  }

  /** The steps of all paths, newest first; each is read when it is asked for. Those that cannot be read are left out. */
  *allNewestFirst(): Generator<KeptStep> {
    const names = DRAWERS.flatMap((drawer) =>
      this.#options.place.list(drawer).flatMap((name) => readStepName(name) ?? []),
    );
    for (const name of names.sort((a, b) => b.at - a.at || b.number - a.number)) {
      const step = this.#read(name);
      if (step) yield step;
    }
  }

  /** How many steps a path has at most, without reading any. */
  countOf(path: VaultPath): number {
    return this.#namesOf(keyOf(path)).length;
  }

  /** `gone`: it was taken back or pruned. `unreadable`: it is there, but cannot be read or is damaged. */
  find(id: string): KeptStep | "gone" | "unreadable" {
    const [key = ""] = id.split(".");
    const name = this.#namesOf(key).find((one) => one.id === id);
    return name ? (this.#read(name) ?? "unreadable") : "gone";
  }

  #namesOf(key: string): StepName[] {
    return this.#options.place
      .list(drawerOf(key))
      .filter((name) => name.startsWith(key))
      .flatMap((name) => readStepName(name) ?? [])
      .sort((a, b) => b.number - a.number || b.at - a.at);
  }

  #read({ id, key, at, state }: StepName): KeptStep | undefined {
    const { place, clock, log } = this.#options;
    try {
      const bytes = place.read(drawerOf(key), `${id}.${state}`);
      const step = bytes && decodeStep(bytes);
      if (step) return new KeptStep(place, id, state, step.record, step.image);
      // Another process may be writing it just now. It stays for the operation that may have made it to be told of.
      if (bytes && (state !== "open" || clock.now() - at > LEFT_OVER)) this.#warnOfDamage();
    } catch (error) {
      log.debug("a step of the undo journal cannot be read", { error: String(error) });
    }
    return undefined;
  }

  /** Removes what is too much for its file and counts what came, while the disk is at work on the step and its change. */
  async #tidyUp(outdated: readonly StepName[], blocks: number): Promise<void> {
    const { place, log } = this.#options;
    await new Promise((resolve) => setImmediate(resolve));
    try {
      for (const { id, key, state } of outdated) place.remove(drawerOf(key), `${id}.${state}`);
      this.#count(blocks);
    } catch (error) {
      log.debug("the undo journal was not tidied up", { error: String(error) });
    }
  }

  #count(blocks: number): void {
    const { place, maxSize, log } = this.#options;
    const { size } = place.append(ROOT_DRAWER, COUNTER, new Uint8Array(blocks));
    if (size * BLOCK <= maxSize || this.#isPruning) return;
    this.#isPruning = true;
    void pruneJournal(place, maxSize)
      .then((left) => place.overwrite(ROOT_DRAWER, COUNTER, new Uint8Array(left)))
      .catch((error: unknown) => log.debug("the undo journal was not pruned", { error: String(error) }))
      .finally(() => (this.#isPruning = false));
  }

  #warnOfDamage(): void {
    if (!this.#hasWarnedOfDamage)
      this.#options.log.warn("a step of the undo journal is damaged; it cannot be taken back");
    this.#hasWarnedOfDamage = true;
  }

  #warn(error: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const advice = "changes are made all the same, but cannot be undone; `doctor` tells more";
    this.#options.log.warn(`the undo journal cannot be written: ${advice}`, { error: String(error) });
  }
}
