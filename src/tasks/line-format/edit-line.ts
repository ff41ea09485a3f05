/** Changes one part of a checkbox line and no other byte (docs: tasks, "Checkbox lines"). */
import { type VaultError, invalidArgument } from "../../errors.js";
import { call, said } from "../../text/wording.js";
import { blanksBefore, type FieldForm, type LineFieldName, writtenField, emojiOfPriority } from "./field-signs.js";
import type { LocalDate } from "../../clock.js";
import { type BoardStyle, timeSign, withDay } from "../../markdown/kanban/card-dates.js";
import { withDaySign } from "../../markdown/kanban/change.js";
import { fieldSpan, type FieldSpan, type LineSigns, reparsed, type TaskLine } from "./task-line.js";

export interface LineStyle extends LineSigns {
  readonly form: FieldForm;
}

const LAST: ReadonlySet<LineFieldName> = new Set(["completed", "cancelled"]);

export function withSymbol(line: TaskLine, symbol: string, style: LineStyle): TaskLine {
  const { text, symbolStart, bodyStart } = line;
  if (symbolStart < 0 && symbol === " ") return line;
  const changed =
    symbolStart < 0
      ? splice(text, bodyStart, bodyStart, `[${symbol}] `)
      : splice(text, symbolStart, symbolStart + line.symbol.length, symbol);
  return reparsed(changed, style);
}

/**
 * `undefined` removes the field everywhere.
 * @throws INVALID_ARGUMENT if the line has an unread field of this name, or the value would not read back
 */
export function withField(line: TaskLine, name: LineFieldName, value: string | undefined, style: LineStyle): TaskLine {
  if (line.unread.includes(name)) throw unreadField(name);
  const span = fieldSpan(line, name);
  if (span?.value === value) return line;
  if (name === "due" && style.board !== undefined)
    return reparsed(withCardDay(line, span?.value, value, style.board), style);
  if (value === undefined) return withoutFields(line, name, style);
  const back = reparsed(span === undefined ? added(line, name, value, style.form) : replaced(line, span, value), style);
  if (fieldSpan(back, name)?.value !== value || back.title !== line.title) throw notReadable(name);
  return back;
}

export function withoutFields(line: TaskLine, name: LineFieldName, style: LineStyle): TaskLine {
  const span = fieldSpan(line, name);
  return span === undefined ? line : withoutFields(withoutSpan(line, span, style), name, style);
}

function withCardDay(line: TaskLine, old: string | undefined, value: string | undefined, board: BoardStyle): string {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(old ?? "");
  if (!isDay && value !== undefined) return withNewDay(line, value as LocalDate, board);
  let text = line.text;
  for (const span of line.fields.toReversed()) {
    if (span.name !== "due") continue;
    if (value === undefined) text = cut({ ...line, text }, span);
    else if (span.value !== old) continue;
    else if (span.form !== "board") text = splice(text, span.valueStart, span.valueEnd, value);
    else {
      const sign = withDay(text.slice(span.start, span.end), old as LocalDate, value as LocalDate, board);
      text = splice(text, span.start, span.end, sign);
    }
  }
  return text;
}

/** Before the final fields: the Tasks plugin ignores fields before other text. */
export function withNewDay({ text, textEnd, fields }: TaskLine, day: LocalDate, board: BoardStyle): string {
  const first = fields.find(({ start, form }) => start >= textEnd && form !== "board");
  return withDaySign(text, day, board, first && text.slice(0, first.start).trimEnd().length);
}

/** @returns undefined unless the card has exactly one clock time, and the given one is `HH:MM` */
export function withCardTime(line: TaskLine, time: string, style: LineStyle): TaskLine | undefined {
  const [span, another] = line.fields.filter(({ name }) => name === "time");
  if (!style.board || !span || another || !/^\d\d:\d\d$/.test(time)) return undefined;
  return reparsed(splice(line.text, span.start, span.end, timeSign(time, style.board)), style);
}

export const withoutSpan = (line: TaskLine, span: FieldSpan, style: LineStyle): TaskLine =>
  reparsed(cut(line, span), style);

function cut({ text, bodyStart }: TaskLine, { start, end }: { readonly start: number; readonly end: number }): string {
  let from = start;
  while (from > bodyStart && isBlank(text.charCodeAt(from - 1))) from -= 1;
  return splice(text, from, end, "");
}

/**
 * Keeps trailing tags.
 * @throws INVALID_ARGUMENT if fields are inside the title, or the new one would not read back
 */
