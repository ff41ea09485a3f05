/** Changes a note's text for one or several of its tasks, based on the text at the time of writing. */
import { relationsOf } from "../dependencies.js";
import { TimeSlice } from "../../async/yield-to-loop.js";
import { isVaultError, VaultError } from "../../errors.js";
import { bothNamed, type Named, NOTHING_NAMED } from "../../markdown/nothing-dropped.js";
import { type LocalDate, parseLocalDate } from "../../clock.js";
import type { FileStat } from "../../storage/storage.js";
import type { Vault } from "../../vault/vault.js";
import type { UpdatedTask, UpdateOptions } from "../api.js";
import type { CleanUpdates } from "../format.js";
import type { EditedTask, FindTask, FinishedInstance, TaskFormat, TextEdit, UpdateContext } from "../format.js";
import type { Reference } from "../references.js";
import { isHash } from "../../text/hash.js";
import { settingsMark } from "../note-format/customs.js";
import { currentDay } from "../recurrence/task-series.js";
import type { Task } from "../task.js";
import type { TaskRows } from "../rows/task-rows.js";
import type { TaskIndex } from "../task-index.js";
import { noLongerTask, unreadable, wouldBeNoTask } from "../unknown-reference.js";
import { looksLikeRRule } from "../recurrence/recurrence-rule.js";

export interface AskedChange extends UpdateOptions {
  readonly found: Reference;
  readonly clean: CleanUpdates;
  readonly lastFinished?: FinishedInstance | undefined;
}

export type EditResult = Pick<UpdatedTask, "task" | "series" | "changed"> & Pick<EditedTask, "remarks" | "notLeftOut">;

interface Written {
  readonly text: string;
  readonly results: ReadonlyMap<AskedChange, EditResult>;
  readonly refused: ReadonlyMap<AskedChange, VaultError>;
  readonly named: Named;
}

export class NoteEdit {
  readonly #vault: Vault;
  readonly #index: TaskIndex;
  readonly #rows: TaskRows;
  readonly #asked: readonly AskedChange[];
  /** Lines from last to first, then the note itself: a change moves the lines below it. */
  readonly #inOrder: readonly AskedChange[];
  #written: Written | undefined;

  constructor(vault: Vault, index: TaskIndex, rows: TaskRows, asked: readonly AskedChange[]) {
    this.#vault = vault;
    this.#index = index;
    this.#rows = rows;
    this.#asked = asked;
    const lineOf = ({ found }: AskedChange): number => found.task.line ?? 0;
    this.#inOrder = asked.toSorted((a, b) => lineOf(b) - lineOf(a));
  }

  /** Skips tasks that cannot be changed. May be called again. */
  async change(text: string): Promise<string> {
    await this.#assertSameSettings();
    const refused = new Map<AskedChange, VaultError>();
    const slice = new TimeSlice();
    const existing = this.#tasksIn(text, refused);
    for (;;) {
      const { text: changed, made } = this.#changed(text, existing, refused);
      // Parsing a long note again takes time.
      if (slice.isOver) await slice.yield();
      const results = this.#resultsIn(changed, made);
      const lost = [...made.keys()].filter((asked) => !results.has(asked));
      if (lost.length === 0) {
        const named = [...made.values()].map((one) => one.named ?? linesNamed(Math.max(0, -one.linesAdded)));
        this.#written = { text: changed, results, refused, named: named.reduce(bothNamed, NOTHING_NAMED) };
        return changed;
      }
      for (const asked of lost) {
        refused.set(asked, wouldBeNoTask(asked.found.task));
        existing.delete(asked);
      }
    }
  }

