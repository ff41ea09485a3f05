/** Adds checkboxes to the end of a section, with the marker and indent of its list (docs: tasks, "Making"). */
import type { LocalDate } from "../../clock.js";
import { NOTHING_ADDED, invalidArgument } from "../../errors.js";
import { scanBlocks } from "../../markdown/blocks.js";
import { splitNote } from "../../markdown/frontmatter/frontmatter.js";
import { headingIfAny, headings } from "../../markdown/outline.js";
import { isBoard, readBoard } from "../../markdown/kanban/board.js";
import { boardStyle } from "../../markdown/kanban/card-dates.js";
import { addCards, laneForNew } from "../../markdown/kanban/change.js";
import { lineEnding } from "../../markdown/line-edit.js";
import { fileTitle, type VaultPath } from "../../storage/path.js";
import { withNewDay } from "./edit-line.js";
import { blanksBefore, type LineFieldName, writtenField } from "./field-signs.js";
import { isMarked } from "./line-derivation.js";
import { depthOf } from "./line-facts.js";
import { ruleForLine } from "./line-instances.js";
import type { LineSettings } from "./line-settings.js";
import { linePlace, parseTaskLine, reparsed } from "./task-line.js";
import type { AppendContext, AppendedCheckboxes, NewCheckbox } from "../format.js";
import type { LinePlace } from "../task.js";

type LineContext = Omit<AppendContext, "settings"> & { readonly settings: LineSettings };

/**
 * @param heading with or without `#`; added if missing. Undefined: the note's end
 * @throws INVALID_ARGUMENT for a title or rule that a line cannot hold, a repeated heading, an unclosed code block
 */
export function appendCheckboxes(
  text: string,
  heading: string | undefined,
  boxes: readonly NewCheckbox[],
  { settings, today, path, mayBePlain = false }: LineContext,
): AppendedCheckboxes {
  if (isBoard(text)) return appendCards(text, heading, boxes, { settings, today, path });
  const ending = lineEnding(text);
  const section = sectionOf(text, heading);
  const list = listAtEnd(text, section);
  let tops = 0;
  const lines = inTreeOrder(boxes).map(({ box, depth }) => {
    const lead = list.lead + list.step.repeat(depth);
    const marker = list.markerOf(depth === 0 ? ++tops : undefined);
    const words = lineText(box, settings, today, mayBePlain && list.isPlain(settings));
    return { box, settings, text: `${lead}${marker} [${symbolOf(box, settings)}] ${words}` };
  });
  const made = section.heading === undefined ? [] : [section.heading, ""];
  const before = text.slice(0, section.end);
  const isInLine = before !== "" && !before.endsWith("\n") && before !== "\uFEFF";
  const gap = gapBefore(before, made.length > 0, list.isThere, section.start);
  const head = [...(isInLine ? [""] : []), ...gap, ...made].map((line) => line + ending).join("");
  const isLast = text.slice(section.end) === "" && (isInLine || (before !== "" && !before.endsWith("\n")));
  const body = lines.map((line) => line.text).join(ending) + (isLast ? "" : ending);
  const first = (before + head).split("\n").length;
  const result = before + head + body + text.slice(section.end);
  assertItems(result, (before + head).length, lines.length);
  return {
    text: result,
    places: placesOf(path, boxes, first, lines),
  };
}

function assertItems(text: string, from: number, count: number): void {
  let found = 0;
  scanBlocks(text, splitNote(text).bodyStart, { item: (start) => void (found += Number(start >= from)) });
  if (found >= count) return;
  throw invalidArgument("The note ends in a code block or comment that is not closed.", [
    "Close it, or name a heading above it.",
    NOTHING_ADDED,
  ]);
}

