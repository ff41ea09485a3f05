/** Writes blockers: links in notes, signs (🆔) on lines (docs: tasks, "Dependencies and subtasks"). */
import { NOTHING_CHANGED, invalidArgument } from "../../errors.js";
import { baseName } from "../../storage/path.js";
import { hashText } from "../../text/hash.js";
import { type Relations, cycleText } from "../relations.js";
import type { Task, TaskSource } from "../task.js";
import type { TaskRows } from "../rows/task-rows.js";
import type { AskedChange } from "./edit-note.js";

export interface WrittenBlockers {
  readonly references: readonly string[];
  /** Add missing signs to lines. */
  readonly steps: readonly AskedChange[];
}

interface BlockerContext {
  readonly find: (reference: string) => Promise<Task>;
  readonly relations: Relations;
  readonly rows: TaskRows;
}

/**
 * @param given references, or the task's entries
 * @param waiting undefined for a new task
 * @throws INVALID_ARGUMENT for an invalid blocker or a cycle
 */
export async function writtenBlockers(
  given: readonly string[],
  source: TaskSource,
  waiting: Task | undefined,
  { find, relations, rows }: BlockerContext,
): Promise<WrittenBlockers> {
  const references: string[] = [];
  const unsigned = new Map<string, Task>();
  const meant: Task[] = [];
  for (const reference of given) {
    const known = existing(reference, source, waiting, relations);
    if (known !== undefined) {
      references.push(reference);
      meant.push(...known);
      continue;
    }
    const task = await find(reference);
    meant.push(task);
    if (source === "note") references.push(wikilinkTo(task, rows));
    else {
      const isTaken = (sign: string) => relations.signed(sign).length > 0 || (unsigned.get(sign) ?? task) !== task;
      const sign = signOf(task, isTaken);
      references.push(sign);
      if (task.sign === undefined) unsigned.set(sign, task);
    }
  }
  if (waiting !== undefined) assertNoCycle(waiting, meant, relations);
  const steps = Array.from(unsigned, ([sign, task]): AskedChange => {
    return { found: { task, kind: "path" }, clean: { values: {}, sign } };
  });
  return { references: [...new Set(references)], steps };
}

/** Entries of the task and existing signs are written unchanged. */
function existing(
  reference: string,
  source: TaskSource,
  waiting: Task | undefined,
  relations: Relations,
): readonly Task[] | undefined {
  if (waiting?.blockedBy.includes(reference)) return relations.resolve(waiting, reference);
  const signed = source === "line" ? relations.signed(reference) : [];
  return signed.length > 0 ? signed : undefined;
}

const SIGN_LENGTH = 6;

function signOf(task: Task, isTaken: (sign: string) => boolean): string {
  if (task.source !== "line")
    throw invalidArgument(`"${task.title}" is a note, and a checkbox line can wait for lines only.`, [
      "Name a checkbox line, or make this task a note of its own.",
      NOTHING_CHANGED,
    ]);
  if (task.sign !== undefined) return task.sign;
  let text = task.id;
  while (isTaken(shortHash(text))) text += "'";
  return shortHash(text);
}

const shortHash = (text: string): string => hashText(text).slice(0, SIGN_LENGTH);

function wikilinkTo(task: Task, { view }: TaskRows): string {
  const [note = "", block] = task.source === "line" ? task.id.split("#") : [task.path];
  if (task.source === "line" && block === undefined)
    throw invalidArgument(`"${task.title}" is a line without a block id, so no link can lead to it.`, [
      "Give the line a block id such as ^paint in Obsidian first.",
      NOTHING_CHANGED,
    ]);
  const name = baseName(task.path).replace(/\.md$/i, "");
  const isClear = view.filesNamed(task.path).every(({ path }) => path === task.path);
  const target = isClear ? name : note.replace(/\.md$/i, "");
  return `[[${target}${block === undefined ? "" : `#${block}`}]]`;
}

function assertNoCycle(task: Task, blockers: readonly Task[], relations: Relations): void {
  const cycle = relations.cycleThrough(task, blockers);
  if (!cycle) return;
  throw invalidArgument(`blockedBy would make tasks wait for each other: ${cycleText(cycle)}.`, [
    "Leave out the one that already waits for this task.",
    NOTHING_CHANGED,
  ]);
}
