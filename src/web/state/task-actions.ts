/** Actions on tasks by key, drop or menu. */
import { messageOf, type ToolAnswers } from "../transport/transport.js";
import { WORDS } from "../words.js";
import { dayAfter, dayText, timeText } from "./days.js";
import type { Connection } from "./connection.js";
import type { ChangeResult } from "./task-changes.js";
import { type AddPlace, MAX_CHANGED, type Question, type TasksPage } from "./page.js";
import { everyItem, type CallTool } from "./queries.js";
import { plainTitle } from "./title.js";
import { isColumnStatus, type RowUpdates, type OfferedStatus, shownValue, type TaskRow, rowPath } from "./task-row.js";

export function canChange(page: TasksPage): boolean {
  return page.connection.canWrite.value && page.connection.offers("update_task");
}

/** `canChange`, but reports a lost connection. */
export function mayChangeNow(page: TasksPage): boolean {
  if (page.connection.offers("update_task") && !page.connection.isOnline.value)
    page.notices.fail(WORDS.offlineNoChange);
  return canChange(page);
}

/** @param more other changes of the same drop */
export async function setStatus(
  page: TasksPage,
  task: TaskRow,
  status: OfferedStatus,
  more: RowUpdates = {},
): Promise<void> {
  const isThere = page.changes.seen(task).status === status;
  if (!mayChangeNow(page) || (isThere && Object.keys(more).length === 0)) return;
  await page.changes.update(
    task,
    { ...(!isThere && { status }), ...more },
    ({ title, status: now, series, nowReady = [] }) => {
      const done = series ? `${title}: ${series.text}` : WORDS.moved(title, statusName(now));
      return nowReady.length === 0
        ? done
        : `${done}. ${WORDS.nowReady(nowReady.map((ready) => plainTitle(ready.title)))}`;
    },
  );
}

export async function toggleDone(page: TasksPage, task: TaskRow): Promise<void> {
  await setStatus(page, task, page.changes.seen(task).status === "Done" ? "To Do" : "Done");
}

/** A click on a task's circle; a double click completes one task. */
export function tick(
  page: TasksPage,
  { id, status }: Pick<TaskRow, "id" | "status">,
  { detail }: MouseEvent,
  complete: () => Promise<void>,
): void {
  if (detail <= 1 && mayChangeNow(page) && page.changes.hold(id, status)) void complete();
}

export async function changeNow(
  page: TasksPage,
  task: TaskRow,
  updates: RowUpdates,
  message?: (written: ToolAnswers["update_task"]) => string,
): Promise<ChangeResult> {
  return mayChangeNow(page) ? await page.changes.update(task, updates, message) : "failed";
}

/** @param days `YYYY-MM-DD`, or empty for none */
export async function setDays(
  page: TasksPage,
  task: TaskRow,
  days: Pick<RowUpdates, "dueDate" | "scheduled">,
): Promise<ChangeResult> {
  const text = (day = "", time?: string) => timeText(dayText(day, page.connection.today.value), time);
  return await changeNow(page, task, days, ({ title, due, dueTime, scheduledTime }) => {
    if (days.dueDate === undefined) return WORDS.plannedFor(title, text(days.scheduled, scheduledTime));
    return due === undefined ? WORDS.undated(title) : WORDS.dated(title, text(due, dueTime));
  });
}

/** The planned day, else the due day. */
export async function moveToDay(page: TasksPage, task: TaskRow, day: string): Promise<void> {
  const isPlanned = page.changes.seen(task).scheduled !== undefined;
  await setDays(page, task, isPlanned ? { scheduled: day } : { dueDate: day });
}

/** Runs the plan that `update_tasks` returns for more than 20 tasks, which the person has seen. */
async function callMany(
  connection: Connection,
  tasks: readonly Pick<TaskRow, "id" | "revision">[],
  updates: Readonly<Record<string, string>>,
) {
  const expectedRevisions = Object.fromEntries(tasks.map(({ id, revision }) => [id, revision]));
  const args = { tasks: tasks.map(({ id }) => id), updates, expectedRevisions };
  const first = await connection.call("update_tasks", args);
  const { plan } = first;
  return plan === undefined ? first : await connection.call("update_tasks", { ...args, plan });
}

/**
 * With one undo.
 * @returns whether it was done
 */
