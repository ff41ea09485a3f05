/** Updates a checkbox line, two lines of a series, or a Kanban card with its lane (docs: tasks, "Checkbox lines"). */
import { invalidArgument, NOTHING_CHANGED, VaultError } from "../../errors.js";
import { argument, call, joined, said, SAME_CALL } from "../../text/wording.js";
import { type CleanUpdates, completedOfSeries, type EditedTask, noSeries, type UpdateContext } from "../format.js";
import { FIELD_NAMES, type FieldName, fieldNamed, type Values } from "../fields/field-table.js";
import { SIGN_FIELDS } from "../fields/task-fields.js";
import type { Task } from "../task.js";
import type { Status } from "../fields/vocabulary.js";
import { unreadField, withCardTime, withField, withSymbol, withTags, withTitle } from "./edit-line.js";
import type { LineFieldName } from "./field-signs.js";
import { isMarked } from "./line-derivation.js";
import {
  finishInstance,
  instanceDay,
  ruleForLine,
  skipInstance,
  type StatusStyle,
  withDayOf,
} from "./line-instances.js";
import { cardSymbols, type LineSettings } from "./line-settings.js";
import { type NoteLine, NoteLines } from "./line-facts.js";
import { fieldSpan, linePlace, parseTaskLine, reparsed, type TaskLine } from "./task-line.js";
import { localTimeOf } from "../../clock.js";
import { ARCHIVE_WORDS, type Lane } from "../../markdown/kanban/board.js";
import { archiveCard, moveCard } from "../../markdown/kanban/change.js";
import { fold } from "../../text/fold.js";
import { type BoardOfLines, boardOfLines, type CardPlace, lanesNamed, laneStatus } from "./cards.js";

const PLAIN = SIGN_FIELDS.filter(([, , { update }]) => update !== undefined);
const SETTABLE: ReadonlySet<string> = new Set<FieldName>([
  "title",
  "status",
  "priority",
  "tags",
  "recurrence",
  ...PLAIN.map(([name]) => name),
]);

type LineContext = Pick<UpdateContext, "task" | "today"> & {
  readonly note: NoteLines;
  readonly at: NoteLine;
  readonly style: LineSettings & StatusStyle;
};

const fieldValue = (line: TaskLine, name: LineFieldName): string | undefined => fieldSpan(line, name)?.value;

/** @throws INVALID_ARGUMENT for what a line cannot hold, with the note unchanged */
export function updateLine(
  note: NoteLines,
  updates: CleanUpdates,
  vault: UpdateContext,
  settings: LineSettings,
): EditedTask {
  const { task, today } = vault;
  const { at, line } = checkboxAt(note, task, settings);
  assertSettable(updates, task);
  const { setDoneDate = vault.hasDatedLine(), setCancelledDate = fieldValue(line, "cancelled") !== undefined } =
    settings;
  const style = { ...settings, setDoneDate, setCancelledDate };
  const context: LineContext = { note, at, task, today, style };
  const { status, completed, ...values } = updates.values;
  if (settings.reads !== "all" && !isMarked(line, settings.globalFilter))
    return markLine(line, updates.values, context);
  const steps = stepsSeries(updates, line, task, style);
  if (steps && completed !== undefined) throw completedOfSeries();
  if (steps) return stepSeries(withValues(line, withoutDays(values), task, style), updates, context);
  const edited = withValues(line, values, task, style);
  const time = updates.times?.get("due");
  const timed = time && withCardTime(edited, time.digits, style);
  const done = setStatus(timed ?? edited, status as Status | undefined, context, completed);
  return time && timed ? { ...done, notLeftOut: [time.leftOut] } : done;
}

function checkboxAt(
  note: NoteLines,
  { line: number = 0 }: { readonly line?: number | undefined },
  settings: LineSettings,
) {
  const at = note.at(number);
  const line = at && parseTaskLine(at.text, settings);
  if (at === undefined || line === undefined) throw new Error(`Line ${number} is no checkbox.`);
  return { at, line };
}

export function signLine(note: NoteLines, task: Task, sign: string, settings: LineSettings): EditedTask {
  const { at, line } = checkboxAt(note, task, settings);
  const own = fieldValue(line, "id");
  if (own !== undefined && own !== sign)
    throw new VaultError("CONFLICT", `"${task.title}" has got the 🆔 ${own} at this very moment.`, {
      hint: ["Make the call again.", NOTHING_CHANGED],
    });
  const changed = own === undefined && note.replace(at, [withField(line, "id", sign, settings).text]);
  return { changed, place: task, linesAdded: 0 };
}

