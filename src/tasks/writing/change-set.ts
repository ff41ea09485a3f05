/** Changes of notes: planning computes new texts, applying writes them. */
import { changedMeanwhile } from "../../storage/errors.js";
import { inTurns } from "../../async/turns.js";
import { TimeSlice } from "../../async/timers.js";
import { isVaultError } from "../../errors.js";
import { TEXT_NAMED } from "../../markdown/nothing-dropped.js";
import type { Operation, OperationPlan } from "../../history/journal-records.js";
import type { ProgressOptions } from "../../index/refresh.js";
import { folderOf, type VaultPath } from "../../storage/path.js";
import type { FileStat, Revision } from "../../storage/storage.js";
import { stillChanged } from "../../vault/vault-history.js";
import { type ChangedText, MAX_CONCURRENT_WRITES } from "../../vault/writing.js";
import type { TaskRows } from "../rows/task-rows.js";
import { grouped, type LinePlace, type Task } from "../task.js";
import {
  assertSameSettings,
  type EditResult,
  editSteps,
  knownStat,
  type TextStep,
  type WriteContext,
} from "./edit-note.js";

/** In the order of writing. */
const KINDS = ["make", "sign", "series", "task", "lines", "card", "delete"] as const;

export interface NewNote {
  readonly path: VaultPath;
  readonly text: string;
  readonly reason: string;
  readonly taskIn?: ((stat: FileStat) => Task) | undefined;
  readonly places?: readonly LinePlace[];
}

interface MakeStep {
  readonly kind: "make";
  /** `planAgain` replaces it. */
  readonly note: NewNote;
  readonly planAgain?: (isNameTaken: boolean) => Promise<void>;
}

interface DeleteStep {
  readonly kind: "delete";
  readonly path: VaultPath;
  readonly expected: Revision;
}

export type Step = {
  /** Omitted when it cannot be planned. */
  readonly isOptional?: boolean;
} & (MakeStep | TextStep | DeleteStep);

interface StepResult extends Partial<EditResult> {
  readonly changed: boolean;
  readonly undoable: boolean;
  readonly durable: boolean;
}

export type Results = ReadonlyMap<Step, StepResult>;

export interface PlannedRequest<Answer> {
  readonly reason: string;
  readonly steps: readonly Step[];
  /** @param isWritten false in a preview */
  readonly answer: (results: Results, isWritten: boolean) => Answer;
}

interface StepOf<Answer> {
  readonly request: PlannedRequest<Answer>;
  readonly step: Step;
  readonly isOptional?: boolean | undefined;
}

interface NoteChange<Answer> {
  readonly path: VaultPath;
  readonly steps: readonly StepOf<Answer>[];
  /** Undefined for a new note. */
  readonly before: string | undefined;
  readonly after: ChangedText;
}

interface Run<Answer> {
  readonly results: Map<Step, StepResult>;
  readonly refused: Map<PlannedRequest<Answer>, Error>;
}

export interface ChangeSet<Answer> {
  readonly rows: TaskRows;
  readonly requests: readonly (PlannedRequest<Answer> | Error)[];
  readonly changes: readonly NoteChange<Answer>[];
  readonly results: Results;
  readonly outcomes: readonly (Answer | Error)[];
}

