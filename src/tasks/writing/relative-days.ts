/** Updates of many tasks, with days such as `+12 days` that move each task's own day (docs: tasks, "Many at once"). */
import type { LocalDate } from "../../clock.js";
import { addMonths, LAST_DAY, toDayNumber, toLocalDate } from "../../dates/day-number.js";
import { VaultError } from "../../errors.js";
import type { TaskUpdates } from "../api.js";
import { type CheckedUpdates, cleanUpdates } from "./arguments.js";
import type { Values } from "../fields/fields.js";
import type { Task } from "../task.js";

export interface BulkRequest {
  readonly updates: TaskUpdates;
  readonly updated: readonly string[];
  /** Without days that move, which `forTask` adds. */
  readonly checked: CheckedUpdates;
  /** @throws VaultError INVALID_ARGUMENT for a task without any of the days */
  forTask(task: Task): CheckedUpdates;
}

const DAYS = { dueDate: "due", scheduled: "scheduled", start: "start" } as const;
type DayArgument = keyof typeof DAYS;
type DayField = (typeof DAYS)[DayArgument];

const SHIFT = /^\s*([+-])\s*(\d{1,4}|an?|one)\s*(day|week|fortnight|month|year)s?\s*$/i;
const UNITS: Readonly<Record<string, { readonly days?: number; readonly months?: number }>> = {
  day: { days: 1 },
  week: { days: 7 },
  fortnight: { days: 14 },
  month: { months: 1 },
  year: { months: 12 },
};

type Move = (day: LocalDate) => LocalDate;

export function readBulkUpdates(updates: TaskUpdates, today: LocalDate): BulkRequest {
  const moves = new Map<DayField, Move>();
  const others: Record<string, unknown> = { ...updates };
  for (const [argument, field] of Object.entries(DAYS)) {
    const move = readMove(updates[argument as DayArgument]);
    if (move === undefined) continue;
    moves.set(field, move);
    delete others[argument];
  }
  const updated = Object.entries(updates).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  const isOnlyMoves = moves.size > 0 && updated.length === moves.size;
  const checked = isOnlyMoves ? NOTHING : cleanUpdates(others, { today });
  return { updates, updated, checked, forTask: (task) => withMoves(checked, moves, task, updated) };
}

const NOTHING: CheckedUpdates = { clean: { values: {} }, updated: [], adjustments: [] };

function readMove(text: string | undefined): Move | undefined {
  const [, sign, amount = "", unit = ""] = SHIFT.exec(text ?? "") ?? [];
  if (sign === undefined) return undefined;
  const count = (/^\d/.test(amount) ? Number(amount) : 1) * (sign === "-" ? -1 : 1);
  const { days = 0, months = 0 } = UNITS[unit.toLowerCase()] ?? {};
  return (day) => {
    const moved = addMonths(toDayNumber(day), months * count) + days * count;
    return toLocalDate(Math.min(Math.max(moved, 0), LAST_DAY));
  };
}

function withMoves(
  checked: CheckedUpdates,
  moves: ReadonlyMap<DayField, Move>,
  task: Task,
  updated: readonly string[],
): CheckedUpdates {
  if (moves.size === 0) return checked;
  const values: Values = { ...checked.clean.values };
  let isMoved = false;
  for (const [field, move] of moves) {
    const day = task[field];
    if (day === undefined) continue;
    values[field] = move(day);
    isMoved = true;
  }
  if (!isMoved) throw withoutDay([...moves.keys()]);
  return { ...checked, updated, clean: { ...checked.clean, values } };
}

function withoutDay(fields: readonly DayField[]): VaultError {
  const names = fields.map((field) => (field === "due" ? "due date" : `${field} date`));
  return new VaultError("INVALID_ARGUMENT", `It has no ${names.join(" or ")} to move.`);
}
