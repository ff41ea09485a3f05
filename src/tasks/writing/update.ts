/** Changes of tasks as steps of change sets (docs: tasks, "update_task"). */
import type { Wording } from "../../text/wording.js";
import { orIfFailed } from "../../errors.js";
import type { ProgressOptions } from "../../index/refresh.js";
import type { TaskUpdates, UpdatedTask, UpdateOptions, Consequences } from "../api.js";
import { type Relations, relationsOf } from "../relations.js";
import type { CleanUpdates } from "../format.js";
import { dropsMarker } from "../note-format/update-note.js";
import type { Reference } from "../task-references.js";
import { type TaskRows, OPEN } from "../rows/task-rows.js";
import { isClosed, type Task } from "../task.js";
import { type CheckedUpdates, cleanUpdates } from "./arguments.js";
import { writtenBlockers } from "./blockers.js";
import {
  applyWhole,
  type ChangeSet,
  planChanges,
  type PlannedRequest,
  refusalIn,
  type Results,
  type Step,
} from "./change-set.js";
import { type AskedChange, lastFinishedOf, type WriteContext } from "./edit-note.js";
import { spelledAsKnown } from "../known-names.js";
import { fileTitle, linkKey } from "../../storage/path.js";
import { readLineName } from "../line-format/task-line.js";
import { isOfProject } from "../query/filter.js";
import { isOutstanding } from "../recurrence/series.js";

const MARKER_KEPT = 'the tag "task" was kept: it makes the note a task';

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

/** @throws VaultError when the task cannot be changed */
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
  // Before the write, from the rows of the last refresh.
  const remarks = remarksOnTarget(reference, found.task, rows);
  const set = await planUpdates(context, [{ found, checked, ...options }], rows);
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

export async function planUpdates(
  context: WriteContext,
  asked: readonly (TaskRequest | Error)[],
  rows: TaskRows,
  options: ProgressOptions = {},
): Promise<ChangeSet<WrittenTask>> {
  const requests: (PlannedRequest<WrittenTask> | Error)[] = [];
  // The same for all tasks.
  const [first] = asked.flatMap((one) => (one instanceof Error ? [] : [one.checked.clean]));
  const { properties } = first ?? {};
  const lists = properties && (await context.links?.lists(Object.keys(properties)));
  for (const one of asked)
    requests.push(one instanceof Error ? one : await readRequest(context, one, rows, lists).catch(refusalIn));
  return await planChanges(context, requests, rows, options);
}

/** Names in the vault's spelling; references as links or signs. */
async function readRequest(
  { vault, index }: WriteContext,
  { found, checked, expectedRevision }: TaskRequest,
  rows: TaskRows,
  lists: CleanUpdates["lists"],
): Promise<PlannedRequest<WrittenTask>> {
  const { task } = found;
  const { status } = checked.clean.values;
  const relations = relationsOf(rows);
  const spelled = await spelledAsKnown(vault, checked.clean.values, rows.usedNames);
  const { blockedBy } = spelled.values;
  const find = async (reference: string): Promise<Task> => (await index.find(reference, rows)).task;
  const blockers = blockedBy && (await writtenBlockers(blockedBy, task.source, task, { find, relations, rows }));
  const values = { ...spelled.values, ...(blockers && { blockedBy: blockers.references }) };
  const own: TaskStep = {
    kind: "task",
    found,
    // The lane belongs to the card.
    clean: { ...checked.clean, values, lists, ...(task.card && { lane: undefined }) },
    expectedRevision,
    lastFinished: status === "Done" ? await lastFinishedOf(vault, task) : undefined,
  };
  const steps = [
    ...(blockers?.steps ?? []).map(signStep),
    ...seriesStep(task, checked.clean, relations),
    own,
    ...cardSteps(task, checked.clean),
  ];
  const adjustments = [...checked.adjustments, ...spelled.adjustments];
  const unseen: Readonly<Record<string, string | undefined>> = {
    lane: checked.clean.lane,
    status: task.series && status,
  };
  const named = checked.updated.map((name) => (unseen[name] === undefined ? name : `${name} → ${unseen[name]}`));
  return {
    reason: `update task: ${named.join(", ")}`,
    steps,
    answer: (results) => outcomeOf({ steps, adjustments }, results, rows),
  };
}

export const signStep = (asked: AskedChange): TaskStep => ({ ...asked, kind: "sign" });

/** For finishing or reopening an instance. */
function seriesStep(task: Task, { values: { status } }: CleanUpdates, relations: Relations): TaskStep[] {
  if (!task.occurrence || (status !== "Done" && status !== "To Do")) return [];
  const { parent, day } = task.occurrence;
  const series = relations.resolve(task, parent).find((one) => one !== task && one.series);
  const clean = { values: { status }, occurrence: { skip: false, day } };
  return series === undefined ? [] : [{ kind: "series", found: { task: series, kind: "path" }, clean }];
}

