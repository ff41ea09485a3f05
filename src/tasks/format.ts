/** How notes store tasks: `note-format/` and `line-format/` implement `TaskFormat`. */
import { type VaultError, invalidArgument } from "../errors.js";
import type { TimeSlice } from "../async/timers.js";
import type { MaybePromise, NoteSource } from "../index/subject.js";
import { type Wording } from "../text/wording.js";
import type { Named } from "../markdown/nothing-dropped.js";
import type { ParaFolders } from "../obsidian/para.js";
import type { VaultSettings } from "../obsidian/settings.js";
import type { Clock, Ids, LocalDate } from "../clock.js";
import type { VaultPath } from "../storage/path.js";
import type { FileStat, Revision } from "../storage/storage.js";
import type { Checklist } from "../markdown/outline.js";
import type { Note } from "../vault/vault.js";
import type { Dialect } from "./fields/dialect.js";
import type { GivenTime } from "./fields/cleaning.js";
import type { FieldName, Values } from "./fields/field-table.js";
import type { LinePlace, NoteRule, Task, TaskPlace, TaskProblem, TaskSource } from "./task.js";
import type { Priority, Status } from "./fields/vocabulary.js";

export interface TaskContext {
  readonly para: ParaFolders;
  readonly clock: Pick<Clock, "dayOf" | "timeZone">;
  readonly settings: VaultSettings;
}

/** What the index stores of a note. */
export interface NoteTasks {
  readonly tasks: readonly Task[];
  readonly problems: readonly TaskProblem[];
  /** The settings exclude these tasks. */
  readonly isExcluded?: boolean;
  readonly style?: TaskStyle | undefined;
  readonly plain?: readonly PlainBoxes[];
}

/** Open checkboxes of a note that are no tasks and differ only in their texts. */
export interface PlainBoxes {
  /** The first of them. */
  readonly task: Task;
  readonly texts: readonly string[];
}

/** How a task note is written, for the dialect. */
interface TaskStyle {
  /** As spelled, one per line; for shared spellings also a tab and the field. */
  readonly keys: string;
  /** `due:plain`, one per line. */
  readonly habits: string;
  readonly status: string | undefined;
  readonly priority: string | undefined;
  readonly type: string | undefined;
  readonly rule: NoteRule;
}

/** Notes name tasks by link, path or id; lines by the sign of a line. */
interface TaskRelations {
  resolve(task: Task, reference: string): readonly Task[];
}

export interface CleanDraft {
  readonly title: string;
  /** Base of the file name; default the title. */
  readonly name?: string | undefined;
  readonly values: Values;
  /** Fields that the caller set; default all of `values`. */
  readonly given?: ReadonlySet<string> | undefined;
  readonly description: string;
  readonly properties?: Readonly<Record<string, string>> | undefined;
  /** Those that most notes have as a list. */
  readonly lists?: ReadonlySet<string> | undefined;
  /** Does not set the days of creation and completion to today. */
  readonly keepsDays?: boolean | undefined;
  readonly adjustments: readonly Wording[];
}

export interface NamedOccurrence {
  readonly skip: boolean;
  readonly day: LocalDate | undefined;
}

/** `""` clears a day. */
export interface CleanUpdates {
  readonly values: Values;
  readonly times?: ReadonlyMap<FieldName, GivenTime> | undefined;
  readonly description?: string | undefined;
  /** The caller knows the text that is there. */
  readonly isRead?: boolean;
  readonly lane?: string | undefined;
  /** For other lines to wait for, written if the line has none. Changes nothing else. */
  readonly sign?: string | undefined;
  readonly occurrence?: NamedOccurrence | undefined;
  readonly properties?: Readonly<Record<string, string>> | undefined;
  readonly lists?: ReadonlySet<string> | undefined;
}

export interface SeriesOutcome {
  /** `closed`: no instance was left, so the note's status became done. */
  readonly kind: "done" | "skipped" | "reopened" | "unchanged" | "closed";
  readonly action?: "done" | "skip" | "reopen";
  /** The instance; if nothing changed, the last finished one. */
  readonly day?: LocalDate;
  readonly next?: LocalDate;
  /** Of a checkbox: the id of the next instance, a line of its own. */
  readonly nextId?: string;
  readonly ended: boolean;
  /** A day was finished that the rule does not have. */
  readonly isOffRule?: boolean;
}

export interface TaskDetail {
  readonly task: Task;
  readonly why: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly revision: Revision;
  readonly problems: readonly TaskProblem[];
  readonly checklist: Checklist;
}

