/** What a person does to a task with one key, one drop or one choice of a menu. */
import { WORDS } from "../words.js";
import { dayAfter, dayText } from "./days.js";
import type { TasksPage } from "./page.js";
import { type ColumnStatus, isColumnStatus, type TaskRow } from "./task-row.js";

/** Whether tasks can be changed by this caller, at this moment. */
export function canChange(page: TasksPage): boolean {
  return page.connection.canWrite.value && page.connection.offers("update_task");
}

export async function setStatus(page: TasksPage, task: TaskRow, status: ColumnStatus): Promise<void> {
  if (!canChange(page) || page.changes.seen(task).status === status) return;
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
  if (!canChange(page)) return;
  await page.changes.update(task, { dueDate: day }, ({ title, due }) =>
    due === undefined ? WORDS.undated(title) : WORDS.dated(title, dayText(due, today)),
  );
}

/** To tomorrow: what made it stand here, its due day or the day it was planned for. */
export async function postpone(page: TasksPage, task: TaskRow, today: string): Promise<void> {
  if (!canChange(page)) return;
  const tomorrow = dayAfter(today, 1);
  const { due, scheduled } = page.changes.seen(task);
  const isPlanned = scheduled !== undefined && scheduled <= today;
  const isDue = due === undefined ? !isPlanned : due <= today;
  if (!isPlanned && !isDue) return setDue(page, task, tomorrow, today);
  const updates = { ...(isDue && { dueDate: tomorrow }), ...(isPlanned && { scheduled: tomorrow }) };
  await page.changes.update(task, updates, ({ title }) => WORDS.dated(title, WORDS.dayTomorrow));
}

/** A status in the page's words; a word of the vault's own stays. */
export function statusName(status: string): string {
  return isColumnStatus(status) || status === "Cancelled" ? WORDS.statuses[status] : status;
}
