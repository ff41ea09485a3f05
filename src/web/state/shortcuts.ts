/** The keys of a focused card and of the page (docs: web, "For everybody"). */
import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { WORDS } from "../words.js";
import { dayAfter } from "./days.js";
import { type TasksPage, usePage } from "./page.js";
import { singleKeys } from "./stored.js";
import {
  askFor,
  askForBlocker,
  askForSelected,
  mayChangeNow,
  moveToDay,
  postpone,
  setStatus,
  toggleDone,
  updateSelected,
} from "./task-actions.js";
import { COLUMN_STATUSES, neighbourStatus, type TaskRow } from "./task-row.js";

/** A view's key after `g` is its first letter. */
const VIEW_NAMES = ["today", "week", "board", "projects", "views", "review", "history"];
const goesTo = (key: string) => VIEW_NAMES.find((name) => name[0] === key);
let isGoing = false;
/** A phone shows no keys. */
export const hasKeys = !matchMedia("(hover: none)").matches;

/** @returns whether it did anything */
export function pressOnCard(page: TasksPage, task: TaskRow, event: KeyboardEvent): boolean {
  const { key, shiftKey } = event;
  if (hasModifier(event)) return false;
  if (page.selection.tasks.value.size > 1 && page.selection.has(task.id)) return pressOnSelection(page, event);
  if (key === " ") return did(toggleDone(page, task));
  if (shiftKey && (key === "ArrowRight" || key === "ArrowLeft")) {
    const step = stepOf(key, event.currentTarget);
    const day = (event.currentTarget as Element).closest<HTMLElement>("[data-day]")?.dataset["day"];
    if (day !== undefined || page.address.route.value.view === "week")
      return did(moveToDay(page, task, day === undefined ? page.connection.today.value : dayAfter(day, step)));
    const status = neighbourStatus(page.changes.seen(task).status, step);
    return status === undefined ? true : did(setStatus(page, task, status));
  }
  if (singleKeys.value === "off" || shiftKey || (isGoing && goesTo(key) !== undefined)) return false;
  const status = COLUMN_STATUSES[Number(key) - 1];
  if (status !== undefined) return did(setStatus(page, task, status));
  if (key === "p") return did(postpone(page, task));
  if (key === "x") return select(page, task);
  if (key === "b") askForBlocker(page, task);
  if (key === "d") askFor(page, task, "dueDate");
  if (key !== "m" || !mayChangeNow(page)) return key === "d" || key === "b";
  page.overlay.value = {
    kind: "move",
    task,
    anchor: (event.target as HTMLElement).closest<HTMLElement>("[data-task]") ?? document.body,
  };
  return true;
}

function pressOnSelection(page: TasksPage, { key, shiftKey }: KeyboardEvent): boolean {
  const change = (updates: Readonly<Record<string, string>>) => updateSelected(page, updates);
  const status = key === " " ? "Done" : COLUMN_STATUSES[Number(key) - 1];
  if (singleKeys.value === "off" || shiftKey) return false;
  if (status !== undefined) return did(change({ status }));
  if (key === "p") return did(change({ dueDate: dayAfter(page.connection.today.value, 1) }));
  if (key === "x") page.selection.clear();
  else if (key !== "d" || !mayChangeNow(page)) return false;
  else askForSelected(page, "dueDate", WORDS.fieldNames.dueDate);
  return true;
}

/** Single keys work outside fields and dialogs, Ctrl+K everywhere. */
export function usePageKeys(): void {
  const page = usePage();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (pressOnPage(page, event)) event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [page]);
}

function pressOnPage(page: TasksPage, event: KeyboardEvent): boolean {
  if (event.defaultPrevented) {
    isGoing = false;
    return false;
  }
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey) return open(page, "search");
  if (hasModifier(event) || singleKeys.value === "off" || isTyping(event.target)) return false;
  if (document.querySelector("dialog[open]") !== null || page.overlay.value.kind === "move") return false;
  const view = goesTo(event.key);
  if (isGoing && view !== undefined) {
    isGoing = false;
    page.address.show(view);
    return true;
  }
  isGoing = event.key === "g";
  if (event.key === "Escape" && page.selection.tasks.value.size > 0) {
    page.selection.clear();
    return true;
  }
  const first = document.querySelector<HTMLElement>("main :is(.card-title, [data-stop])[tabindex='0']");
  if (event.key === "ArrowDown" && document.activeElement?.matches("body, #main") && first !== null) {
    first.focus();
    return true;
  }
  if (event.key === "/") return open(page, "search");
  if (event.key === "?") return open(page, "keys");
  if (event.key === "w" && page.address.route.value.view === "week") {
    const { day = "" } = page.address.filters.value;
    page.address.filter({ day: day === "" ? page.connection.today.value : "" });
    return true;
  }
  if (event.key === "n" && page.connection.offers("add_tasks")) return open(page, "add");
  if (event.key !== "z") return false;
  void undoLast(page);
  return true;
}

/** Waits for a pending change. */
async function undoLast(page: TasksPage): Promise<void> {
  await page.changes.settled();
  if (!(await page.notices.undoLast())) page.notices.tell(WORDS.nothingToUndo);
}

/** Reports a full selection. */
export function select(page: TasksPage, task: TaskRow): true {
  if (!page.selection.toggle(task)) page.notices.fail(WORDS.tooManySelected);
  return true;
}

function open(page: TasksPage, kind: "search" | "keys" | "add"): true {
  page.overlay.value = { kind };
  return true;
}

function did(work: Promise<unknown>): true {
  void work;
  return true;
}

/** In right-to-left text the next column is on the left. */
export function stepOf(key: string, list: EventTarget | null): -1 | 1 {
  const isReversed = list instanceof Element && getComputedStyle(list).direction === "rtl";
  return (key === "ArrowRight") === isReversed ? -1 : 1;
}

/** Undefined for other keys. */
export function stepTo(key: string, at: number, count: number): number | undefined {
  return { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: count - 1 }[key];
}

/** The list's Tab stop: the last focused item, or the first. */
export function useStop(
  names: readonly string[],
): readonly [stop: string | undefined, setStop: (name?: string) => void] {
  const [last, setLast] = useState<string | undefined>(undefined);
  return [last !== undefined && names.includes(last) ? last : names[0], setLast];
}

/**
 * Moves the focus by arrows, Home and End: between rows at the same place, and between the places of a row.
 * @param places a selector
 * @returns whether there was a target
 */
export function moveInRows(event: TargetedKeyboardEvent<Element>, rows: readonly Element[], places: string): boolean {
  const { key, currentTarget, target, shiftKey } = event;
  if (shiftKey || hasModifier(event)) return false;
  const at = rows.findIndex((row) => row.contains(target as Node));
  const placesIn = (row: Element | undefined) => [...(row?.querySelectorAll<HTMLElement>(places) ?? [])];
  const place = placesIn(rows[at]).indexOf(target as HTMLElement);
  if (key === "ArrowRight" || key === "ArrowLeft") {
    const next = placesIn(rows[at])[place + stepOf(key, currentTarget)];
    next?.focus();
    return next !== undefined;
  }
  const row = stepTo(key, at, rows.length);
  const others = row === undefined ? [] : placesIn(rows[Math.max(0, Math.min(rows.length - 1, row))]);
  others[Math.max(0, Math.min(others.length - 1, place))]?.focus();
  return row !== undefined;
}

export const hasModifier = ({ ctrlKey, metaKey, altKey }: KeyboardEvent) => ctrlKey || metaKey || altKey;

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null;
}