/** Paths and names are folded, except an exact path. */
export type TaskLookup =
  | { readonly by: "ref" | "title" | "bareTitle" | "path" | "foldedPath" | "fileName"; readonly value: string }
  | { readonly by: "block"; readonly note: string; readonly block: string }
  | { readonly by: "line"; readonly path: string; readonly line: number }
  | { readonly by: "digits"; readonly path: string; readonly digits: string; readonly earlier: boolean };

export interface FinishedInstance {
  readonly day: LocalDate;
  readonly next: LocalDate;
}

export interface UpdateContext {
  readonly task: Task;
  readonly dialect: Dialect;
  readonly today: LocalDate;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: VaultSettings;
  /** For a series in words. */
  readonly lastFinished?: FinishedInstance | undefined;
  readonly relations: TaskRelations;
  readonly hasDatedLine: () => boolean;
}

export interface AppendContext extends Pick<UpdateContext, "settings" | "today"> {
  readonly path: VaultPath;
  readonly mayBePlain?: boolean;
}

export interface TextEdit {
  readonly text: string;
  /** @throws INVALID_ARGUMENT, with the text unchanged */
  update(updates: CleanUpdates, context: UpdateContext): EditedTask;
}

export interface EditedTask {
  readonly changed: boolean;
  /** A line may have moved, and its id depends on its title. */
  readonly place: TaskPlace;
  /** Without `nextId`, which is known after all changes of the note. */
  readonly series?: SeriesOutcome | undefined;
  readonly next?: TaskPlace | undefined;
  readonly remarks?: readonly Wording[] | undefined;
  /** Of one call's cards, the last that moved counts them all. */
  readonly fullLane?: { readonly lane: string; readonly remark: string } | undefined;
  /** Adjustments that do not apply to this task (`GivenTime`). */
  readonly notLeftOut?: readonly Wording[] | undefined;
  readonly gone?: Task;
  /** Negative for removed lines. */
  readonly linesAdded: number;
  /** What the updates replace; default: the removed lines. */
  readonly named?: Named;
}

/** @throws CONFLICT when several tasks match the place */
export type FindTask = (place: TaskPlace) => Task | undefined;

export interface ReferenceForm {
  readonly kind: ReferenceKind;
  readonly lookup: TaskLookup;
  readonly fits?: (task: Task) => boolean;
}
export type ReferenceKind = "id" | "path" | "link" | "title";

/** Does no I/O: text is always a whole note. */
export interface TaskFormat {
  readonly source: TaskSource;
  /** Settings and options on which `read` depends, as JSON. */
  epoch(settings: VaultSettings): unknown;
  read(note: NoteSource, context: TaskContext, slice: TimeSlice): MaybePromise<NoteTasks>;
  readPlain?(note: NoteSource, context: TaskContext, slice: TimeSlice): Promise<readonly Task[]>;
  /** Forms that are tried first. */
  referenceForms?(reference: string): readonly ReferenceForm[];
  /** Parses the note once. */
  finder(text: string, stat: FileStat, context: TaskContext): FindTask;
  /** Change lines from last to first: a change moves the lines below. */
  edit(text: string): TextEdit;
  append?(
    text: string,
    heading: string | undefined,
    boxes: readonly NewCheckbox[],
    context: AppendContext,
  ): AppendedCheckboxes;
  detail(note: Note, place: TaskPlace, context: TaskContext): TaskDetail | undefined;
}

type Appender = TaskFormat & Required<Pick<TaskFormat, "append">>;

export function appenderAmong(formats: readonly TaskFormat[]): Appender {
  const format = formats.find((one): one is Appender => one.append !== undefined);
  if (!format) throw new Error("No format keeps tasks as lines.");
  return format;
}

type TaskDay = "due" | "scheduled" | "start" | "created" | "completed";

export interface NewCheckbox extends Partial<Pick<Task, TaskDay | "tags" | "blockedBy" | "sign">> {
  readonly title: string;
  readonly priority?: Priority | undefined;
  readonly recurrence?: string | undefined;
  readonly status?: Status | undefined;
  /** Of the checkbox above it. */
  readonly parent?: number | undefined;
}

export interface AppendedCheckboxes {
  readonly text: string;
  /** In the order of the checkboxes. */
  readonly places: readonly LinePlace[];
}

export const completedOfSeries = (): VaultError =>
  invalidArgument(
    "completed was given, and the task repeats: an instance is done on its own day.",
    'Name the instance: status "Done" with occurrence, a day.',
  );

export function noLane({ title }: { readonly title: string }): VaultError {
  return invalidArgument(
    `"${title}" is no card of a Kanban board, so it has no lane.`,
    "Leave lane out; status says how far a task is.",
  );
}

export const noSeries = (): VaultError =>
  invalidArgument(
    "occurrence was given, and the task does not repeat.",
    "Leave occurrence out, or give the task a recurrence.",
  );
