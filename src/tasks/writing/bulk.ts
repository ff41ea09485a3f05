/** Changes many tasks: a few at once, more by a plan (docs: tasks, "Many at once"). */
import { TimeSlice } from "../../async/timers.js";
import { call, counted, distinct, quotedArgument, said } from "../../text/wording.js";
import type { LocalDate } from "../../clock.js";
import { NOTHING_CHANGED, VaultError, invalidArgument } from "../../errors.js";
import { operationReference } from "../../history/journal-records.js";
import type { ProgressOptions } from "../../index/refresh.js";
import { asksForPlan, assertPlanFits, planName } from "../../vault/plan.js";
import type { BulkOptions, BulkOutcome, BulkReport, SkippedTask, TaskChange, TaskUpdates, TaskHits } from "../api.js";
import { laterInstances } from "../recurrence/series.js";
import { type Reference, reasonOf } from "../task-references.js";
import type { Task } from "../task.js";
import type { TaskFinder, FoundSince } from "../query/finder.js";
import { settingsMark } from "../note-format/note-settings.js";
import type { TaskRows } from "../rows/task-rows.js";
import { type BulkRequest, NOTHING, readBulkUpdates } from "./arguments.js";
import { applyEach, type ChangeSet, filesOf, planChanges, refusalIn } from "./change-set.js";
import { type Outcome, planUpdates, referencesIn, type TaskRequest, type WrittenTask } from "./update.js";
import { assertRevision, type WriteContext } from "./edit-note.js";
import { isSelection, parseSelection, selectionText } from "../query/selection.js";

const MAX_TASKS = 500;
const MAX_WITHOUT_PLAN = 20;

/** @param references of tasks, or one selection */
export async function changeTasks(
  context: WriteContext,
  references: readonly string[],
  updates: TaskUpdates,
  options: BulkOptions,
): Promise<BulkOutcome> {
  const { vault, index, finder, creating } = context;
  const isConversion = updates.convert !== undefined;
  const request = isConversion
    ? { updates, updated: Object.keys(updates), checked: NOTHING, forTask: () => NOTHING }
    : readBulkUpdates(updates, vault.clock.today());
  const rows = await index.refreshFor([...references, ...referencesIn(request.checked)], options);
  const selected = await selectTasks(references, finder, index.finder(rows), options);
  assertCount(selected.found.length + selected.leftOut.length);
  const work = async () => await planOrChange(context, selected, request, rows, options);
  return isConversion ? await creating.runExclusive(() => vault.withLock(work)) : await work();
}

async function planOrChange(
  context: WriteContext,
  selected: Selected,
  request: BulkRequest,
  rows: TaskRows,
  options: BulkOptions,
): Promise<BulkOutcome> {
  const { vault } = context;
  const { found } = selected;
  const { convert } = request.updates;
  const today = vault.clock.today();
  const isPlanned = options.plan !== undefined && !asksForPlan(options.plan);
  const isPreview = !isPlanned && (options.plan !== undefined || found.length > MAX_WITHOUT_PLAN);
  const planOptions = isPreview ? options : { signal: options.signal };
  const converting = convert === undefined ? undefined : await import("./convert.js");
  const set =
    converting === undefined
      ? await planUpdates(
          context,
          requestsFor(found, request, isPlanned || options.expectedRevisions !== undefined),
          rows,
          planOptions,
        )
      : await planChanges(
          context,
          await converting.planConversions(context, found, request.updates, rows, options.signal),
          rows,
          planOptions,
        );
  const plan = planName([...planBasis(found, request, today, rows), ...(convert === undefined ? [] : textsIn(set))]);
  if (isPlanned) assertPlanFits(options.plan, plan, "tasks, updates, the day or TaskNotes' settings");
  if (isPreview) {
    const report = reportOf(selected, request, set.outcomes);
    const changes = report.changes.map((change) => ({ ...change, passes: passedInstance(change, today) }));
    return { kind: "plan", plan, ...report, changes };
  }
  const tasks = counted(found.length, "task");
  const reason =
    convert === undefined ? `update ${tasks}: ${request.updated.join(", ")}` : `convert ${tasks} to ${convert}s`;
  // As update_task: a card with its note.
  const asOne = found.length === 1 || convert !== undefined;
  const operation = await vault.history.begin({ reason, asOne, files: filesOf(set) });
  let outcomes: readonly Outcome[] = [];
  let undoable = false;
  try {
    outcomes = await applyEach(context, set, { ...options, operation });
  } finally {
    // Ends after all changes, even if one fails.
    undoable = await operation.done();
  }
  const written = writtenOf(outcomes);
  return {
    kind: "done",
    operation: written.some(({ changed }) => changed) ? operationReference(operation.id) : undefined,
    ...reportOf(selected, request, outcomes),
    undoable,
    durable: written.every(({ durable }) => durable),
  };
}

/** What a conversion depends on besides its tasks. */
const textsIn = ({ changes, outcomes }: ChangeSet<WrittenTask>): readonly unknown[] => [
  changes.map(({ path, before = "" }) => [path, before]),
  outcomes.map((outcome) => outcome instanceof Error),
];

/** @param isAsSeen refuses tasks that get another revision */
function requestsFor(
  found: readonly Reference[],
  request: BulkRequest,
  isAsSeen: boolean,
): readonly (TaskRequest | Error)[] {
  return found.map((one) => {
    try {
      const expectedRevision = isAsSeen ? one.task.revision : undefined;
      return { found: one, checked: request.forTask(one.task), expectedRevision };
    } catch (error) {
      return refusalIn(error);
    }
  });
}

