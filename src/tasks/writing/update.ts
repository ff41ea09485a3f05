/** Changes tasks: resolves updates for each task, writes them into its note, and reports effects on other tasks. */
import type { LocalDate } from "../../clock.js";
import { isVaultError, VaultError } from "../../errors.js";
import type { Operation } from "../../history/journal-records.js";
import type { VaultPath } from "../../storage/path.js";
import type { Vault } from "../../vault/vault.js";
import { isOutstanding } from "../agenda.js";
import { isClosed, type Task } from "../task.js";
import type { Consequences, TaskUpdates, UpdatedTask, UpdateOptions } from "../api.js";
import { type CheckedUpdates, type CleanUpdates, cleanUpdates } from "./arguments.js";
import { readLineName } from "../line-format/line-identity.js";
import { fileTitle } from "../note-format/derivation.js";
import { dropsMarker } from "../note-format/update-note.js";
import { isOfProject } from "../query/filter.js";
import type { Reference } from "../references.js";
import type { Relations } from "../dependencies.js";
import type { TaskSnapshot } from "../task-snapshot.js";
import type { TaskSnapshots } from "../task-snapshots.js";
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
  readonly #snapshots: TaskSnapshots;

  constructor(vault: Vault, snapshots: TaskSnapshots) {
    this.#vault = vault;
    this.#snapshots = snapshots;
  }

  async update(reference: string, updates: TaskUpdates, options: UpdateOptions): Promise<UpdatedTask> {
    const today = this.#vault.clock.today();
    const { clean, ...cleaned } = cleanUpdates(updates, { today });
    const checked = { ...cleaned, clean: { ...clean, isRead: options.expectedRevision !== undefined } };
    const snapshot = await this.#snapshots.among([reference, ...referencesIn(checked)]);
    const found = await this.#snapshots.findToUpdate(reference, snapshot);
    const written = await this.#write({ found, checked, ...options }, snapshot, undefined);
    const isFinished = isClosed(checked.clean.values.status ?? "") && written.changed;
    return {
      ...written,
      adjustments: [...written.adjustments, ...remarksOnTarget(reference, found.task, snapshot)],
      updated: checked.updated,
      ...(await this.waits(written.task)),
      ...(isFinished && { consequences: await this.#consequences(found.task, snapshot, today) }),
    };
  }

  async waits(task: Task): Promise<{ readonly waitsFor?: readonly string[] }> {
    if (task.blockedBy.length === 0) return {};
    const snapshot = await this.#snapshots.among([task.id]);
    const relations = snapshot.relations(this.#vault.clock.today());
    return { waitsFor: relations.openBlockersOf(task).map(({ name }) => name) };
  }

  async preview(changes: readonly TaskRequest[], snapshot: TaskSnapshot): Promise<readonly Outcome[]> {
    const settled = await this.#settleAll(changes, snapshot);
    return this.#outcomes(settled, await this.#tried(settled.filter(isSettled), snapshot), snapshot);
  }

  /**
   * A refused change does not stop the others. Changes that concern other notes are written one by one.
   * @throws VaultError when the note cannot be changed at all
   */
  async writeNote(
    changes: readonly TaskRequest[],
    snapshot: TaskSnapshot,
    operation: Operation | undefined,
  ): Promise<readonly Outcome[]> {
    const settled = await this.#settleAll(changes, snapshot);
    const accepted = settled.filter(isSettled);
    // Moving a card to another lane moves other cards.
    const mayMoveOthers = ({ found: { task } }: TaskRequest): boolean => task.board !== undefined;
    if (changes.some(mayMoveOthers) || accepted.some((one) => concerned(one).length > 0))
      return await this.#oneByOne(changes, snapshot, operation);
    const reason = reasonFor(changes);
    return this.#outcomes(settled, await this.#edit(accepted, snapshot, { operation, reason }), snapshot);
  }

  /** The note's own task, then lines from last to first: a change moves the lines below it. */
  async #oneByOne(
    changes: readonly TaskRequest[],
    snapshot: TaskSnapshot,
    operation: Operation | undefined,
  ): Promise<readonly Outcome[]> {
    const lineOf = ({ found }: TaskRequest): number => found.task.line ?? Number.MAX_SAFE_INTEGER;
    const outcomes = new Map<TaskRequest, Outcome>();
    for (const change of changes.toSorted((a, b) => lineOf(b) - lineOf(a)))
      outcomes.set(change, await orRefusal(this.#write(change, snapshot, operation)));
    return changes.flatMap((change) => outcomes.get(change) ?? []);
  }

  /**
   * Writes a change and those it requires.
   */
  async #write(change: TaskRequest, snapshot: TaskSnapshot, operation: Operation | undefined): Promise<WrittenTask> {
    const settled = await this.#settle(change, snapshot);
    const { clean, unsigned, series } = settled;
    const moved = await this.#movedCard(change, snapshot);
    const others = [...concerned(settled), ...(moved ? [moved.found.task] : [])];
    // Checks first, so that a refusal changes nothing.
    if (others.length > 0) accepted(await this.#tried([settled], snapshot));
    const step: Step = { operation, reason: reasonFor([change]) };
    return await this.#together([change.found.task, ...others], step, async (step) => {
      const signed = await signLines(this.#vault, this.#snapshots, snapshot, unsigned, step);
      const blockedBy = clean.values.blockedBy?.map((sign) => signed.signs.get(sign) ?? sign);
      const stepped = series && (await this.#stepSeries(series, settled, snapshot, step));
      const values = { ...clean.values, ...(blockedBy && { blockedBy }) };
      const edited = accepted(await this.#edit([{ ...settled, clean: { ...clean, values } }], snapshot, step));
      const onBoard = moved && accepted(await this.#edit([moved], snapshot, step));
      const also = [
        ...signed.edits,
        ...[stepped, onBoard].flatMap((one) => (one?.changed ? [{ ...one, path: one.task.path }] : [])),
      ];
      const task = snapshot.withArea(edited.task);
      return {
        ...edited,
        task: onBoard ? { ...task, board: onBoard.task.board, lane: onBoard.task.lane } : task,
        changed: edited.changed || onBoard?.changed === true,
        undoable: (edited.undoable || !edited.changed) && also.every(({ undoable }) => undoable),
        alsoChanged: otherPaths(also, edited.task.path),
        adjustments: [...adjustmentsOf(settled, edited, snapshot), ...(onBoard?.remarks ?? [])],
      };
    });
  }

  /** Moves a card to the lane of its new status; without such a lane it stays. */
  async #movedCard(
    { found, checked: { clean } }: TaskRequest,
    snapshot: TaskSnapshot,
  ): Promise<AskedChange | undefined> {
    const { card } = found.task;
    const { lane } = clean;
    const { status } = clean.values;
    if (card === undefined || (status === undefined && lane === undefined)) return undefined;
    const values = lane === undefined && status !== undefined ? { status } : {};
    const change: AskedChange = { found: { task: card, kind: "path" }, clean: { values, lane } };
    const outcomes = await this.#tried([change], snapshot);
    if (lane !== undefined) accepted(outcomes);
    return isVaultError(outcomes[0]) ? undefined : change;
  }

  async #stepSeries(
    series: Task,
    { found, clean }: SettledChange,
    snapshot: TaskSnapshot,
    step: Step,
  ): Promise<Edited> {
    const instance: CleanUpdates = {
      values: { status: clean.values.status ?? "Done" },
      occurrence: { skip: false, day: found.task.occurrence?.day },
    };
    return accepted(await this.#edit([{ found: { task: series, kind: "path" }, clean: instance }], snapshot, step));
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

  async #settleAll(
    changes: readonly TaskRequest[],
    snapshot: TaskSnapshot,
  ): Promise<readonly (SettledChange | VaultError)[]> {
    const settled: (SettledChange | VaultError)[] = [];
    for (const change of changes) settled.push(await orRefusal(this.#settle(change, snapshot)));
    return settled;
  }

  async #settle({ found, checked, expectedRevision }: TaskRequest, snapshot: TaskSnapshot): Promise<SettledChange> {
    const { task } = found;
    const { clean, adjustments } = checked;
    const relations = snapshot.relations(this.#vault.clock.today());
    const spelled = await spelledAsKnown(this.#vault, clean.values, snapshot.usedNames);
    const { blockedBy } = spelled.values;
    const find = async (reference: string): Promise<Task> => (await this.#snapshots.find(reference, snapshot)).task;
    const blockers =
      blockedBy && (await writtenBlockers(blockedBy, task.source, task, { find, relations, tasks: snapshot.tasks }));
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

  async #tried(asked: readonly AskedChange[], snapshot: TaskSnapshot): Promise<readonly (Edited | VaultError)[]> {
    const [first] = asked;
    if (first === undefined) return [];
    const edit = new NoteEdit(this.#vault, this.#snapshots, snapshot, asked);
    await edit.change((await this.#vault.read(first.found.task.path)).text);
    return edit.results().map((one) => edited(one, { undoable: false, durable: true }));
  }

  async #edit(
    asked: readonly AskedChange[],
    snapshot: TaskSnapshot,
    { operation, reason }: Step,
  ): Promise<readonly (Edited | VaultError)[]> {
    const [first] = asked;
    if (first === undefined) return [];
    const edit = new NoteEdit(this.#vault, this.#snapshots, snapshot, asked);
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
    snapshot: TaskSnapshot,
  ): readonly Outcome[] {
    const left = [...results];
    return settled.map((one): Outcome => {
      if (isVaultError(one)) return one;
      const result = left.shift();
      if (result === undefined) throw new Error("A change has no result.");
      if (isVaultError(result)) return result;
      const alsoChanged = result.changed ? otherPaths(concerned(one), result.task.path) : [];
      const task = snapshot.withArea(result.task);
      return { ...result, task, alsoChanged, adjustments: adjustmentsOf(one, result, snapshot) };
    });
  }

  async #consequences(known: Task, snapshot: TaskSnapshot, today: LocalDate): Promise<Consequences> {
    const before = snapshot.relations(today);
    const waiting = before.waitingFor(known);
    const now = waiting.length > 0 ? await this.#snapshots.among([known.id]) : undefined;
    const after = now?.relations(today);
    const byId = new Map((now?.tasks ?? []).map((task) => [task.id, task]));
    const nowReady = waiting.flatMap((one) => {
      const task = byId.get(one.id);
      return task && after?.isReady(task) && !before.isReady(one) ? [task] : [];
    });
    return {
      nowReady: nowReady.slice(0, MAX_NOW_READY),
      waitedFor: before.openBlockersOf(known).map(({ name }) => name),
      openSubtasks: before.subtasksOf(known).filter(isOutstanding).length,
    };
  }
}

/** Equal lines, or a project and its tasks, are easily confused. */
function remarksOnTarget(reference: string, task: Task, { tasks }: TaskSnapshot): readonly string[] {
  if (task.isProject) {
    const open = tasks.filter((one) => isOutstanding(one) && isOfProject(fileTitle(task.path))(one)).length;
    return [`"${task.title}" is a project: its note was changed, its open tasks (${open}) were not`];
  }
  if (task.source !== "line") return [];
  const named = readLineName(reference.trim())?.line;
  const moved =
    named === undefined || named === task.line ? [] : [`line ${named} of ${task.path} is line ${task.line} now`];
  const twin = tasks.find((one) => one.path === task.path && one.title === task.title && one.line !== task.line);
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
  { settings }: TaskSnapshot,
): readonly string[] {
  const { tags } = clean.values;
  const kept = tags !== undefined && dropsMarker(tags, task, settings) ? [MARKER_KEPT] : [];
  return [...adjustments.filter((one) => !notLeftOut.includes(one)), ...kept, ...remarks];
}
