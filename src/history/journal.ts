/** A vault's undo journal and its contents (docs: undo). */
import { currentCall } from "../async/caller.js";
import type { SqlValue } from "../sqlite.js";
import { foldName, type VaultPath } from "../storage/path.js";
import { type Storage, contentRevision } from "../storage/storage.js";
import { MemoryJournalStorage } from "./connection.js";
import { trashPath } from "../storage/trash.js";
import { literalPattern } from "../text/fold.js";
import {
  isPath,
  kindOf,
  perhapsAnotherVaults,
  type HistoryPage,
  type HistoryQuery,
  type StepTexts,
  type StepRecord,
} from "./journal-records.js";
import { pathAfterUndo, wasMade } from "./undo-step.js";
import { Recorder } from "./recorder.js";
import { type JournalOptions, JournalStore, type StoreContext } from "./journal-store.js";
import { undoing } from "./undo.js";

export type Journal = Awaited<ReturnType<typeof openJournal>>;

export interface JournalContext extends Omit<StoreContext, "isThere"> {
  readonly storage: Storage;
}

export async function openJournal(options: JournalOptions, { storage, ...context }: JournalContext) {
  const place = typeof options.place === "function" ? await options.place() : options.place;
  const isThere = async (text: string): Promise<boolean> => {
    if (!isPath(text)) return false;
    const files = await Promise.all([text, trashPath(text)].map((path) => storage.stat(path)));
    return files.some((file) => file !== undefined) || (await storage.children(text)) !== undefined;
  };
  const store = new JournalStore(place ?? new MemoryJournalStorage(), options, { ...context, isThere });
  const recorder = new Recorder(store, storage, context.log);
  return {
    recorder,
    undoing: undoing(recorder, context.log),
    list: (query: HistoryQuery) => listed(recorder, query),
    deleted: (reference: string) => deleted(recorder, reference),
    textsOf: (id: string) => textsOf(recorder, id),
  };
}

async function assertIsOurs(store: JournalStore): Promise<void> {
  if (!(await store.connection.isOurs())) throw perhapsAnotherVaults();
}

const DELETIONS = "source IS NULL AND after IS NULL AND state <> 'undo' ORDER BY sequence DESC LIMIT ?";
const MAX_DELETIONS = 100;
/** To search for its id. */
const HEAD_BYTES = 4096;
const withoutMarkdown = (path: string): string => path.replace(/\.md$/i, "");

const MAX_NAMES = 100;
const isBelow = (path: string, folder: string): string =>
  `substr(${path}, 1, length(${folder}) + 1) = ${folder} || '/'`;
/** Of a name, of files below it, and of a folder above it that moved. */
const UNDER_NAME = `(sequence < ? AND (path = ? OR source = ? OR ${isBelow("path", "?")} OR
  (folder = 1 AND (${isBelow("?", "path")} OR ${isBelow("?", "source")}))))`;

async function listed(
  { store, storage }: Recorder,
  { path, since, by, limit, below }: HistoryQuery,
): Promise<HistoryPage> {
  await assertIsOurs(store);
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
    const names = await namesOf(store, path);
    const under = names.map(() => UNDER_NAME).join(" OR ");
    const given = names.flatMap(({ name, before }) => [before, name, name, name, name, name, name]);
    require(`number IN (SELECT operation FROM steps WHERE ${under})`, ...given);
  }
  const sql = `SELECT number FROM operations WHERE ${conditions.join(" AND ")} ORDER BY number DESC LIMIT ?`;
  const numbers = await store.connection.read(
    (database) => database.prepare<[number]>(sql).all(...values, limit + 1),
    [],
  );
  const entries: HistoryPage["entries"][number][] = [];
  for (const [number] of numbers.slice(0, limit)) {
    const operation = await store.operation(number);
    if (!operation) continue;
    const made: StepRecord[] = [];
    for (const step of await store.steps("operation = ? ORDER BY sequence", number))
      if (await wasMade(storage, step)) made.push(step);
    const { id, began: at, caller, isDamaged } = operation;
    const reason = isDamaged ? "the record of this change is damaged" : operation.reason;
    const files = [...new Set(made.map((step) => step.path))].sort();
    // A crash may have prevented its change.
    if (files.length > 0 || isDamaged) entries.push({ id, at, caller, reason, files });
  }
  return { entries, next: numbers.length > limit ? numbers[limit - 1]?.[0] : undefined };
}

