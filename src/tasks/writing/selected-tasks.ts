/** The tasks of a bulk call: named one by one, or found by a selection (docs: tasks, "Many at once"). */
import { TimeSlice } from "../../async/yield-to-loop.js";
import type { RefreshOptions } from "../../index/refresh.js";
import { isVaultError, VaultError } from "../../errors.js";
import type { TaskHits } from "../api.js";
import type { FoundSince, TaskFinder } from "../query/finder.js";
import type { Reference } from "../references.js";
import { isSelection, parseSelection, selectionText } from "../query/selection.js";

const MAX_NAMED = 5;

export interface Selected {
  readonly isSelection: boolean;
  readonly found: readonly Reference[];
  readonly leftOut: readonly SkippedTask[];
}

/**
 * @param references of tasks, or one selection
 * @throws VaultError CONFLICT when the selection finds other tasks now
 */
export async function selectTasks(
  references: readonly string[],
  finder: TaskFinder,
  find: (reference: string) => Promise<Reference>,
  options: RefreshOptions,
): Promise<Selected> {
  const [only = ""] = references;
  if (references.length === 1 && isSelection(only))
    return { isSelection: true, found: await selected(only, finder, options), leftOut: [] };
  const found = new Map<string, Reference>();
  const leftOut: SkippedTask[] = [];
  const slice = new TimeSlice(options.signal);
  for (const reference of references) {
    if (isSelection(reference)) throw selectionAmongIds();
    try {
      const meant = await find(reference);
      if (!found.has(meant.task.id)) found.set(meant.task.id, meant);
    } catch (error) {
      leftOut.push({ reference, title: undefined, reason: reasonOf(error) });
    }
    options.onProgress?.({ done: found.size + leftOut.length, total: references.length });
    if (slice.isOver) await slice.yield();
  }
  return { isSelection: false, found: [...found.values()], leftOut };
}

async function selected(text: string, finder: TaskFinder, options: RefreshOptions): Promise<readonly Reference[]> {
  const { filters, fingerprint } = parseSelection(text);
  const hits = await finder.find(filters, options);
  if (hits.fingerprint !== fingerprint)
    throw selectsOthers(hits, selectionText(filters, hits.fingerprint), finder.since(fingerprint, hits.tasks));
  return hits.tasks.map((task) => ({ task, kind: "id" }));
}

function selectsOthers({ total }: TaskHits, now: string, since: FoundSince | undefined): VaultError {
  const changes = since ? ` ${named("New", since.came)}${named("Gone", since.went)}`.trimEnd() : "";
  return new VaultError("CONFLICT", `The selection finds other tasks by now: ${total} of them.${changes}`, {
    hint: `Look at them with search_tasks; they are selected by ${now}. Nothing was changed.`,
  });
}

function named(what: string, titles: readonly string[]): string {
  if (titles.length === 0) return "";
  const rest = titles.length > MAX_NAMED ? ` and ${titles.length - MAX_NAMED} more` : "";
  return `${what}: ${titles.slice(0, MAX_NAMED).join(", ")}${rest}. `;
}

function selectionAmongIds(): VaultError {
  return new VaultError("INVALID_ARGUMENT", "A selection is given together with other tasks.", {
    hint: "Give one selection alone, or ids.",
  });
}

/** Rethrows all other errors. */
export function reasonOf(error: unknown): string {
  if (isVaultError(error)) return inSentences(error);
  if (error instanceof Error && error.name === "AbortError") return "The call was stopped before its turn.";
  throw error;
}

/** Some messages have no full stop. */
function inSentences({ message, hint }: VaultError): string {
  if (hint === undefined) return message;
  return `${message}${/[.!?]$/.test(message) ? "" : "."} ${hint}`;
}

export interface SkippedTask {
  /** The caller's reference if no task was found. */
  readonly reference: string;
  readonly title: string | undefined;
  readonly reason: string;
}
