/** What a task is: the nouns every part of the task domain shares. */
import type { LocalDate } from "../clock.js";
import type { VaultPath } from "../storage/path.js";

export const STATUSES = ["To Do", "In Progress", "Blocked", "Done", "Cancelled"] as const;
/** `Cancelled` is read, never written by a tool. */
export type Status = (typeof STATUSES)[number];

export const PRIORITIES = ["High", "Medium", "Low"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** The rule that made a note a task (spec: tasks, section 1). */
export type TaskRule = "type-key" | "task-tag" | "status-in-para";

export interface Task {
  /** Frontmatter id, otherwise the vault-relative path. */
  readonly id: string;
  readonly path: VaultPath;
  /** Today always a whole note; inline checkboxes may come. */
  readonly source: "note";
  readonly rule: TaskRule;
  readonly title: string;
  /** One of STATUSES, or the note's own word when the vocabulary does not know it. */
  readonly status: Status | (string & {});
  readonly priority: Priority;
  readonly due: LocalDate | undefined;
  readonly scheduled: LocalDate | undefined;
  readonly created: LocalDate | undefined;
  readonly completed: LocalDate | undefined;
  readonly area: string | undefined;
  readonly parentProjects: readonly string[];
  readonly tags: readonly string[];
  readonly archived: boolean;
  /** The description's first 500 characters. */
  readonly excerpt: string;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

/** Something that could not be understood or read: an invalid date, an unreadable block, a folder that is closed. */
export interface TaskProblem {
  /** Where, for reading: of a file that no path can name it is no `VaultPath`. */
  readonly path: string;
  readonly message: string;
  /** Counted from 1. */
  readonly line?: number;
  readonly column?: number;
}
