/** A vault's undo journal and its contents (docs: undo, "Who changed what"). */
import type { SqlValue } from "../database.js";
import { foldName, type VaultPath } from "../storage/path.js";
import type { Storage } from "../storage/storage.js";
import { MemoryPlace } from "./connection.js";
import { contentRevision } from "../storage/content-revision.js";
import { literalPattern } from "../text/literal-pattern.js";
import {
  currentCall,
  type HistoryPage,
  type HistoryQuery,
  type StepTexts,
  type StepRecord,
} from "./journal-records.js";
import { Recorder } from "./recorder.js";
import { type JournalOptions, JournalStore, type StoreContext } from "./store.js";
import { Undoing } from "./undo.js";

export interface Journal {
  readonly recorder: Recorder;
  readonly undoing: Undoing;
  readonly history: History;
}

export interface JournalContext extends StoreContext {
  readonly storage: Storage;
}

export async function openJournal(options: JournalOptions, { storage, ...context }: JournalContext): Promise<Journal> {
  const place = typeof options.place === "function" ? await options.place() : options.place;
  const store = new JournalStore(place ?? new MemoryPlace(), options, context);
  const recorder = new Recorder(store, storage, context.log);
  return { recorder, undoing: new Undoing(recorder, context.log), history: new History(store, storage) };
}

/** Deletions among which a reference is sought. */
const MAX_DELETIONS = 100;
/** Bytes of a deleted file in which its id is sought. */
const HEAD_BYTES = 4096;
const withoutMarkdown = (path: string): string => path.replace(/\.md$/i, "");

class History {
  readonly #store: JournalStore;
  readonly #storage: Storage;

  constructor(store: JournalStore, storage: Storage) {
    this.#store = store;
    this.#storage = storage;
  }

  async list({ path, since, by, limit, below }: HistoryQuery): Promise<HistoryPage> {
    const conditions: string[] = ["EXISTS (SELECT 1 FROM steps WHERE operation = number)"];
    const values: SqlValue[] = [];
    const require = (condition: string, ...given: SqlValue[]): void => {
      conditions.push(condition);
      values.push(...given);
    };
    const { owner, seesAll = owner === undefined } = currentCall();
    if (!seesAll) require("owner IS ?", owner ?? null);
    if (below !== undefined) require("number < ?", below);
    if (since !== undefined) require("began >= ?", since);
    if (by !== undefined) require("instr(lower(coalesce(owner, '') || ' ' || coalesce(client, '')), lower(?)) > 0", by);
    if (path !== undefined && path !== "")
      require("number IN (SELECT operation FROM steps WHERE path = ?1 OR source = ?1 OR substr(path, 1, length(?1) + 1) = ?1 || '/')".replaceAll(
        "?1",
        "?",
      ), path, path, path, path);
    const sql = `SELECT number FROM operations WHERE ${conditions.join(" AND ")} ORDER BY number DESC LIMIT ?`;
    const numbers = await this.#store.connection.read(
      (database) => database.prepare<[number]>(sql).all(...values, limit + 1),
      [],
    );
    const entries: HistoryPage["entries"][number][] = [];
    for (const [number] of numbers.slice(0, limit)) {
      const operation = await this.#store.operation(number);
      if (!operation) continue;
      const steps = await this.#store.stepsOf(operation);
      const files = [...new Set(steps.map((step) => step.path))].sort();
      const { id, began: at, caller, reason } = operation;
      entries.push({ id, at, caller, reason, files });
    }
    return { entries, next: numbers.length > limit ? numbers[limit - 1]?.[0] : undefined };
  }

  /** Finds a deleted file by path, name or id. */
  async deleted(reference: string): Promise<VaultPath | undefined> {
    const wanted = foldName(withoutMarkdown(reference));
    const id = new RegExp(String.raw`^id:\s*["']?${literalPattern(reference)}["']?\s*$`, "im");
    for (const step of await this.#store.deletions(MAX_DELETIONS)) {
      const path = foldName(withoutMarkdown(step.path));
      const isNamed = path === wanted || path.endsWith(`/${wanted}`);
      const isMeant = isNamed || (step.state !== "lost" && id.test(await this.#head(step)));
      if (isMeant && (await this.#storage.stat(step.path)) === undefined) return step.path;
    }
    return undefined;
  }

  async #head(step: StepRecord): Promise<string> {
    const image = await this.#store.imageOf(step).catch(() => new Uint8Array());
    return Buffer.from(image.subarray(0, HEAD_BYTES)).toString();
  }

  async textsOf(id: string): Promise<readonly StepTexts[] | undefined> {
    const operation = await this.#store.operation(id);
    const { owner, seesAll = owner === undefined } = currentCall();
    if (!operation || (!seesAll && operation.caller.owner !== owner)) return undefined;
    const found: StepTexts[] = [];
    for (const step of await this.#store.stepsOf(operation)) found.push(await this.#texts(step));
    return found;
  }

  async #texts(step: StepRecord): Promise<StepTexts> {
    const { kind, path, from, state } = step;
    const hasBefore = (kind === "edit" || kind === "delete") && state !== "lost";
    const before = hasBefore ? await this.#store.imageOf(step).catch(() => undefined) : undefined;
    return { kind, path, from, before, after: step.after === undefined ? undefined : await this.#after(step, path) };
  }

  /** Undefined when the content now is not from this step and no later step stored it. */
  async #after(step: StepRecord, path: VaultPath): Promise<Uint8Array | undefined> {
    for (const later of (await this.#store.stepsOfPath(path)).toReversed())
      if (later.sequence > step.sequence && later.before === step.after)
        return await this.#store.imageOf(later).catch(() => undefined);
    const file = await this.#storage.read(path);
    return file && contentRevision(file.bytes) === step.after ? file.bytes : undefined;
  }
}
