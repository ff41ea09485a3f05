/** Converts checkbox lines to task notes and back (docs: tasks, "Converting"). */
import { TimeSlice } from "../../async/yield-to-loop.js";
import type { VaultPath } from "../../storage/path.js";
import type { Note } from "../../vault/vault.js";
import type { TaskUpdates, UpdatedTask, UpdateOptions } from "../api.js";
import type { Reference } from "../references.js";
import type { TaskRows } from "../rows/task-rows.js";
import { applyWhole, planChanges, refusalIn } from "./change-set.js";
import { creationContext } from "./create.js";
import { assertRevision } from "./edit-note.js";
import type { WriteContext } from "./write-context.js";
import { type Conversion, readToNote, type ReadConversion } from "./line-to-note.js";
import { readToLine } from "./note-to-line.js";

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
  const convert = async () => {
    const requests = await planConversions(context, [found], updates, rows);
    const made = await applyWhole(context, await planChanges(context, requests, rows));
    const { convert: _, note: _note, ...others } = updates;
    return { ...made, updated: ["convert", ...Object.keys(others)] };
  };
  return await context.creating.runExclusive(() => context.vault.withLock(convert));
}

/** The caller holds `creating`. @returns in the order of the tasks */
export async function planConversions(
  context: WriteContext,
  found: readonly Reference[],
  { convert, note, ...updates }: TaskUpdates,
  rows: TaskRows,
  signal?: AbortSignal,
): Promise<readonly (Conversion | Error)[]> {
  const { links } = context;
  if (links === undefined) throw new Error("Tasks are converted where links are known.");
  const linked = { ...context, links };
  const creation = convert === "note" ? await creationContext(context) : undefined;
  const pages = new Map<VaultPath, Note>();
  const slice = new TimeSlice(signal);
  const made: (Conversion | Error | undefined)[] = [];
  const ready: (ReadConversion & { readonly at: number })[] = [];
  for (const [at, { task }] of found.entries())
    try {
      const asked = { task, updates, note, rows, pages };
      ready.push({ at, ...(creation ? readToNote(linked, creation, asked) : await readToLine(linked, asked)) });
    } catch (error) {
      made[at] = refusalIn(error);
    }
  // Last line first: a conversion moves the lines below.
  for (const { at, plan } of ready.toSorted((a, b) => b.line - a.line)) {
    if (slice.isOver) await slice.yield();
    made[at] = await plan().catch(refusalIn);
  }
  return made.flatMap((one) => one ?? []);
}
