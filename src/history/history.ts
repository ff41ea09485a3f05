/** A vault's undo journal and its contents (docs: undo, "Who changed what"). */
import { currentCall } from "../async/caller.js";
import type { SqlValue } from "../database.js";
import { foldName, type VaultPath } from "../storage/path.js";
import type { Storage } from "../storage/storage.js";
import { MemoryPlace } from "./connection.js";
import { trashPath } from "../storage/trash.js";
import { contentRevision } from "../storage/content-revision.js";
import { literalPattern } from "../text/literal-pattern.js";
import {
  isPath,
  kindOf,
  perhapsAnotherVaults,
  type HistoryPage,
  type HistoryQuery,
  type StepTexts,
  type StepRecord,
} from "./journal-records.js";
import { pathAfterUndo, wasMade } from "./take-back.js";
import { Recorder } from "./recorder.js";
import { type JournalOptions, JournalStore, type StoreContext } from "./store.js";
import { Undoing } from "./undo.js";

export interface Journal {
  readonly recorder: Recorder;
  readonly undoing: Undoing;
  readonly history: History;
}

export interface JournalContext extends Omit<StoreContext, "isThere"> {
  readonly storage: Storage;
}

export async function openJournal(options: JournalOptions, { storage, ...context }: JournalContext): Promise<Journal> {
  const place = typeof options.place === "function" ? await options.place() : options.place;
  const isThere = async (text: string): Promise<boolean> => {
    if (!isPath(text)) return false;
    const files = await Promise.all([text, trashPath(text)].map((path) => storage.stat(path)));
    return files.some((file) => file !== undefined) || (await storage.children(text)) !== undefined;
  };
  const store = new JournalStore(place ?? new MemoryPlace(), options, { ...context, isThere });
  const recorder = new Recorder(store, storage, context.log);
  return { recorder, undoing: new Undoing(recorder, context.log), history: new History(store, storage) };
}

const DELETIONS = "source IS NULL AND after IS NULL AND state <> 'undo' ORDER BY sequence DESC LIMIT ?";
/** Deletions among which a reference is sought. */
const MAX_DELETIONS = 100;
/** Bytes of a deleted file in which its id is sought. */
const HEAD_BYTES = 4096;
const withoutMarkdown = (path: string): string => path.replace(/\.md$/i, "");

const MAX_NAMES = 100;
const isBelow = (path: string, folder: string): string =>
  `substr(${path}, 1, length(${folder}) + 1) = ${folder} || '/'`;
/** Steps of a name, of files below it, and moves of a folder above it. */
const UNDER_NAME = `(sequence < ? AND (path = ? OR source = ? OR ${isBelow("path", "?")} OR
  (folder = 1 AND (${isBelow("?", "path")} OR ${isBelow("?", "source")}))))`;

class History {
  readonly #store: JournalStore;
  readonly #storage: Storage;

  constructor(store: JournalStore, storage: Storage) {
    this.#store = store;
    this.#storage = storage;
  }

  /** @throws VaultError CONFLICT */
  async #assertIsOurs(): Promise<void> {
    if (!(await this.#store.connection.isOurs())) throw perhapsAnotherVaults();
  }

  async list({ path, since, by, limit, below }: HistoryQuery): Promise<HistoryPage> {
    await this.#assertIsOurs();
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
    if (path !== undefined && path !== "") {
      const names = await this.#namesOf(path);
      const under = names.map(() => UNDER_NAME).join(" OR ");
      const given = names.flatMap(({ name, before }) => [before, name, name, name, name, name, name]);
      require(`number IN (SELECT operation FROM steps WHERE ${under})`, ...given);
    }
    const sql = `SELECT number FROM operations WHERE ${conditions.join(" AND ")} ORDER BY number DESC LIMIT ?`;
    const numbers = await this.#store.connection.read(
      (database) => database.prepare<[number]>(sql).all(...values, limit + 1),
      [],
    );
    const entries: HistoryPage["entries"][number][] = [];
    for (const [number] of numbers.slice(0, limit)) {
      const operation = await this.#store.operation(number);
      if (!operation) continue;
      const made: StepRecord[] = [];
      for (const step of await this.#store.steps("operation = ? ORDER BY sequence", number))
        if (await wasMade(this.#storage, step)) made.push(step);
      const { id, began: at, caller, isDamaged } = operation;
      const reason = isDamaged ? "the record of this change is damaged" : operation.reason;
      const files = [...new Set(made.map((step) => step.path))].sort();
      // A kill may have prevented a change after its step was written.
      if (files.length > 0 || isDamaged) entries.push({ id, at, caller, reason, files });
    }
    return { entries, next: numbers.length > limit ? numbers[limit - 1]?.[0] : undefined };
  }

  /** The names a file or folder has had, newest first, with the sequence number of the move that ended each. */
  async #namesOf(path: VaultPath): Promise<readonly { readonly name: VaultPath; readonly before: number }[]> {
    const names = [{ name: path, before: Number.MAX_SAFE_INTEGER }];
    for (const { name, before } of names) {
      const move = names.length < MAX_NAMES ? await this.#moveTo(name, before) : undefined;
      if (move) names.push({ name: pathAfterUndo(name, { step: move, path: move.path }), before: move.sequence });
    }
    return names;
  }

  /** The newest move that gave a file this name, or a folder above it. */
  async #moveTo(path: VaultPath, before: number): Promise<StepRecord | undefined> {
    const above = `path = ? OR (folder = 1 AND ${isBelow("?", "path")})`;
    const sql = `source IS NOT NULL AND sequence < ? AND (${above}) ORDER BY sequence DESC LIMIT 1`;
    return (await this.#store.steps(sql, before, path, path))[0];
  }

  /** Finds a deleted file by path, name or id. */
  async deleted(reference: string): Promise<VaultPath | undefined> {
    await this.#assertIsOurs();
    const wanted = foldName(withoutMarkdown(reference));
    // Its id, or its title, which the file's name need not be.
    const named = new RegExp(String.raw`^(?:(?:id|title):\s*["']?|# )${literalPattern(reference)}["']?\s*$`, "im");
    for (const step of await this.#store.steps(DELETIONS, MAX_DELETIONS)) {
      const path = foldName(withoutMarkdown(step.path));
      const isNamed = path === wanted || path.endsWith(`/${wanted}`);
      const isMeant = isNamed || (step.state !== "lost" && named.test(await this.#head(step)));
      if (isMeant && (await this.#storage.stat(step.path)) === undefined) return step.path;
    }
    return undefined;
  }

  async #head(step: StepRecord): Promise<string> {
    const image = await this.#store.imageOf(step).catch(() => new Uint8Array());
    return Buffer.from(image.subarray(0, HEAD_BYTES)).toString();
  }

  async textsOf(id: string): Promise<readonly StepTexts[] | undefined> {
    await this.#assertIsOurs();
    const operation = await this.#store.operation(id);
    const { owner, seesAll = owner === undefined } = currentCall();
    if (!operation || (!seesAll && operation.caller.owner !== owner)) return undefined;
    const found: StepTexts[] = [];
    for (const step of await this.#store.stepsOf(operation)) found.push(await this.#texts(step));
    return found;
  }

  async #texts(step: StepRecord): Promise<StepTexts> {
    const { path, from, state } = step;
    const kind = kindOf(step);
    const hasBefore = step.before !== undefined && state !== "lost";
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
