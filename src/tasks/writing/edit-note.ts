/** Computes a note's new text for changes of its tasks, and what such changes need from the vault. */
import { relationsOf } from "../relations.js";
import { call, said } from "../../text/wording.js";
import { TimeSlice } from "../../async/timers.js";
import { type LocalDate, parseLocalDate } from "../../clock.js";
import { isVaultError, NOTHING_CHANGED, VaultError } from "../../errors.js";
import { isBoard, readBoard } from "../../markdown/kanban/board.js";
import { boardStyle } from "../../markdown/kanban/card-dates.js";
import { bothNamed, type Named, NOTHING_NAMED } from "../../markdown/nothing-dropped.js";
import type { VaultPath } from "../../storage/path.js";
import type { FileStat } from "../../storage/storage.js";
import { isHash } from "../../text/hash.js";
import { literalPattern } from "../../text/fold.js";
import type { Vault } from "../../vault/vault.js";
import type { ChangedText } from "../../vault/writing.js";
import type { UpdatedTask, UpdateOptions } from "../api.js";
import type { CleanUpdates, EditedTask, FindTask, FinishedInstance, TaskFormat, TextEdit } from "../format.js";
import { settingsMark } from "../note-format/note-settings.js";
import { looksLikeRRule } from "../recurrence/recurrence-rule.js";
import { currentDay } from "../recurrence/series.js";
import { noLongerTask, type Reference, unreadable, wouldBeNoTask } from "../task-references.js";
import type { TaskRows } from "../rows/task-rows.js";
import type { LinePlace, Task } from "../task.js";
import type { Mutex } from "async-mutex";
import type { TaskFinder } from "../query/finder.js";
import type { TaskIndex } from "../task-index.js";

export interface NoteLinks {
  find(reference: string): Promise<VaultPath>;
  /** The shortest. */
  linkText(to: VaultPath, from: VaultPath): Promise<string>;
  linksTaken(path: VaultPath): Promise<string | undefined>;
  /** No `line` in a canvas. */
  backlinks(path: VaultPath): Promise<readonly { readonly from: VaultPath; readonly line?: number }[]>;
  /** For text that moves to another note: keeps the destinations of its links. */
  carried(text: string, way: { readonly from: VaultPath; readonly to: VaultPath }): Promise<string>;
  /** That most notes have as a list. */
  lists(properties: readonly string[]): Promise<ReadonlySet<string>>;
  /** Links to a part that the note loses with these lines. */
  lost(
    path: VaultPath,
    parts: { readonly text: string; readonly rest: string; readonly start: number; readonly end: number },
  ): Promise<number>;
}

export interface WriteContext {
  readonly vault: Vault;
  readonly index: TaskIndex;
  readonly finder: TaskFinder;
  readonly links: NoteLinks | undefined;
  /** One creation at a time: titles that differ only in case must see each other's file. */
  readonly creating: Mutex;
}

export interface AskedChange extends UpdateOptions {
  readonly found: Reference;
  readonly clean: CleanUpdates;
  readonly lastFinished?: FinishedInstance | undefined;
}

interface LinesStep {
  readonly kind: "lines";
  readonly path: VaultPath;
  /** Undefined to add lines. */
  readonly line?: number | undefined;
  /** The first place becomes the result's task. */
  readonly showsTask?: boolean;
  readonly edit: (text: string) => Promise<EditedLines>;
}

export interface EditedLines extends Omit<ChangedText, "mark"> {
  /** Of the new checkboxes. */
  readonly places: readonly LinePlace[];
}

export type TextStep = ({ readonly kind: "sign" | "series" | "task" | "card" } & AskedChange) | LinesStep;

export type EditResult = Pick<UpdatedTask, "task" | "series" | "changed"> &
  Pick<EditedTask, "remarks" | "fullLane" | "notLeftOut"> & { readonly places?: readonly LinePlace[] };

interface EditedNote extends ChangedText {
  /** In the order of the changes. */
  readonly results: readonly (EditResult | VaultError)[];
}

