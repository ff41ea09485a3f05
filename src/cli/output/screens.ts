/** A command's data on a terminal. */
import type { CommandName } from "../command-names.js";
import { commandName, fieldName } from "../speech.js";
import { hanging, wrapped, painter, type Paint } from "./columns.js";
import { printable } from "../terminal.js";
import { taskLines } from "./task-rows.js";
import type { FindNotesAnswer } from "../../tools/notes/find_notes.js";
import type { GetHistoryAnswer } from "../../tools/files/get_history.js";
import type { UndoEditAnswer } from "../../tools/files/undo_edit.js";
import type { AddTasksAnswer } from "../../tools/tasks/add_tasks.js";
import type { AgendaAnswer } from "../../tools/tasks/agenda-text.js";
import type { GetTaskAnswer } from "../../tools/tasks/get_task.js";
import type { ScanAnswer } from "../../tools/tasks/scan_vault.js";
import type { SearchTasksAnswer } from "../../tools/tasks/search_tasks.js";
import type { UpdateTaskAnswer } from "../../tools/tasks/update_task.js";
import { counted } from "../../text/wording.js";
import type { LocalDate } from "../../clock.js";
import { describeDay } from "../../dates/read-day.js";
import { updatedFields as updatedFieldsIn } from "../../tools/file-view.js";
import { linksAsText } from "../../markdown/plain-text.js";

interface ScreenOptions {
  readonly columns: number;
  readonly color: boolean;
  readonly today: string;
  readonly hints: boolean;
  /** What the data does not say. */
  readonly remarks?: string | undefined;
}

interface Screen extends ScreenOptions {
  readonly command: CommandName;
  readonly paint: Paint;
}

const SCREENS: Readonly<Partial<Record<CommandName, (data: never, screen: Screen) => readonly string[]>>> = {
  scan: scanned,
  list: listed,
  search: listed,
  today: agenda,
  week: agenda,
  find: foundNotes,
  add: addedTasks,
  done: changedTask,
  set: changedTask,
  undo: takenBack,
  show: shownTask,
  history: listedChanges,
};

const NEXT: Readonly<Partial<Record<CommandName, string>>> = {
  scan: "Next: show <task> or done <task>; list --due overdue, --is ready and others narrow.",
  list: "Next: show <task>, done <task> or set <task> field=value.",
  search: "Next: show <task>, done <task> or set <task> field=value.",
  today: "Next: done <task>, or week for the days to come.",
  week: "Next: done <task>, or set <task> due=friday.",
  find: "Next: read <note>.",
  add: "Next: show <task>; undo takes it back.",
  done: "Next: today; undo takes it back.",
  set: "Next: show <task>; undo takes it back.",
  undo: "Next: undo goes one change further back.",
};

type Answer = Readonly<Record<string, unknown>>;

export function screenOf(name: CommandName, data: Answer, words: string, options: ScreenOptions): string {
  const screen = { ...options, command: name, paint: painter(options.color) };
  const shown = harmless(data);
  const own = SCREENS[name];
  const lines = own
    ? [...own(shown as never, screen), ...remarked({ remarks: options.remarks?.split("\n").map(printable) }, screen)]
    : laidOut(printable(words), screen);
  const hint = !options.hints || isEmpty(name, shown) || shown["undoable"] === false ? undefined : NEXT[name];
  const last =
    hint === undefined ? [] : ["", ...wrapped(hint, options.columns).map((line) => screen.paint("dim", line))];
  return [...lines, ...last].join("\n");
}

function harmless(data: Answer): Answer {
  const text = JSON.stringify(data, (_, value: unknown) =>
    typeof value === "string" ? printable(value).replace(/\s+/g, " ") : value,
  );
  return JSON.parse(text) as Answer;
}

function laidOut(words: string, { columns, paint }: Screen): string[] {
  return words
    .split("\n")
    .flatMap((line) => hanging(line, columns))
    .map((line) => line.replace(/\*\*(.+?)\*\*/g, (_, title: string) => paint("bold", title)));
}

