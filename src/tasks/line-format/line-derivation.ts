/** Derives tasks from the facts of checkbox lines (docs: tasks, "Checkbox lines"). */
import { percentDecoded } from "../../text/decoded.js";
import type { TimeSlice } from "../../async/timers.js";
import { folderAround } from "../../obsidian/para.js";
import { type LocalDate, parseLocalDate } from "../../clock.js";
import { fileTitle, baseName, folderOf, type VaultPath } from "../../storage/path.js";
import type { FileStat } from "../../storage/storage.js";
import { hashText } from "../../text/hash.js";
import { remembered } from "../../text/fold.js";
import type { NoteTasks, PlainBoxes, TaskContext } from "../format.js";
import { taskRecord, setSignFields } from "../fields/task-fields.js";
import { folderBelow } from "../note-format/derivation.js";
import { isClosed, type Series, type Task, type TaskProblem } from "../task.js";
import type { Priority } from "../fields/vocabulary.js";
import { hasSign, LINE_DAYS, type LineFieldName } from "./field-signs.js";
import { type BoardOfLines, boardOfLines, cardStatus } from "./cards.js";
import type { LineFacts } from "./line-facts.js";
import type { LineSettings } from "./line-settings.js";
import { fieldSpan, lineId, parseTaskLine, type TaskLine } from "./task-line.js";

interface NoteOfLines {
  readonly stat: FileStat;
  readonly settings: LineSettings;
  readonly area: string | undefined;
  readonly projects: readonly string[];
  readonly archived: boolean;
  readonly day: LocalDate | undefined;
  readonly board: BoardOfLines | undefined;
}

export function noteOfLines(
  facts: LineFacts,
  stat: FileStat,
  { para }: Pick<TaskContext, "para">,
  settings: LineSettings,
): NoteOfLines {
  const { path } = stat;
  const project = facts.isProject ? fileTitle(path) : folderBelow(path, para.projects);
  return {
    stat,
    settings,
    area: facts.area ?? folderBelow(path, para.areas),
    projects:
      facts.isProject || facts.projects === undefined ? (project === undefined ? [] : [project]) : facts.projects,
    archived: facts.archived === true || folderAround(path, para.archive) !== undefined,
    day: settings.dayFolders && dayInName(path, settings.dayFolders, settings.dayOfName),
    board: facts.board === undefined ? undefined : boardOfLines(facts.board, path, settings.kanban),
  };
}

/** With open checkboxes that are no tasks, where `reads` is `marked`. */
export async function derivedLines(
  { numbers, texts, parents }: LineFacts,
  note: NoteOfLines,
  slice: TimeSlice,
): Promise<NoteTasks> {
  const tasks: Task[] = [];
  const problems: TaskProblem[] = [];
  const plain = new Map<string, PlainBoxes & { readonly texts: string[] }>();
  const byPlace: (Task | undefined)[] = [];
  let start = 0;
  for (let place = 0; place < numbers.length; place++) {
    const end = texts.indexOf("\n", start);
    const text = texts.slice(start, end < 0 ? texts.length : end);
    start = end + 1;
    const number = numbers[place] ?? 0;
    const settings = settingsAt(number, note);
    const parsed = mayBeTask(text, settings) ? parseTaskLine(text, settings) : undefined;
    const line = parsed && isTask(parsed, settings) ? parsed : undefined;
    const parent = parents[place] ?? -1;
    // Children of a box that is no task belong to the task around it.
    const above = parent < 0 ? undefined : byPlace[parent];
    const task = line && taskOfLine(line, number, note, above?.id, problems);
    byPlace.push(task ?? above);
    if (task !== undefined) tasks.push(task);
    else if (line === undefined && settings.reads === "marked")
      addPlain(plain, { text, parsed, number, settings }, note);
    if (slice.isOver) await slice.yield();
  }
  return { tasks, problems, plain: [...plain.values()] };
}

/** Every card of a task board is a task; on other boards a day marks it. */
export function settingsAt(number: number, { settings, board }: NoteOfLines): LineSettings {
  if (board?.cards.has(number) !== true) return settings;
  return { ...settings, board: board.style, ...(board.isTaskBoard && { reads: "all" as const }) };
}