/** Tasks first, then lines from last to first. Skips impossible changes. */
export async function editSteps(context: WriteContext, rows: TaskRows, text: string, steps: readonly TextStep[]) {
  const asked = steps.flatMap((step) => (step.kind === "lines" ? [] : [step]));
  const edited = await editTasks(context, rows, text, asked);
  const results = new Map<TextStep, Partial<EditResult> | VaultError | undefined>();
  for (const [at, step] of asked.entries()) results.set(step, edited.results[at]);
  let { text: now, named = NOTHING_NAMED } = edited;
  const placesOf = new Map<LinesStep, readonly LinePlace[]>();
  const ofLines = steps.flatMap((step) => (step.kind === "lines" ? [step] : []));
  const slice = new TimeSlice();
  for (const step of ofLines.toSorted((a, b) => (b.line ?? 0) - (a.line ?? 0))) {
    if (slice.isOver) await slice.yield();
    try {
      const made = await step.edit(now);
      const [first] = made.places;
      const added = made.text.split("\n").length - now.split("\n").length;
      const moved = (place: LinePlace): LinePlace =>
        first !== undefined && place.line >= first.line ? { ...place, line: place.line + added } : place;
      for (const [other, places] of placesOf) placesOf.set(other, places.map(moved));
      placesOf.set(step, made.places);
      now = made.text;
      named = bothNamed(named, made.named ?? NOTHING_NAMED);
    } catch (error) {
      if (!isVaultError(error)) throw error;
      results.set(step, error);
    }
  }
  for (const [step, places] of placesOf) results.set(step, { changed: true, places, ...shownTask(step, places) });
  return { text: now, named, mark: edited.mark, results: steps.map((step) => results.get(step)) };

  function shownTask({ path, showsTask = false }: LinesStep, [place]: readonly LinePlace[]): Partial<EditResult> {
    const stat = rows.view.statOf(path);
    if (!showsTask || stat === undefined || place === undefined) return {};
    const task = context.index.formatOf("line").finder(now, stat, rows.context)(place);
    return task === undefined ? {} : { task };
  }
}

/** Skips tasks that cannot be changed. */
async function editTasks(
  context: WriteContext,
  rows: TaskRows,
  text: string,
  asked: readonly AskedChange[],
): Promise<EditedNote> {
  const results = new Map<AskedChange, EditResult | VaultError>();
  const named: Named[] = [];
  let now = text;
  const batches = batchesOf(text, asked, rows);
  for (const batch of batches) {
    const edited = await editBatch(context, rows, now, batch);
    now = edited.text;
    named.push(edited.named);
    for (const [one, result] of edited.results) results.set(one, result);
  }
  const find = findersIn(now, context, rows);
  // A card that moved later has moved those before it.
  for (const [one, result] of batches.length > 1 && isBoard(text) ? [...results] : []) {
    const task = isVaultError(result) ? undefined : find(one)?.(result.task);
    if (!isVaultError(result) && task?.status === result.task.status) results.set(one, { ...result, task });
  }
  // The last card that moved into a lane counts those before it.
  const last = new Map<string, AskedChange>();
  for (const [one, result] of results)
    if (!isVaultError(result) && result.fullLane !== undefined) last.set(result.fullLane.lane, one);
  const inOrder = asked.map((one) => withLaneCount(results.get(one) ?? noLongerTask(one.found.task), one, last));
  return { text: now, results: inOrder, named: named.reduce(bothNamed, NOTHING_NAMED), mark: finishedMark(inOrder) };
}

function withLaneCount(
  result: EditResult | VaultError,
  asked: AskedChange,
  last: ReadonlyMap<string, AskedChange>,
): EditResult | VaultError {
  if (isVaultError(result) || result.fullLane === undefined || last.get(result.fullLane.lane) !== asked) return result;
  return { ...result, remarks: [...(result.remarks ?? []), result.fullLane.remark] };
}

/**
 * Lines from last to first: a change moves the lines below. Each batch starts from the previous text, because a card
 * may move to any line, and a task may have several changes.
 */
