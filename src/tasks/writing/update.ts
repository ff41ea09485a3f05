/** Changes of tasks, planned as changes of notes: a preview shows them, one operation writes them. */
import { inTurns } from "../../async/semaphore.js";
import { type Wording } from "../../text/said.js";
import { TimeSlice } from "../../async/yield-to-loop.js";
import { isVaultError, orIfFailed } from "../../errors.js";
import type { Operation } from "../../history/journal-records.js";
import type { ProgressOptions } from "../../index/refresh.js";
import type { VaultPath } from "../../storage/path.js";
import { stillChanged } from "../../vault/vault-history.js";
import { assertMayBecome, type ChangedText, MAX_CONCURRENT_WRITES } from "../../vault/writing.js";
import type { TaskUpdates, UpdatedTask, UpdateOptions } from "../api.js";
import { type Relations, relationsOf } from "../relations.js";
import type { CleanUpdates } from "../format.js";
import { dropsMarker } from "../note-format/update-note.js";
import type { Reference } from "../references.js";
import type { TaskRows } from "../rows/task-rows.js";
import { grouped, isClosed, type Task } from "../task.js";
import { type CheckedUpdates, cleanUpdates } from "./arguments.js";
import { writtenBlockers } from "./blockers.js";
import { inOneOperation, type WriteContext, writeNote, type MadeChange } from "./change-set.js";
import {
  type AskedChange,
  assertSameSettings,
  editTasks,
  type EditResult,
  lastFinishedOf,
  knownStat,
} from "./edit-note.js";
import { cardsStaying, consequencesOf, remarksOnTarget, waitsOf } from "./effects.js";
import { spelledAsKnown } from "../known-names.js";

const MARKER_KEPT = 'the tag "task" was kept: it makes the note a task';
const SIGNING = "name a task that is waited for";

export interface TaskRequest extends UpdateOptions {
  readonly found: Reference;
  readonly checked: CheckedUpdates;
}

export type WrittenTask = Pick<
  UpdatedTask,
  "task" | "changed" | "series" | "undoable" | "durable" | "adjustments" | "alsoChanged" | "operation"
>;

/** An error refuses only this task. */
export type Outcome = WrittenTask | Error;

/** In the order of writing: awaited lines, the instance's series, the task, its card. */
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

type Requests = readonly (PlannedRequest | Error)[];

interface StepOf {
  readonly request: PlannedRequest;
  readonly step: Step;
  /** Not made when it is refused. */
  readonly isOptional?: boolean | undefined;
}

interface NoteEdit {
  readonly path: VaultPath;
  /** As read. */
  readonly before: string;
  readonly after: ChangedText;
  /** In the order of `KINDS`. */
  readonly steps: readonly StepOf[];
}

interface Run {
  readonly results: Map<Step, EditResult & MadeChange>;
  readonly refused: Map<PlannedRequest, Error>;
}

interface ChangeSet {
  readonly rows: TaskRows;
  /** In the order of the requests; an error refuses one of them. */
  readonly requests: Requests;
  readonly edits: readonly NoteEdit[];
  readonly results: Run["results"];
  readonly outcomes: readonly Outcome[];
}

/** @throws VaultError when the task cannot be changed; nothing then changes */
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
  const { reason } = accepted(set.requests[0]);
  const write = async (operation?: Operation): Promise<WrittenTask> =>
    accepted((await applyChanges(context, set, { operation }))[0]);
  if (set.edits.length === 1) return await write();
  return await inOneOperation(context.vault, { reason, asOne: true, files: filesOf(set) }, undefined, write);
}

/** Writes nothing: a preview is only this. */
export async function planChanges(
  context: WriteContext,
  asked: readonly TaskRequest[],
  rows: TaskRows,
  options: ProgressOptions = {},
): Promise<ChangeSet> {
  const requests: (PlannedRequest | Error)[] = [];
  for (const one of asked) requests.push(await readRequest(context, one, rows).catch(refusalIn));
  return await planSteps(context, requests, rows, options);
}

/** Gives lines the 🆔 that others refer to. */
export async function planSigns(context: WriteContext, steps: readonly AskedChange[]): Promise<ChangeSet> {
  const rows = await context.index.refreshFor(steps.map(({ found }) => found.task.id));
  const requests = steps.map((step) => ({ reason: SIGNING, adjustments: [], steps: [signStep(step)] }));
  const set = await planSteps(context, requests, rows, {});
  set.outcomes.forEach(accepted);
  return set;
}