  /** @throws VaultError CONFLICT when TaskNotes' type file says something else by now */
  async #assertSameSettings(): Promise<void> {
    const known = this.#rows.settings;
    if (known.taskNotes.type === undefined) return;
    const now = await this.#vault.settings();
    if (now === known || settingsMark(now.taskNotes) === settingsMark(known.taskNotes)) return;
    throw new VaultError(
      "CONFLICT",
      `TaskNotes' type file ${known.taskNotes.type.path} was changed at this very moment.`,
      {
        hint: "Make the call again. Nothing was changed.",
      },
    );
  }

  /** What the changes replace. */
  named(): Named {
    return this.#written?.named ?? NOTHING_NAMED;
  }

  /** @param now the written file, if any */
  results(now?: FileStat): readonly (EditResult | VaultError)[] {
    const written = this.#written;
    if (written === undefined) throw new Error("Nothing was changed yet.");
    return this.#asked.map((asked) => {
      const result = written.results.get(asked);
      if (result === undefined) return written.refused.get(asked) ?? noLongerTask(asked.found.task);
      const stat = now ?? this.#statOf(asked);
      const { task } = result;
      return { ...result, task: stat === undefined ? task : { ...task, modified: stat.modified } };
    });
  }

  #tasksIn(text: string, refused: Map<AskedChange, VaultError>): Map<AskedChange, Task> {
    const finders = this.#findersIn(text);
    const existing = new Map<AskedChange, Task>();
    for (const asked of this.#inOrder) {
      const { found, clean, expectedRevision } = asked;
      const { task: known, kind } = found;
      refusing(asked, refused, () => {
        const find = finders(asked);
        if (find === undefined) throw noLongerTask(known);
        const task = find(known);
        if (task === undefined) throw unreadable(text, known) ?? noLongerTask(known);
        // A line's id changes when it moves.
        if (kind === "id" && task.source === "note" && task.id !== known.id) throw noLongerTask(known);
        assertUnchanged(known, task, clean, { expectedRevision }, this.#vault.clock.today());
        existing.set(asked, task);
      });
    }
    return existing;
  }

  #changed(text: string, existing: ReadonlyMap<AskedChange, Task>, refused: Map<AskedChange, VaultError>) {
    const { clock } = this.#vault;
    const today = clock.today();
    const rows = this.#rows;
    const { settings, dialect } = rows;
    const relations = relationsOf(rows);
    const made = new Map<AskedChange, EditedTask>();
    const edits = new Edits(text);
    for (const [asked, task] of existing)
      refusing(asked, refused, () => {
        const context: UpdateContext = {
          task,
          dialect,
          today,
          clock,
          ids: this.#vault.ids,
          settings,
          relations,
          lastFinished: asked.lastFinished,
          hasDatedLine: () => rows.hasDatedLine,
        };
        made.set(asked, edits.by(this.#formatOf(asked)).update(asked.clean, context));
      });
    return { text: edits.text, made };
  }

  /** Omits tasks that are no longer tasks. */
  #resultsIn(text: string, made: ReadonlyMap<AskedChange, EditedTask>): ReadonlyMap<AskedChange, EditResult> {
    const finders = this.#findersIn(text);
    const results = new Map<AskedChange, EditResult>();
    let linesAdded = 0;
    // Later changes, further up, may have moved earlier ones.
    for (const [asked, { gone, place, series, next, changed, remarks, notLeftOut, linesAdded: own }] of [
      ...made,
    ].toReversed()) {
      const moved = place.line === undefined ? place : { ...place, line: place.line + linesAdded };
      const following = next && finders(asked)?.({ ...next, line: (next.line ?? 0) + linesAdded });
      linesAdded += own;
      const task = gone ?? finders(asked)?.(moved);
      const outcome = series && { series: { ...series, ...(following && { nextId: following.id }) } };
      if (task !== undefined) results.set(asked, { task, changed, remarks, notLeftOut, ...outcome });
    }
    return results;
  }

  #formatOf({ found }: AskedChange): TaskFormat {
    return this.#index.formatOf(found.task.source);
  }

  #statOf(asked: AskedChange): FileStat | undefined {
    return asked.found.stat ?? this.#rows.view.statOf(asked.found.task.path);
  }

  #finder(text: string, asked: AskedChange, stat = this.#statOf(asked)): FindTask | undefined {
    return stat && this.#formatOf(asked).finder(text, stat, this.#rows.surroundings);
  }

  /** Parses the text once per format. */
  #findersIn(text: string): (asked: AskedChange) => FindTask | undefined {
    const known = new Map<TaskFormat, FindTask | undefined>();
    return (asked) => {
      const format = this.#formatOf(asked);
      if (!known.has(format)) known.set(format, this.#finder(text, asked));
      return known.get(format);
    };
  }
}

const linesNamed = (lines: number): Named => ({ ...NOTHING_NAMED, lines });

class Edits {
  #text: string;
  #format: TaskFormat | undefined;
  #edit: TextEdit | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get text(): string {
    return this.#edit?.text ?? this.#text;
  }

  by(format: TaskFormat): TextEdit {
    if (this.#edit === undefined || this.#format !== format) {
      this.#text = this.text;
      this.#format = format;
      this.#edit = format.edit(this.#text);
    }
    return this.#edit;
  }
}

function refusing(asked: AskedChange, refused: Map<AskedChange, VaultError>, step: () => void): void {
  try {
    step();
  } catch (error) {
    if (!isVaultError(error)) throw error;
    refused.set(asked, error);
  }
}

function assertUnchanged(
  known: Task,
  task: Task,
  updates: CleanUpdates,
  { expectedRevision }: UpdateOptions,
  today: LocalDate,
): void {
  if (expectedRevision !== undefined && !isHash(expectedRevision, task.revision))
    throw conflict(`"${task.title}" has changed since it had the revision you know.`, task);
  const finishes = updates.values.status === "Done" && updates.occurrence === undefined;
  if (finishes && known.series && currentDay(known, today) !== currentDay(task, today))
    throw conflict(`"${task.title}" was moved on to another day meanwhile, so nothing was finished.`, task);
}

function conflict(message: string, { path }: Task): VaultError {
  return new VaultError("CONFLICT", message, { path, hint: "Look at the task with get_task and decide again." });
}

const MARK = /^finished (\S{10}) next (\S{10})$/;

export function finishedMark(results: readonly (EditResult | VaultError)[]): string | undefined {
  for (const result of results) {
    if (isVaultError(result) || !keepsNoList(result.task)) continue;
    const { kind, day, next } = result.series ?? {};
    if (kind === "done" && day !== undefined && next !== undefined) return `finished ${day} next ${next}`;
  }
  return undefined;
}

/** The last instance that any process of this server finished; undo removes it. */
export async function lastFinishedOf(vault: Vault, task: Task): Promise<FinishedInstance | undefined> {
  if (!keepsNoList(task)) return undefined;
  for (const mark of await vault.history.marks(task.path)) {
    const [day, next] = (MARK.exec(mark) ?? []).slice(1).map(parseLocalDate);
    if (day !== undefined && next !== undefined) return { day, next };
  }
  return undefined;
}

const keepsNoList = ({ source, series }: Task): boolean =>
  source === "note" && series !== undefined && !looksLikeRRule(series.rule);