/** All that a preview does. */
export async function planChanges<Answer>(
  context: WriteContext,
  asked: readonly (PlannedRequest<Answer> | Error)[],
  rows: TaskRows,
  { signal, onProgress }: ProgressOptions = {},
): Promise<ChangeSet<Answer>> {
  const { vault } = context;
  const run: Run<Answer> = { results: new Map(), refused: new Map() };
  const notes = grouped(asked.flatMap(stepsOf), ({ step }) => pathOf(step));
  const slice = new TimeSlice(signal);
  let done = 0;
  const planned = await inTurns(notes, MAX_CONCURRENT_WRITES, async ([path, ofNote]) => {
    signal?.throwIfAborted();
    const steps = KINDS.flatMap((kind) => ofNote.filter(({ step }) => step.kind === kind));
    let change: NoteChange<Answer> | undefined;
    await record(context, run, rows, steps, async () => {
      vault.assertMayWrite(path);
      const [{ step } = {}] = steps;
      const isText = step?.kind !== "make" && step?.kind !== "delete";
      const before = isText ? (await vault.read(path)).text : undefined;
      const edited = before === undefined ? undefined : await editSteps(context, rows, before, stepsIn(steps));
      const made = step?.kind === "make" ? step.note : edited;
      if (made !== undefined && made.text !== before) vault.writing.mayBecome(path, before ?? "", made);
      change = { path, before, after: edited ?? { text: "" }, steps };
      return { results: edited?.results ?? [{}], undoable: false, durable: true };
    });
    onProgress?.({ done: (done += tasksIn(steps)), total: asked.length });
    if (slice.isOver) await slice.yield();
    return change;
  });
  const { results, refused } = run;
  const requests = asked.map((one) => (one instanceof Error ? one : (refused.get(one) ?? one)));
  // Its other steps are in the texts.
  if ([...refused.keys()].some((request) => request.steps.length > 1))
    return await planChanges(context, requests, rows, { signal });
  const changes = planned.flatMap((change): readonly NoteChange<Answer>[] => {
    // What can be planned must also be written.
    const made = change?.steps.flatMap(({ request, step }) => (results.has(step) ? [{ request, step }] : [])) ?? [];
    return change === undefined || made.length === 0 ? [] : [{ ...change, steps: made }];
  });
  return { rows, requests, changes, results, outcomes: outcomesOf(requests, run, false) };
}

type ApplyOptions = ProgressOptions & {
  readonly operation?: Operation | undefined;
};

/** All or nothing. Several changes are an operation; `plan` makes a single one an operation, too. */
export async function applyWhole<Answer extends object>(
  context: WriteContext,
  set: ChangeSet<Answer>,
  plan?: Partial<OperationPlan>,
): Promise<Answer & { readonly undoable: boolean; readonly operation?: string }> {
  const [request] = set.requests;
  const write = async (operation?: Operation) => {
    const run = await writeChanges(context, set, { operation });
    return accepted(outcomesOf(set.requests, run, true)[0]);
  };
  const { reason } = accepted(request);
  if (plan === undefined && set.changes.length === 1) return (await write()) as Answer & { readonly undoable: boolean };
  const whole = { reason, asOne: true, files: filesOf(set), ...plan };
  const { result, operation, undoable } = await context.vault.history.runOperation(whole, write);
  return { ...result, undoable, ...(undoable && operation !== undefined && { operation }) };
}

/** A refused request's changes are reverted, or its refusal names them. */
export async function applyEach<Answer>(
  context: WriteContext,
  set: ChangeSet<Answer>,
  options: ApplyOptions,
): Promise<readonly (Answer | Error)[]> {
  const run = await writeChanges(context, set, options);
  if (run.refused.size > 0) await changeBack(context, set, run, options.operation);
  return outcomesOf(set.requests, run, true);
}

interface WrittenRun<Answer> extends Run<Answer> {
  readonly texts: Map<VaultPath, { readonly before: string; readonly after: string }>;
  isRenamed: boolean;
}

async function writeChanges<Answer>(
  context: WriteContext,
  set: ChangeSet<Answer>,
  { operation, signal, onProgress }: ApplyOptions,
): Promise<WrittenRun<Answer>> {
  const run: WrittenRun<Answer> = { results: new Map(), refused: new Map(), texts: new Map(), isRenamed: false };
  let done = 0;
  for (const kind of KINDS)
    await inTurns(
      set.changes.filter(({ steps: [first] }) => first?.step.kind === kind),
      // A renamed note changes those after it.
      kind === "make" ? 1 : MAX_CONCURRENT_WRITES,
      async (change) => {
        const steps = change.steps.filter(({ request }) => !run.refused.has(request));
        const [{ step, request } = {}] = steps;
        if (step === undefined || request === undefined) return;
        await record(context, run, set.rows, steps, async () => {
          signal?.throwIfAborted();
          if (step.kind === "make") return await makeNote(context, run, step, operation);
          if (step.kind !== "delete") return await writeText(context, set, run, { change, steps }, operation);
          const { path, expected } = step;
          const deleted = await context.vault.writing.delete(path, request.reason, { operation, expected });
          return { ...deleted, results: [{}] };
        });
        onProgress?.({ done: (done += tasksIn(steps)), total: set.requests.length });
      },
    );
  return run;
}

