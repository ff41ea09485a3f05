/** A caller's updates made clean (spec: tasks, section 5). */
import { VaultError } from "../errors.js";
import { cleanValues } from "./fields/fields.js";
import type { CleanUpdates } from "./note-format/update.js";
import type { TaskUpdates } from "./api.js";

export interface CheckedUpdates {
  readonly clean: CleanUpdates;
  /** The keys given, in the caller's order. */
  readonly updated: readonly string[];
  readonly adjustments: readonly string[];
}

/** @throws VaultError INVALID_ARGUMENT when nothing is to be changed, a value is blank or a date is no day */
export function cleanUpdates(updates: TaskUpdates): CheckedUpdates {
  const updated = Object.entries(updates).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  if (updated.length === 0) {
    throw new VaultError("INVALID_ARGUMENT", "updates names no field to change.", {
      hint: "Give at least one of title, status, priority, dueDate, area, parentProjects, tags, description.",
    });
  }
  const { values, adjustments } = cleanValues(updates);
  return { updated, adjustments, clean: { values, description: updates.description } };
}
