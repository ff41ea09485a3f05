/** Changes of tasks: planned as changes of notes, which a preview shows and one operation writes. */
import { Semaphore } from "../../async/semaphore.js";
import { type Wording } from "../../text/said.js";
import { TimeSlice } from "../../async/yield-to-loop.js";
import { isVaultError, orIfFailed } from "../../errors.js";
import type { Operation } from "../../history/journal-records.js";
import type { ProgressOptions } from "../../index/refresh.js";
import type { VaultPath } from "../../storage/path.js";
import type { FileStat } from "../../storage/storage.js";
import { assertMayBecome } from "../../vault/writing.js";
import type { TaskUpdates, UpdatedTask, UpdateOptions } from "../api.js";
import { type Relations, relationsOf } from "../dependencies.js";
import type { CleanUpdates } from "../format.js";
import { dropsMarker } from "../note-format/update-note.js";
import type { Reference } from "../references.js";
import type { TaskRows } from "../rows/task-rows.js";
import { grouped, isClosed, type Task } from "../task.js";
import { type CheckedUpdates, cleanUpdates } from "./arguments.js";
import { writtenBlockers } from "./blockers.js";
import { inOneOperation, type WriteContext } from "./context.js";
import {
  type AskedChange,
  editTasks,
  type EditedNote,
  type EditResult,
  lastFinishedOf,
  knownStat,
} from "./edit-note.js";
import { cardsStaying, consequencesOf, remarksOnTarget, waitsOf } from "./effects.js";
import { spelledAsKnown } from "../known-names.js";

const MARKER_KEPT = 'the tag "task" was kept: it makes the note a task';
/** As many as Node can flush in parallel. */
const MAX_CONCURRENT_NOTES = 4;

export interface TaskRequest extends UpdateOptions {
  readonly found: Reference;
  readonly checked: CheckedUpdates;
}

export type WrittenTask = Pick<
  UpdatedTask,
  "task" | "changed" | "series" | "undoable" | "durable" | "adjustments" | "alsoChanged" | "operation"
>;

/** An error refuses this task alone. */
export type Outcome = WrittenTask | Error;

/** In the order of writing: lines that it waits for, the series of an instance, the task, its card. */
const KINDS = ["sign", "series", "task", "card"] as const;

interface Step extends AskedChange {
  readonly kind: (typeof KINDS)[number];
  /** Left out when it is refused. */
  readonly isOptional?: boolean;
}

interface PlannedRequest {
  readonly reason: string;
  readonly adjustments: readonly Wording[];
  readonly steps: readonly Step[];
}

interface ChangeSet {
  readonly rows: TaskRows;
  /** In the order of the requests. */
  readonly requests: readonly (PlannedRequest | Error)[];
}

interface WrittenNote {
  readonly undoable: boolean;
  readonly durable: boolean;
  readonly stat?: FileStat | undefined;
}
type WriteNote = (
  path: VaultPath,
  change: (text: string) => Promise<EditedNote>,
  reason: string,
) => Promise<WrittenNote>;

interface Run {
  readonly results: ReadonlyMap<Step, EditResult & WrittenNote>;
  readonly refused: ReadonlyMap<PlannedRequest, Error>;
}

/** @throws VaultError when the task cannot be changed; then nothing is */
export async function changeTask(
  context: WriteContext,
  reference: string,
  updates: TaskUpdates,
  options: UpdateOptions,
): Promise<UpdatedTask> {
  const { clean, ...cleaned } = cleanUpdates(updates, { today: context.vault.clock.today() });
  const checked = { ...cleaned, clean: { ...clean, isRead: options.expectedRevision !== undefined } };
  const rows = await context.index.refreshFor([reference, ...referencesIn(checked)]);
  const found = await context.index.findToUpdate(reference, rows);
  // Before the write: rows are those of the last refresh.
  const remarks = remarksOnTarget(reference, found.task, rows);
  const set = await planChanges(context, [{ found, checked, ...options }], rows);
  const written = await applyWhole(context, set);
  const isFinished = isClosed(checked.clean.values.status ?? "") && written.changed;
  const consequences = isFinished && (await orIfFailed(consequencesOf(context, found.task, rows), undefined));
  return {
    ...written,
    adjustments: [...written.adjustments, ...remarks],
    updated: checked.updated,
    ...(await orIfFailed(waitsOf(context, written.task), {})),
    ...(consequences && { consequences }),
  };
}