const LISTS: ReadonlySet<CommandName> = new Set(["scan", "list", "search", "today", "week", "find"]);

function isEmpty(name: CommandName, data: Answer): boolean {
  const { tasks, notes, sections }: Partial<ScanAnswer & AgendaAnswer & FindNotesAnswer> = data;
  const rows = tasks ?? notes ?? sections?.flatMap((section) => section.tasks) ?? [];
  return LISTS.has(name) && rows.length === 0;
}

function scanned(data: Partial<ScanAnswer>, screen: Screen): string[] {
  const { columns, today: ours, paint } = screen;
  const { vault = "", today = ours, tasks = [], totalOutstanding = 0, overdueCount = 0, dueThisWeekCount = 0 } = data;
  if (totalOutstanding === 0) return [`No outstanding tasks in ${vault}.`, ...remarked(data, screen)];
  const overdue = overdueCount > 0 ? paint("overdue", `${overdueCount} overdue`) : "none overdue";
  const counts = `${totalOutstanding} outstanding, ${overdue}, ${dueThisWeekCount} due this week`;
  const rows = taskLines(tasks, columns, today, paint);
  return [...wrapped(`${vault}: ${counts}`, columns), "", ...rows, ...remarked(data, screen)];
}

interface Remarks {
  readonly problemCount?: number | undefined;
  readonly remarks?: readonly string[] | undefined;
  readonly notCounted?: string | undefined;
}

function remarked({ problemCount = 0, remarks = [], notCounted }: Remarks, { columns }: Screen): string[] {
  const problems = `${counted(problemCount, "problem")} in notes, so that tasks may be missing: doctor names them.`;
  const facts = [...remarks, ...(problemCount === 0 ? [] : [problems]), ...(notCounted?.split("\n") ?? [])];
  const lines = facts.flatMap((fact) => wrapped(fact, columns));
  return lines.length === 0 ? [] : ["", ...lines];
}

function listed(data: Partial<SearchTasksAnswer>, screen: Screen): string[] {
  const { columns, today, paint } = screen;
  const { query = "", total = 0, offset = 0, tasks = [], more } = data;
  if (total === 0)
    return [query === "*" ? "No tasks found." : `No tasks found for "${query}".`, ...remarked(data, screen)];
  const range = more === undefined ? "" : `; these are ${offset + 1} to ${offset + tasks.length}, --limit shows more`;
  const count = counted(total, "task") + range;
  return [...taskLines(tasks, columns, today, paint), "", ...wrapped(count, columns), ...remarked(data, screen)];
}

function agenda(data: Partial<AgendaAnswer>, screen: Screen): string[] {
  const { sections = [], today } = data;
  const filled = sections.filter(({ total }) => total > 0);
  if (filled.length === 0) return ["Nothing is overdue, scheduled or due.", ...remarked(data, screen)];
  const lines = filled.flatMap((section, at) => {
    const { kind, name, total, tasks } = section;
    const listed = tasks.reduce((sum, { sameTitle = 1 }) => sum + sameTitle, 0);
    const rest = total > listed ? [`… and ${total - listed} more`] : [];
    const heading = screen.paint(kind === "overdue" ? "overdue" : "bold", `${name} (${total})`);
    const rows = taskLines(tasks, screen.columns, today ?? screen.today, screen.paint);
    return [at === 0 ? [] : [""], heading, rows, rest].flat();
  });
  return [...lines, ...remarked(data, screen)];
}

/** A title with fields is a task; words are lines. */
function addedTasks(data: Partial<AddTasksAnswer & UpdateTaskAnswer>, screen: Screen): string[] {
  const { added, refused = [], adjustments = [], remarks = [] } = data;
  if (added === undefined) return changedTask(data, screen);
  const { columns, paint } = screen;
  const rows = added.flatMap(({ title, id = "", place = id, understood }) => {
    const head = hanging(`○ ${paint("bold", title)}`, columns);
    const read = understood.length === 0 ? [] : wrapped(understood.join(" · "), columns - 2).map(indented);
    return [head, read, wrapped(place, columns - 2).map((line) => indented(paint("dim", line)))].flat();
  });
  const facts = [...refused.map(({ title, reason }) => `Not added: ${title}: ${reason}`), ...adjustments, ...remarks];
  return ["Created:", ...rows, ...facts.flatMap((fact) => wrapped(fact, columns))];
}

