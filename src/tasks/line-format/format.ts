/** Tasks stored as checkbox lines. */
import type { VaultSettings } from "../../obsidian/settings.js";
import { VaultError, NOTHING_CHANGED } from "../../errors.js";
import type { TimeSlice } from "../../async/timers.js";
import type { NoteSource } from "../../index/subject.js";
import type { FileStat } from "../../storage/storage.js";
import type { Note } from "../../vault/vault.js";
import {
  type TaskDetail,
  type AppendContext,
  type EditedTask,
  type FindTask,
  type NoteTasks,
  type TaskContext,
  type TaskFormat,
  type TextEdit,
  type UpdateContext,
  type AppendedCheckboxes,
  type NewCheckbox,
  noLane,
  type CleanUpdates,
} from "../format.js";
import { checklistIn } from "../../markdown/outline.js";
import { grouped, type Task, type TaskPlace, type TaskProblem } from "../task.js";
import { appendCheckboxes } from "./append-checkboxes.js";
import { derivedLines, markedLine, noteOfLines, settingsAt, taskOfLine } from "./line-derivation.js";
import { lineFactsOf, NoteLines, readLines } from "./line-facts.js";
import { type LineOptions, type LineSettings, lineSettingsReader } from "./line-settings.js";
import { lineWays, readLineName, type TaskLine, titleDigits } from "./task-line.js";
import { isBoard } from "../../markdown/kanban/board.js";
import { boardOfLines } from "./cards.js";
import { signLine, updateCard, updateLine } from "./update-line.js";

const NO_TASKS: NoteTasks = { tasks: [], problems: [] };
/** They are tasks themselves. */
const NO_CHECKLIST = { done: 0, total: 0 };

