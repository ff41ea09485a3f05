/** What a task is: the nouns every part of the task domain shares. */
import type { LocalDate } from "../clock.js";
import type { ToldFields } from "./fields/fields.js";
import type { PropertyValue } from "../markdown/frontmatter/property.js";
import type { VaultPath } from "../storage/path.js";
import type { Status, Priority } from "./fields/vocabulary.js";

/** How a task is kept: as a note of its own, or as a checkbox line of a note that may hold many. */
export type TaskSource = "note" | "line";

/** Which checkbox lines are tasks; `auto` means `marked`. */
export const INLINE_TASKS = ["auto", "off", "marked", "all"] as const;
export type InlineTasks = (typeof INLINE_TASKS)[number];

/** The rule that made a note a task (docs: tasks, "What a task is"). */
export const NOTE_RULES = ["type-key", "task-tag", "task-property", "status-in-para"] as const;
export type NoteRule = (typeof NOTE_RULES)[number];
/** The rule that made something a task: of a line it is its checkbox; a plain one is a task only for a caller who asks for such. */
export type TaskRule = NoteRule | "checkbox" | "plain-checkbox";

/** Where a task is kept, and what tells it from the other tasks there. */
export interface TaskPlace {
  /** What callers name it by: of a note its frontmatter id, otherwise its path; of a line `Note.md#^block` or `Note.md:14~a3f9c2`. */
  readonly id: string;
  /** The note that holds it; several tasks may share it. */
  readonly path: VaultPath;
  readonly source: TaskSource;
  /** The line of a checkbox, counted from 1; a task that is a whole note has none. */
  readonly line?: number | undefined;
}

/** A rule by which a task repeats, with what is remembered of its instances. */
export interface Series {
  /** As it stands in the note: an RRULE, or words. */
  readonly rule: string;
  /** Whether the next day counts from the day that was planned or from the day it is done. */
  readonly anchor: "scheduled" | "completion";
  /** Days whose instances are done, and days that were skipped; only an RRULE in a note keeps them. */
  readonly completed: readonly LocalDate[];
  readonly skipped: readonly LocalDate[];
}

/** One instance of a series, kept in a note of its own. */
export interface Occurrence {
  /** The task whose series it is, as the note names it. */
  readonly parent: string;
  readonly day: LocalDate;
}

/** What every row of the field table with a `property` says of a task, and what more than one of them says. */
export interface Task extends TaskPlace, ToldFields {
  /** The id of the task it is part of, where its place says so, as of a checkbox below another. */
  readonly parent?: string | undefined;
  /** Of a card: the Kanban board, by its note's name, and its lane. */
  readonly board?: string | undefined;
  readonly lane?: string | undefined;
  /** The statuses that a line can be set to; undefined: all. */
  readonly statuses?: readonly Status[] | undefined;
  /** Of a card that is only a link: what it leads to. Of the task note that it leads to: the card. */
  readonly linksTo?: string | undefined;
  readonly card?: Task | undefined;
  /** The sign (🆔) by which other lines say that they wait for it; several tasks may share one by mistake. */
  readonly sign?: string | undefined;
  readonly rule: TaskRule;
  readonly title: string;
  /** One of STATUSES, or the note's own word when the vocabulary does not know it. */
  readonly status: Status | (string & {});
  readonly priority: Priority;
  readonly area: string | undefined;
  readonly parentProjects: readonly string[];
  /** How it repeats; undefined for a task that is done once. */
  readonly series: Series | undefined;
  /** The instance of another task's series that this note speaks for. */
  readonly occurrence: Occurrence | undefined;
  readonly archived: boolean;
  /** The description's first 500 characters. */
  readonly excerpt: string;
  /** Properties that are no task fields, with typed values: numbers, booleans and lists as such, days as text. */
  readonly properties: Readonly<Record<string, PropertyValue>>;
  /** Identifies the task's own text, the whole note or the line, for `expectedRevision`. */
  readonly revision: string;
  /** When the note was last changed; milliseconds since the epoch. */
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

/** What tasks are looked up by; undefined for a task that has no such name. One index serves all who give the same function. */
export type TaskKey = (task: Task) => string | undefined;

export class KeyedTasks {
  readonly #tasks: readonly Task[];
  /** Undefined: looked up once so far. */
  readonly #indexes = new Map<TaskKey, ReadonlyMap<string, readonly Task[]> | undefined>();

  constructor(tasks: readonly Task[]) {
    this.#tasks = tasks;
  }

  /** The tasks of which `key` gives this value, in their order. */
  with(key: TaskKey, value: string): readonly Task[] {
    if (!this.#indexes.has(key)) {
      // Most calls name one task: an index pays from the second on.
      this.#indexes.set(key, undefined);
      return this.#tasks.filter((task) => key(task) === value);
    }
    let index = this.#indexes.get(key);
    if (index === undefined) this.#indexes.set(key, (index = this.#indexed(key)));
    return index.get(value) ?? [];
  }

  #indexed(key: TaskKey): ReadonlyMap<string, readonly Task[]> {
    const index = new Map<string, Task[]>();
    for (const task of this.#tasks) {
      const value = key(task);
      if (value === undefined) continue;
      const known = index.get(value);
      if (known) known.push(task);
      else index.set(value, [task]);
    }
    return index;
  }
}

/** Whether a status means that nothing is left to do. */
export function isClosed(status: Task["status"]): boolean {
  return status === "Done" || status === "Cancelled";
}
