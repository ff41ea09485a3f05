/** Applies updates to a checkbox line, or to two lines of a series (docs: tasks, "Checkbox lines"). */
import { VaultError } from "../../errors.js";
import type { SeriesOutcome } from "../api.js";
import type { CleanUpdates } from "../writing/arguments.js";
import type { EditedTask, UpdateContext } from "../format.js";
import { FIELD_NAMES, type FieldName, fieldNamed, type Values } from "../fields/fields.js";
import { SIGN_FIELDS } from "../fields/task-fields.js";
import type { Task, TaskPlace } from "../task.js";
import type { Status } from "../fields/vocabulary.js";
import { unreadField, withField, withSymbol, withTags, withTitle } from "./edit-line.js";
import type { LineFieldName } from "./field-signs.js";
import { fieldValue, isMarked } from "./line-derivation.js";
import { lineId } from "./line-identity.js";
import { finishInstance, instanceDay, ruleForLine, skipInstance } from "./line-series.js";
import type { LineSettings } from "./line-settings.js";
import type { NoteLine, NoteLines } from "./note-lines.js";
import type { RepeatStyle } from "./repeat-line.js";
import { parseTaskLine, type TaskLine } from "./task-line.js";

const PLAIN = SIGN_FIELDS.filter(([, , { update }]) => update !== undefined);
const SETTABLE: ReadonlySet<string> = new Set<FieldName>([
  "title",
  "status",
  "priority",
  "tags",
  "recurrence",
  ...PLAIN.map(([name]) => name),
]);

/** @throws VaultError INVALID_ARGUMENT for what a line cannot hold; the note is unchanged */
export function updateLine(
  note: NoteLines,
  updates: CleanUpdates,
  context: UpdateContext,
  settings: LineSettings,
): EditedTask {
  const { task } = context;
  const at = note.at(task.line ?? 0);
  const line = at && parseTaskLine(at.text, settings);
  if (at === undefined || line === undefined) throw new Error(`There is no checkbox at ${task.id}.`);
  assertSettable(updates, task);
  const style: RepeatStyle = { ...settings, setDoneDate: settings.setDoneDate ?? hasDatedLine(context.tasks) };
  const { values } = updates;
  const wasMarked = settings.reads === "all" || isMarked(line, settings.globalFilter);
  if (!wasMarked) return markLine(note, at, line, updates, context, settings, style);
  const isStep = stepsSeries(updates, line, task, settings);
  const edited = withValues(line, isStep ? withoutDays(values) : values, task, style, settings);
  if (isStep) return stepSeries(note, at, edited, updates, { ...context, settings, style });
  const { status } = values;
  if (status === undefined || status === task.status) {
    assertStaysTask(edited, settings);
    return put(note, at, [edited.text], 0, task, settings);
  }
  return setStatus(note, at, edited, status as Status, { ...context, settings, style });
}