function batchesOf(text: string, asked: readonly AskedChange[], rows: TaskRows): readonly (readonly AskedChange[])[] {
  const lineOf = ({ found }: AskedChange): number => found.task.line ?? 0;
  const inOrder = asked.toSorted((a, b) => lineOf(b) - lineOf(a));
  if (isBoard(text)) return (keepOrder(text, asked, rows) ? inOrder.toReversed() : inOrder).map((one) => [one]);
  const batches: { readonly ids: Set<string>; readonly asked: AskedChange[] }[] = [];
  for (const one of inOrder) {
    const { id } = one.found.task;
    let batch = batches.find(({ ids }) => !ids.has(id));
    if (batch === undefined) batches.push((batch = { ids: new Set(), asked: [] }));
    batch.ids.add(id);
    batch.asked.push(one);
  }
  return batches.map((batch) => batch.asked);
}

/** Cards keep their order if the first moves first. Their lines then change, so titles must identify them. */
function keepOrder(text: string, asked: readonly AskedChange[], { settings: { kanban } }: TaskRows): boolean {
  const titles = asked.map(({ found }) => found.task.title);
  const words = (title: string) => new RegExp(`(?<![\\p{L}\\p{N}])${literalPattern(title)}(?![\\p{L}\\p{N}])`, "u");
  const isKnown = (title: string): boolean => title !== "" && text.split(words(title)).length === 2;
  return titles.every(isKnown) && !boardStyle(readBoard(text).settings, kanban).prepends;
}

/** @throws CONFLICT when TaskNotes' type file has changed */
export async function assertSameSettings(vault: Vault, { settings: known }: TaskRows): Promise<void> {
  if (known.taskNotes.type === undefined) return;
  const now = await vault.settings();
  if (now === known || settingsMark(now.taskNotes) === settingsMark(known.taskNotes)) return;
  throw new VaultError(
    "CONFLICT",
    `TaskNotes' type file ${known.taskNotes.type.path} was changed at this very moment.`,
    {
      hint: ["Make the call again.", NOTHING_CHANGED],
    },
  );
}

async function editBatch(context: WriteContext, rows: TaskRows, text: string, batch: readonly AskedChange[]) {
  const results = new Map<AskedChange, EditResult | VaultError>();
  const slice = new TimeSlice();
  const existing = tasksIn(text, batch, findersIn(text, context, rows), results, context.vault.clock.today());
  for (;;) {
    const { text: changed, made } = changedText(text, existing, context, rows, results);
    // Parsing a long note again is slow.
    if (slice.isOver) await slice.yield();
    const tasks = tasksAfter(made, findersIn(changed, context, rows));
    const lost = [...made.keys()].filter((asked) => !tasks.has(asked));
    if (lost.length === 0) {
      for (const [asked, result] of tasks) results.set(asked, result);
      const named = [...made.values()].map((one) => one.named ?? linesNamed(Math.max(0, -one.linesAdded)));
      return { text: changed, results, named: named.reduce(bothNamed, NOTHING_NAMED) };
    }
    for (const asked of lost) {
      results.set(asked, wouldBeNoTask(asked.found.task));
      existing.delete(asked);
    }
  }
}

const linesNamed = (lines: number): Named => ({ ...NOTHING_NAMED, lines });

type Finders = (asked: AskedChange) => FindTask | undefined;

function findersIn(text: string, { index }: WriteContext, rows: TaskRows): Finders {
  const known = new Map<TaskFormat, FindTask | undefined>();
  return ({ found }) => {
    const format = index.formatOf(found.task.source);
    const stat = knownStat(found, rows);
    if (!known.has(format)) known.set(format, stat && format.finder(text, stat, rows.context));
    return known.get(format);
  };
}

export const knownStat = ({ stat, task }: Reference, { view }: TaskRows): FileStat | undefined =>
  stat ?? view.statOf(task.path);

function tasksIn(
  text: string,
  batch: readonly AskedChange[],
  finders: Finders,
  refused: Map<AskedChange, EditResult | VaultError>,
  today: LocalDate,
): Map<AskedChange, Task> {
  const existing = new Map<AskedChange, Task>();
  for (const asked of batch) {
    const { task: known, kind } = asked.found;
    refusing(asked, refused, () => {
      const find = finders(asked);
      if (find === undefined) throw noLongerTask(known);
      const task = find(known);
      if (task === undefined) throw unreadable(text, known) ?? noLongerTask(known);
      // A line's id changes when it moves.
      if (kind === "id" && task.source === "note" && task.id !== known.id) throw noLongerTask(known);
      assertUnchanged(known, task, asked, today);
      existing.set(asked, task);
    });
  }
  return existing;
}