/** A refusal changes nothing. A single edit needs no operation. */
async function applyWhole(context: WriteContext, set: ChangeSet): Promise<WrittenTask> {
  const write = async (operation?: Operation): Promise<WrittenTask> =>
    accepted((await applyChanges(context, set, { operation }))[0]);
  const { steps, reason } = accepted(set.requests[0]);
  if (steps.length === 1) return await write();
  return await inOneOperation(context.vault, { reason, asOne: true, files: filesOf(set) }, undefined, write);
}

/** Where a request concerns several notes, all is tried first. */
export async function planChanges(
  context: WriteContext,
  requests: readonly TaskRequest[],
  rows: TaskRows,
): Promise<ChangeSet> {
  const set = await readRequests(context, requests, rows);
  if (!plannedIn(set).some(({ steps }) => steps.length > 1)) return set;
  const { results, refused } = await preview(context, set);
  const without = (request: PlannedRequest): PlannedRequest => ({
    ...request,
    steps: request.steps.flatMap((step) => (results.has(step) ? [{ ...step, isOptional: false }] : [])),
  });
  const left = set.requests.map((one) => (one instanceof Error ? one : (refused.get(one) ?? without(one))));
  return { rows, requests: left };
}

export async function previewChanges(
  context: WriteContext,
  requests: readonly TaskRequest[],
  rows: TaskRows,
  options: ProgressOptions = {},
): Promise<readonly Outcome[]> {
  const set = await readRequests(context, requests, rows);
  const run = await preview(context, set, options);
  options.signal?.throwIfAborted();
  return outcomesOf(set, run);
}

/** A refused request does not stop the others. @param options.operation the edits are its steps */
export async function applyChanges(
  context: WriteContext,
  set: ChangeSet,
  { operation, ...options }: ProgressOptions & { readonly operation?: Operation | undefined },
): Promise<readonly Outcome[]> {
  return outcomesOf(set, await runSteps(context, set, writerOf(context, operation), options));
}

/** Gives lines the signs that others name them by. */
export async function signLines(
  context: WriteContext,
  steps: readonly AskedChange[],
  operation: Operation,
): Promise<{ readonly signs: ReadonlyMap<string, string>; readonly changed: readonly VaultPath[] }> {
  const rows = await context.index.refreshFor(steps.map(({ found }) => found.task.id));
  const request: PlannedRequest = { reason: "", adjustments: [], steps: steps.map(signStep) };
  const run = await runSteps(context, { rows, requests: [request] }, writerOf(context, operation), {});
  accepted(run.refused.get(request) ?? request);
  const changed = [...run.results.values()].flatMap((one) => (one.changed ? [one.task.path] : []));
  return { signs: signsWritten(run.results), changed: [...new Set(changed)] };
}

function writerOf({ vault }: WriteContext, operation: Operation | undefined): WriteNote {
  return async (path, change, reason) => {
    const { undoable, file } = await vault.writing.edit(path, change, reason, { operation });
    return { undoable, durable: file?.durable ?? true, stat: file?.stat };
  };
}

export function filesOf(set: ChangeSet): readonly VaultPath[] {
  const steps = plannedIn(set).flatMap((request) => request.steps);
  const [own, others] = [true, false].map((isOwn) => steps.filter(({ kind }) => (kind === "task") === isOwn));
  return [...new Set([...(own ?? []), ...(others ?? [])].map(({ found }) => found.task.path))];
}

async function preview(context: WriteContext, set: ChangeSet, options: ProgressOptions = {}): Promise<Run> {
  const texts = new Map<VaultPath, string>();
  const keep: WriteNote = async (path, change) => {
    const before = texts.get(path) ?? (await context.vault.read(path)).text;
    const changed = await change(before);
    if (changed.text !== before) assertMayBecome(path, before, changed);
    texts.set(path, changed.text);
    return { undoable: false, durable: true };
  };
  return await runSteps(context, set, keep, options);
}

