/** What a task is: the types that all of `tasks/` shares. */
import type { LocalDate } from "../clock.js";
import type { FieldProperties } from "./fields/fields.js";
import type { PropertyValue } from "../markdown/frontmatter/property.js";
import type { VaultPath } from "../storage/path.js";
import type { Status, Priority } from "./fields/vocabulary.js";

/** A note, or a checkbox line of a note. */
export type TaskSource = "note" | "line";

/** Which checkbox lines are tasks; `auto` means `marked`. */
export const INLINE_TASKS = ["auto", "off", "marked", "all"] as const;
export type InlineTasks = (typeof INLINE_TASKS)[number];

/** The rule that made a note a task (docs: tasks, "What a task is"). */
export const NOTE_RULES = ["type-key", "task-tag", "task-property", "status-in-para"] as const;
export type NoteRule = (typeof NOTE_RULES)[number];
/** `plain-checkbox` is a task only for callers that ask for such. */
export type TaskRule = NoteRule | "checkbox" | "plain-checkbox";

export interface TaskPlace {
  /** A note's frontmatter id, else its path; a line's `Note.md#^block` or `Note.md:14~a3f9c2`. */
  readonly id: string;
  /** Several tasks may share it. */
  readonly path: VaultPath;
  readonly source: TaskSource;
  /** The line of a checkbox, from 1. */
  readonly line?: number | undefined;
  /** The note is a project's and no task: its fields are set in the same way, and it is in no list. */
  readonly isProject?: true;
}

export interface Series {
  /** As written: an RRULE, or words. */
  readonly rule: string;
  /** Whether the next day counts from the planned day or from completion. */
  readonly anchor: "scheduled" | "completion";
  /** Days of done instances, and skipped days; only an RRULE in a note stores them. */
  readonly completed: readonly LocalDate[];
  readonly skipped: readonly LocalDate[];
}

/** One instance of a series in a note of its own. */
export interface Occurrence {
  /** The task with the series, as the note names it. */
  readonly parent: string;
  readonly day: LocalDate;
}

/** The fields of the field table that have a `property`, and what several fields or none decide. */
export interface Task extends TaskPlace, FieldProperties {
  /** The id of the parent that its place implies, such as the checkbox above. */
  readonly parent?: string | undefined;
  /** The Kanban board of a card, by its note's name, and its lane. */
  readonly board?: string | undefined;
  readonly lane?: string | undefined;
  /** The statuses that a line can have; undefined: all. */
  readonly statuses?: readonly Status[] | undefined;
  /** A card that is only a link has `linksTo`; the task note it leads to has `card`. */
  readonly linksTo?: string | undefined;
  readonly card?: Task | undefined;
  /** The sign (🆔) by which other lines wait for it; several tasks may share one by mistake. */
  readonly sign?: string | undefined;
  readonly rule: TaskRule;
  readonly title: string;
  /** One of STATUSES, or the note's own word. */
  readonly status: Status | (string & {});
  readonly priority: Priority;
  /** Its own, else that of its folder or of its project. */
  readonly area: string | undefined;
  /** The project that the area is from, where it is. */
  readonly areaOf?: string | undefined;
  readonly parentProjects: readonly string[];
  readonly series: Series | undefined;
  /** The instance of another task's series that this note represents. */
  readonly occurrence: Occurrence | undefined;
  readonly archived: boolean;
  /** The first 500 characters of the description. */
  readonly excerpt: string;
  /** Properties that are not task fields; days are text. */
  readonly properties: Readonly<Record<string, PropertyValue>>;
  /** Identifies the note's or line's text, for `expectedRevision`. */
  readonly revision: string;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

/** Something that could not be read: an invalid date, a block, a folder without permission. */
export interface TaskProblem {
  /** Not a `VaultPath`: a problem file may have a name that no path allows. */
  readonly path: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** A key to look tasks up by; undefined for a task without one. Each function has one index. */
export type TaskKey = (task: Task) => string | undefined;

export class KeyedTasks {
  readonly #tasks: readonly Task[];
  /** Undefined: used once, not indexed yet. */
  readonly #indexes = new Map<TaskKey, ReadonlyMap<string, readonly Task[]> | undefined>();

  constructor(tasks: readonly Task[]) {
    this.#tasks = tasks;
  }

  with(key: TaskKey, value: string): readonly Task[] {
    if (!this.#indexes.has(key)) {
      // Most calls look up one task; an index pays from the second on.
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

export function isClosed(status: Task["status"]): boolean {
  return status === "Done" || status === "Cancelled";
}
