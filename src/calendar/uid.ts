/**
 * The UIDs of tasks in calendars: never made from a title's words or a day, because an edit would then delete one event and make another
 * (docs: calendar, "The feed").
 */
import { withoutTrailingTags } from "../tasks/line-format/task-line.js";
import { sha256 } from "../storage/sha256.js";
import type { Task } from "../tasks/task.js";

const DIGITS = 32;
const SHORT_DIGITS = 12;
const BLOCK = /#\^([A-Za-z0-9-]+)$/;

/** The UIDs of all tasks of a vault. */
export class TaskUids {
  readonly #vaultId: string;
  /** How many tasks have each id: one that several notes share, as copies do, identifies none of them. */
  readonly #owners = new Map<string, number>();
  /** For checkbox lines, the position among those of the same title in their note. */
  readonly #ordinals = new Map<Task, number>();

  /** @param vaultId makes the vault's paths differ from those of another */
  constructor(tasks: readonly Task[], vaultId: string) {
    this.#vaultId = vaultId;
    const met = new Map<string, number>();
    for (const task of tasks) {
      const id = givenId(task);
      if (id !== undefined) count(this.#owners, ownerKey(task, id));
      if (task.source === "line")
        this.#ordinals.set(task, count(met, `${task.path}\n${withoutTrailingTags(task.title)}`));
    }
  }

  of(task: Task): string {
    const id = givenId(task);
    const isOwn = id !== undefined && this.#owners.get(ownerKey(task, id)) === 1;
    if (isOwn && task.source === "note") return id;
    const path = sha256(`${this.#vaultId}\n${task.path}`).slice(0, DIGITS);
    if (task.source === "note") return path;
    if (isOwn) return `${path}-${id}`;
    return `${path}-${sha256(withoutTrailingTags(task.title)).slice(0, SHORT_DIGITS)}-${this.#ordinals.get(task) ?? 0}`;
  }
}

/** An id that is written in the note: a note's frontmatter id, a line's block id or 🆔. */
function givenId({ id, path, source, sign }: Task): string | undefined {
  if (source === "note") return id === path ? undefined : id;
  return BLOCK.exec(id)?.[1] ?? sign;
}

/** @returns how often it was counted before */
function count(counts: Map<string, number>, key: string): number {
  const before = counts.get(key) ?? 0;
  counts.set(key, before + 1);
  return before;
}

/** Ids of lines are unique within their note, those of notes within the vault. */
const ownerKey = ({ source, path }: Task, id: string): string => (source === "note" ? `\n${id}` : `${path}\n^${id}`);