async function planSteps(
  context: WriteContext,
  asked: Requests,
  rows: TaskRows,
  { signal, onProgress }: ProgressOptions,
): Promise<ChangeSet> {
  const { vault } = context;
  const run: Run = { results: new Map(), refused: new Map() };
  const notes = grouped(asked.flatMap(stepsOf), ({ step }) => step.found.task.path);
  const slice = new TimeSlice(signal);
  let done = 0;
  const edits = await inTurns(notes, MAX_CONCURRENT_WRITES, async ([path, ofNote]) => {
    signal?.throwIfAborted();
    const steps = KINDS.flatMap((kind) => ofNote.filter(({ step }) => step.kind === kind));
    let edit: NoteEdit | undefined;
    await record(run, rows, steps, async () => {
      vault.assertMayWrite(path);
      const { text: before } = await vault.read(path);
      const after = await editTasks(context, rows, before, changesIn(steps));
      if (after.text !== before) assertMayBecome(path, before, after);
      edit = { path, before, after, steps };
      return { results: after.results, undoable: false, durable: true };
    });
    onProgress?.({ done: (done += tasksIn(steps)), total: asked.length });
    if (slice.isOver) await slice.yield();
    return edit;
  });
  const { results, refused } = run;
  const requests = asked.map((one) => (one instanceof Error ? one : (refused.get(one) ?? one)));
  // Its other steps are in the texts.
  if ([...refused.keys()].some((request) => request.steps.length > 1))
    return await planSteps(context, requests, rows, { signal });
  const toWrite = edits.flatMap((edit): readonly NoteEdit[] => {
    const made = edit?.steps.flatMap(({ request, step }) => (results.has(step) ? [{ request, step }] : [])) ?? [];
    return edit === undefined || made.length === 0 ? [] : [{ ...edit, steps: made }];
  });
  return { rows, requests, edits: toWrite, results, outcomes: outcomesOf(requests, run, rows) };
}

type ApplyOptions = ProgressOptions & {
  /** The edits are its steps. */
  readonly operation?: Operation | undefined;
};

/** A refused request does not stop the others. */
export async function applyChanges(
  context: WriteContext,
  set: ChangeSet,
  options: ApplyOptions,
): Promise<readonly Outcome[]> {
  return outcomesOf(set.requests, await makeChanges(context, set, options), set.rows);
}

/** For an operation that goes on: what a refused request has changed stays, and its refusal names it. */
export async function applyEach(
  context: WriteContext,
  set: ChangeSet,
  options: ApplyOptions,
): Promise<readonly Outcome[]> {
  const run = await makeChanges(context, set, options);
  return outcomesOf(set.requests, run, set.rows).map((outcome, at) => {
    if (!(outcome instanceof Error)) return outcome;
    const steps = stepsOf(set.requests[at] ?? outcome).filter(({ step }) => run.results.get(step)?.changed);
    return stillChanged(
      outcome,
      steps.map(({ step }) => step.found.task.path),
    );
  });
}

async function makeChanges(
  context: WriteContext,
  { rows, requests, edits, results: planned }: ChangeSet,
  { operation, signal, onProgress }: ApplyOptions,
): Promise<Run> {
  const run: Run = { results: new Map(), refused: new Map() };
  let done = 0;
  for (const kind of KINDS)
    await inTurns(
      edits.filter(({ steps: [first] }) => first?.step.kind === kind),
      MAX_CONCURRENT_WRITES,
      async ({ path, before, after, steps: all }) => {
        const steps = all.filter(({ request }) => !run.refused.has(request));
        if (steps.length === 0) return;
        let results: readonly (EditResult | Error | undefined)[] = [];
        const change = async (text: string): Promise<ChangedText> => {
          await assertSameSettings(context.vault, rows);
          const isAsPlanned = text === before && steps.length === all.length;
          const now = isAsPlanned ? undefined : await editTasks(context, rows, text, changesIn(steps));
          results = now?.results ?? steps.map(({ step }) => planned.get(step));
          return now ?? after;
        };
        const { reason = SIGNING } = steps.find(({ step }) => step.kind !== "sign")?.request ?? {};
        await record(run, rows, steps, async () => {
          signal?.throwIfAborted();
          const written = await writeNote(context, { kind: "edit", path, reason, change }, operation);
          return { results, ...written };
        });
        onProgress?.({ done: (done += tasksIn(steps)), total: requests.length });
      },
    );
  return run;
}

