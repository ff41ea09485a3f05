/** Writes blockers: links in a note, signs (🆔) of other lines in a line (docs: tasks, "Dependencies and subtasks"). */
import { VaultError } from "../../errors.js";
import { baseName } from "../../storage/path.js";
import type { EditOutcome, Vault, WriteOptions } from "../../vault/vault.js";
import { hashText } from "../../text/hash.js";
import { type Relations, cycleText } from "../dependencies.js";
import type { Task, TaskSource } from "../task.js";
import type { TaskRows } from "../rows/task-rows.js";
import type { TaskIndex } from "../task-index.js";
import { noLongerTask } from "../unknown-reference.js";

export interface WrittenBlockers {
  readonly references: readonly string[];
  readonly unsigned: readonly SignFor[];
}

export interface SignFor {
  readonly task: Task;
  readonly sign: string;
}

interface BlockerContext {
  readonly find: (reference: string) => Promise<Task>;
  readonly relations: Relations;
  readonly rows: TaskRows;
}

/**
 * @param given references, or entries that the task has
 * @param waiting undefined for a new task
 * @throws VaultError INVALID_ARGUMENT for an invalid blocker or a cycle
 */
export async function writtenBlockers(
  given: readonly string[],
  source: TaskSource,
  waiting: Task | undefined,
  { find, relations, rows }: BlockerContext,
): Promise<WrittenBlockers> {
  const references: string[] = [];
  const unsigned = new Map<string, SignFor>();
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
      const sign = signOf(task, (sign) => relations.signed(sign).length > 0 || isAnothers(unsigned.get(sign), task));
      references.push(sign);
      if (task.sign === undefined) unsigned.set(sign, { task, sign });
    }
  }
  if (waiting !== undefined) assertNoCycle(waiting, meant, relations);
  return { references: [...new Set(references)], unsigned: [...unsigned.values()] };
}

const isAnothers = (given: SignFor | undefined, task: Task): boolean => given !== undefined && given.task !== task;

/** An entry of the task or an existing sign is written as it is. */
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

/** A new sign is deterministic. */
function signOf(task: Task, isTaken: (sign: string) => boolean): string {
  if (task.source !== "line")
    throw new VaultError(
      "INVALID_ARGUMENT",
      `"${task.title}" is a note, and a checkbox line can wait for lines only.`,
      {
        hint: "Name a checkbox line, or make this task a note of its own. Nothing was changed.",
      },
    );
  if (task.sign !== undefined) return task.sign;
  let text = task.id;
  while (isTaken(shortHash(text))) text += "'";
  return shortHash(text);
}

const shortHash = (text: string): string => hashText(text).slice(0, SIGN_LENGTH);

/** Uses the file name alone if it is unique. */
function wikilinkTo(task: Task, { view }: TaskRows): string {
  const [note = "", block] = task.source === "line" ? task.id.split("#") : [task.path];
  if (task.source === "line" && block === undefined)
    throw new VaultError(
      "INVALID_ARGUMENT",
      `"${task.title}" is a line without a block id, so no link can lead to it.`,
      {
        hint: "Give the line a block id such as ^paint in Obsidian first. Nothing was changed.",
      },
    );
  const name = baseName(task.path).replace(/\.md$/i, "");
  const isClear = view.filesNamed(task.path).every(({ path }) => path === task.path);
  const target = isClear ? name : note.replace(/\.md$/i, "");
  return `[[${target}${block === undefined ? "" : `#${block}`}]]`;
}

function assertNoCycle(task: Task, blockers: readonly Task[], relations: Relations): void {
  const cycle = relations.cycleThrough(task, blockers);
  if (!cycle) return;
  throw new VaultError("INVALID_ARGUMENT", `blockedBy would make tasks wait for each other: ${cycleText(cycle)}.`, {
    hint: "Leave out the one that already waits for this task. Nothing was changed.",
  });
}

export interface SignedLines {
  /** The sign that each line has now, by the one planned for it: another program may have signed the line first. */
  readonly signs: ReadonlyMap<string, string>;
  readonly edits: readonly EditOutcome[];
}

/** @throws VaultError when a line is no longer a task */
export async function signLines(
  vault: Vault,
  index: TaskIndex,
  rows: TaskRows,
  unsigned: readonly SignFor[],
  { operation }: WriteOptions,
): Promise<SignedLines> {
  const signs = new Map<string, string>();
  const edits: EditOutcome[] = [];
  for (const { task, sign } of unsigned) {
    const format = index.formatOf(task.source);
    const stat = rows.view.statOf(task.path);
    if (stat === undefined) throw noLongerTask(task);
    const change = (text: string): string => {
      const signed = format.signed?.(text, stat, task, sign, rows.surroundings);
      if (signed === undefined) throw noLongerTask(task);
      signs.set(sign, signed.sign);
      return signed.text;
    };
    const edit = await vault.writing.edit(task.path, change, "name a task that is waited for", { operation });
    if (edit.changed) edits.push(edit);
  }
  return { signs, edits };
}