/** As in lists, then the rest. */
function shownTask(data: Partial<GetTaskAnswer>, screen: Screen): string[] {
  const { columns, today, paint } = screen;
  const { title = "", status = "", path = "", properties = {}, description = "", series } = data;
  const { blockedBy = [], subtasks = [], problems = [], why = "" } = data;
  const day = (text: string): string =>
    /^\d{4}-\d\d-\d\d$/.test(text) ? describeDay(text as LocalDate, today as LocalDate) : text;
  const facts = [
    series === undefined ? "" : `Repeats: ${series.text}`,
    blockedBy.length === 0
      ? ""
      : `Waits for: ${blockedBy.map(({ name, open }) => (open ? name : `${name} (done)`)).join(", ")}`,
    ...subtasks.map((task) => `Subtask: ${task.title} (${task.status})`),
    ...Object.entries(properties).map(([key, value]) => `${key}: ${day(String(value))}`),
    ...problems.map(({ message }) => paint("overdue", `! ${message}`)),
    why === "" ? "" : `A task because: ${why}`,
  ].filter((fact) => fact !== "");
  return [
    ...taskLines([{ ...data, title, status }], columns, today, paint),
    ...wrapped(path, columns - 2).map((line) => indented(paint("dim", line))),
    "",
    ...facts.flatMap((fact) => hanging(fact, columns)),
    ...(description.trim() === ""
      ? []
      : [
          "",
          ...description
            .trimEnd()
            .split("\n")
            .flatMap((line) => hanging(line, columns)),
        ]),
  ];
}

function listedChanges(data: GetHistoryAnswer, screen: Screen): string[] {
  const { changes = [], cursor, diff } = data;
  const { columns, today, paint } = screen;
  if (diff !== undefined) return diffLines(diff, screen);
  if (changes.length === 0) return ["No changes found.", ...remarked(data, screen)];
  const rows = changes.flatMap(({ at, by, tool, files, fileCount = files.length, operation, fields }) => {
    const when = `${describeDay(at.slice(0, 10) as LocalDate, today as LocalDate)}, ${at.slice(11)}`;
    const what = fileCount === 1 ? (files[0] ?? "") : `${fileCount} notes`;
    const command = commandName(tool);
    const how = [fields === undefined ? command : `${command} (${fieldNames(fields)})`, by, operation].join(" · ");
    const head = hanging(`${paint("dim", when)}  ${paint("bold", what)}`, columns);
    return [head, wrapped(how, columns - 2).map(indented)].flat();
  });
  const more = cursor === undefined ? [] : ["", "More: --limit shows them."];
  return [...rows, ...more, ...remarked(data, screen)];
}

const fieldNames = (fields: string): string => fields.split(", ").map(fieldName).join(", ");

function diffLines(diff: string, { paint }: Screen): string[] {
  return diff.split("\n").map((line) => {
    if (/^\+(?!\+\+ )/.test(line)) return paint("done", line);
    return /^-(?!-- )/.test(line) ? paint("overdue", line) : line;
  });
}

function foundNotes(data: Partial<FindNotesAnswer>, screen: Screen): string[] {
  const { columns, paint } = screen;
  const { match_count: total = 0, next_offset: next, notes = [] } = data;
  if (total === 0) return ["No notes found.", ...remarked(data, screen)];
  const rows = notes.flatMap(({ path, title = path.replace(/^.*\/|\.md$/gi, ""), mtime, date = mtime, snippet }) => {
    const head = hanging(title, columns).map((line) => paint("bold", line));
    const facts = date === undefined ? path : `${path} · ${date}`;
    const place = wrapped(facts, columns - 2).map((line) => paint("dim", line));
    const words = snippet === undefined ? [] : wrapped(snippet, columns - 2);
    return [head, place.map(indented), words.map(indented)].flat();
  });
  const rest = next === undefined ? "" : `; these are the first ${notes.length}, --limit shows more`;
  const count = counted(total, "note") + rest;
  return [...rows, "", ...wrapped(count, columns), ...remarked(data, screen)];
}