async function updateMany(
  page: TasksPage,
  tasks: readonly TaskRow[],
  updates: Readonly<Record<string, string>>,
): Promise<boolean> {
  if (!mayChangeNow(page)) return false;
  const { connection, notices } = page;
  const outcomes: ToolAnswers["update_tasks"][] = [];
  let failure: string | undefined;
  try {
    for (let at = 0; at < tasks.length; at += MAX_CHANGED)
      outcomes.unshift(await callMany(connection, tasks.slice(at, at + MAX_CHANGED), updates));
  } catch (error) {
    failure = WORDS.notWritten(messageOf(error));
  }
  if (outcomes.length > 0) {
    const operations = outcomes.flatMap(({ operation, undoable }) => (undoable && operation) || []);
    const leftOut = outcomes.flatMap(({ leftOut: some = [] }) => some);
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
    const leftOutCount = sum(outcomes.map(({ leftOutCount: count = 0 }) => count));
    const changed = WORDS.changedMany(sum(outcomes.map(({ updatedCount }) => updatedCount)));
    notices.tell(
      leftOutCount > 0
        ? `${changed} ${WORDS.leftOut(
            leftOutCount,
            leftOut.map(({ reason }) => reason),
          )}`
        : changed,
      operations.length === outcomes.length ? undoOperation(page, operations) : undefined,
    );
  }
  if (failure !== undefined) notices.fail(failure);
  await page.reread();
  return failure === undefined;
}

let isBusy = false;

/** Ignores calls while one runs: it may take seconds. @returns whether it was done */
async function alone(work: () => Promise<boolean>): Promise<boolean> {
  if (isBusy) return false;
  isBusy = true;
  return await work().finally(() => (isBusy = false));
}

export function updateSelected(page: TasksPage, updates: Readonly<Record<string, string>>): Promise<boolean> {
  return alone(async () => {
    const isDone = await updateMany(page, [...page.selection.tasks.value.values()], updates);
    if (isDone) page.selection.clear();
    return isDone;
  });
}

/** @returns undefined on failure, which `onFailure` reports */
export async function addFromText(
  page: TasksPage,
  { text, area, project, priority, due, status = "To Do", note, heading }: NewTasks,
  onFailure: (why: string) => void = (why) => page.notices.fail(WORDS.notWritten(why)),
): Promise<Added | undefined> {
  try {
    const signs = [project && `+[[${project}]]`, priority && `!${priority.toLowerCase()}`].filter(Boolean).join(" ");
    const lines = signs === "" ? text : text.replace(/^(?=\S)(.*)$/gm, `$1 ${signs}`);
    const answer = await page.connection.call("add_tasks", { text: lines, note, heading, ...(area && { area }) });
    const { added, refused = [], operation, undoable } = answer;
    const change = async (tasks: Added["added"], updates: Readonly<Record<string, string>>) => {
      const known = tasks.flatMap(({ id }) => (id === undefined ? [] : [{ id }]));
      if (known.length === 0) return undefined;
      const changed = callMany(page.connection, known, updates).catch((error) => {
        onFailure(messageOf(error));
        return undefined;
      });
      return (await changed)?.operation;
    };
    const dated = due === undefined ? undefined : await change(added.filter(hasNoDay), { dueDate: due });
    const moved = status === "To Do" ? undefined : await change(added, { status });
    const operations = [moved, dated, operation].filter((one) => one !== undefined);
    page.notices.tell(
      added.length === 1 ? WORDS.added(plainTitle(added[0]?.title ?? "")) : WORDS.addedMany(added.length),
      operation !== undefined && undoable ? undoOperation(page, operations, WORDS.addingTakenBack) : undefined,
    );
    const left = refused.map(({ line, reason }) => WORDS.lineLeft(line, reason));
    if (left.length > 0) onFailure(left.join(" "));
    return answer;
  } catch (error) {
    onFailure(messageOf(error));
    return undefined;
  }
}
export type Added = ToolAnswers["add_tasks"];

export const hasNoDay = ({ facts = [] }: Added["added"][number]): boolean =>
  !facts.some(({ kind }) => kind === "due" || kind === "scheduled");

interface NewTasks extends AddPlace {
  readonly text: string;
}

/** With one undo. */
export async function moveOverdue(page: TasksPage): Promise<void> {
  const overdue = { query: "*", due: "overdue", is: ["outstanding"] };
  const call: CallTool = (name, args) => page.connection.call(name, args);
  const move = () =>
    alone(async () => {
      page.notices.tell(WORDS.movingOverdue);
      const late = await everyItem(call, "search_tasks", overdue, ({ tasks }) => tasks);
      return late.length > 0 && (await updateMany(page, late, { dueDate: page.connection.today.value }));
    });
  await page.notices.attempt(move);
}

/**
 * @param operations journal ids (`op-…`) or paths, newest first; those of a list are independent
 * @param redo what to offer after that, and its name
 */
export function undoOperation(
  page: TasksPage,
  operations: string | readonly (string | readonly string[])[],
  message: string = WORDS.operationTakenBack,
  ...redo: [redo?: () => Promise<void>, label?: string]
): (() => Promise<void>) | undefined {
  if (!page.connection.offers("undo_edit")) return undefined;
  return async () => {
    await page.notices.attempt(async () => {
      for (const some of [operations].flat())
        await Promise.all([some].flat().map((path) => page.connection.call("undo_edit", { path }, TOGETHER)));
      page.notices.tell(message, ...redo);
    }, WORDS.notTakenBack);
    await page.reread();
  };
}

