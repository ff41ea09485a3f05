/** A caller's updates made clean (spec: tasks, section 5). */
import { VaultError } from "../errors.js";
import { cleanTags } from "./field-kinds.js";
import { cleanDate, cleanName, cleanNames, cleanText } from "./new-task.js";
import type { CleanUpdates } from "./note-update.js";
import type { TaskUpdates } from "./use-cases.js";

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
  const { title, status, priority, dueDate, area, parentProjects, tags, description } = updates;
  const cleanTitle = title === undefined ? undefined : cleanText("title", title);
  const cleanedTags = tags === undefined ? undefined : cleanTags(tags);
  return {
    updated,
    adjustments: [...(cleanTitle?.adjustments ?? []), ...(cleanedTags?.adjustments ?? [])],
    clean: {
      values: {
        ...(cleanTitle && { title: cleanTitle.text }),
        ...(status !== undefined && { status }),
        ...(priority !== undefined && { priority }),
        ...(dueDate !== undefined && { due: dueDate === "" ? "" : cleanDate(dueDate) }),
        ...(area !== undefined && { area: cleanName("area", area) }),
        ...(parentProjects !== undefined && { projects: cleanNames(parentProjects) }),
        ...(cleanedTags && { tags: cleanedTags.tags }),
      },
      description,
    },
  };
}
