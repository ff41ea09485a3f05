/** A way of keeping tasks in notes, as the rest of the task domain sees it: `note-format/` is one; checkbox lines are another. */
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
import type { Priority } from "./fields/vocabulary.js";

/** What a task depends on besides its note. */
export interface Surroundings {
  readonly para: ParaFolders;
  /** Its time zone decides on which day an instant is. */
  readonly clock: Pick<Clock, "dayOf">;
  readonly settings: VaultSettings;
}

/** What one note holds: any number of tasks, in the order of the note, and what in them could not be understood. */
export interface NoteTasks {
  readonly tasks: readonly Task[];
  readonly problems: readonly TaskProblem[];
}

/** What one note holds, or its making in stretches between which others may have their turns: one note may hold very many. */
export type Derivation = NoteTasks | Generator<void, NoteTasks>;

/** An instance that was finished, and the day of the one after it. */
export interface FinishedInstance {
  readonly day: LocalDate;
  readonly next: LocalDate;
}

/** What an update needs to know besides the text. */
export interface UpdateContext {
  /** The task as the text has it now. */
  readonly task: Task;
  /** How the vault writes its tasks. */
  readonly dialect: Dialect;
  readonly today: LocalDate;
  readonly clock: Clock;
  readonly settings: VaultSettings;
  /** Of a series in words: the instance that this server finished last, and the day it moved the task to. */
  readonly lastFinished?: FinishedInstance | undefined;
  /** What the tasks have to do with each other, as of the look before the update. */
  readonly relations: Relations;
  /** All tasks as of that look, for what is customary among them. */
  readonly tasks: readonly Task[];
}

/** What new tasks in a note's text depend on. */
export interface AppendContext extends Pick<UpdateContext, "settings" | "today"> {
  /** What answers call the note. */
  readonly name: string;
}

/** A note's text in which tasks are changed, one after the other. */
export interface TextEdit {
  /** With the changes in it. */
  readonly text: string;
  /**
   * Changes nothing but the values given.
   * @throws VaultError INVALID_ARGUMENT; the text is as it was
   */
  update(updates: CleanUpdates, context: UpdateContext): EditedTask;
}

/** A task that was changed in its note's text. */
export interface EditedTask {
  /** Whether the text is another now: it may have said all that already. */
  readonly changed: boolean;
  /** Where the task is kept now: a line may have moved, and its id with its title. */
  readonly place: TaskPlace;
  /** What became of an instance, where the update was about one. */
  readonly series?: SeriesOutcome | undefined;
  /** Sentences on what else the change did, such as moving a card. */
  readonly remarks?: readonly string[] | undefined;
  /** The task as it was last, where the change took it out of the note. */
  readonly gone?: Task;
  /** How many lines the note has more than before; negative where it has fewer. */
  readonly linesAdded: number;
}

/** The task of a place as a text says it; undefined when it is none any more. @throws VaultError CONFLICT when it may be several */
export type FindTask = (place: TaskPlace) => Task | undefined;

/** A way in which a reference may mean tasks: what kind of name it then is, and the key by which they are looked up. */
export interface Way {
  readonly kind: ReferenceKind;
  readonly key: TaskKey;
  readonly value: string;
  /** What has to hold besides. */
  readonly fits?: (task: Task) => boolean;
}
export type ReferenceKind = "id" | "path" | "link" | "title";

/** All text in and out is the whole text of a note; nothing here reads or writes a file. */
export interface TaskFormat<Facts = unknown> {
  readonly source: TaskSource;
  /** What the catalog may remember of each note for this format: the readers it is to have. */
  readonly readers: readonly FactReader<Facts>[];
  /** The one of them that is asked under these settings. */
  readerFor(settings: VaultSettings): FactReader<Facts>;
  /** The same format, that reads what is no task by itself too: checkboxes without a mark. */
  withPlain?(): TaskFormat<Facts>;
  /** How many open checkboxes of a note are no tasks; undefined where the settings leave nothing to say. */
  countPlain?(facts: Facts, stat: FileStat, settings: VaultSettings): number | undefined;
  /** Whether tasks are kept this way under these settings; default true. Where they are not, nothing is read for the format. */
  isUsed?(settings: VaultSettings): boolean;
  /** The tasks that a note's facts come to where it lies. */
  derive(facts: Facts, stat: FileStat, surroundings: Surroundings): Derivation;
  /** Ways of its own in which a reference may mean a task of this format, tried before those that all formats share. */
  ways?(reference: string): readonly Way[];
  /** Finds tasks in a note's text as it is now, which is taken apart once for all of them. */
  finder(text: string, stat: FileStat, surroundings: Surroundings): FindTask;
  /** Begins to change tasks of a text. Those that are lines are given from the last to the first: none moves another that is yet to come. */
  edit(text: string): TextEdit;
  /**
   * The note's text in which a task carries a sign by which others of its format wait for it; one that it has already stays. Undefined
   * when the text holds the task no more.
   */
  signed?(
    text: string,
    stat: FileStat,
    place: TaskPlace,
    sign: string,
    surroundings: Surroundings,
  ): { readonly text: string; readonly sign: string } | undefined;
  /** A note's text with new tasks of this format in it, where a note may hold several. @throws VaultError INVALID_ARGUMENT */
  append?(
    text: string,
    heading: string | undefined,
    boxes: readonly NewCheckbox[],
    context: AppendContext,
  ): AppendedCheckboxes;
  /** Everything known about a task; undefined when the note holds it no more. */
  detail(note: Note, place: TaskPlace, surroundings: Surroundings): TaskDetail | undefined;
}

/** A checkbox to be made; what it does not say is missing. */
export interface NewCheckbox {
  readonly title: string;
  readonly due?: LocalDate | undefined;
  readonly scheduled?: LocalDate | undefined;
  readonly start?: LocalDate | undefined;
  readonly priority?: Priority | undefined;
  readonly recurrence?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** The sign by which other lines wait for it. */
  readonly sign?: string | undefined;
  /** The signs of the lines it waits for. */
  readonly blockedBy?: readonly string[] | undefined;
  /** Its place in the list is below this earlier one, counted from 0. */
  readonly parent?: number | undefined;
}

export interface AppendedCheckboxes {
  readonly text: string;
  /** The numbers of the new lines, from 1, in the order of the checkboxes. */
  readonly lines: readonly number[];
}