function markLine(line: TaskLine, { status, ...values }: Values, context: LineContext): EditedTask {
  const { style } = context;
  const { globalFilter } = style;
  const edited = withValues(line, values, context.task, { ...style, reads: "all", globalFilter: "" });
  const marked =
    globalFilter !== "" && isMarked(edited, "")
      ? withTags(edited, [...edited.tags.map(({ tag }) => tag), globalFilter.replace(/^#/, "")], style)
      : reparsed(edited.text, style);
  const remarks = isMarked(marked, globalFilter) ? ["It now counts as a task."] : [];
  const task = { ...context.task, title: marked.title };
  const done = setStatus(marked, status as Status | undefined, { ...context, task, style: { ...style, reads: "all" } });
  return { ...done, remarks };
}

function assertSettable({ values, description, properties }: CleanUpdates, task: Task): void {
  const { area, projects, ...others } = values;
  const wrong = Object.keys(others).filter((name) => !SETTABLE.has(name));
  if (area !== undefined && area !== (task.area ?? "")) wrong.push("area");
  if (projects !== undefined && JSON.stringify(projects) !== JSON.stringify(task.parentProjects))
    wrong.push("projects");
  if (description !== undefined) wrong.push("description");
  if (properties !== undefined) wrong.push("properties");
  if (wrong.length === 0) return;
  const names = joined(
    wrong.map((name) => said`${argument(argumentOf(name))}`),
    ", ",
  );
  const isOfNote = wrong.some((name) => name === "area" || name === "projects");
  const way = isOfNote
    ? "Area and projects come from its note and the note's folder; change them there, or leave these out."
    : 'Leave these out, or make the line a note first with convert "note".';
  throw invalidArgument(said`A checkbox line cannot hold ${names}.`, [way, NOTHING_CHANGED]);
}

function argumentOf(name: string): string {
  const field = FIELD_NAMES.find((one) => one === name);
  return (field && fieldNamed(field).argument) ?? name;
}

function stepsSeries(
  { values, occurrence }: CleanUpdates,
  line: TaskLine,
  task: Task,
  { symbols }: LineSettings,
): boolean {
  const given = values.recurrence;
  const repeats = given === undefined ? fieldValue(line, "recurrence") !== undefined : given !== "";
  if (!repeats && occurrence !== undefined) throw noSeries();
  if (occurrence !== undefined && !occurrence.skip && values.status !== "Done")
    throw invalidArgument(
      "On a checkbox line a finished instance is a task of its own.",
      "To reopen it, give the id of its line.",
    );
  if (values.status === "Done" && given === undefined && line.unread.includes("recurrence"))
    throw unreadField("recurrence");
  const finishes = values.status === "Done" && symbols.statusOf(line.symbol) !== "Done";
  return repeats && (occurrence?.skip === true || finishes || (occurrence !== undefined && task.status !== "Done"));
}

const withoutDays = ({ due: _due, scheduled: _scheduled, start: _start, ...others }: Values): Values => others;

function withValues(line: TaskLine, values: Values, task: Task, style: LineSettings): TaskLine {
  let now = line;
  const setField = (name: LineFieldName, value: string): void => {
    now = withField(now, name, value || undefined, style);
  };
  const { title, tags, priority, recurrence } = values;
  if (title !== undefined && title !== task.title) now = withTitle(now, title, style);
  if (tags !== undefined) now = withTags(now, withMarker(now, tags, style), style);
  if (priority !== undefined && priority !== task.priority)
    setField("priority", priority === "Medium" ? "" : priority.toLowerCase());
  if (recurrence !== undefined && recurrence !== fieldValue(now, "recurrence"))
    setField("recurrence", recurrence && ruleForLine(recurrence));
  for (const [name, property] of PLAIN) {
    const value = values[name];
    if (value !== undefined && String(value) !== String(task[property] ?? "")) setField(name, String(value));
  }
  if (recurrence && instanceDay(now) === undefined && instanceDay(reparsed(line.text, style)) === undefined)
    throw invalidArgument(
      "A task without any day cannot repeat.",
      said`Give ${argument("dueDate")} or ${argument("scheduled")} ${SAME_CALL}.`,
    );
  return now;
}

function assertStaysTask(line: TaskLine, { reads, globalFilter }: LineSettings): void {
  if (reads === "all" || isMarked(line, globalFilter)) return;
  throw invalidArgument("Without that the line would be an ordinary checkbox and no task any more.", [
    said`Give it another field or the tag task ${SAME_CALL}, or change the line with ${call("edit_note")}.`.or(
      said`Give it another field or the tag task ${SAME_CALL}.`,
    ),
    NOTHING_CHANGED,
  ]);
}

/** If nothing else makes the line a task. */
function withMarker(line: TaskLine, tags: readonly string[], { reads, globalFilter }: LineSettings): readonly string[] {
  const wanted = tags.filter((tag) => `#${tag}` !== globalFilter);
  if (reads === "all" || globalFilter !== "" || line.fields.length > 0) return wanted;
  const markers = line.tags.map(({ tag }) => tag).filter((tag) => /^task(?:\/|$)/i.test(tag));
  return [...markers, ...wanted];
}

function setStatus(line: TaskLine, status: Status | undefined, context: LineContext, completed?: string): EditedTask {
  const { task, today, style } = context;
  const isSet = status !== undefined && status !== task.status;
  let now = line;
  if (isSet) now = withDayOf(status, withSymbol(now, symbolFor(status, style), style), today, style);
  if (completed !== undefined) now = withField(now, "completed", completed || undefined, style);
  const goes = isSet && status === "Done" && isDeletedWhenDone(now, context);
  if (!goes) assertStaysTask(now, style);
  return put(goes ? [] : [now.text], 0, { ...task, ...(isSet && { status }) }, context);
}

function stepSeries(line: TaskLine, { values, occurrence }: CleanUpdates, context: LineContext): EditedTask {
  const { task, today, style, at } = context;
  const day = instanceDay(line);
  const isNamed = occurrence?.day !== undefined;
  const before = occurrence?.skip === true ? [] : finishedNeighbours(line, context);
  const repeated = before.find((finished) =>
    isNamed ? finished === occurrence.day : day !== undefined && day > today,
  );
  if (repeated !== undefined) {
    const series = {
      kind: "unchanged",
      action: "done",
      day: repeated,
      ...(day && { next: day }),
      ended: false,
    } as const;
    return { ...put([at.text], 0, task, context), series };
  }
  if (isNamed && occurrence.day !== day)
    throw invalidArgument(
      `The instance of this line is that of ${day ?? "no day"}, not ${occurrence.day}.`,
      "A checkbox line knows its current instance alone; give that day or leave it out.",
    );
  if (occurrence?.skip === true) {
    const { next, outcome } = skipInstance(line, { today, style, values });
    return { ...put([next], 0, task, context), series: outcome };
  }
  const step = finishInstance(line, { today, style, values, done: symbolFor("Done", style) });
  const goes = isDeletedWhenDone(line, context);
  const finished = goes ? [] : [step.finished];
  const next = step.next === undefined ? [] : [step.next.text];
  const lines = style.newLineBelow ? [...finished, ...next] : [...next, ...finished];
  const place = goes || style.newLineBelow ? 0 : next.length;
  const nextLine = (task.line ?? 0) + (style.newLineBelow ? finished.length : 0);
  return {
    ...put(lines, place, { ...task, status: "Done" }, context),
    series: step.outcome,
    next: step.next && linePlace(task.path, nextLine, step.next),
  };
}

/** Those on adjacent lines. */
function finishedNeighbours(line: TaskLine, { note, at, style }: LineContext) {
  return [note.before(at), note.after(at)].flatMap((near) => {
    const other = near && parseTaskLine(near.text, style);
    const isSame =
      other?.title === line.title &&
      fieldValue(other, "recurrence") === fieldValue(line, "recurrence") &&
      style.symbols.statusOf(other.symbol) === "Done";
    const day = isSame ? instanceDay(other) : undefined;
    return day === undefined ? [] : [day];
  });
}

/** `🏁 delete`; a line with children stays. */
function isDeletedWhenDone(line: TaskLine, { note, at }: LineContext): boolean {
  return fieldValue(line, "onCompletion")?.toLowerCase() === "delete" && note.below(at).length === 0;
}

function symbolFor(status: Status, { symbols }: LineSettings): string {
  const symbol = symbols.symbolFor(status);
  if (symbol !== undefined) return symbol;
  throw invalidArgument(
    `No checkbox of this vault means ${status}.`,
    "Add a status of that type in the settings of the Tasks plugin, or give another status.",
  );
}

/** @param ofThem index of the task's line */
function put(lines: readonly string[], ofThem: number, task: Task, { note, at, style }: LineContext): EditedTask {
  const changed = note.replace(at, lines);
  const now = lines[ofThem];
  const linesAdded = lines.length - 1;
  if (now === undefined) return { changed, place: task, gone: task, linesAdded };
  const place = linePlace(task.path, (task.line ?? 0) + ofThem, reparsed(now, style));
  return { changed, place, linesAdded };
}

const ARCHIVE = "archive";
type Target = Lane | typeof ARCHIVE;

/** @throws INVALID_ARGUMENT for a missing lane, or a status without a lane */
export function updateCard(
  note: NoteLines,
  on: BoardOfLines,
  place: CardPlace,
  { lane, ...updates }: CleanUpdates,
  context: UpdateContext,
  settings: LineSettings,
): EditedTask {
  const { task } = context;
  const status = updates.values.status as Status | undefined;
  const to = lane === undefined ? laneForStatus(on, place, status) : laneCalled(on, lane);
  const own: LineSettings = {
    ...settings,
    newLineBelow: false,
    ...(on.isTaskBoard && { reads: "all", symbols: cardSymbols(settings.symbols) }),
  };
  const values = { ...updates.values, ...statusByLane(place, to, status, task.status) };
  const before = note.text;
  const edited = new NoteLines(before);
  const change = hasChanges({ ...updates, values })
    ? updateLine(edited, { ...updates, values }, context, own)
    : { changed: false, place: task, linesAdded: 0 };
  const text = change.gone === undefined ? edited.text : undefined;
  const moved =
    text === undefined || to === undefined ? undefined : moveTo(text, on, to, change.place.line ?? 0, context);
  note.reset(moved?.text ?? edited.text);
  if (moved === undefined || to === undefined) return change;
  return {
    ...change,
    changed: true,
    place: linePlace(task.path, moved.line, checkboxAt(note, moved, own).line),
    linesAdded: note.text.split("\n").length - before.split("\n").length,
    ...moveRemarks(on, place, to, context),
    ...(change.next?.line !== undefined && {
      // Moving the card may add lines above the next instance.
      next: { ...change.next, line: change.next.line + (moved.line < change.next.line ? moved.lines : 0) },
    }),
  };
}

const hasChanges = ({ values, description, properties, occurrence }: CleanUpdates): boolean =>
  Object.keys(values).length > 0 || [description, properties, occurrence].some((one) => one !== undefined);

function laneForStatus({ name, board, isTaskBoard }: BoardOfLines, place: CardPlace, status: Status | undefined) {
  if (status === undefined || !isTaskBoard) return undefined;
  const now = place.isArchived ? undefined : laneStatus(place.lane);
  const isOver = status === "Done" || status === "Cancelled";
  if (now === status || (isOver && place.isArchived)) return undefined;
  const fitting = board.lanes.filter((lane) => laneStatus(lane) === status);
  const to = fitting.find(({ isComplete }) => isComplete) ?? fitting[0];
  // In a lane without a status, an empty box means To Do.
  if (to !== undefined || isOver || (status === "To Do" && now === undefined && !place.isArchived)) return to;
  throw invalidArgument(
    `No lane of '${name}' means ${status}. Lanes: ${titles(board.lanes)}.`,
    said`Name one with ${argument("updates.lane")}.`,
  );
}

function laneCalled({ name, board }: BoardOfLines, wanted: string): Target {
  const [found] = lanesNamed(board.lanes, wanted);
  if (found !== undefined) return found;
  if ([...ARCHIVE_WORDS, board.archive?.title ?? ARCHIVE].some((word) => fold(word) === fold(wanted))) return ARCHIVE;
  throw invalidArgument(
    `'${name}' has no lane "${wanted}". Lanes: ${titles(board.lanes)}.`,
    'Name one of these, or "Archive". Lanes are made in Obsidian.',
  );
}

const titles = (lanes: readonly Lane[]): string => lanes.map(({ title }) => title).join(", ");

function statusByLane(place: CardPlace, to: Target | undefined, status: Status | undefined, now: string) {
  if (status !== undefined || to === undefined || to === ARCHIVE) return {};
  if (to.isComplete) return now === "Done" ? {} : { status: "Done" as const };
  const leaves = place.lane.isComplete && !place.isArchived && now === "Done" && laneStatus(to) !== "Done";
  return leaves ? { status: "To Do" as const } : {};
}

function moveTo(
  text: string,
  { style }: BoardOfLines,
  to: Target,
  line: number,
  { task, clock, settings }: UpdateContext,
) {
  const now = boardOfLines(text, task.path, settings.kanban);
  const at = now.cards.get(line);
  if (at === undefined) throw new Error("A changed card is no card any more.");
  const lines = text.slice(at.card.start, at.card.end).trimEnd().split("\n").length;
  if (to === ARCHIVE) {
    if (at.isArchived) return undefined;
    const time = localTimeOf(clock).text.slice(11, 16);
    return { ...archiveCard(text, at.card, { day: clock.today(), time }, style), lines };
  }
  const target = lanesNamed(now.board.lanes, to.title)[0];
  if (target === undefined || target === at.lane) return undefined;
  return { ...moveCard(text, at.card, target, style), lines };
}

function moveRemarks(on: BoardOfLines, { lane }: CardPlace, to: Target, { task }: UpdateContext) {
  const name = to === ARCHIVE ? "Archive" : to.title;
  const remarks = [`Moved "${task.title}" from ${lane.title} to ${name} on ${on.name}.`];
  const count = to === ARCHIVE ? 0 : to.cards.length + 1;
  if (to === ARCHIVE || to.limit === undefined || count <= to.limit) return { remarks };
  return { remarks, fullLane: { lane: name, remark: `${name} now holds ${count} of ${to.limit} cards.` } };
}