async function record(
  { results, refused }: Run,
  rows: TaskRows,
  steps: readonly StepOf[],
  work: () => Promise<MadeChange & { readonly results: readonly (EditResult | Error | undefined)[] }>,
): Promise<void> {
  const refuse = ({ request, isOptional }: StepOf, error: unknown): void => {
    if (isOptional !== true) refused.set(request, refusalIn(error));
  };
  try {
    const { results: ofNote, ...written } = await work();
    for (const [at, one] of steps.entries()) {
      const result = ofNote[at];
      if (result === undefined || result instanceof Error) refuse(one, result);
      else results.set(one.step, resultOf(result, written, one.step, rows));
    }
  } catch (error) {
    for (const one of steps) refuse(one, error);
  }
}

/** By their former paths; the tasks' files first. */
export function filesOf({ edits }: ChangeSet): readonly VaultPath[] {
  return edits.toSorted((a, b) => Number(tasksIn(b.steps) > 0) - Number(tasksIn(a.steps) > 0)).map(({ path }) => path);
}

const stepsOf = (request: PlannedRequest | Error): readonly StepOf[] =>
  request instanceof Error ? [] : request.steps.map((step) => ({ request, step, isOptional: step.isOptional }));

const changesIn = (steps: readonly StepOf[]): readonly AskedChange[] => steps.map(({ step }) => step);

const tasksIn = (steps: readonly StepOf[]): number => steps.filter(({ step }) => step.kind === "task").length;

function resultOf(result: EditResult, written: MadeChange, { found }: Step, rows: TaskRows): EditResult & MadeChange {
  const stat = written.stat ?? knownStat(found, rows);
  const { task } = result;
  return { ...result, ...written, task: stat === undefined ? task : { ...task, modified: stat.modified } };
}

const outcomesOf = (requests: Requests, { results, refused }: Run, rows: TaskRows): readonly Outcome[] =>
  requests.map((one) => (one instanceof Error ? one : (refused.get(one) ?? outcomeOf(one, results, rows))));

function outcomeOf(request: PlannedRequest, results: Run["results"], rows: TaskRows): WrittenTask {
  const made = request.steps.flatMap((step) => {
    const result = results.get(step);
    return result === undefined ? [] : [{ ...result, step }];
  });
  const own = made.find(({ step }) => step.kind === "task") ?? made[0];
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
    // A difference does not say a card's lane.
    reason: `update task: ${checked.updated.map((name) => (name === "lane" ? `lane → ${checked.clean.lane}` : name)).join(", ")}`,
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

/** For an instance that is finished or reopened. */
function seriesStep(task: Task, { values: { status } }: CleanUpdates, relations: Relations): Step[] {
  if (!task.occurrence || (status !== "Done" && status !== "To Do")) return [];
  const { parent, day } = task.occurrence;
  const series = relations.resolve(task, parent).find((one) => one !== task && one.series);
  const clean = { values: { status }, occurrence: { skip: false, day } };
  return series === undefined ? [] : [{ kind: "series", found: { task: series, kind: "path" }, clean }];
}

/** Moves each card to the new status's lane; without one it stays. A lane is that of the first card. */
function cardSteps({ card, otherCards = [] }: Task, { values: { status }, lane }: CleanUpdates): Step[] {
  if (card === undefined) return [];
  const stepOf = (task: Task, to: string | undefined): Step[] => {
    if (status === undefined && to === undefined) return [];
    const values = to === undefined && status !== undefined ? { status } : {};
    return [{ kind: "card", found: { task, kind: "path" }, clean: { values, lane: to }, isOptional: to === undefined }];
  };
  return [...stepOf(card, lane), ...otherCards.flatMap((other) => stepOf(other, undefined))];
}

export const referencesIn = ({ clean }: CheckedUpdates): readonly string[] => clean.values.blockedBy ?? [];

export function accepted<Result>(outcome: Result | Error | undefined): Result {
  if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error("A change has no result.");
  return outcome;
}

/** @throws what refuses no single task */
export function refusalIn(error: unknown): Error {
  if (isVaultError(error) || (error instanceof Error && error.name === "AbortError")) return error;
  throw error;
}