/** Top-level boxes become cards, nested boxes their checklists. */
function appendCards(
  text: string,
  heading: string | undefined,
  boxes: readonly NewCheckbox[],
  { settings, today, path }: LineContext,
): AppendedCheckboxes {
  const board = readBoard(text);
  const style = boardStyle(board.settings, settings.kanban);
  const lane = laneForNew(fileTitle(path), text, board, heading);
  const rows = inTreeOrder(boxes).map(({ box, depth }) => {
    // When the Tasks plugin repeats a task, it moves only its own dates.
    const sign = depth > 0 || box.recurrence !== undefined ? undefined : box.due;
    const words = lineText(
      sign === undefined ? box : { ...box, due: undefined },
      { ...settings, reads: "all" },
      today,
      false,
    );
    const own = depth > 0 ? settings : { ...settings, board: style };
    const plain = `- [${symbolOf(box, settings)}] ${words}`;
    const line = sign === undefined ? plain : withNewDay(reparsed(plain, own), sign, style);
    return { box, depth, settings: own, text: style.indent.repeat(depth) + line };
  });
  const items: string[] = [];
  for (const { depth, text: line } of rows)
    if (depth === 0) items.push(line);
    else items.push(`${items.pop() ?? ""}${lineEnding(text)}${line}`);
  const added = addCards(text, items, lane, style);
  return { text: added.text, places: placesOf(path, boxes, added.line, rows) };
}

function placesOf(
  path: VaultPath,
  boxes: readonly NewCheckbox[],
  first: number,
  rows: readonly { readonly box: NewCheckbox; readonly text: string; readonly settings: LineSettings }[],
): LinePlace[] {
  return boxes.map((box) => {
    const at = rows.findIndex((row) => row.box === box);
    const row = rows[at];
    const parsed = row && parseTaskLine(row.text, row.settings);
    if (parsed === undefined) throw new Error("An added checkbox is no checkbox.");
    return linePlace(path, first + at, parsed);
  });
}

const symbolOf = ({ status = "To Do" }: NewCheckbox, { symbols }: LineSettings): string =>
  symbols.symbolFor(status) ?? " ";

interface Section {
  readonly start: number;
  readonly end: number;
  readonly heading?: string;
}

function sectionOf(text: string, wanted: string | undefined): Section {
  const { bodyStart } = splitNote(text);
  const endOfText = { start: bodyStart, end: withoutBlankLines(text, bodyStart, text.length) };
  if (wanted === undefined) return endOfText;
  const all = headings(text, bodyStart);
  const found = headingIfAny(text, all, wanted);
  if (found === undefined)
    return { ...endOfText, heading: /^\s*#/.test(wanted) ? wanted.trim() : `## ${wanted.trim()}` };
  const next = all.find(({ start, level }) => start > found.start && level <= found.level);
  return { start: found.end, end: withoutBlankLines(text, found.end, next?.start ?? text.length) };
}

function withoutBlankLines(text: string, from: number, to: number): number {
  const [blanks = ""] = /(?<=^|\n)(?:[ \t]*\r?\n)*[ \t]*$/.exec(text.slice(from, to)) ?? [];
  return to - blanks.length;
}

function listAtEnd(text: string, { start, end, heading }: Section) {
  const items: string[] = [];
  if (heading === undefined)
    scanBlocks(text.slice(0, end), start, { item: (from, to) => void items.push(text.slice(from, to)) });
  const last = items.at(-1);
  const least = Math.min(...items.map((item) => depthOf(item).indent));
  const tops = items.filter((line) => depthOf(line).indent === least).slice(-2);
  const [previous, top] = tops.length === 1 ? [undefined, tops[0]] : tops;
  const [, lead = "", marker = "-"] = MARKER.exec(top ?? "") ?? [];
  const step = items.find((line) => line.startsWith("\t")) !== undefined ? "\t" : indentBetween(items);
  const isThere =
    last !== undefined &&
    text
      .slice(0, end)
      .replace(/\r?\n$/, "")
      .endsWith(last.replace(/\r$/, ""));
  const isPlain = (settings: LineSettings): boolean => {
    const boxes = items.flatMap((item) => parseTaskLine(item.replace(/\r$/, ""), settings) ?? []);
    const titled = boxes.filter(({ title }) => title !== "");
    return titled.length > 0 && !titled.some((box) => isMarked(box, settings.globalFilter));
  };
  /** @param place among the list's new items, from 1; undefined for a nested one */
  function markerOf(place: number | undefined): string {
    const number = Number.parseInt(marker, 10);
    if (Number.isNaN(number)) return marker;
    if (place === undefined || !isThere) return "-";
    // Markdown numbers lists whose items all have one number.
    const step = MARKER.exec(previous ?? "")?.[2] === marker ? 0 : place;
    return `${Math.min(number + step, MAX_NUMBER)}${marker.slice(-1)}`;
  }
  return { lead, markerOf, step, isThere, isPlain };
}

const MARKER = /^([\s>]*)([-*+]|\d{1,9}[.)])/;
const MAX_NUMBER = 999_999_999;