/** How the page asks for names and days. */
export const ASKED_FIELDS = {
  dueDate: { kind: "day" },
  scheduled: { kind: "day" },
  start: { kind: "day" },
  lane: { kind: "lane" },
  area: { kind: "area" },
  parentProjects: { kind: "project", isList: true },
  tags: { kind: "tag", isList: true },
} as const;
export type AskedField = keyof typeof ASKED_FIELDS;

export function askFor(page: TasksPage, task: TaskRow, field: AskedField, anchor?: Element): void {
  if (!mayChangeNow(page)) return;
  const seen = page.changes.seen(task);
  const asked: Pick<Question, "kind" | "isList"> = ASKED_FIELDS[field];
  const { kind, isList } = asked;
  const question: Question = {
    ...asked,
    label: WORDS.fieldOf(WORDS.fieldNames[field], plainTitle(seen.title)),
    value: shownValue(seen, field),
    anchor: anchor ?? document.activeElement?.closest("li, [data-task]") ?? undefined,
    ...(kind === "lane" && { path: rowPath(task) }),
    onAnswer: (text) =>
      field === "dueDate"
        ? setDays(page, task, { dueDate: text })
        : page.changes.update(task, { [field]: isList ? namesBetween(text, kind) : text }),
  };
  page.overlay.value = { kind: "ask", question };
}

export function askForSelected(page: TasksPage, field: AskedField, label: string, value = ""): void {
  const { kind } = ASKED_FIELDS[field];
  const onAnswer = (text: string) =>
    updateSelected(page, { [field]: kind === "tag" ? namesBetween(text, kind).join() : text });
  page.overlay.value = { kind: "ask", question: { kind, label, value, onAnswer } };
}

export function askForBlocker(page: TasksPage, task: TaskRow): void {
  if (!mayChangeNow(page)) return;
  const add = async ({ id: added }: TaskRow) => {
    const { blockedBy = [] } = await page.connection.call("get_task", { taskId: task.id });
    const names = [...blockedBy.map(({ name, id }) => id ?? name), added];
    await page.changes.update(task, { blockedBy: names });
  };
  const onChoose = (chosen: TaskRow) => void add(chosen).catch((error) => page.notices.fail(messageOf(error)));
  page.overlay.value = { kind: "search", onChoose };
}

/** Splits at commas; tags also at blanks. */
export function namesBetween(text: string, kind?: string): readonly string[] {
  return text
    .split(kind === "tag" ? /[\s,]/ : ",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

/** Few requests: a server limits them. */
const TOGETHER = { isShared: true };

/** To the trash, with one undo. @returns whether all were moved */
export const deleteTasks = (page: TasksPage, tasks: readonly TaskRow[]): Promise<boolean> =>
  alone(async () => {
    if (!mayChangeNow(page)) return false;
    const gone: string[] = [];
    const paths: string[] = [];
    let failure: string | undefined;
    const remove = async ({ line, title, path: note }: TaskRow) => {
      try {
        // A checkbox is part of a note with other content.
        if (line !== undefined) throw new Error(WORDS.deleteInNote(plainTitle(title)));
        const { path, undoable } = await page.connection.call("obsidian_delete_note", { note }, TOGETHER);
        gone.push(plainTitle(title));
        if (undoable) paths.push(path);
      } catch (error) {
        failure ??= WORDS.notWritten(messageOf(error));
      }
    };
    await Promise.all(tasks.map((task) => remove(task)));
    const words = gone.length > 1 ? WORDS.deletedMany(gone.length) : WORDS.deleted(gone[0] ?? "");
    const undo = paths.length === gone.length ? undoOperation(page, [paths]) : undefined;
    if (gone.length > 0) page.notices.tell(words, undo);
    if (failure !== undefined) page.notices.fail(failure);
    await page.reread();
    return failure === undefined;
  });

/** Moves past days and today to tomorrow; without any, the due day. */
export async function postpone(page: TasksPage, task: TaskRow): Promise<void> {
  const today = page.connection.today.value;
  const tomorrow = dayAfter(today, 1);
  const { due, scheduled } = page.changes.seen(task);
  const isPlanned = scheduled !== undefined && scheduled <= today;
  const isDue = !isPlanned || (due !== undefined && due <= today);
  await setDays(page, task, { ...(isDue && { dueDate: tomorrow }), ...(isPlanned && { scheduled: tomorrow }) });
}

/** In the page's words; a vault's own status unchanged. */
export function statusName(status: string): string {
  return isColumnStatus(status) || status === "Cancelled" ? WORDS.statuses[status] : status;
}