interface Written extends Pick<StepResult, "undoable" | "durable"> {
  readonly stat?: FileStat | undefined;
  readonly results: readonly (Partial<EditResult> | Error | undefined)[];
}

/** Plans again while an unlisted file has the name. */
async function makeNote<Answer>(
  { vault }: WriteContext,
  run: WrittenRun<Answer>,
  step: MakeStep,
  operation: Operation | undefined,
): Promise<Written> {
  if (run.isRenamed) await step.planAgain?.(false);
  for (;;) {
    const { path, text, reason } = step.note;
    try {
      return { ...(await vault.writing.create(path, text, reason, { operation })), results: [{}] };
    } catch (error) {
      // If a file replaces the folder, no name works.
      const isTaken = isVaultError(error, "ALREADY_EXISTS") && (await vault.children(folderOf(path))) !== undefined;
      if (!isTaken || step.planAgain === undefined) throw error;
      await step.planAgain(true);
      run.isRenamed = true;
    }
  }
}

/** @param steps without those of refused requests */
async function writeText<Answer>(
  context: WriteContext,
  { rows, results: planned }: ChangeSet<Answer>,
  run: WrittenRun<Answer>,
  { change, steps }: { readonly change: NoteChange<Answer>; readonly steps: readonly StepOf<Answer>[] },
  operation: Operation | undefined,
): Promise<Written> {
  const { path, before, after } = change;
  const isWhole = steps.length === change.steps.length && !run.isRenamed;
  const written = run.texts.get(path);
  let results: Written["results"] = [];
  const textFor = async (text: string): Promise<ChangedText> => {
    await assertSameSettings(context.vault, rows);
    if (written !== undefined && text !== written.after) throw changedMeanwhile(path);
    const isAsPlanned = text === before && isWhole;
    const now = isAsPlanned ? undefined : await editSteps(context, rows, written?.before ?? text, stepsIn(steps));
    results = now?.results ?? steps.map(({ step }) => planned.get(step));
    if (written === undefined) run.texts.set(path, { before: text, after: (now ?? after).text });
    return written === undefined ? (now ?? after) : { ...(now ?? after), named: TEXT_NAMED };
  };
  const { reason = SIGNING } = steps.find(({ step }) => step.kind !== "sign")?.request ?? {};
  const { undoable, file } = await context.vault.writing.edit(path, textFor, reason, { operation });
  return { undoable, durable: file?.durable ?? true, stat: file?.stat, results };
}

/** Keeps a failed change that may have been made. */
async function changeBack<Answer>(
  context: WriteContext,
  set: ChangeSet<Answer>,
  run: WrittenRun<Answer>,
  operation: Operation | undefined,
): Promise<void> {
  const staying = new Map<PlannedRequest<Answer>, VaultPath[]>();
  for (const change of set.changes.toReversed()) {
    const stale = change.steps.filter(
      ({ request, step }) => run.refused.has(request) && run.results.get(step)?.changed,
    );
    const [{ step, request } = {}] = stale;
    if (step === undefined || request === undefined) continue;
    const path = pathOf(step);
    const isUncertain = stale.some((one) => isUncertainError(run.refused.get(one.request)));
    const steps = change.steps.filter((one) => run.results.has(one.step) && !run.refused.has(one.request));
    try {
      if (isUncertain) throw changedMeanwhile(path);
      if (step.kind === "make") {
        const { text, revision: expected } = await context.vault.read(path);
        if (text !== step.note.text) throw changedMeanwhile(path);
        await context.vault.writing.delete(path, request.reason, { operation, expected, permanent: true });
      } else {
        const { results, ...written } = await writeText(context, set, run, { change, steps }, operation);
        await record(context, run, set.rows, steps, async () => ({ ...written, results }));
      }
      await operation?.changedBack(path);
    } catch (error) {
      refusalIn(error);
      for (const one of stale) staying.set(one.request, [...(staying.get(one.request) ?? []), path]);
    }
  }
  for (const [request, paths] of staying) {
    const refusal = run.refused.get(request);
    if (refusal !== undefined) run.refused.set(request, stillChanged(refusal, paths));
  }
}

