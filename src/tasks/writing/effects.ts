/** What an update reports of its task and others. */
import { fileTitle, linkKey } from "../../storage/path.js";
import type { Consequences, UpdatedTask } from "../api.js";
import { relationsOf } from "../relations.js";
import { readLineName } from "../line-format/line-identity.js";
import { isOfProject } from "../query/filter.js";
import { isOutstanding } from "../recurrence/series.js";
import { OPEN, type TaskRows } from "../rows/task-rows.js";
import type { CleanUpdates } from "../format.js";
import type { Task } from "../task.js";
import type { WriteContext } from "./write-context.js";

const MAX_NOW_READY = 5;

/** Equal lines, or a project and its tasks, are easily confused. */
export function remarksOnTarget(reference: string, task: Task, rows: TaskRows): readonly string[] {
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

/** Effects of closing a task, from the state before the refresh. */
export async function consequencesOf({ index }: WriteContext, known: Task, rows: TaskRows): Promise<Consequences> {
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

/** @param moved for a change of status or lane, the steps of the cards reached */
export function cardsStaying(
  { card, otherCards = [] }: Task,
  { values: { status } }: CleanUpdates,
  moved: readonly { readonly step: { readonly found: { readonly task: Task } } }[],
): readonly string[] {
  if (card === undefined || (moved.length === 0 && status === undefined)) return [];
  const reached = new Set(moved.map(({ step }) => step.found.task));
  const staying = [card, ...otherCards].filter((one) => !reached.has(one));
  return staying.map(({ lane = "", board = "" }) => `Its card in ${lane} on ${board} stays.`);
}