const writtenOf = (outcomes: readonly Outcome[]): readonly WrittenTask[] =>
  outcomes.filter((outcome): outcome is WrittenTask => !(outcome instanceof Error));

function reportOf(
  { found, leftOut }: Selected,
  { updated, checked }: BulkRequest,
  outcomes: readonly Outcome[],
): BulkReport {
  const changes: TaskChange[] = [];
  const refused: SkippedTask[] = [];
  for (const [at, { task }] of found.entries()) {
    const outcome = outcomes[at];
    const { id, title } = task;
    if (outcome instanceof Error) refused.push({ reference: id, title, reason: reasonOf(outcome) });
    else if (outcome !== undefined) changes.push(changeFrom(task, outcome));
  }
  const written = writtenOf(outcomes);
  const adjustments = written.length === 0 ? checked.adjustments : written.flatMap((one) => one.adjustments);
  return {
    total: found.length + leftOut.length,
    updated,
    adjustments: distinct(adjustments),
    changes,
    leftOut: [...leftOut, ...refused],
  };
}

function changeFrom(before: Task, { task: after, changed, series, alsoChanged }: WrittenTask): TaskChange {
  return { before, after, changed, alsoChanged, ...(series && { series }) };
}

function planBasis(
  found: readonly Reference[],
  { updates }: BulkRequest,
  today: LocalDate,
  { settings: { taskNotes } }: TaskRows,
): readonly unknown[] {
  const tasks = found.map(({ task }) => [task.id, task.revision]).sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  return [today, tasks, updates, ...(taskNotes.enabled ? [settingsMark(taskNotes)] : [])];
}

/** For days that the caller moves. */
function passedInstance({ before, after, series }: TaskChange, today: LocalDate): LocalDate | undefined {
  const day = after.scheduled ?? after.due;
  const was = before.scheduled ?? before.due;
  if (
    series !== undefined ||
    before.series === undefined ||
    after.status !== before.status ||
    day === undefined ||
    day === was
  )
    return undefined;
  return laterInstances(before, today, day).find((instance) => was === undefined || instance > was);
}

function assertCount(count: number): void {
  if (count === 0)
    throw invalidArgument(
      "tasks names no task.",
      said`Give ids of ${call("search_tasks")}, or the text behind its \`Selection:\`.`,
    );
  if (count > MAX_TASKS)
    throw invalidArgument(
      `These are ${count} tasks; at most ${MAX_TASKS} are changed in one call.`,
      "Narrow the filters of the selection, or give the ids in several calls.",
    );
}

const MAX_NAMED = 5;

interface Selected {
  readonly found: readonly Reference[];
  readonly leftOut: readonly SkippedTask[];
}

/** @throws CONFLICT when the selection now finds other tasks */
async function selectTasks(
  references: readonly string[],
  finder: TaskFinder,
  find: (reference: string) => Promise<Reference>,
  options: BulkOptions,
): Promise<Selected> {
  const { expectedRevisions = {} } = options;
  const unmeant = Object.keys(expectedRevisions).find((reference) => !references.includes(reference));
  if (unmeant !== undefined) throw revisionOfOther(unmeant);
  const [only = ""] = references;
  if (references.length === 1 && isSelection(only))
    return { found: await selected(only, finder, options), leftOut: [] };
  const found = new Map<string, Reference>();
  const leftOut: SkippedTask[] = [];
  const slice = new TimeSlice(options.signal);
  for (const reference of references) {
    if (isSelection(reference)) throw selectionAmongIds();
    let title: string | undefined;
    try {
      const meant = await find(reference);
      title = meant.task.title;
      assertRevision(meant.task, expectedRevisions[reference]);
      if (!found.has(meant.task.id)) found.set(meant.task.id, meant);
    } catch (error) {
      leftOut.push({ reference, title, reason: reasonOf(error) });
    }
    options.onProgress?.({ done: found.size + leftOut.length, total: references.length });
    if (slice.isOver) await slice.yield();
  }
  return { found: [...found.values()], leftOut };
}

async function selected(text: string, finder: TaskFinder, options: ProgressOptions): Promise<readonly Reference[]> {
  const { filters, fingerprint } = parseSelection(text);
  const hits = await finder.find(filters, options);
  if (hits.fingerprint !== fingerprint)
    throw selectsOthers(hits, selectionText(filters, hits.fingerprint), finder.since(fingerprint, hits.tasks));
  return hits.tasks.map((task) => ({ task, kind: "id" }));
}

function selectsOthers({ total }: TaskHits, now: string, since: FoundSince | undefined): VaultError {
  const changes = since ? ` ${named("New", since.came)}${named("Gone", since.went)}`.trimEnd() : "";
  return new VaultError("CONFLICT", `The selection finds other tasks by now: ${total} of them.${changes}`, {
    hint: [said`Look at them with ${call("search_tasks")}; they are selected by ${now}.`, NOTHING_CHANGED],
  });
}

function named(what: string, titles: readonly string[]): string {
  if (titles.length === 0) return "";
  const rest = titles.length > MAX_NAMED ? ` and ${titles.length - MAX_NAMED} more` : "";
  return `${what}: ${titles.slice(0, MAX_NAMED).join(", ")}${rest}. `;
}

function selectionAmongIds(): VaultError {
  return invalidArgument("A selection is given together with other tasks.", "Give one selection alone, or ids.");
}

function revisionOfOther(reference: string): VaultError {
  return invalidArgument(
    said`${quotedArgument("expectedRevisions")} names "${reference}", which ${quotedArgument("tasks")} does not.`,
    "Give each revision under the text that names its task there.",
  );
}