function changedText(
  text: string,
  existing: ReadonlyMap<AskedChange, Task>,
  { vault: { clock, ids }, index }: WriteContext,
  rows: TaskRows,
  refused: Map<AskedChange, EditResult | VaultError>,
) {
  const { settings, dialect } = rows;
  const known = { dialect, today: clock.today(), clock, ids, settings, relations: relationsOf(rows) };
  const made = new Map<AskedChange, EditedTask>();
  let current: { readonly format?: TaskFormat; readonly edit: Pick<TextEdit, "text"> } = { edit: { text } };
  const editBy = (format: TaskFormat): TextEdit => {
    const edit = current.format === format ? (current.edit as TextEdit) : format.edit(current.edit.text);
    current = { format, edit };
    return edit;
  };
  for (const [asked, task] of existing)
    refusing(asked, refused, () => {
      const { found, clean, lastFinished } = asked;
      const own = { ...known, task, lastFinished, hasDatedLine: () => rows.hasDatedLine };
      made.set(asked, editBy(index.formatOf(found.task.source)).update(clean, own));
    });
  return { text: current.edit.text, made };
}

function tasksAfter(
  made: ReadonlyMap<AskedChange, EditedTask>,
  finders: Finders,
): ReadonlyMap<AskedChange, EditResult> {
  const results = new Map<AskedChange, EditResult>();
  let linesAdded = 0;
  // Later changes, further up, may have moved earlier ones.
  for (const [asked, { gone, place, series, next, changed, remarks, fullLane, notLeftOut, linesAdded: own }] of [
    ...made,
  ].toReversed()) {
    const moved = place.line === undefined ? place : { ...place, line: place.line + linesAdded };
    const following = next && finders(asked)?.({ ...next, line: (next.line ?? 0) + linesAdded });
    linesAdded += own;
    const task = gone ?? finders(asked)?.(moved);
    const outcome = series && { series: { ...series, ...(following && { nextId: following.id }) } };
    if (task !== undefined) results.set(asked, { task, changed, remarks, fullLane, notLeftOut, ...outcome });
  }
  return results;
}

function refusing(asked: AskedChange, refused: Map<AskedChange, EditResult | VaultError>, step: () => void): void {
  try {
    step();
  } catch (error) {
    if (!isVaultError(error)) throw error;
    refused.set(asked, error);
  }
}

function assertUnchanged(known: Task, task: Task, { clean, expectedRevision }: AskedChange, today: LocalDate): void {
  assertRevision(task, expectedRevision);
  const finishes = clean.values.status === "Done" && clean.occurrence === undefined;
  if (finishes && known.series && currentDay(known, today) !== currentDay(task, today))
    throw conflict(`"${task.title}" was moved on to another day meanwhile, so nothing was finished.`, task);
}

/** @throws CONFLICT */
export function assertRevision(task: Task, expected: string | undefined): void {
  if (expected !== undefined && !isHash(expected, task.revision))
    throw conflict(`"${task.title}" has changed since it had the revision you know.`, task);
}

function conflict(message: string, { path }: Task): VaultError {
  return new VaultError("CONFLICT", message, {
    path,
    hint: said`Look at the task with ${call("get_task")} and decide again.`,
  });
}

const MARK = /^finished (\S{10}) next (\S{10})$/;

function finishedMark(results: readonly (EditResult | VaultError)[]): string | undefined {
  for (const result of results) {
    if (isVaultError(result) || !keepsNoList(result.task)) continue;
    const { kind, day, next } = result.series ?? {};
    if (kind === "done" && day !== undefined && next !== undefined) return `finished ${day} next ${next}`;
  }
  return undefined;
}

/** The instance last finished by any process of this server; undo removes it. */
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