/** A tab is Obsidian's default. */
function indentBetween(items: readonly string[]): string {
  const columns = items.map((line) => depthOf(line).indent);
  const least = Math.min(...columns);
  const inner = columns.filter((column) => column > least);
  return inner.length === 0 ? "\t" : " ".repeat(Math.min(...inner) - least);
}

function gapBefore(before: string, makesHeading: boolean, isInList: boolean, start: number): readonly string[] {
  const hasText = before.slice(start).trim() !== "";
  return hasText && (makesHeading || !isInList) ? [""] : [];
}

function inTreeOrder(boxes: readonly NewCheckbox[]): { readonly box: NewCheckbox; readonly depth: number }[] {
  const below = (parent: number | undefined, depth: number): { box: NewCheckbox; depth: number }[] =>
    boxes.flatMap((box, place) => (box.parent === parent ? [{ box, depth }, ...below(place, depth + 1)] : []));
  return below(undefined, 0);
}

/** @throws VaultError when the line would not read back */
function lineText(box: NewCheckbox, settings: LineSettings, today: LocalDate, isPlain: boolean): string {
  const { form, reads } = settings;
  const staysPlain = isPlain && reads !== "all" && (box.tags ?? []).length + fieldsOf(box, undefined).length === 0;
  const [globalFilter, setCreatedDate] = staysPlain ? ["", false] : [settings.globalFilter, settings.setCreatedDate];
  const tags = (box.tags ?? []).filter((tag) => `#${tag}` !== globalFilter);
  const words = [...(globalFilter === "" ? [] : [globalFilter]), box.title, ...tags.map((tag) => `#${tag}`)];
  const fields = fieldsOf(box, setCreatedDate ? today : undefined).map(
    ([name, value]) => blanksBefore(form) + writtenField(name, value, form),
  );
  const said = words.join(" ") + fields.join("");
  const line = parseTaskLine(`- [ ] ${said}`, settings);
  if (line?.title !== [box.title, ...tags.map((tag) => `#${tag}`)].join(" "))
    throw invalidArgument(`On a checkbox line "${box.title.slice(0, 60)}" would not read as a title.`, [
      "Leave emoji of fields, [key:: value] and ^ids out of it.",
      NOTHING_ADDED,
    ]);
  // An unmarked line would not be found again.
  const isFound = staysPlain || reads !== "marked" || isMarked(line, globalFilter);
  return isFound ? said : `${words.join(" ")} #task`;
}

function fieldsOf(box: NewCheckbox, created: LocalDate | undefined): [LineFieldName, string][] {
  const { priority, recurrence, start, scheduled, due, completed, blockedBy, sign: id } = box;
  const sign = priority === undefined || priority === "Medium" ? undefined : priority.toLowerCase();
  const rule = recurrence === undefined ? undefined : ruleForLine(recurrence);
  if (rule !== undefined && (start ?? scheduled ?? due) === undefined)
    throw invalidArgument(`"${box.title.slice(0, 60)}" cannot repeat without any day.`, [
      "Give it a day as well.",
      NOTHING_ADDED,
    ]);
  const all: [LineFieldName, string | undefined][] = [
    ["id", id],
    ["blockedBy", blockedBy?.join(",")],
    ["priority", sign],
    ["recurrence", rule],
    ["created", box.created ?? created],
    ["start", start],
    ["scheduled", scheduled],
    ["due", due],
    ["completed", completed],
  ];
  return all.filter((field): field is [LineFieldName, string] => field[1] !== undefined);
}