/** A given lane is that of the first card. */
function cardSteps({ card, otherCards = [] }: Task, { values: { status }, lane }: CleanUpdates): TaskStep[] {
  if (card === undefined) return [];
  const stepOf = (task: Task, to: string | undefined): TaskStep[] => {
    if (status === undefined && to === undefined) return [];
    const values = to === undefined && status !== undefined ? { status } : {};
    return [{ kind: "card", found: { task, kind: "path" }, clean: { values, lane: to }, isOptional: to === undefined }];
  };
  return [...stepOf(card, lane), ...otherCards.flatMap((other) => stepOf(other, undefined))];
}

export const referencesIn = ({ clean }: CheckedUpdates): readonly string[] => clean.values.blockedBy ?? [];

type TaskStep = Extract<Step, AskedChange>;

interface Planned {
  readonly steps: readonly TaskStep[];
  readonly adjustments: readonly Wording[];
}

function outcomeOf({ steps, adjustments }: Planned, results: Results, rows: TaskRows): WrittenTask {
  const made = steps.flatMap((step) => {
    const result = results.get(step);
    return result?.task === undefined ? [] : [{ ...result, task: result.task, step }];
  });
  const own = made.find(({ step }) => step.kind === "task");
  const cards = made.filter(({ step }) => step.kind === "card");
  if (own === undefined) throw new Error("A change has no result.");
  const { remarks = [], notLeftOut = [] } = own;
  const { tags } = own.step.clean.values;
  const kept = tags !== undefined && dropsMarker(tags, own.task, rows.settings) ? [MARKER_KEPT] : [];
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
      ...adjustments.filter((one) => !notLeftOut.includes(one)),
      ...kept,
      ...remarks,
      ...cards.flatMap((card) => card.remarks ?? []),
      ...cardsStaying(own.step.found.task, own.step.clean, cards),
    ],
  };
}

const MAX_NOW_READY = 5;

/** Equal lines, or a project and its tasks, are easily confused. */
function remarksOnTarget(reference: string, task: Task, rows: TaskRows): readonly string[] {
  if (task.isProject) {
    const open = rows.total([OPEN, isOfProject(fileTitle(task.path))]);
    return [`"${task.title}" is a project: its note was changed, its open tasks (${open}) were not`];
  }
  if (task.source !== "line") return [];
  const named = readLineName(reference.trim())?.line;
  const moved =
    named === undefined || named === task.line ? [] : [`line ${named} of ${task.path} is line ${task.line} now`];
  const twin = rows
    .with({ by: "title", value: linkKey(task.title) })
    .find((one) => one.path === task.path && one.title === task.title && one.line !== task.line);
  return twin === undefined ? moved : [...moved, `another line of ${task.path} has the same text: ${twin.id}`];
}

export async function waitsOf({ index }: WriteContext, task: Task): Promise<Pick<UpdatedTask, "waitsFor">> {
  if (task.blockedBy.length === 0) return {};
  return { waitsFor: relationsOf(await index.refreshFor([task.id])).waitingOf(task) };
}

/** From the state before the refresh. */
async function consequencesOf({ index }: WriteContext, known: Task, rows: TaskRows): Promise<Consequences> {
  const before = relationsOf(rows);
  const waitedFor = before.openBlockersOf(known).map(({ name }) => name);
  const openSubtasks = before.subtasksOf(known).filter(isOutstanding).length;
  const waiting = before.waitingFor(known).filter((task) => !before.isReady(task));
  const now = waiting.length > 0 ? await index.refreshFor([known.id]) : undefined;
  const nowReady = waiting.flatMap(({ id }) => {
    const [task] = now?.with({ by: "ref", value: id }) ?? [];
    return now && task && relationsOf(now).isReady(task) ? [task] : [];
  });
  return { nowReady: nowReady.slice(0, MAX_NOW_READY), waitedFor, openSubtasks };
}

/** @param moved the steps of the cards reached */
function cardsStaying(
  { card, otherCards = [] }: Task,
  { values: { status } }: CleanUpdates,
  moved: readonly { readonly step: { readonly found: { readonly task: Task } } }[],
): readonly string[] {
  if (card === undefined || (moved.length === 0 && status === undefined)) return [];
  const reached = new Set(moved.map(({ step }) => step.found.task));
  const staying = [card, ...otherCards].filter((one) => !reached.has(one));
  return staying.map(({ lane = "", board = "" }) => `Its card in ${lane} on ${board} stays.`);
}
