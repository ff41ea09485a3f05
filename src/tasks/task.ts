/** What a task is, and what a query of tasks asks: the types shared by all of `tasks/` (docs: tasks, "Finding"). */
import type { EpochMilliseconds, LocalDate } from "../clock.js";
import type { FieldProperties, FilteredField } from "./fields/field-table.js";
import type { ClockTimes, TaskReminder } from "./fields/reminders.js";
import type { PropertyValue } from "../markdown/frontmatter/property.js";
import type { VaultPath } from "../storage/path.js";
import type { Priority, Status, StatusFilter } from "./fields/vocabulary.js";

export type TaskSource = "note" | "line";

/** Which checkbox lines are tasks; `auto` means `marked`. */
export const INLINE_TASKS = ["auto", "off", "marked", "all"] as const;
export type InlineTasks = (typeof INLINE_TASKS)[number];

/** What made a note a task (docs: tasks). */
export const NOTE_RULES = ["type-key", "task-tag", "task-property", "mdbase-type", "status-in-para"] as const;
export type NoteRule = (typeof NOTE_RULES)[number];
/** `plain-checkbox` is a task only on request. */
export type TaskRule = NoteRule | "checkbox" | "plain-checkbox";

export interface TaskPlace {
  /** `Note.md#^block` or `Note.md:14~a3f9c2` for a line, else the frontmatter's id or the path. */
  readonly id: string;
  readonly path: VaultPath;
  readonly source: TaskSource;
  /** From 1. */
  readonly line?: number | undefined;
  /** A project's note: its fields can be set, but no list includes it. */
  readonly isProject?: true;
}

export interface LinePlace extends TaskPlace {
  readonly line: number;
}

export interface Series {
  /** As written: an RRULE, or words. */
  readonly rule: string;
  /** Counts from the planned day or from completion. */
  readonly anchor: "scheduled" | "completion";
  /** Done and skipped days; only an RRULE in a note stores them. */
  readonly completed: readonly LocalDate[];
  readonly skipped: readonly LocalDate[];
}

/** In its own note. */
export interface Occurrence {
  readonly parent: string;
  readonly day: LocalDate;
}

export interface Task extends TaskPlace, FieldProperties {
  /** The task above by position, such as the enclosing checkbox. */
  readonly parent?: string | undefined;
  /** The name of a Kanban card's board, which is its note's. */
  readonly board?: string | undefined;
  readonly lane?: string | undefined;
  /** Possible statuses; undefined: all. */
  readonly statuses?: readonly Status[] | undefined;
  /** A card that is only a link has `linksTo`; the task note it links to has `card`. */
  readonly linksTo?: string | undefined;
  readonly card?: Task | undefined;
  /** Cards of the same note on other boards or lanes. */
  readonly otherCards?: readonly Task[] | undefined;
  /** The 🆔 that other lines wait for; may be duplicated by mistake. */
  readonly sign?: string | undefined;
  readonly rule: TaskRule;
  readonly title: string;
  /** One of STATUSES, or the note's own word. */
  readonly status: Status | (string & {});
  readonly priority: Priority;
  /** Its own, else that of its folder or project. */
  readonly area: string | undefined;
  readonly areaOf?: string | undefined;
  readonly parentProjects: readonly string[];
  readonly series: Series | undefined;
  readonly occurrence: Occurrence | undefined;
  readonly archived: boolean;
  /** The clock times of its days, `HH:MM`. */
  readonly times?: ClockTimes | undefined;
  /** Ascending. */
  readonly reminders: readonly TaskReminder[];
  /** Of the description, 500 characters. */
  readonly excerpt: string;
  /** Without task fields; days are text. */
  readonly properties: Readonly<Record<string, PropertyValue>>;
  /** Identifies the text, for `expectedRevision`. */
  readonly revision: string;
  readonly modified: EpochMilliseconds;
}

export interface TaskProblem {
  /** Not a `VaultPath`: an unreadable file's path may be invalid. */
  readonly path: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  /** Which day cannot be read. */
  readonly day?: string | undefined;
}

/** @param keyOf undefined leaves the item out */
export function grouped<Item, Key extends string | Task>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key | readonly Key[] | undefined,
): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  const add = (key: Key, item: Item): void => {
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  };
  for (const item of items) {
    const key = keyOf(item);
    if (Array.isArray(key)) for (const one of new Set<Key>(key)) add(one, item);
    else if (key !== undefined) add(key as Key, item);
  }
  return groups;
}

export const isClosed = (status: Task["status"]): boolean => status === "Done" || status === "Cancelled";

export const TASK_SORTS = ["relevance", "agenda", "due", "priority", "modified"] as const;
export type TaskSort = (typeof TASK_SORTS)[number];

export const TASK_STATES = [
  "outstanding",
  "ready",
  "blocked",
  "recurring",
  "inline",
  "note",
  "card",
  "checkbox",
  "stale",
  "duplicate",
] as const;
export type TaskState = (typeof TASK_STATES)[number];

type DayFilters = { readonly [Name in FilteredField]?: string | undefined };

/** All must match. */
export interface TaskFilters extends DayFilters {
  /** `*` finds all. */
  readonly query: string;
  readonly status?: StatusFilter | readonly StatusFilter[] | undefined;
  readonly area?: string | undefined;
  readonly project?: string | readonly string[] | undefined;
  readonly priority?: Priority | readonly Priority[] | undefined;
  /** `@` optional. */
  readonly context?: string | undefined;
  /** Path or file name. */
  readonly note?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly is?: readonly TaskState[] | undefined;
  readonly includeArchived?: boolean | undefined;
}
