/**
 * How tasks are stored in notes: `note-format/` (a whole note) and `line-format/` (a checkbox line) implement
 * `TaskFormat`.
 */
import type { FactReader } from "../index/facts.js";
import type { ParaFolders } from "../index/para.js";
import type { VaultSettings } from "../index/settings.js";
import type { Clock, LocalDate } from "../clock.js";
import type { FileStat } from "../storage/storage.js";
import type { Note } from "../vault/vault.js";
import type { SeriesOutcome, TaskDetail } from "./api.js";
import type { CleanUpdates } from "./writing/arguments.js";
import type { Dialect } from "./fields/dialect.js";
import type { TaskKey, Task, TaskPlace, TaskProblem, TaskSource } from "./task.js";
import type { Relations } from "./dependencies.js";
import type { Priority, Status } from "./fields/vocabulary.js";

export interface Surroundings {
  readonly para: ParaFolders;
  /** Its time zone decides on which day an instant is. */
  readonly clock: Pick<Clock, "dayOf">;
  readonly settings: VaultSettings;
}

/** The tasks of one note in the order of the note, and what could not be read. */
export interface NoteTasks {
  readonly tasks: readonly Task[];
  readonly problems: readonly TaskProblem[];
}

/** A generator where deriving a long note must yield to other work. */
export type Derivation = NoteTasks | Generator<void, NoteTasks>;

/** A finished instance, and the day of the next one. */
export interface FinishedInstance {
  readonly day: LocalDate;
  readonly next: LocalDate;
}

/** What an update needs to know apart from the text. */
export interface UpdateContext {
  /** As the text has it now. */
  readonly task: Task;
  /** How the vault writes its tasks. */
  readonly dialect: Dialect;
  readonly today: LocalDate;
  readonly clock: Clock;
  readonly settings: VaultSettings;
  /** Of a series in words: the instance that this server finished last, and the day it moved the task to. */
  readonly lastFinished?: FinishedInstance | undefined;
  /** As of the snapshot before the update. */
  readonly relations: Relations;
  /** All tasks of that snapshot, to follow its customs. */
  readonly tasks: readonly Task[];
}

export interface AppendContext extends Pick<UpdateContext, "settings" | "today"> {
  /** The note's name in answers. */
  readonly name: string;
}

/** A note's text whose tasks are changed one after the other. */
export interface TextEdit {
  readonly text: string;
  /**
   * Changes only the values given.
   * @throws VaultError INVALID_ARGUMENT; the text is unchanged
   */
  update(updates: CleanUpdates, context: UpdateContext): EditedTask;
}

export interface EditedTask {
  readonly changed: boolean;
  /** A line may have moved, and its id changes with its title. */
  readonly place: TaskPlace;
  /** Present when the update was about an instance. */
  readonly series?: SeriesOutcome | undefined;
  /** Sentences on side effects, such as moving a card. */
  readonly remarks?: readonly string[] | undefined;
  /** The last state of a task that the change removed from the note. */
  readonly gone?: Task;
  /** Lines added to the note; negative for lines removed. */
  readonly linesAdded: number;
}

/** The task at a place in a text; undefined when there is none. @throws VaultError CONFLICT when it may be several */
export type FindTask = (place: TaskPlace) => Task | undefined;

/** One method of resolving a reference: which kind of name it is, and the key to look it up by. */
export interface Way {
  readonly kind: ReferenceKind;
  readonly key: TaskKey;
  readonly value: string;
  /** A further condition. */
  readonly fits?: (task: Task) => boolean;
}
export type ReferenceKind = "id" | "path" | "link" | "title";

/** Reads and writes no file: all text in and out is the whole text of a note. */
export interface TaskFormat<Facts = unknown> {
  readonly source: TaskSource;
  /** What the catalog may remember of each note for this format: the readers it is to have. */
  readonly readers: readonly FactReader<unknown>[];
  /** The one of them that is asked under these settings. */
  readerFor(settings: VaultSettings): FactReader<Facts>;
  /** The same format, reading also checkboxes that are not tasks. */
  withPlain?(): TaskFormat<Facts>;
  /** Open checkboxes of a note that are not tasks; undefined where the settings say nothing about them. */
  countPlain?(facts: Facts, stat: FileStat, settings: VaultSettings): number | undefined;
  /** Whether the settings use this format; default true. Notes are not read for one that is unused. */
  isUsed?(settings: VaultSettings): boolean;
  derive(facts: Facts, stat: FileStat, surroundings: Surroundings): Derivation;
  /** Further methods of resolving a reference, tried before the shared ones. */
  ways?(reference: string): readonly Way[];
  /** Finds tasks in the current text of a note, which is parsed once for all of them. */
  finder(text: string, stat: FileStat, surroundings: Surroundings): FindTask;
  /**
   * Starts a change of several tasks. Lines must come last to first, so that none moves another that is still to be
   * changed.
   */
  edit(text: string): TextEdit;
  /**
   * The text in which a task has a sign by which others can wait for it; an existing sign stays. Undefined when the
   * text no longer has the task.
   */
  signed?(
    text: string,
    stat: FileStat,
    place: TaskPlace,
    sign: string,
    surroundings: Surroundings,
  ): { readonly text: string; readonly sign: string } | undefined;
  /** A note's text with new tasks. @throws VaultError INVALID_ARGUMENT */
  append?(
    text: string,
    heading: string | undefined,
    boxes: readonly NewCheckbox[],
    context: AppendContext,
  ): AppendedCheckboxes;
  detail(note: Note, place: TaskPlace, surroundings: Surroundings): TaskDetail | undefined;
}

/** A checkbox to be added. */
export interface NewCheckbox {
  readonly title: string;
  readonly due?: LocalDate | undefined;
  readonly scheduled?: LocalDate | undefined;
  readonly start?: LocalDate | undefined;
  readonly priority?: Priority | undefined;
  readonly recurrence?: string | undefined;
  readonly created?: LocalDate | undefined;
  readonly completed?: LocalDate | undefined;
  /** Default To Do. */
  readonly status?: Status | undefined;
  readonly tags?: readonly string[] | undefined;
  /** By which other lines wait for it. */
  readonly sign?: string | undefined;
  /** The signs of the lines it waits for. */
  readonly blockedBy?: readonly string[] | undefined;
  /** The index of an earlier checkbox that it goes below. */
  readonly parent?: number | undefined;
}

export interface AppendedCheckboxes {
  readonly text: string;
  /** Line numbers from 1, in the order of the checkboxes. */
  readonly lines: readonly number[];
}