/** Makes a plain checkbox a task. */
function markLine(
  note: NoteLines,
  at: NoteLine,
  line: TaskLine,
  updates: CleanUpdates,
  context: UpdateContext,
  settings: LineSettings,
  style: RepeatStyle,
): EditedTask {
  const { globalFilter } = settings;
  const own: LineSettings = { ...settings, reads: "all", globalFilter: "" };
  const { status, ...values } = updates.values;
  const edited = withValues(line, values, context.task, { ...style, globalFilter: "" }, own);
  const filtered =
    globalFilter !== "" && isMarked(edited, "")
      ? withTags(edited, [...edited.tags.map(({ tag }) => tag), globalFilter.replace(/^#/, "")], style)
      : edited.text;
  const marked = parsed(filtered, settings);
  const remarks = isMarked(marked, globalFilter) ? ["It now counts as a task."] : [];
  const task = { ...context.task, title: marked.title };
  if (status === undefined || status === context.task.status)
    return { ...put(note, at, [marked.text], 0, task, settings), remarks };
  const done = setStatus(note, at, marked, status as Status, {
    ...context,
    task,
    settings: { ...settings, reads: "all" },
    style,
  });
  return { ...done, remarks };
}

type LineContext = Omit<UpdateContext, "settings"> & {
  readonly settings: LineSettings;
  readonly style: RepeatStyle;
};

const dated = new WeakMap<readonly Task[], boolean>();

function hasDatedLine(tasks: readonly Task[]): boolean {
  let found = dated.get(tasks);
  if (found === undefined) {
    found = tasks.some(({ source, completed }) => source === "line" && completed !== undefined);
    dated.set(tasks, found);
  }
  return found;
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
  const names = wrong.map(argumentOf).join(", ");
  const isOfNote = wrong.some((name) => name === "area" || name === "projects");
  const way = isOfNote
    ? "Area and projects come from its note and the note's folder; change them there, or leave these out."
    : 'Leave these out, or make the line a note first with convert "note".';
  throw new VaultError("INVALID_ARGUMENT", `A checkbox line cannot hold ${names}.`, {
    hint: `${way} Nothing was changed.`,
  });
}

function argumentOf(name: string): string {
  const field = FIELD_NAMES.find((one) => one === name);
  return (field && fieldNamed(field).argument) ?? name;
}

function stepsSeries(
  { values, occurrence }: CleanUpdates,
  line: TaskLine,
  task: Task,
  settings: LineSettings,
): boolean {
  const given = values.recurrence;
  const repeats = given === undefined ? fieldValue(line, "recurrence") !== undefined : given !== "";
  if (!repeats && occurrence !== undefined)
    throw new VaultError("INVALID_ARGUMENT", "occurrence was given, and the task does not repeat.", {
      hint: "Leave occurrence out, or give the task a recurrence.",
    });
  if (occurrence !== undefined && !occurrence.skip && values.status !== "Done")
    throw new VaultError("INVALID_ARGUMENT", "On a checkbox line a finished instance is a task of its own.", {
      hint: "To reopen it, give the id of its line.",
    });
  if (values.status === "Done" && given === undefined && line.unread.includes("recurrence"))
    throw unreadField("recurrence");
  const finishes = values.status === "Done" && settings.symbols.statusOf(line.symbol) !== "Done";
  return repeats && (occurrence?.skip === true || finishes || (occurrence !== undefined && task.status !== "Done"));
}

function withoutDays({ due: _due, scheduled: _scheduled, start: _start, ...others }: Values): Values {
  return others;
}

function withValues(line: TaskLine, values: Values, task: Task, style: RepeatStyle, settings: LineSettings): TaskLine {
  let now = line;
  const set = (text: string): void => {
    now = parsed(text, settings);
  };
  const setField = (name: LineFieldName, value: string): void => set(withField(now, name, value || undefined, style));
  const { title, tags, priority, recurrence } = values;
  if (title !== undefined && title !== task.title) set(withTitle(now, title, style));
  if (tags !== undefined) set(withTags(now, withMarker(now, tags, settings), style));
  if (priority !== undefined && priority !== task.priority)
    setField("priority", priority === "Medium" ? "" : priority.toLowerCase());
  if (recurrence !== undefined && recurrence !== fieldValue(now, "recurrence"))
    setField("recurrence", recurrence && ruleForLine(recurrence));
  for (const [name, property] of PLAIN) {
    const value = values[name];
    if (value !== undefined && String(value) !== String(task[property] ?? "")) setField(name, String(value));
  }
  if (recurrence && instanceDay(now) === undefined && instanceDay(parsed(line.text, settings)) === undefined)
    throw new VaultError("INVALID_ARGUMENT", "A task without any day cannot repeat.", {
      hint: "Give dueDate or scheduled in the same call.",
    });
  return now;
}

function assertStaysTask(line: TaskLine, { reads, globalFilter }: LineSettings): void {
  if (reads === "all" || isMarked(line, globalFilter)) return;
  throw new VaultError(
    "INVALID_ARGUMENT",
    "Without that the line would be an ordinary checkbox and no task any more.",
    {
      hint: "Give it another field or the tag task in the same call, or change the line with edit_note. Nothing was changed.",
    },
  );
}

/** Keeps the tag if nothing else makes the line a task. */
function withMarker(line: TaskLine, tags: readonly string[], { reads, globalFilter }: LineSettings): readonly string[] {
  const wanted = tags.filter((tag) => `#${tag}` !== globalFilter);
  if (reads === "all" || globalFilter !== "" || line.fields.length > 0) return wanted;
  const markers = line.tags.map(({ tag }) => tag).filter((tag) => /^task(?:\/|$)/i.test(tag));
  return [...markers, ...wanted];
}

function setStatus(note: NoteLines, at: NoteLine, line: TaskLine, status: Status, context: LineContext): EditedTask {
  const { task, today, settings, style } = context;
  let now = parsed(withSymbol(line, symbolFor(status, settings)), settings);
  const setField = (name: LineFieldName, value: string | undefined): void => {
    now = parsed(withField(now, name, value, style), settings);
  };
  if (status !== "Done") setField("completed", undefined);
  else if (style.setDoneDate) setField("completed", today);
  if (status !== "Cancelled") setField("cancelled", undefined);
  const goes = status === "Done" && isDeletedWhenDone(note, at, now);
  if (!goes) assertStaysTask(now, settings);
  return put(note, at, goes ? [] : [now.text], 0, { ...task, status }, settings);
}

function stepSeries(
  note: NoteLines,
  at: NoteLine,
  line: TaskLine,
  { values, occurrence }: CleanUpdates,
  context: LineContext,
): EditedTask {
  const { task, today, settings, style } = context;
  const day = instanceDay(line);
  const isNamed = occurrence?.day !== undefined;
  const before = occurrence?.skip === true ? [] : finishedNeighbours(note, at, line, settings);
  const repeated = before.find((finished) =>
    isNamed ? finished === occurrence.day : day !== undefined && day > today,
  );
  if (repeated !== undefined) {
    const series: SeriesOutcome = {
      kind: "unchanged",
      action: "done",
      day: repeated,
      ...(day && { next: day }),
      ended: false,
    };
    return { ...put(note, at, [at.text], 0, task, settings), series };
  }
  if (isNamed && occurrence.day !== day)
    throw new VaultError(
      "INVALID_ARGUMENT",
      `The instance of this line is that of ${day ?? "no day"}, not ${occurrence.day}.`,
      {
        hint: "A checkbox line knows its current instance alone; give that day or leave it out.",
      },
    );
  if (occurrence?.skip === true) {
    const { next = line.text, outcome } = skipInstance(line, { today, style, values });
    return { ...put(note, at, [next], 0, task, settings), series: outcome };
  }
  const done = symbolFor("Done", settings);
  const step = finishInstance(line, { today, style, values, done });
  const goes = isDeletedWhenDone(note, at, line);
  const finished = goes || step.finished === undefined ? [] : [step.finished];
  const next = step.next === undefined ? [] : [step.next];
  const lines = settings.newLineBelow ? [...finished, ...next] : [...next, ...finished];
  const place = goes || settings.newLineBelow ? 0 : next.length;
  const nextLine = (task.line ?? 0) + (settings.newLineBelow ? finished.length : 0);
  const series = { ...step.outcome, ...(next.length > 0 && { nextLine }) };
  return { ...put(note, at, lines, place, { ...task, status: "Done" }, settings), series };
}

/** Finished instances of the series on adjacent lines. */
function finishedNeighbours(note: NoteLines, at: NoteLine, line: TaskLine, settings: LineSettings) {
  return [note.before(at), note.after(at)].flatMap((near) => {
    const other = near && parseTaskLine(near.text, settings);
    const isSame =
      other?.title === line.title &&
      fieldValue(other, "recurrence") === fieldValue(line, "recurrence") &&
      settings.symbols.statusOf(other.symbol) === "Done";
    const day = isSame ? instanceDay(other) : undefined;
    return day === undefined ? [] : [day];
  });
}

/** `🏁 delete`; a line with children stays. */
function isDeletedWhenDone(note: NoteLines, at: NoteLine, line: TaskLine): boolean {
  return fieldValue(line, "onCompletion")?.toLowerCase() === "delete" && note.below(at).length === 0;
}

function symbolFor(status: Status, { symbols }: LineSettings): string {
  const symbol = symbols.symbolFor(status);
  if (symbol !== undefined) return symbol;
  throw new VaultError("INVALID_ARGUMENT", `No checkbox of this vault means ${status}.`, {
    hint: "Add a status of that type in the settings of the Tasks plugin, or give another status.",
  });
}

/** @param ofThem index of the task's line. @param task after the change */
function put(
  note: NoteLines,
  at: NoteLine,
  lines: readonly string[],
  ofThem: number,
  task: Task,
  settings: LineSettings,
): EditedTask {
  const changed = note.replace(at, lines);
  const now = lines[ofThem];
  const linesAdded = lines.length - 1;
  if (now === undefined) return { changed, place: task, gone: task, linesAdded };
  return { changed, place: placeOf(task, (task.line ?? 0) + ofThem, parsed(now, settings)), linesAdded };
}

function placeOf({ path, source }: Task, line: number, parts: TaskLine): TaskPlace {
  return { id: lineId(path, line, parts), path, source, line };
}

function parsed(text: string, settings: LineSettings): TaskLine {
  const line = parseTaskLine(text, settings);
  if (line === undefined) throw new Error("A changed checkbox line is no checkbox any more.");
  return line;
}