export function withTitle(line: TaskLine, title: string, style: LineStyle): TaskLine {
  if (line.title === title) return line;
  const { wordsSpan } = line;
  if (wordsSpan === undefined && line.words !== "")
    throw invalidArgument(
      "Fields are in the middle of this line's text, so its title cannot be changed.",
      said`Move the fields to the end of the line first, or change the line with ${call("edit_note")} or ${call("str_replace")}.`.or(
        "Move the fields to the end of the line first.",
      ),
    );
  const kept = line.title.slice(line.words.length).trim();
  const words = kept !== "" && title.endsWith(kept) ? title.slice(0, -kept.length).trim() : title;
  const span = wordsSpan ?? { start: line.bodyStart, end: line.bodyStart };
  const back = reparsed(splice(line.text, span.start, span.end, wordsSpan === undefined ? `${words} ` : words), style);
  const fieldsOf = ({ fields }: TaskLine): string => fields.map(({ name, value }) => `${name} ${value}`).join("\n");
  if (back.title !== `${words} ${kept}`.trim() || fieldsOf(back) !== fieldsOf(line))
    throw invalidArgument(
      "On a checkbox line this title would be read as fields or a block id.",
      "Leave emoji of fields, [key:: value] and ^ids out of the title.",
    );
  return back;
}

/** Keeps the global filter. */
export function withTags(line: TaskLine, tags: readonly string[], style: LineStyle): TaskLine {
  const wanted = new Map(tags.map((tag) => [tag.toLowerCase(), tag]));
  let text = line.text;
  for (const { tag, start, end } of line.tags.toReversed()) {
    if (!wanted.has(tag.toLowerCase())) text = cut({ ...line, text }, { start, end });
  }
  const kept = new Set(line.tags.map(({ tag }) => tag.toLowerCase()));
  const fresh = [...wanted].flatMap(([key, tag]) => (kept.has(key) ? [] : [` #${tag}`]));
  const now = reparsed(text, style);
  if (fresh.length === 0) return now;
  return reparsed(splice(text, endOfText(now), endOfText(now), fresh.join("")), style);
}

function endOfText({ text, bodyStart, bodyEnd, fields }: TaskLine): number {
  let end = bodyEnd;
  for (const field of fields.toReversed()) {
    if (text.slice(field.end, end).trim() !== "") break;
    end = field.start;
  }
  while (end > bodyStart && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

/** After the last field, before closing fields and the block id. */
function added(line: TaskLine, name: LineFieldName, value: string, form: FieldForm): string {
  const isLast = LAST.has(name);
  // A card's day or time may also be amid its words.
  const fields = line.fields.filter((field) => field.form !== "board" || field.start >= line.textEnd);
  const anchor = fields.findLast((field) => isLast || !LAST.has(field.name));
  const own = fields.findLast((field) => field.form !== "board")?.form ?? form;
  if (anchor !== undefined && !(isLast && anchor.end < line.bodyEnd))
    return insertedAt(line, anchor.end, name, value, own);
  const closing = isLast ? undefined : line.fields.find((field) => LAST.has(field.name));
  if (closing === undefined) return insertedAt(line, line.bodyEnd, name, value, own);
  const end = line.text.slice(0, closing.start).trimEnd().length;
  return insertedAt(line, Math.max(end, line.bodyStart), name, value, own);
}

export function insertedAt(line: TaskLine, at: number, name: LineFieldName, value: string, form: FieldForm): string {
  const blanks = at === line.bodyStart ? "" : blanksBefore(form);
  const isOpen = at === line.bodyStart && line.text.charAt(at - 1) === "]";
  return splice(line.text, at, at, `${isOpen ? " " : blanks}${writtenField(name, value, form)}`);
}

function replaced(line: TaskLine, span: FieldSpan, value: string): string {
  const written = span.name === "priority" && span.form === "emoji" ? emojiOfPriority(value) : value;
  if (written === undefined) throw notReadable(span.name);
  return splice(line.text, span.valueStart, span.valueEnd, written);
}

const splice = (text: string, start: number, end: number, put: string): string =>
  text.slice(0, start) + put + text.slice(end);

const isBlank = (code: number): boolean => code === 32 || code === 9;

export function unreadField(name: LineFieldName): VaultError {
  return invalidArgument(
    `The line has a field "${name}" with other text behind it, or a day in another form, which Obsidian does not read.`,
    "Write the field at the end of the line first, its day as YYYY-MM-DD.",
  );
}

function notReadable(name: LineFieldName): VaultError {
  return invalidArgument(
    `The value for "${name}" cannot be written on a checkbox line.`,
    "Give a value of letters and digits on one line, or keep the task as a note.",
  );
}
