/**
 * How tasks are stored in notes: `note-format/` (a whole note) and `line-format/` (a checkbox line) implement
 * `TaskFormat`.
 */
import type { FactReader } from "../index/facts.js";
import type { Named } from "../markdown/nothing-dropped.js";
import type { ParaFolders } from "../obsidian/para.js";
import type { VaultSettings } from "../obsidian/settings.js";
import type { Clock, LocalDate } from "../clock.js";
import type { VaultPath } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";
import type { Note } from "../vault/vault.js";
import type { SeriesOutcome, TaskDetail } from "./api.js";
import type { CleanUpdates } from "./writing/arguments.js";
import type { Dialect } from "./fields/dialect.js";
import type { LinePlace, TaskKey, Task, TaskPlace, TaskProblem, TaskSource } from "./task.js";
import type { Relations } from "./dependencies.js";
import type { Priority, Status } from "./fields/vocabulary.js";

export interface Surroundings {
  readonly para: ParaFolders;
  readonly clock: Pick<Clock, "dayOf">;
  readonly settings: VaultSettings;
}

export interface NoteTasks {
  readonly tasks: readonly Task[];
  readonly problems: readonly TaskProblem[];
}

/** A generator yields to other work within a long note. */
type Derivation = NoteTasks | Generator<void, NoteTasks>;

export interface FinishedInstance {
  readonly day: LocalDate;
  readonly next: LocalDate;
}

export interface UpdateContext {
  /** As currently in the text. */
  readonly task: Task;
  readonly dialect: Dialect;
  readonly today: LocalDate;
  readonly clock: Clock;
  readonly settings: VaultSettings;
  /** For a series in words: the instance that this server finished last, and the next day. */
  readonly lastFinished?: FinishedInstance | undefined;
  readonly relations: Relations;
  /** The tasks from which the vault's customs are derived. */
  readonly tasks: readonly Task[];
}

export interface AppendContext extends Pick<UpdateContext, "settings" | "today"> {
  readonly path: VaultPath;
  readonly mayBePlain?: boolean;
}

export interface TextEdit {
  readonly text: string;
  /**
   * Changes only the given values.
   * @throws VaultError INVALID_ARGUMENT; the text is then unchanged
   */
  update(updates: CleanUpdates, context: UpdateContext): EditedTask;
}

export interface EditedTask {
  readonly changed: boolean;
  /** The new place: a line may have moved, and its id depends on its title. */
  readonly place: TaskPlace;
  /** Without `nextId`, which is known once all changes of the note are made. */
  readonly series?: SeriesOutcome | undefined;
  /** The next instance of a checkbox. */
  readonly next?: TaskPlace | undefined;
  /** Side effects, in sentences. */
  readonly remarks?: readonly string[] | undefined;
  /** Adjustments that do not hold for this task (`GivenTime`). */
  readonly notLeftOut?: readonly string[] | undefined;
  /** The last state of a task removed from the note. */
  readonly gone?: Task;
  /** Negative for removed lines. */
  readonly linesAdded: number;
  /** What the updates replace; default: the lines that are removed. */
  readonly named?: Named;
}

/** @throws VaultError CONFLICT when several tasks match the place */
export type FindTask = (place: TaskPlace) => Task | undefined;

export interface ReferenceWay {
  readonly kind: ReferenceKind;
  readonly key: TaskKey;
  readonly value: string;
  readonly fits?: (task: Task) => boolean;
}
export type ReferenceKind = "id" | "path" | "link" | "title";

/** Does no I/O: text in and out is the whole text of a note. */
export interface TaskFormat<Facts = unknown> {
  readonly source: TaskSource;
  readonly readers: readonly FactReader<unknown>[];
  readerFor(settings: VaultSettings): FactReader<Facts>;
  /** Also reads checkboxes that are not tasks. */
  withPlain?(): TaskFormat<Facts>;
  /** Open checkboxes that are not tasks; undefined unless the settings read only marked ones. */
  countPlain?(facts: Facts, stat: FileStat, settings: VaultSettings): number | undefined;
  /** Default true. Notes are not read for an unused format. */
  isUsed?(settings: VaultSettings): boolean;
  derive(facts: Facts, stat: FileStat, surroundings: Surroundings): Derivation;
  /** Tried before the shared ways. */
  ways?(reference: string): readonly ReferenceWay[];
  /** Parses the note once. */
  finder(text: string, stat: FileStat, surroundings: Surroundings): FindTask;
  /** Starts a change of several tasks. Change lines from last to first: a change moves the lines below it. */
  edit(text: string): TextEdit;
  /** Adds a sign for other lines to wait for; keeps an existing one. Undefined when the task is gone. */
  signed?(
    text: string,
    stat: FileStat,
    place: TaskPlace,
    sign: string,
    surroundings: Surroundings,
  ): { readonly text: string; readonly sign: string } | undefined;
  /** Adds new tasks. */
  append?(
    text: string,
    heading: string | undefined,
    boxes: readonly NewCheckbox[],
    context: AppendContext,
  ): AppendedCheckboxes;
  detail(note: Note, place: TaskPlace, surroundings: Surroundings): TaskDetail | undefined;
}

type Appender = TaskFormat & Required<Pick<TaskFormat, "append">>;

export function appenderAmong(formats: readonly TaskFormat[]): Appender {
  const format = formats.find((one): one is Appender => one.append !== undefined);
  if (!format) throw new Error("No format keeps tasks as lines.");
  return format;
}

export interface NewCheckbox {
  readonly title: string;
  readonly due?: LocalDate | undefined;
  readonly scheduled?: LocalDate | undefined;
  readonly start?: LocalDate | undefined;
  readonly priority?: Priority | undefined;
  readonly recurrence?: string | undefined;
  readonly created?: LocalDate | undefined;
  readonly completed?: LocalDate | undefined;
  readonly status?: Status | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly sign?: string | undefined;
  readonly blockedBy?: readonly string[] | undefined;
  /** Index of the checkbox above it. */
  readonly parent?: number | undefined;
}

export interface AppendedCheckboxes {
  readonly text: string;
  /** In the order of the checkboxes. */
  readonly places: readonly LinePlace[];
}