/** All notes of one kind of steps, then those of the next: a kind may depend on the one before. */
async function runSteps(
  context: WriteContext,
  set: ChangeSet,
  write: WriteNote,
  { signal, onProgress }: ProgressOptions,
): Promise<Run> {
  const { rows } = set;
  const results = new Map<Step, EditResult & WrittenNote>();
  const refused = new Map<PlannedRequest, Error>();
  const refuse = (request: PlannedRequest, { isOptional }: Step, error: unknown): void => {
    if (isOptional !== true) refused.set(request, refusalIn(error));
  };
  const turns = new Semaphore(MAX_CONCURRENT_NOTES, Infinity);
  const slice = new TimeSlice();
  const total = set.requests.length;
  let done = 0;
  for (const kind of KINDS) {
    const signs = signsWritten(results);
    const ofKind = (request: PlannedRequest) =>
      refused.has(request) ? [] : request.steps.flatMap((step) => (step.kind === kind ? [{ request, step }] : []));
    const notes = grouped(plannedIn(set).flatMap(ofKind), ({ step }) => step.found.task.path);
    const writing = Array.from(notes, ([path, ofNote]) =>
      turns.run(async () => {
        const asked = ofNote.map(({ step }) => withSigns(step, signs));
        let edited: readonly (EditResult | Error)[] = [];
        const change = async (text: string): Promise<EditedNote> => {
          const note = await editTasks(context, rows, text, asked);
          edited = note.results;
          return note;
        };
        const reason = kind === "sign" ? "name a task that is waited for" : (ofNote[0]?.request.reason ?? "");
        try {
          signal?.throwIfAborted();
          const written = await write(path, change, reason);
          for (const [at, { request, step }] of ofNote.entries()) {
            const result = edited[at];
            if (result === undefined || result instanceof Error) refuse(request, step, result);
            else results.set(step, resultOf(result, written, step, rows));
          }
        } catch (error) {
          for (const { request, step } of ofNote) refuse(request, step, error);
        }
        if (kind === "task") onProgress?.({ done: (done += ofNote.length), total });
        if (slice.isOver) await slice.yield();
      }),
    );
    // An operation ends after all edits, even if one fails.
    await Promise.allSettled(writing);
    await Promise.all(writing);
  }
  return { results, refused };
}

function resultOf(result: EditResult, written: WrittenNote, { found }: Step, rows: TaskRows): EditResult & WrittenNote {
  const stat = written.stat ?? knownStat(found, rows);
  const { task } = result;
  return { ...result, ...written, task: stat === undefined ? task : { ...task, modified: stat.modified } };
}

/** The sign that a line has now, by the planned one: another program may have signed it first. */
function signsWritten(results: Run["results"]): ReadonlyMap<string, string> {
  return new Map(
    [...results].flatMap(
      ([
        {
          clean: { sign },
        },
        { task },
      ]) => (sign === undefined ? [] : [[sign, task.sign ?? sign]]),
    ),
  );
}

function withSigns(step: Step, signs: ReadonlyMap<string, string>): Step {
  const { clean } = step;
  const blockedBy = clean.values.blockedBy?.map((sign) => signs.get(sign) ?? sign);
  return blockedBy === undefined ? step : { ...step, clean: { ...clean, values: { ...clean.values, blockedBy } } };
}

function outcomesOf(set: ChangeSet, { results, refused }: Run): readonly Outcome[] {
  return set.requests.map((request) => {
    if (request instanceof Error) return request;
    return refused.get(request) ?? outcomeOf(request, results, set.rows);
  });
}

function outcomeOf(request: PlannedRequest, results: Run["results"], rows: TaskRows): WrittenTask {
  const made = request.steps.flatMap((step) => {
    const result = results.get(step);
    return result === undefined ? [] : [{ ...result, step }];
  });
  const own = made.find(({ step }) => step.kind === "task");
  const cards = made.filter(({ step }) => step.kind === "card");
  if (own === undefined) throw new Error("A change has no result.");
  const { remarks = [], notLeftOut = [] } = own;
  const { tags } = own.step.clean.values;
  const kept = tags !== undefined && dropsMarker(tags, own.task, rows.settings) ? [MARKER_KEPT] : [];
  const said = request.adjustments.filter((one) => !notLeftOut.includes(one));
  const changed = made.flatMap((one) => (one.changed && one !== own ? [one.task.path] : []));
  const task = rows.withArea(own.task);
  const shown = cards.find(({ step }) => step.found.task === own.step.found.task.card);
  return {
    task: shown ? { ...task, board: shown.task.board, lane: shown.task.lane } : task,
    changed: own.changed || cards.some((card) => card.changed),
    ...(own.series && { series: own.series }),
    undoable: made.every((one) => one.undoable || !one.changed),
    durable: made.every(({ durable }) => durable),
    alsoChanged: [...new Set(changed)].filter((path) => path !== own.task.path),
    adjustments: [
      ...said,
      ...kept,
      ...remarks,
      ...cards.flatMap((card) => card.remarks ?? []),
      ...cardsStaying(own.step.found.task, own.step.clean, cards),
    ],
  };
}

