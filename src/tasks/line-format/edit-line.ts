/** Changes one thing in a checkbox line and not one byte beside it (spec: tasks-2, section 6). */
import { VaultError } from "../../errors.js";
import { blanksBefore, type FieldForm, type LineFieldName, writtenField, emojiOfPriority } from "./field-signs.js";
import { fieldSpan, type FieldSpan, parseTaskLine, type TaskLine } from "./task-line.js";

/** How a line without fields gets its first one. */
export interface LineStyle {
  readonly globalFilter: string;
  readonly form: FieldForm;
}

/** Fields that stay at the end of a line. */
const LAST: ReadonlySet<LineFieldName> = new Set(["completed", "cancelled"]);

/** @param symbol one character */
export function withSymbol(line: TaskLine, symbol: string): string {
  return splice(line.text, line.symbolStart, line.symbolStart + line.symbol.length, symbol);
}

/**
 * The line with a field set, or without it where the value is undefined.
 * @throws VaultError INVALID_ARGUMENT where the line has such a field that nobody reads, or would not read back
 */
export function withField(
  line: TaskLine,
  name: LineFieldName,
  value: string | undefined,
  { form, globalFilter }: LineStyle,
): string {
  if (line.unread.includes(name)) throw unreadField(name);
  const span = fieldSpan(line, name);
  if (value === undefined) return span === undefined ? line.text : withoutSpan(line, span);
  if (span?.value === value) return line.text;
  const text = span === undefined ? added(line, name, value, form) : replaced(line, span, value);
  const back = parseTaskLine(text, globalFilter);
  if (back === undefined || fieldSpan(back, name)?.value !== value || back.title !== line.title)
    throw notReadable(name);
  return text;
}

/** The line without a field and the spaces before it. */
export function withoutSpan(line: TaskLine, { start, end }: { readonly start: number; readonly end: number }): string {
  let from = start;
  while (from > line.bodyStart && isBlank(line.text.charCodeAt(from - 1))) from -= 1;
  return splice(line.text, from, end, "");
}

/** @throws VaultError INVALID_ARGUMENT where fields stand within the title, or the new one would be read as more than a title */
export function withTitle(line: TaskLine, title: string, { globalFilter }: LineStyle): string {
  if (line.title === title) return line.text;
  const { titleSpan } = line;
  if (titleSpan === undefined && line.title !== "")
    throw new VaultError(
      "INVALID_ARGUMENT",
      "Fields stand in the middle of this line's text, so its title cannot be changed.",
      {
        hint: "Move the fields to the end of the line first, or change the line with edit_note or str_replace.",
      },
    );
  const span = titleSpan ?? { start: line.bodyStart, end: line.bodyStart };
  const text = splice(line.text, span.start, span.end, titleSpan === undefined ? `${title} ` : title);
  const back = parseTaskLine(text, globalFilter);
  const sameFields = back?.fields.map(({ name, value }) => `${name} ${value}`).join("\n");
  if (back?.title !== title || sameFields !== line.fields.map(({ name, value }) => `${name} ${value}`).join("\n"))
    throw new VaultError(
      "INVALID_ARGUMENT",
      "On a checkbox line this title would be read as fields, tags or a block id.",
      {
        hint: "Leave emoji of fields, [key:: value], tags at the end and ^ids out of the title.",
      },
    );
  return text;
}

/** The line with exactly these tags, the global filter aside; those that stay keep their place. */
export function withTags(line: TaskLine, tags: readonly string[], style: LineStyle): string {
  const wanted = new Map(tags.map((tag) => [tag.toLowerCase(), tag]));
  let text = line.text;
  for (const { tag, start, end } of line.tags.toReversed()) {
    if (!wanted.has(tag.toLowerCase())) text = withoutSpan({ ...line, text }, { start, end });
  }
  const kept = new Set(line.tags.map(({ tag }) => tag.toLowerCase()));
  const fresh = [...wanted].flatMap(([key, tag]) => (kept.has(key) ? [] : [` #${tag}`]));
  const now = parseTaskLine(text, style.globalFilter);
  if (now === undefined || fresh.length === 0) return text;
  return splice(text, endOfText(now), endOfText(now), fresh.join(""));
}

/** Where the words and tags before the trailing fields end. */
function endOfText({ text, bodyStart, bodyEnd, fields }: TaskLine): number {
  let end = bodyEnd;
  for (const field of fields.toReversed()) {
    if (text.slice(field.end, end).trim() !== "") break;
    end = field.start;
  }
  while (end > bodyStart && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

/** A new field goes behind the last one, before those that close a line and before the block id. */
function added(line: TaskLine, name: LineFieldName, value: string, form: FieldForm): string {
  const isLast = LAST.has(name);
  const before = line.fields.filter((field) => isLast || !LAST.has(field.name));
  const anchor = before.at(-1);
  const own = anchor?.form ?? line.fields[0]?.form ?? form;
  if (anchor !== undefined && !(isLast && anchor.end < line.bodyEnd))
    return insertedAt(line, anchor.end, name, value, own);
  const closing = isLast ? undefined : line.fields.find((field) => LAST.has(field.name));
  if (closing === undefined) return insertedAt(line, line.bodyEnd, name, value, own);
  const end = line.text.slice(0, closing.start).trimEnd().length;
  return insertedAt(line, Math.max(end, line.bodyStart), name, value, own);
}

/** The line with a field written behind the place `at`. */
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
  return new VaultError(
    "INVALID_ARGUMENT",
    `The line has a field "${name}" with other text behind it, which Obsidian does not read.`,
    {
      hint: "Move the field to the end of the line first.",
    },
  );
}

function notReadable(name: LineFieldName): VaultError {
  return new VaultError("INVALID_ARGUMENT", `The value for "${name}" cannot be written on a checkbox line.`, {
    hint: "Give a value of letters and digits on one line, or keep the task as a note.",
  });
}
