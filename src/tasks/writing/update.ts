/** Changes tasks: resolves updates for each task, writes them into its note, and reports effects on other tasks. */
import { isVaultError, orIfFailed, VaultError } from "../../errors.js";
import type { Operation } from "../../history/journal-records.js";
import { fileTitle, foldName, type VaultPath } from "../../storage/path.js";
import type { Vault } from "../../vault/vault.js";
import { isOutstanding } from "../recurrence/task-series.js";
import { isClosed, type Task } from "../task.js";
import type { Consequences, TaskUpdates, UpdatedTask, UpdateOptions } from "../api.js";
import { type CheckedUpdates, cleanUpdates } from "./arguments.js";
import type { CleanUpdates } from "../format.js";
import { readLineName } from "../line-format/line-identity.js";
import { dropsMarker } from "../note-format/update-note.js";
import { isOfProject } from "../query/filter.js";
import type { Reference } from "../references.js";
import { type Relations, relationsOf } from "../dependencies.js";
import { OPEN, type TaskRows } from "../rows/task-rows.js";
import type { TaskIndex } from "../rows/task-index.js";
import { type SignFor, signLines, writtenBlockers } from "./blockers.js";
import { finishedMark, lastFinishedOf, type AskedChange, type EditResult, NoteEdit } from "./note-edit.js";
import { spelledAsKnown } from "./known-names.js";

const MARKER_KEPT = 'the tag "task" was kept: it makes the note a task';
const MAX_NOW_READY = 5;

export interface TaskRequest extends UpdateOptions {
  readonly found: Reference;
  readonly checked: CheckedUpdates;
}

export type WrittenTask = Pick<
  UpdatedTask,
  "task" | "changed" | "series" | "undoable" | "durable" | "adjustments" | "alsoChanged" | "operation"
>;

export type Outcome = WrittenTask | VaultError;

/** Names in the vault's spelling; references as links or signs. */
interface SettledChange extends AskedChange {
  readonly adjustments: readonly string[];
  readonly unsigned: readonly SignFor[];
  /** Set when an instance of it is finished or reopened. */
  readonly series: Task | undefined;
}

type Edited = Omit<WrittenTask, "adjustments" | "alsoChanged" | "operation"> &
  Pick<EditResult, "remarks" | "notLeftOut">;
interface Step {
  readonly reason: string;
  readonly operation?: Operation | undefined;
}

export class TaskUpdater {
  readonly #vault: Vault;
  readonly #index: TaskIndex;

  constructor(vault: Vault, index: TaskIndex) {
    this.#vault = vault;
    this.#index = index;
  }