export function markedLine(text: string, settings: LineSettings): TaskLine | undefined {
  const line = mayBeTask(text, settings) ? parseTaskLine(text, settings) : undefined;
  return line && isTask(line, settings) ? line : undefined;
}

/** A quick test: most checklists need no parsing. */
function mayBeTask(text: string, { reads, globalFilter, board }: LineSettings): boolean {
  if (reads === "all" || reads === "plain") return true;
  return globalFilter === "" ? mayHoldFields(text, board) : text.includes(globalFilter);
}

const isTask = (line: TaskLine, { reads, globalFilter }: LineSettings): boolean =>
  reads === "all" || reads === "plain" ? !isBare(line) : isMarked(line, globalFilter);

function isPlain(
  line: TaskLine,
  number: number,
  { settings, board }: Pick<NoteOfLines, "settings" | "board">,
): boolean {
  if (settings.reads !== "plain" || isMarked(line, settings.globalFilter)) return false;
  return !(board?.isTaskBoard === true && board.cards.has(number));
}

const isBare = ({ title, fields, tags }: TaskLine): boolean => title === "" && fields.length === 0 && tags.length === 0;

function mayHoldFields(text: string, board: LineSettings["board"]): boolean {
  if (board !== undefined && text.includes(board.dateTrigger)) return true;
  return text.includes("#") || text.includes("::") || hasSign(text);
}