const indented = (line: string): string => `  ${line}`;

function changedTask(data: Partial<UpdateTaskAnswer>, { columns, today, paint }: Screen): string[] {
  const { title = "", status = "", path = "", updatedFields, changed = true, series, openSubtasks = 0 } = data;
  const { adjustments = [], nowReady = [], waitedFor = [], undoable = true } = data;
  const heading =
    updatedFields === undefined
      ? "Created:"
      : changed
        ? `Changed ${updatedFields.map(fieldName).join(", ")}:`
        : "Nothing was changed:";
  const facts = [
    series?.text ?? "",
    ...adjustments,
    nowReady.length === 0 ? "" : `Now ready: ${nowReady.map((task) => linksAsText(task.title)).join(", ")}`,
    waitedFor.length === 0 ? "" : `It still waited for: ${waitedFor.map(linksAsText).join(", ")}`,
    openSubtasks === 0 ? "" : `Subtasks still open: ${openSubtasks}`,
    changed && !undoable ? "undo may be unable to take this back." : "",
    unconfirmed(data),
  ].filter((fact) => fact !== "");
  return [
    ...wrapped(heading, columns),
    ...taskLines([{ ...data, title, status }], columns, today, paint),
    ...wrapped(path, columns - 2).map((line) => `  ${paint("dim", line)}`),
    ...(facts.length === 0 ? [] : [""]),
    ...facts.flatMap((fact) => wrapped(fact, columns)),
  ];
}

function takenBack(data: Partial<UndoEditAnswer>, { columns }: Screen): string[] {
  const { undone, others = [], otherCount = 0, kept = [], earlier = [], operation, stopped, copyInTrash } = data;
  const list = [
    ...others.map((path) => `- ${path}`),
    ...(otherCount > others.length ? [`… and ${otherCount - others.length} more`] : []),
  ];
  return [
    ...earlier.map((one) => `Took back ${one}.`),
    whatWasTakenBack(data),
    ...(undone !== "operation" && list.length > 0 ? ["Taken back with it:"] : []),
    ...list,
    ...kept.map(({ path, reason }) => `Left as it is: '${path}': ${reason}`),
    copyInTrash === true ? "The trash still holds a copy." : "",
    operation === undefined ? "" : `It was one of several changes; undo ${operation} takes the rest back.`,
    stopped === undefined ? "" : `Nothing earlier was taken back: ${stopped}`,
    unconfirmed(data),
  ]
    .filter((line) => line !== "")
    .flatMap((line) => hanging(line, columns));
}

function whatWasTakenBack({
  asked = "",
  path = asked,
  undone = "edit",
  reason: change = "",
  trashedTo,
  otherCount = 0,
}: Partial<UndoEditAnswer>): string {
  const fields = updatedFieldsIn(change);
  const reason = fields === undefined ? change : change.slice(0, -fields.length) + fieldNames(fields);
  switch (undone) {
    case "operation":
      return `Took back ${asked} (${reason}) in ${counted(otherCount, "file")}:`;
    case "create":
      return `'${path}' was new and is gone${trashedTo === undefined ? "" : `, to '${trashedTo}'`} (${reason}).`;
    case "delete":
      return `'${path}' is there again (${reason}).`;
    case "move":
      return `'${asked}' is '${path}' again (${reason}).`;
    case "edit":
    default:
      return `'${path}' is as it was before its last change (${reason}).`;
  }
}

function unconfirmed({ durable = true }: { readonly durable?: boolean | undefined }): string {
  return durable ? "" : "The disk did not confirm that this would survive a power cut.";
}