  async update(reference: string, updates: TaskUpdates, options: UpdateOptions): Promise<UpdatedTask> {
    const today = this.#vault.clock.today();
    const { clean, ...cleaned } = cleanUpdates(updates, { today });
    const checked = { ...cleaned, clean: { ...clean, isRead: options.expectedRevision !== undefined } };
    const rows = await this.#index.among([reference, ...referencesIn(checked)]);
    const found = await this.#index.findToUpdate(reference, rows);
    // Before the write: rows are those of the last refresh.
    const remarks = remarksOnTarget(reference, found.task, rows);
    const written = await this.#write({ found, checked, ...options }, rows, undefined);
    const isFinished = isClosed(checked.clean.values.status ?? "") && written.changed;
    const consequences = isFinished && (await orIfFailed(this.#consequences(found.task, rows), undefined));
    return {
      ...written,
      adjustments: [...written.adjustments, ...remarks],
      updated: checked.updated,
      ...(await orIfFailed(this.waits(written.task), {})),
      ...(consequences && { consequences }),
    };
  }

  async waits(task: Task): Promise<Pick<UpdatedTask, "waitsFor">> {
    if (task.blockedBy.length === 0) return {};
    const rows = await this.#index.among([task.id]);
    return { waitsFor: relationsOf(rows).waitingOf(task) };
  }

  async preview(changes: readonly TaskRequest[], rows: TaskRows): Promise<readonly Outcome[]> {
    const settled = await this.#settleAll(changes, rows);
    return this.#outcomes(settled, await this.#tried(settled.filter(isSettled), rows), rows);
  }

  /**
   * A refused change does not stop the others. Changes that concern other notes are written one by one.
   * @throws VaultError when the note cannot be changed at all
   */
  async writeNote(
    changes: readonly TaskRequest[],
    rows: TaskRows,
    operation: Operation | undefined,
  ): Promise<readonly Outcome[]> {
    const settled = await this.#settleAll(changes, rows);
    const accepted = settled.filter(isSettled);
    // Moving a card to another lane moves other cards.
    const mayMoveOthers = ({ found: { task } }: TaskRequest): boolean => task.board !== undefined;
    if (changes.some(mayMoveOthers) || accepted.some((one) => concerned(one).length > 0))
      return await this.#oneByOne(changes, rows, operation);
    const reason = reasonFor(changes);
    return this.#outcomes(settled, await this.#edit(accepted, rows, { operation, reason }), rows);
  }

  /** The note's own task, then lines from last to first: a change moves the lines below it. */
  async #oneByOne(
    changes: readonly TaskRequest[],
    rows: TaskRows,
    operation: Operation | undefined,
  ): Promise<readonly Outcome[]> {
    const lineOf = ({ found }: TaskRequest): number => found.task.line ?? Number.MAX_SAFE_INTEGER;
    const outcomes = new Map<TaskRequest, Outcome>();
    for (const change of changes.toSorted((a, b) => lineOf(b) - lineOf(a)))
      outcomes.set(change, await orRefusal(this.#write(change, rows, operation)));
    return changes.flatMap((change) => outcomes.get(change) ?? []);
  }

  /**
   * Writes a change and those it requires.
   */
  async #write(change: TaskRequest, rows: TaskRows, operation: Operation | undefined): Promise<WrittenTask> {
    const settled = await this.#settle(change, rows);
    const { clean, unsigned, series } = settled;
    const moved = await this.#movedCard(change, rows);
    const others = [...concerned(settled), ...(moved ? [moved.found.task] : [])];
    // Checks first, so that a refusal changes nothing.
    if (others.length > 0) accepted(await this.#tried([settled], rows));
    const step: Step = { operation, reason: reasonFor([change]) };
    return await this.#together([change.found.task, ...others], step, async (step) => {
      const signed = await signLines(this.#vault, this.#index, rows, unsigned, step);
      const blockedBy = clean.values.blockedBy?.map((sign) => signed.signs.get(sign) ?? sign);
      const stepped = series && (await this.#stepSeries(series, settled, rows, step));
      const values = { ...clean.values, ...(blockedBy && { blockedBy }) };
      const edited = accepted(await this.#edit([{ ...settled, clean: { ...clean, values } }], rows, step));
      const onBoard = moved && accepted(await this.#edit([moved], rows, step));
      const also = [
        ...signed.edits,
        ...[stepped, onBoard].flatMap((one) => (one?.changed ? [{ ...one, path: one.task.path }] : [])),
      ];
      const task = rows.withArea(edited.task);
      return {
        ...edited,
        task: onBoard ? { ...task, board: onBoard.task.board, lane: onBoard.task.lane } : task,
        changed: edited.changed || onBoard?.changed === true,
        undoable: (edited.undoable || !edited.changed) && also.every(({ undoable }) => undoable),
        alsoChanged: otherPaths(also, edited.task.path),
        adjustments: [...adjustmentsOf(settled, edited, rows), ...(onBoard?.remarks ?? [])],
      };
    });
  }

  /** Moves a card to the lane of its new status; without such a lane it stays. */
  async #movedCard({ found, checked: { clean } }: TaskRequest, rows: TaskRows): Promise<AskedChange | undefined> {
    const { card } = found.task;
    const { lane } = clean;
    const { status } = clean.values;
    if (card === undefined || (status === undefined && lane === undefined)) return undefined;
    const values = lane === undefined && status !== undefined ? { status } : {};
    const change: AskedChange = { found: { task: card, kind: "path" }, clean: { values, lane } };
    const outcomes = await this.#tried([change], rows);
    if (lane !== undefined) accepted(outcomes);
    return isVaultError(outcomes[0]) ? undefined : change;
  }

  async #stepSeries(series: Task, { found, clean }: SettledChange, rows: TaskRows, step: Step): Promise<Edited> {
    const instance: CleanUpdates = {
      values: { status: clean.values.status ?? "Done" },
      occurrence: { skip: false, day: found.task.occurrence?.day },
    };
    return accepted(await this.#edit([{ found: { task: series, kind: "path" }, clean: instance }], rows, step));
  }

  /** A single edit needs no operation. */
  async #together(
    tasks: readonly Task[],
    step: Step,
    work: (step: Step) => Promise<WrittenTask>,
  ): Promise<WrittenTask> {
    if (step.operation || tasks.length === 1) return await work(step);
    const files = [...new Set(tasks.map(({ path }) => path))];
    const plan = { reason: step.reason, asOne: true, files };
    const { result, operation, undoable } = await this.#vault.history.together(plan, (operation) =>
      work({ ...step, operation }),
    );
    return { ...result, undoable, ...(undoable && operation !== undefined && { operation }) };
  }

  async #settleAll(changes: readonly TaskRequest[], rows: TaskRows): Promise<readonly (SettledChange | VaultError)[]> {
    const settled: (SettledChange | VaultError)[] = [];
    for (const change of changes) settled.push(await orRefusal(this.#settle(change, rows)));
    return settled;
  }

  async #settle({ found, checked, expectedRevision }: TaskRequest, rows: TaskRows): Promise<SettledChange> {
    const { task } = found;
    const { clean, adjustments } = checked;
    const relations = relationsOf(rows);
    const spelled = await spelledAsKnown(this.#vault, clean.values, rows.usedNames);
    const { blockedBy } = spelled.values;
    const find = async (reference: string): Promise<Task> => (await this.#index.find(reference, rows)).task;
    const blockers = blockedBy && (await writtenBlockers(blockedBy, task.source, task, { find, relations, rows }));
    const values = { ...spelled.values, ...(blockers && { blockedBy: blockers.references }) };
    return {
      found,
      // The lane belongs to the card.
      clean: { ...clean, values, ...(task.card && { lane: undefined }) },
      expectedRevision,
      adjustments: [...adjustments, ...spelled.adjustments],
      unsigned: blockers?.unsigned ?? [],
      series: seriesOfInstance(task, clean, relations),
      lastFinished: clean.values.status === "Done" ? await lastFinishedOf(this.#vault, task) : undefined,
    };
  }

  async #tried(asked: readonly AskedChange[], rows: TaskRows): Promise<readonly (Edited | VaultError)[]> {
    const [first] = asked;
    if (first === undefined) return [];
    const edit = new NoteEdit(this.#vault, this.#index, rows, asked);
    await edit.change((await this.#vault.read(first.found.task.path)).text);
    return edit.results().map((one) => edited(one, { undoable: false, durable: true }));
  }

  async #edit(
    asked: readonly AskedChange[],
    rows: TaskRows,
    { operation, reason }: Step,
  ): Promise<readonly (Edited | VaultError)[]> {
    const [first] = asked;
    if (first === undefined) return [];
    const edit = new NoteEdit(this.#vault, this.#index, rows, asked);
    const change = (text: string): Promise<string> => edit.change(text);
    const mark = (): string | undefined => finishedMark(edit.results());
    const options = { operation, mark, named: () => edit.named() };
    const { undoable, file } = await this.#vault.writing.edit(first.found.task.path, change, reason, options);
    const { durable = true } = file ?? {};
    return edit.results(file?.stat).map((one) => edited(one, { undoable, durable }));
  }

  /** In the order of the changes. */
  #outcomes(
    settled: readonly (SettledChange | VaultError)[],
    results: readonly (Edited | VaultError)[],
    rows: TaskRows,
  ): readonly Outcome[] {
    const left = [...results];
    return settled.map((one): Outcome => {
      if (isVaultError(one)) return one;
      const result = left.shift();
      if (result === undefined) throw new Error("A change has no result.");
      if (isVaultError(result)) return result;
      const alsoChanged = result.changed ? otherPaths(concerned(one), result.task.path) : [];
      const task = rows.withArea(result.task);
      return { ...result, task, alsoChanged, adjustments: adjustmentsOf(one, result, rows) };
    });
  }

  /** The state before is read before the index is refreshed. */
  async #consequences(known: Task, rows: TaskRows): Promise<Consequences> {
    const before = relationsOf(rows);
    const waitedFor = before.openBlockersOf(known).map(({ name }) => name);
    const openSubtasks = before.subtasksOf(known).filter(isOutstanding).length;
    const waiting = before.waitingFor(known).filter((task) => !before.isReady(task));
    const now = waiting.length > 0 ? await this.#index.among([known.id]) : undefined;
    const nowReady = waiting.flatMap(({ id }) => {
      const [task] = now?.with({ by: "ref", value: id }) ?? [];
      return now && task && relationsOf(now).isReady(task) ? [task] : [];
    });
    return { nowReady: nowReady.slice(0, MAX_NOW_READY), waitedFor, openSubtasks };
  }
}

/** Equal lines, or a project and its tasks, are easily confused. */
function remarksOnTarget(reference: string, task: Task, rows: TaskRows): readonly string[] {
  if (task.isProject) {
    const open = rows.total([OPEN, isOfProject(fileTitle(task.path))]);
    return [`"${task.title}" is a project: its note was changed, its open tasks (${open}) were not`];
  }
  if (task.source !== "line") return [];
  const named = readLineName(reference.trim())?.line;
  const moved =
    named === undefined || named === task.line ? [] : [`line ${named} of ${task.path} is line ${task.line} now`];
  const twin = rows
    .with({ by: "title", value: foldName(task.title) })
    .find((one) => one.path === task.path && one.title === task.title && one.line !== task.line);
  return twin === undefined ? moved : [...moved, `another line of ${task.path} has the same text: ${twin.id}`];
}

export function referencesIn({ clean }: CheckedUpdates): readonly string[] {
  return clean.values.blockedBy ?? [];
}

function seriesOfInstance(task: Task, { values }: CleanUpdates, relations: Relations): Task | undefined {
  if (!task.occurrence || (values.status !== "Done" && values.status !== "To Do")) return undefined;
  return relations.resolve(task, task.occurrence.parent).find((parent) => parent !== task && parent.series);
}

function concerned({ unsigned, series }: SettledChange): readonly Task[] {
  return [...unsigned.map(({ task }) => task), ...(series ? [series] : [])];
}

function otherPaths(changed: readonly { readonly path: VaultPath }[], own: VaultPath): readonly VaultPath[] {
  return [...new Set(changed.map(({ path }) => path))].filter((path) => path !== own);
}

const isSettled = (one: SettledChange | VaultError): one is SettledChange => !isVaultError(one);

const reasonFor = ([change]: readonly TaskRequest[]): string => `update task: ${change?.checked.updated.join(", ")}`;

function edited(
  result: EditResult | VaultError,
  { undoable, durable }: Pick<Edited, "undoable" | "durable">,
): Edited | VaultError {
  return isVaultError(result) ? result : { ...result, undoable: undoable && result.changed, durable };
}

function accepted([result]: readonly (Edited | VaultError)[]): Edited {
  if (result === undefined || isVaultError(result)) throw result ?? new Error("A change has no result.");
  return result;
}

async function orRefusal<Result>(work: Promise<Result>): Promise<Result | VaultError> {
  try {
    return await work;
  } catch (error) {
    if (isVaultError(error)) return error;
    throw error;
  }
}

function adjustmentsOf(
  { clean, adjustments }: SettledChange,
  { task, remarks = [], notLeftOut = [] }: Edited,
  { settings }: TaskRows,
): readonly string[] {
  const { tags } = clean.values;
  const kept = tags !== undefined && dropsMarker(tags, task, settings) ? [MARKER_KEPT] : [];
  return [...adjustments.filter((one) => !notLeftOut.includes(one)), ...kept, ...remarks];
}
