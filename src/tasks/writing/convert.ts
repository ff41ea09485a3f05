/** Conversions of checkbox lines to task notes and back: many at once, or one (docs: tasks, "Converting"). */
import type { VaultPath } from "../../storage/path.js";
import type { Note } from "../../vault/vault.js";
import type { TaskUpdates, UpdatedTask, UpdateOptions } from "../api.js";
import type { Reference } from "../references.js";
import type { TaskRows } from "../rows/task-rows.js";
import { applyWhole, planChanges, refusalIn } from "./change-set.js";
import { creationContext } from "./create.js";
import { assertRevision } from "./edit-note.js";
import type { WriteContext } from "./write-context.js";
import { type Asked, type Conversion, planNoteOf } from "./line-to-note.js";
import { type NoteToLine, planLineOf, readNoteToLine } from "./note-to-line.js";
/** @throws VaultError INVALID_ARGUMENT naming what would be lost */
export async function convertTask(
  context: WriteContext,
  reference: string,
  updates: TaskUpdates,
  options: UpdateOptions,
): Promise<UpdatedTask> {
  const rows = await context.index.refreshFor([reference]);
  const found = await context.index.find(reference, rows);
  assertRevision(found.task, options.expectedRevision);
  return await context.creating.runExclusive(async () => {
    const requests = await planConversions(context, [found], updates, rows);
    const made = await applyWhole(context, await planChanges(context, requests, rows));
    const { convert: _, note: _note, ...others } = updates;
    return { ...made, updated: ["convert", ...Object.keys(others)] };
  });
}

/** The caller holds `creating`. @returns in the order of the tasks */
export async function planConversions(
  context: WriteContext,
  found: readonly Reference[],
  { convert, note, ...updates }: TaskUpdates,
  rows: TaskRows,
): Promise<readonly (Conversion | Error)[]> {
  const { links } = context;
  if (links === undefined) throw new Error("Tasks are converted where links are known.");
  const linked = { ...context, links };
  const pages = new Map<VaultPath, Note>();
  const asked = found.map(({ task }) => ({ task, updates, note, rows, pages }));
  const made = new Map<Asked, Conversion | Error>();
  const each = async (one: Asked, plan: () => Promise<Conversion>): Promise<void> =>
    void made.set(one, await plan().catch(refusalIn));
  // From the last line to the first: a conversion moves the lines below.
  if (convert === "note") {
    const creation = await creationContext(context);
    for (const one of asked.toSorted((a, b) => (b.task.line ?? 0) - (a.task.line ?? 0)))
      await each(one, async () => await planNoteOf(linked, creation, one));
  } else {
    const ready = new Map<Asked, NoteToLine>();
    for (const one of asked)
      await readNoteToLine(linked, one).then(
        (read) => ready.set(one, read),
        (error) => made.set(one, refusalIn(error)),
      );
    for (const [one, read] of [...ready].toSorted(([, a], [, b]) => (b.place ?? 0) - (a.place ?? 0)))
      await each(one, async () => await planLineOf(linked, one, read));
  }
  return asked.flatMap((one) => made.get(one) ?? []);
}