export function lineFormat(options: LineOptions = {}): TaskFormat {
  const settingsFor = lineSettingsReader(options);

  function epoch({ tasksPlugin, kanban }: VaultSettings): unknown {
    return [options, tasksPlugin, kanban];
  }

  async function read(note: NoteSource, context: TaskContext, slice: TimeSlice): Promise<NoteTasks> {
    const facts = readLines(note);
    if (facts === undefined) return NO_TASKS;
    const { reads } = settingsFor(context.settings);
    const place = noteOfLines(facts, note.stat, context, asked(context.settings));
    const derived = await derivedLines(facts, place, slice);
    return reads === "off" ? { ...derived, plain: [], isExcluded: true } : derived;
  }

  async function readPlain(note: NoteSource, context: TaskContext, slice: TimeSlice): Promise<readonly Task[]> {
    const named = asked(context.settings);
    const facts = named.reads === "all" ? undefined : readLines(note);
    if (facts === undefined) return [];
    const settings: LineSettings = { ...named, reads: "plain" };
    const { tasks } = await derivedLines(facts, noteOfLines(facts, note.stat, context, settings), slice);
    return tasks.filter(({ rule }) => rule === "plain-checkbox");
  }

  function finder(text: string, stat: FileStat, context: TaskContext): FindTask {
    const locate = locator(text, stat, context);
    return (place) => locate(place)?.task;
  }

  function edit(text: string): TextEdit {
    const note = new NoteLines(text);
    return {
      get text() {
        return note.text;
      },
      update: (updates, context) => update(note, updates, context),
    };
  }

  function update(note: NoteLines, { lane, sign, ...updates }: CleanUpdates, context: UpdateContext): EditedTask {
    const { task } = context;
    const settings = asked(context.settings);
    const on = isBoard(note.text) ? boardOfLines(note.text, task.path, settings.kanban) : undefined;
    const place = on?.cards.get(task.line ?? 0);
    if (sign !== undefined) return signLine(note, task, sign, place ? { ...settings, board: on?.style } : settings);
    if (on && place)
      return updateCard(note, on, place, { ...updates, lane }, context, { ...settings, board: on.style });
    if (lane !== undefined) throw noLane(task);
    return updateLine(note, updates, context, settings);
  }

  function append(
    text: string,
    heading: string | undefined,
    boxes: readonly NewCheckbox[],
    { settings, ...context }: AppendContext,
  ): AppendedCheckboxes {
    return appendCheckboxes(text, heading, boxes, { settings: asked(settings), ...context });
  }

  function detail({ text, stat, revision }: Note, place: TaskPlace, context: TaskContext): TaskDetail | undefined {
    const found = locator(text, stat, context)(place);
    const lines = new NoteLines(text);
    const at = found && lines.at(found.task.line ?? 0);
    if (found === undefined || at === undefined) return undefined;
    const { task, line, problems } = found;
    return {
      task,
      why: whyTask(line, task, context.settings),
      description: lines
        .below(at)
        .map((below) => below.text)
        .join("\n"),
      properties: Object.fromEntries(line.fields.map(({ name, value }) => [name, value])),
      revision,
      problems,
      checklist:
        task.board === undefined
          ? NO_CHECKLIST
          : checklistIn(["- ", ...lines.below(at).map((below) => below.text)].join("\n"), 0),
    };
  }

  function whyTask(line: TaskLine, { board, rule }: Task, settings: VaultSettings): string {
    if (board !== undefined && rule === "checkbox") return `it is a card of the board "${board}"`;
    if (rule === "plain-checkbox") return "it is a plain checkbox, which does not count as a task";
    const { reads, globalFilter } = asked(settings);
    if (reads === "all") return "it is a checkbox, and all checkboxes of this vault count";
    if (globalFilter !== "") return `its checkbox line holds "${globalFilter}"`;
    const [field] = line.fields;
    return field ? `its checkbox line has the field "${field.name}"` : 'its checkbox line has the tag "task"';
  }

  /** By block id, else by line and title, else by a unique title. */
  function locator(text: string, stat: FileStat, context: TaskContext): (place: TaskPlace) => Located | undefined {
    const facts = lineFactsOf(text);
    if (facts === undefined) return () => undefined;
    // Any checkbox can be named.
    const named = asked(context.settings);
    const settings: LineSettings = named.reads === "all" ? named : { ...named, reads: "plain" };
    const note = noteOfLines(facts, stat, context, settings);
    const rows = facts.texts.split("\n");
    const lineAt = (position: number): TaskLine | undefined =>
      markedLine(rows[position] ?? "", settingsAt(facts.numbers[position] ?? 0, note));
    const at = (position: number | undefined): Located | undefined => {
      if (position === undefined) return undefined;
      const line = lineAt(position);
      const problems: TaskProblem[] = [];
      const task = line && taskOfLine(line, facts.numbers[position] ?? 0, note, undefined, problems);
      return line && task && { line, task, problems, position };
    };
    const parentOf = (position: number): string | undefined => {
      const above = facts.parents[position] ?? -1;
      return above < 0 ? undefined : (at(above)?.task.id ?? parentOf(above));
    };
    let byName: ReadonlyMap<string, readonly number[]> | undefined;
    return (place) => {
      const { blockId, digits = "" } = readLineName(place.id) ?? {};
      const name = blockId === undefined ? digits : blockName(blockId);
      const there = at(positionOf(facts.numbers, place.line ?? -1));
      const moved = () =>
        (byName ??= grouped(rows.keys(), (position) => {
          const line = lineAt(position);
          return line && namesOf(line);
        }))
          .get(name)
          ?.flatMap((position) => at(position) ?? []);
      const isThere = there !== undefined && (name === "" || namesOf(there.line).includes(name));
      const found = isThere ? there : onlyOne(markedFirst(moved() ?? []), place);
      if (found === undefined) return undefined;
      const parent = parentOf(found.position);
      return parent === undefined ? found : { ...found, task: { ...found.task, parent } };
    };
  }

  function asked(settings: VaultSettings): LineSettings {
    const own = settingsFor(settings);
    return own.reads === "off" ? { ...own, reads: "marked" } : own;
  }

  return { source: "line", referenceForms: lineWays, epoch, read, readPlain, finder, edit, append, detail };
}

interface Located {
  readonly line: TaskLine;
  readonly task: Task;
  readonly problems: readonly TaskProblem[];
  readonly position: number;
}

const blockName = (blockId: string): string => `#^${blockId}`;

function markedFirst(found: readonly Located[]): readonly Located[] {
  const marked = found.filter(({ task }) => task.rule !== "plain-checkbox");
  return marked.length > 0 ? marked : found;
}

function positionOf(numbers: readonly number[], wanted: number): number | undefined {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return numbers[low] === wanted ? low : undefined;
}

function namesOf({ blockId, title, words }: TaskLine): readonly string[] {
  const digits = words === title ? [titleDigits(title)] : [titleDigits(title), titleDigits(words)];
  return blockId === undefined ? digits : [...digits, blockName(blockId)];
}

function onlyOne(found: readonly Located[], { id, path }: TaskPlace): Located | undefined {
  if (found.length < 2) return found[0];
  throw new VaultError("CONFLICT", `The line ${id} has moved, and several lines of ${path} have its title now.`, {
    path,
    candidates: found.slice(0, 5).map(({ task }) => ({ id: task.id, title: task.title, path, status: task.status })),
    hint: ["Give the id of the one you mean.", NOTHING_CHANGED],
  });
}