function onlyLinkIn(words: string): string | undefined {
  if (!words.endsWith("]]") && !words.endsWith(")")) return undefined;
  const [, wiki, markdown] = /^(?:\[\[([^\][|#]+)(?:\|[^\][]*)?\]\]|\[[^\][]*\]\(([^()]+)\))$/.exec(words) ?? [];
  return wiki?.trim() ?? (markdown === undefined ? undefined : (percentDecoded(markdown) ?? markdown));
}

/** By the filter, else by a field or the tag `task`. */
export function isMarked({ text, fields, unread, tags }: TaskLine, globalFilter: string): boolean {
  if (globalFilter !== "") return text.includes(globalFilter);
  return fields.length > 0 || unread.length > 0 || tags.some(({ tag }) => /^task(?:\/|$)/i.test(tag));
}

const PRIORITIES: Readonly<Record<string, Priority>> = { highest: "High", high: "High", low: "Low", lowest: "Low" };
const EXCERPT_LENGTH = 500;
const NO_PROPERTIES: Task["properties"] = {};
const NONE: readonly never[] = [];

/** @param parent id of the enclosing task */
export function taskOfLine(
  line: TaskLine,
  number: number,
  { stat, settings, area, projects, archived, day, board }: NoteOfLines,
  parent: string | undefined,
  problems: TaskProblem[],
): Task | undefined {
  const place = board?.cards.get(number);
  const ofBox = settings.symbols.statusOf(line.symbol);
  if (ofBox === undefined && place === undefined) return undefined;
  const status = place === undefined ? ofBox : cardStatus(place, ofBox ?? "To Do");
  const { path } = stat;
  const { values, wrong } = readFields(line);
  for (const { name, message } of wrong)
    problems.push({ path, line: number, message, ...(LINE_DAYS.has(name) && { day: name }) });
  const task = taskRecord({
    id: lineId(path, number, line),
    path,
    source: "line",
    line: number,
    parent,
    sign: values.id,
    rule: isPlain(line, number, { settings, board }) ? "plain-checkbox" : "checkbox",
    title: line.title,
    status: status ?? "To Do",
    priority: PRIORITIES[values.priority ?? ""] ?? "Medium",
    area,
    parentProjects: projects,
    series: values.recurrence === undefined ? undefined : seriesOf(values.recurrence),
    occurrence: undefined,
    archived: archived || place?.isArchived === true,
    times: values.time !== undefined && CLOCK_TIME.test(values.time) ? { due: values.time } : undefined,
    excerpt: place === undefined ? "" : place.card.text.split("\n").slice(1).join("\n").slice(0, EXCERPT_LENGTH),
    properties: NO_PROPERTIES,
    revision: hashText(line.text),
    modified: stat.modified,
  });
  setSignFields(task, values);
  task.statuses = place !== undefined && board?.isTaskBoard === true ? board.statuses : settings.statuses;
  if (place !== undefined) {
    task.board = board?.name;
    task.lane = place.lane.title;
    task.linksTo = onlyLinkIn(line.words);
  }
  if (line.tags.length > 0) task.tags = line.tags.map(({ tag }) => tag);
  if (task.due === undefined && task.start === undefined) task.scheduled ??= day;
  return task;
}

const CLOCK_TIME = /^\d\d:\d\d$/;
const isDay = remembered((text) => parseLocalDate(text) !== undefined);

interface WrongField {
  readonly name: LineFieldName;
  readonly message: string;
}

function whyNoDay(name: LineFieldName, value: string): string {
  const shown = `${name} "${value.slice(0, 40)}"`;
  const day = value.slice(0, "YYYY-MM-DD".length);
  return isDay(day) && /^[T ]\d\d?:\d\d/.test(value.slice(day.length))
    ? `${shown} has a clock time, which the Tasks plugin does not read: write ${day}.`
    : `${shown} is not a ${/^\d{4}-\d\d-\d\d(?:\D|$)/.test(value) ? "day that exists" : "date (YYYY-MM-DD)"}.`;
}

function readFields(line: TaskLine): {
  readonly values: Partial<Record<LineFieldName, string>>;
  readonly wrong: readonly WrongField[];
} {
  const { fields, unread } = line;
  const values: Partial<Record<LineFieldName, string>> = {};
  let wrong: WrongField[] | undefined;
  for (const { name, value: own } of fields) {
    if (values[name] !== undefined) continue;
    const value = fieldSpan(line, name)?.value ?? own;
    if (!LINE_DAYS.has(name) || isDay(value)) values[name] = value;
    else if (!wrong?.some((one) => one.name === name)) (wrong ??= []).push({ name, message: whyNoDay(name, value) });
  }
  for (const name of unread) {
    const form = LINE_DAYS.has(name) ? ", or a day in another form than YYYY-MM-DD," : "";
    (wrong ??= []).push({
      name,
      message: `${name} has other text behind it${form} and is not read; write it at the end of the line.`,
    });
  }
  return { values, wrong: wrong ?? NONE };
}

function seriesOf(rule: string): Series {
  return {
    rule,
    anchor: /\bwhen done\s*$/i.test(rule) ? "completion" : "scheduled",
    completed: NONE,
    skipped: NONE,
  };
}

export function dayInName(
  path: VaultPath,
  folders: readonly string[],
  dayOfName: LineSettings["dayOfName"],
): LocalDate | undefined {
  const folder = folderOf(path);
  const counts = folders.length === 0 || folders.some((each) => each === folder || folder.startsWith(`${each}/`));
  const inFormat = counts ? dayOfName(fileTitle(path)) : undefined;
  if (inFormat !== undefined) return inFormat;
  const name = baseName(path);
  // Names may begin with a time (`202611241530`).
  const [, year, month, day] = /(\d{4})-(\d{2})-(\d{2})/.exec(name) ?? /(\d{4})(\d{2})(\d{2})/.exec(name) ?? [];
  return counts && year !== undefined ? parseLocalDate(`${year}-${month}-${day}`) : undefined;
}

const OPEN_BOX = /^[\s>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([^xX-])\][ \t]+(?=\S)/u;

interface UnmarkedLine {
  readonly text: string;
  readonly parsed: TaskLine | undefined;
  readonly number: number;
  readonly settings: LineSettings;
}

/** Those that differ only in text, together. */
function addPlain(
  found: Map<string, PlainBoxes & { readonly texts: string[] }>,
  { text, parsed, number, settings }: UnmarkedLine,
  note: NoteOfLines,
): void {
  const [head, symbol = ""] = OPEN_BOX.exec(text) ?? [];
  if (head === undefined) return;
  const isLike =
    parsed === undefined &&
    settings === note.settings &&
    !text.includes("^") &&
    (settings.globalFilter === "" || !mayHoldFields(text, undefined));
  const like = isLike ? found.get(symbol) : undefined;
  if (like) {
    like.texts.push(text.slice(head.length));
    return;
  }
  const line = parsed ?? parseTaskLine(text, settings);
  if (line === undefined || isBare(line)) return;
  const task = taskOfLine(line, number, note, undefined, []);
  if (task === undefined || isClosed(task.status)) return;
  found.set(isLike ? symbol : `${number}`.padStart(2, "0"), { task, texts: [`${task.title} ${task.excerpt}`] });
}