/** Newest first, each with the move that ended it. */
async function namesOf(
  store: JournalStore,
  path: VaultPath,
): Promise<readonly { readonly name: VaultPath; readonly before: number }[]> {
  const names = [{ name: path, before: Number.MAX_SAFE_INTEGER }];
  for (const { name, before } of names) {
    const move = names.length < MAX_NAMES ? await moveTo(store, name, before) : undefined;
    if (move) names.push({ name: pathAfterUndo(name, { step: move, path: move.path }), before: move.sequence });
  }
  return names;
}

/** Or of a folder above it. */
async function moveTo(store: JournalStore, path: VaultPath, before: number): Promise<StepRecord | undefined> {
  const above = `path = ? OR (folder = 1 AND ${isBelow("?", "path")})`;
  const sql = `source IS NOT NULL AND sequence < ? AND (${above}) ORDER BY sequence DESC LIMIT 1`;
  return (await store.steps(sql, before, path, path))[0];
}

async function deleted({ store, storage }: Recorder, reference: string): Promise<VaultPath | undefined> {
  await assertIsOurs(store);
  const wanted = foldName(withoutMarkdown(reference));
  // Its title may differ from the file's name.
  const named = new RegExp(String.raw`^(?:(?:id|title):\s*["']?|# )${literalPattern(reference)}["']?\s*$`, "im");
  for (const step of await store.steps(DELETIONS, MAX_DELETIONS)) {
    const path = foldName(withoutMarkdown(step.path));
    const isNamed = path === wanted || path.endsWith(`/${wanted}`);
    const isMeant = isNamed || (step.state !== "lost" && named.test(await headOf(store, step)));
    if (isMeant && (await storage.stat(step.path)) === undefined) return step.path;
  }
  return undefined;
}

async function headOf(store: JournalStore, step: StepRecord): Promise<string> {
  const image = await store.imageOf(step).catch(() => new Uint8Array());
  return Buffer.from(image.subarray(0, HEAD_BYTES)).toString();
}

/** Undefined for an unknown operation, or another caller's. */
async function textsOf(recorder: Recorder, id: string): Promise<readonly StepTexts[] | undefined> {
  const { store } = recorder;
  await assertIsOurs(store);
  const operation = await store.operation(id);
  const { owner, seesAll = owner === undefined } = currentCall();
  if (!operation || (!seesAll && operation.caller.owner !== owner)) return undefined;
  const found: StepTexts[] = [];
  for (const step of await store.stepsOf(operation)) found.push(await textsOfStep(recorder, step));
  return found;
}

async function textsOfStep(recorder: Recorder, step: StepRecord): Promise<StepTexts> {
  const { path, from, state } = step;
  const kind = kindOf(step);
  const hasBefore = step.before !== undefined && state !== "lost";
  const before = hasBefore ? await recorder.store.imageOf(step).catch(() => undefined) : undefined;
  return { kind, path, from, before, after: step.after === undefined ? undefined : await textAfter(recorder, step) };
}

/** Undefined when no later step stored this content. */
async function textAfter({ store, storage }: Recorder, step: StepRecord): Promise<Uint8Array | undefined> {
  for (const later of (await store.stepsOfPath(step.path)).toReversed())
    if (later.sequence > step.sequence && later.before === step.after)
      return await store.imageOf(later).catch(() => undefined);
  const file = await storage.read(step.path);
  return file && contentRevision(file.bytes) === step.after ? file.bytes : undefined;
}
