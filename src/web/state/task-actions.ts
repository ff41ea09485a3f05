/** The actions on a task: one key, one drop or one choice of a menu. */
import { WORDS } from "../words.js";
import { dayAfter, dayText } from "./days.js";
import type { Question, TasksPage } from "./page.js";
import { type ColumnStatus, isColumnStatus, ROW_PRIORITIES, type TaskRow } from "./task-row.js";

type Priority = (typeof ROW_PRIORITIES)[number];

/** Whether this caller can change tasks now. */
export function canChange(page: TasksPage): boolean {
  return page.connection.canWrite.value && page.connection.offers("update_task");
}

/** The same; if only the connection is missing, a message says so. */
function mayChangeNow(page: TasksPage): boolean {
  if (page.connection.offers("update_task") && !page.connection.isOnline.value)
    page.notices.fail(WORDS.offlineNoChange);
  return canChange(page);
}

export async function setStatus(page: TasksPage, task: TaskRow, status: ColumnStatus | "Cancelled"): Promise<void> {
  if (!mayChangeNow(page) || page.changes.seen(task).status === status) return;
  await page.changes.update(task, { status }, ({ title, status: now, series, nowReady = [] }) => {
    const done = series ? `${title}: ${series.text}` : WORDS.moved(title, statusName(now));
    return nowReady.length === 0 ? done : `${done}. ${WORDS.nowReady(nowReady.map((ready) => ready.title))}`;
  });
}

export async function toggleDone(page: TasksPage, task: TaskRow): Promise<void> {
  await setStatus(page, task, page.changes.seen(task).status === "Done" ? "To Do" : "Done");
}

/** @param day `YYYY-MM-DD`, or empty for none */
export async function setDue(page: TasksPage, task: TaskRow, day: string, today: string): Promise<void> {
  if (!mayChangeNow(page)) return;
  await page.changes.update(task, { dueDate: day }, ({ title, due }) =>
    due === undefined ? WORDS.undated(title) : WORDS.dated(title, dayText(due, today)),
  );
}

/** Moves the planned day if the task has one, else the due day; `isOther`: the other of the two. */
export async function moveToDay(page: TasksPage, task: TaskRow, day: string, { isOther = false } = {}): Promise<void> {
  if (!mayChangeNow(page)) return;
  const isPlanned = (page.changes.seen(task).scheduled !== undefined) !== isOther;
  const text = dayText(day, page.connection.today.value);
  await page.changes.update(task, isPlanned ? { scheduled: day } : { dueDate: day }, ({ title }) =>
    isPlanned ? WORDS.plannedFor(title, text) : WORDS.dated(title, text),
  );
}

export async function setPriority(page: TasksPage, task: TaskRow, priority: Priority): Promise<void> {
  if (!mayChangeNow(page)) return;
  await page.changes.update(task, { priority }, ({ title }) => WORDS.saved(title));
}

/**
 * Changes many tasks alike, with one undo for all. A plan, which `update_tasks` returns for more than 20, is carried out
 * immediately, because the person has seen the selection. @param tasks ids, or one selection of `search_tasks` @returns whether
 * it was done
 */
export async function updateMany(
  page: TasksPage,
  tasks: readonly string[],
  updates: Readonly<Record<string, string>>,
): Promise<boolean> {
  if (!mayChangeNow(page)) return false;
  const { connection, notices } = page;
  try {
    const first = await connection.call("update_tasks", { tasks, updates });
    const { plan } = first;
    const done = plan === undefined ? first : await connection.call("update_tasks", { tasks, updates, plan });
    const { operation, undoable, updatedCount, leftOut, leftOutCount } = done;
    notices.tell(
      [
        WORDS.changedMany(updatedCount),
        ...(leftOutCount > 0 ? [WORDS.leftOut(leftOutCount, leftOut[0]?.reason ?? "")] : []),
      ].join(" "),
      operation !== undefined && undoable === true ? undoOperation(page, operation) : undefined,
    );
    await page.reread();
    return true;
  } catch (error) {
    notices.fail(WORDS.notWritten(error instanceof Error ? error.message : ""));
    return false;
  }
}

/** Undoes an operation of the journal (`op-…`), except tasks that changed since. */
export function undoOperation(page: TasksPage, operation: string): (() => Promise<void>) | undefined {
  if (!page.connection.offers("undo_edit")) return undefined;
  return async () => {
    try {
      await page.connection.call("undo_edit", { path: operation });
      page.notices.tell(WORDS.operationTakenBack);
    } catch (error) {
      page.notices.fail(WORDS.notTakenBack(error instanceof Error ? error.message : ""));
    }
    await page.reread();
  };
}

export function dueQuestion(page: TasksPage, task: TaskRow): Question {
  const { title, due } = page.changes.seen(task);
  const onAnswer = (day: string) => void setDue(page, task, day, page.connection.today.value);
  return { kind: "day", label: WORDS.dueOf(title), value: due, onAnswer };
}

/** To tomorrow: the due day or the planned day, whichever made it appear here. */
export async function postpone(page: TasksPage, task: TaskRow, today: string): Promise<void> {
  if (!mayChangeNow(page)) return;
  const tomorrow = dayAfter(today, 1);
  const { due, scheduled } = page.changes.seen(task);
  const isPlanned = scheduled !== undefined && scheduled <= today;
  const isDue = due === undefined ? !isPlanned : due <= today;
  if (!isPlanned && !isDue) return setDue(page, task, tomorrow, today);
  const updates = { ...(isDue && { dueDate: tomorrow }), ...(isPlanned && { scheduled: tomorrow }) };
  await page.changes.update(task, updates, ({ title }) => WORDS.dated(title, WORDS.dayTomorrow));
}

/** A status in the page's words; the vault's own words stay. */
export function statusName(status: string): string {
  return isColumnStatus(status) || status === "Cancelled" ? WORDS.statuses[status] : status;
}