const SIGNING = "name a task that is waited for";

const isUncertainError = (error: unknown): boolean => isVaultError(error) && error.isUncertain;

async function record<Answer>(
  context: WriteContext,
  { results, refused }: Run<Answer>,
  rows: TaskRows,
  steps: readonly StepOf<Answer>[],
  work: () => Promise<Written>,
): Promise<void> {
  const refuse = ({ request, isOptional }: StepOf<Answer>, error: unknown): void => {
    if (isOptional !== true) refused.set(request, refusalIn(error));
  };
  try {
    const { results: ofNote, ...written } = await work();
    for (const [at, one] of steps.entries()) {
      const result = ofNote[at];
      if (result === undefined || result instanceof Error) refuse(one, result);
      else results.set(one.step, resultOf(context, one.step, result, written, rows));
    }
  } catch (error) {
    for (const one of steps) refuse(one, error);
  }
}

function resultOf(
  { vault: { clock } }: WriteContext,
  step: Step,
  result: Partial<EditResult>,
  { undoable, durable, ...written }: Omit<Written, "results">,
  rows: TaskRows,
): StepResult {
  const made = { changed: true, ...result, undoable, durable };
  if (step.kind === "make") {
    const { path, text, taskIn } = step.note;
    const now = clock.now();
    const stat = { path, size: text.length, modified: now, created: now, stamp: [] };
    return { ...made, ...(taskIn && { task: taskIn(written.stat ?? stat) }) };
  }
  const stat = written.stat ?? ("found" in step ? knownStat(step.found, rows) : rows.view.statOf(pathOf(step)));
  const { task } = result;
  return { ...made, ...(task && stat && { task: { ...task, modified: stat.modified } }) };
}

/** The tasks' files first. */
export function filesOf({ changes }: ChangeSet<unknown>): readonly VaultPath[] {
  const existing = changes.filter(
    ({ before, steps: [first] }) => before !== undefined || first?.step.kind === "delete",
  );
  const inOrder = existing.toSorted((a, b) => Number(tasksIn(b.steps) > 0) - Number(tasksIn(a.steps) > 0));
  return inOrder.map(({ path }) => path);
}

const stepsOf = <Answer>(request: PlannedRequest<Answer> | Error): readonly StepOf<Answer>[] =>
  request instanceof Error ? [] : request.steps.map((step) => ({ request, step, isOptional: step.isOptional }));

const stepsIn = (steps: readonly StepOf<unknown>[]): readonly TextStep[] =>
  steps.flatMap(({ step }) => (step.kind === "make" || step.kind === "delete" ? [] : [step]));

const tasksIn = (steps: readonly StepOf<unknown>[]): number =>
  steps.filter(({ step: { kind } }) => kind === "task" || kind === "lines").length;

function pathOf(step: Step): VaultPath {
  if ("found" in step) return step.found.task.path;
  return step.kind === "make" ? step.note.path : step.path;
}

const outcomesOf = <Answer>(
  requests: ChangeSet<Answer>["requests"],
  { results, refused }: Run<Answer>,
  isWritten: boolean,
): readonly (Answer | Error)[] =>
  requests.map((one) => (one instanceof Error ? one : (refused.get(one) ?? one.answer(results, isWritten))));

export function accepted<Result>(outcome: Result | Error | undefined): Result {
  if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error("A change has no result.");
  return outcome;
}

/** @throws errors that concern more than one task */
export function refusalIn(error: unknown): Error {
  if (isVaultError(error) || (error instanceof Error && error.name === "AbortError")) return error;
  throw error;
}
