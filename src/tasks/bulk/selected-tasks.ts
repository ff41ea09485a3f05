/** Which tasks a call about many means: those that it names, or those that a selection finds (spec: tasks-2, section 9). */
import { TimeSlice } from "../../async/yield-to-loop.js";
import type { RefreshOptions } from "../../catalog/catalog.js";
import { isVaultError, VaultError } from "../../errors.js";
import type { TaskHits, TaskQuery } from "../api.js";
import type { FoundSince } from "../found-tasks.js";
import type { Reference } from "../references.js";
import { isSelection, parseSelection, selectionText } from "../selection.js";
import type { TaskLook } from "../task-look.js";
import type { Task } from "../task.js";
import type { LeftOut } from "./bulk.js";

/** Of the tasks that came to a selection or went so many are named. */
const MOST_NAMED = 5;

export interface Selected {
  readonly isSelection: boolean;
  readonly found: readonly Reference[];
  readonly leftOut: readonly LeftOut[];
}

/** What finding tasks takes. */
export interface Selecting {
  search(query: TaskQuery, options: RefreshOptions): Promise<TaskHits>;
  /** What came and what went since a search found what has this fingerprint; undefined where that is not known. */
  since(fingerprint: string, now: readonly Task[]): FoundSince | undefined;
  finder(look: TaskLook): (reference: string) => Promise<Reference>;
}

/**
 * @param references of tasks, or one selection's text
 * @throws VaultError CONFLICT when the selection finds other tasks by now
 */
export async function selectTasks(
  references: readonly string[],
  look: TaskLook,
  selecting: Selecting,
  options: RefreshOptions,
): Promise<Selected> {
  const [only = ""] = references;
  if (references.length === 1 && isSelection(only))
    return { isSelection: true, found: await selected(only, selecting, options), leftOut: [] };
  const found = new Map<string, Reference>();
  const leftOut: LeftOut[] = [];
  const find = selecting.finder(look);
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

async function selected(text: string, selecting: Selecting, options: RefreshOptions): Promise<readonly Reference[]> {
  const { filters, fingerprint } = parseSelection(text);
  const hits = await selecting.search(filters, options);
  if (hits.fingerprint !== fingerprint)
    throw selectsOthers(hits, selectionText(filters, hits.fingerprint), selecting.since(fingerprint, hits.tasks));
  return hits.tasks.map((task) => ({ task, kind: "id" }));
}

function selectsOthers({ total }: TaskHits, now: string, since: FoundSince | undefined): VaultError {
  const changes = since ? ` ${named("New", since.came)}${named("Gone", since.went)}`.trimEnd() : "";
  return new VaultError("CONFLICT", `The selection finds other tasks by now: ${total} of them.${changes}`, {
    hint: `Look at them with search_tasks; they are selected by ${now}. Nothing was changed.`,
  });
}

/** `New: Call Anna, Paint and 3 more. ` */
function named(what: string, titles: readonly string[]): string {
  if (titles.length === 0) return "";
  const rest = titles.length > MOST_NAMED ? ` and ${titles.length - MOST_NAMED} more` : "";
  return `${what}: ${titles.slice(0, MOST_NAMED).join(", ")}${rest}. `;
}

function selectionAmongIds(): VaultError {
  return new VaultError("INVALID_ARGUMENT", "A selection stands beside other tasks.", {
    hint: "Give one selection alone, or ids.",
  });
}

/** What is no refusal must not be taken for one. @returns a refusal in words, with what to do about it */
export function reasonOf(error: unknown): string {
  if (isVaultError(error)) return inSentences(error);
  if (error instanceof Error && error.name === "AbortError") return "The call was stopped before its turn.";
  throw error;
}

/** Some messages are the documents' and end without a full stop. */
function inSentences({ message, hint }: VaultError): string {
  if (hint === undefined) return message;
  return `${message}${/[.!?]$/.test(message) ? "" : "."} ${hint}`;
}