async function readRequests(
  context: WriteContext,
  requests: readonly TaskRequest[],
  rows: TaskRows,
): Promise<ChangeSet> {
  const read: (PlannedRequest | Error)[] = [];
  for (const request of requests) read.push(await readRequest(context, request, rows).catch(refusalIn));
  return { rows, requests: read };
}

/** Names in the vault's spelling; references as links or signs. */
async function readRequest(
  { vault, index }: WriteContext,
  { found, checked, expectedRevision }: TaskRequest,
  rows: TaskRows,
): Promise<PlannedRequest> {
  const { task } = found;
  const { status } = checked.clean.values;
  const relations = relationsOf(rows);
  const spelled = await spelledAsKnown(vault, checked.clean.values, rows.usedNames);
  const { blockedBy } = spelled.values;
  const find = async (reference: string): Promise<Task> => (await index.find(reference, rows)).task;
  const blockers = blockedBy && (await writtenBlockers(blockedBy, task.source, task, { find, relations, rows }));
  const values = { ...spelled.values, ...(blockers && { blockedBy: blockers.references }) };
  const own: Step = {
    kind: "task",
    found,
    // The lane belongs to the card.
    clean: { ...checked.clean, values, ...(task.card && { lane: undefined }) },
    expectedRevision,
    lastFinished: status === "Done" ? await lastFinishedOf(vault, task) : undefined,
  };
  return {
    reason: `update task: ${checked.updated.join(", ")}`,
    adjustments: [...checked.adjustments, ...spelled.adjustments],
    steps: [
      ...(blockers?.steps ?? []).map(signStep),
      ...seriesStep(task, checked.clean, relations),
      own,
      ...cardSteps(task, checked.clean),
    ],
  };
}

const signStep = (asked: AskedChange): Step => ({ ...asked, kind: "sign" });

/** When an instance is finished or reopened. */
function seriesStep(task: Task, { values: { status } }: CleanUpdates, relations: Relations): Step[] {
  if (!task.occurrence || (status !== "Done" && status !== "To Do")) return [];
  const { parent, day } = task.occurrence;
  const series = relations.resolve(task, parent).find((one) => one !== task && one.series);
  const clean = { values: { status }, occurrence: { skip: false, day } };
  return series === undefined ? [] : [{ kind: "series", found: { task: series, kind: "path" }, clean }];
}

/** Moves each card to the lane of the new status; without such a lane it stays. A lane is that of the first card. */
function cardSteps({ card, otherCards = [] }: Task, { values: { status }, lane }: CleanUpdates): Step[] {
  if (card === undefined) return [];
  const stepOf = (task: Task, to: string | undefined): Step[] => {
    if (status === undefined && to === undefined) return [];
    const values = to === undefined && status !== undefined ? { status } : {};
    return [{ kind: "card", found: { task, kind: "path" }, clean: { values, lane: to }, isOptional: to === undefined }];
  };
  return [...stepOf(card, lane), ...otherCards.flatMap((other) => stepOf(other, undefined))];
}

const plannedIn = ({ requests }: ChangeSet): readonly PlannedRequest[] =>
  requests.filter((one): one is PlannedRequest => !(one instanceof Error));

export const referencesIn = ({ clean }: CheckedUpdates): readonly string[] => clean.values.blockedBy ?? [];

function accepted<Result>(outcome: Result | Error | undefined): Result {
  if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error("A change has no result.");
  return outcome;
}

/** @throws what refuses no single task */
export function refusalIn(error: unknown): Error {
  if (isVaultError(error) || (error instanceof Error && error.name === "AbortError")) return error;
  throw error;
}
