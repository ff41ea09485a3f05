/** Takes a checkbox line apart: its box, its fields with their places, its title, tags and block id (spec: tasks-2, section 6). */
import {
  type FieldForm,
  fieldOfKey,
  type LineFieldName,
  readSign,
  signBefore,
  type SignPlace,
  signsIn,
} from "./field-signs.js";

/** Where a field stands in its line; offsets are UTF-16 units. */
export interface FieldSpan {
  readonly name: LineFieldName;
  readonly form: FieldForm;
  readonly value: string;
  readonly start: number;
  readonly end: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

export interface TagSpan {
  /** Without `#`. */
  readonly tag: string;
  readonly start: number;
  readonly end: number;
}

export interface TaskLine {
  /** The line without its line end. */
  readonly text: string;
  /** Blanks and quote marks. */
  readonly lead: string;
  readonly symbol: string;
  readonly symbolStart: number;
  /** Where the text behind the box begins, and where it ends: spaces and the block id left out. */
  readonly bodyStart: number;
  readonly bodyEnd: number;
  /** In the order of the line; of one kind the last counts. */
  readonly fields: readonly FieldSpan[];
  /** Fields with other text behind them, which nobody reads. */
  readonly unread: readonly LineFieldName[];
  /** The tags of the text, trailing ones included, the global filter left out. */
  readonly tags: readonly TagSpan[];
  /** The text without fields, filter and trailing tags. */
  readonly title: string;
  /** Where the title stands; undefined where fields stand in the middle of it. */
  readonly titleSpan: { readonly start: number; readonly end: number } | undefined;
  /** Without `^`. */
  readonly blockId: string | undefined;
}

const CHECKBOX = /^([\s>]*)(?:[-*+]|\d{1,9}[.)])[ \t]+\[(.)\](?:[ \t]+|$)/u;
const BLOCK_ID = /(?:^|[ \t])\^([A-Za-z0-9-]+)[ \t]*$/;
/** What a tag holds besides `#`. */
const TAG_TEXT = /^[^\s!@#$%^&*(),.?":{}|<>]+$/u;
const TAG_HEAD = /[^\s!@#$%^&*(),.?":{}|<>]+/uy;
const BRACKETS = /\[([A-Za-z]+)::[ \t]*([^[\]()]*?)[ \t]*\]|\(([A-Za-z]+)::[ \t]*([^[\]()]*?)[ \t]*\)/g;
const CODE_SPANS = /(`+)(?!`)[^`]*\1(?!`)/g;

/** Whether a line may be a checkbox, without taking it apart. */
export const isCheckbox = (line: string): boolean => CHECKBOX.test(line);

/**
 * @param line without its line end
 * @param globalFilter what the plugin wants in every line, such as `#task`; empty for nothing
 * @returns undefined for a line that is no checkbox
 */
export function parseTaskLine(line: string, globalFilter = ""): TaskLine | undefined {
  const box = CHECKBOX.exec(line);
  if (box === null) return undefined;
  const [head, lead = "", symbol = " "] = box;
  const bodyStart = head.length;
  const blockId = line.includes("^", bodyStart) ? BLOCK_ID.exec(line.slice(bodyStart)) : null;
  const bodyEnd = trimmedEnd(line, bodyStart, blockId ? bodyStart + blockId.index : line.length);
  const brackets = bracketFields(line, bodyStart, bodyEnd);
  const { emoji, textEnd, unread } = readFromEnd(line, bodyStart, bodyEnd, brackets);
  const fields = brackets.length === 0 ? emoji : [...brackets, ...emoji].toSorted((a, b) => a.start - b.start);
  const tags = tagsIn(line, bodyStart, bodyEnd, globalFilter);
  const title = titleIn(line, bodyStart, textEnd, brackets, globalFilter);
  return {
    text: line,
    lead,
    symbol,
    symbolStart: line.indexOf("[", lead.length) + 1,
    bodyStart,
    bodyEnd,
    fields,
    unread,
    tags,
    title,
    titleSpan: spanOf(line, title, bodyStart, textEnd),
    blockId: blockId?.[1],
  };
}

/** The value of a field: of one kind the last counts. */
export function fieldSpan(line: TaskLine, name: LineFieldName): FieldSpan | undefined {
  return line.fields.findLast((field) => field.name === name);
}

/** Fields in brackets, which may stand anywhere but in code. */
function bracketFields(line: string, from: number, to: number): FieldSpan[] {
  const body = line.slice(from, to);
  if (!body.includes("::")) return [];
  const code = [...body.matchAll(CODE_SPANS)].map(({ index, 0: span }) => [index, index + span.length] as const);
  return [...body.matchAll(BRACKETS)].flatMap((match): FieldSpan[] => {
    const [whole, key = match[3] ?? "", value = match[4] ?? ""] = match;
    const name = fieldOfKey(key);
    if (name === undefined || code.some(([start, end]) => match.index >= start && match.index < end)) return [];
    const start = from + match.index;
    const valueStart =
      start + whole.indexOf("::") + 2 + /^[ \t]*/.exec(whole.slice(whole.indexOf("::") + 2))![0].length;
    const form = whole.startsWith("[") ? "bracket" : "parenthesis";
    return [{ name, form, value, start, end: start + whole.length, valueStart, valueEnd: valueStart + value.length }];
  });
}

/**
 * Emoji fields count from the line's end, mixed with tags and fields in brackets; the first text that is none of these ends them.
 * `textEnd` is where that text ends.
 */
function readFromEnd(line: string, from: number, to: number, brackets: readonly FieldSpan[]) {
  const signs = signsIn(line, from, to);
  const emoji: FieldSpan[] = [];
  let end = trimmedEnd(line, from, to);
  for (;;) {
    const start =
      startOfBracket(brackets, end) ??
      takeSign(line, signs, end, emoji) ??
      startOfTag(line, signs.at(-1)?.end ?? from, end);
    if (start === undefined) break;
    end = trimmedEnd(line, from, start);
  }
  const unread = signs.flatMap(({ emoji: sign, end: behind }) => {
    const name = signBefore(sign, line.slice(behind, to).trimStart());
    return name === undefined ? [] : [name];
  });
  return { emoji: emoji.toReversed(), textEnd: end, unread };
}

function startOfBracket(brackets: readonly FieldSpan[], end: number): number | undefined {
  return brackets.length === 0 ? undefined : brackets.find((field) => field.end === end)?.start;
}

/** Takes the last sign where all that stands behind it is its value. */
function takeSign(line: string, signs: SignPlace[], end: number, taken: FieldSpan[]): number | undefined {
  const sign = signs.at(-1);
  const field = sign && emojiField(line, sign, end);
  if (field === undefined) return undefined;
  taken.push(field);
  signs.pop();
  return field.start;
}

function emojiField(line: string, { emoji, start, end: behind }: SignPlace, end: number): FieldSpan | undefined {
  if (behind > end) return undefined;
  const value = line.slice(behind, end).trim();
  const read = readSign(emoji, value);
  if (read === undefined) return undefined;
  const valueStart = read.name === "priority" ? start : line.indexOf(value, behind);
  const valueEnd = read.name === "priority" ? behind : valueStart + value.length;
  return { name: read.name, form: "emoji", value: read.value, start, end: valueEnd, valueStart, valueEnd };
}

/** Where the tag begins that ends at `end`; undefined where none does. */
function startOfTag(line: string, from: number, end: number): number | undefined {
  const start = line.lastIndexOf("#", end - 1);
  if (start < from || !beginsWord(line, from, start)) return undefined;
  return TAG_TEXT.test(line.slice(start + 1, end)) ? start : undefined;
}

function tagsIn(line: string, from: number, to: number, filter: string): TagSpan[] {
  const tags: TagSpan[] = [];
  let body: string | undefined;
  for (let start = line.indexOf("#", from); start >= 0 && start < to; start = line.indexOf("#", start + 1)) {
    body ??= withoutCode(line.slice(0, to), from);
    TAG_HEAD.lastIndex = start + 1;
    const [tag = ""] = TAG_HEAD.exec(body) ?? [];
    const isTag = beginsWord(body, from, start) && body[start] === "#" && /[^\d/]/.test(tag) && `#${tag}` !== filter;
    if (isTag) tags.push({ tag: tag.replace(/^\/+|\/+$/g, ""), start, end: start + 1 + tag.length });
  }
  return tags;
}

/** The text with spaces in place of the code behind `from`. */
function withoutCode(text: string, from: number): string {
  if (!text.includes("`", from)) return text;
  return text.slice(0, from) + text.slice(from).replace(CODE_SPANS, (span) => " ".repeat(span.length));
}

const beginsWord = (text: string, from: number, at: number): boolean => at === from || isWhite(text.charCodeAt(at - 1));

function titleIn(line: string, from: number, to: number, brackets: readonly FieldSpan[], filter: string): string {
  let text = "";
  let at = from;
  for (const { start, end } of brackets) {
    if (end > to) break;
    text += line.slice(at, start).trimEnd();
    at = end;
  }
  return withoutFilter(text + line.slice(at, to), filter).trim();
}

function spanOf(line: string, title: string, from: number, to: number): TaskLine["titleSpan"] {
  const start = title === "" ? -1 : line.indexOf(title, from);
  return start < 0 || start + title.length > to ? undefined : { start, end: start + title.length };
}

/** The text without the filter where it stands as a word of its own. */
function withoutFilter(text: string, filter: string): string {
  if (filter === "" || !text.includes(filter)) return text;
  return text
    .split(/(\s+)/)
    .filter((word, index, words) => word !== filter && !(words[index + 1] === filter && index % 2 === 1))
    .join("");
}

function trimmedEnd(line: string, from: number, end: number): number {
  let at = end;
  while (at > from && isWhite(line.charCodeAt(at - 1))) at -= 1;
  return at;
}

const isWhite = (code: number): boolean =>
  code === 32 || code === 9 || code === 13 || (code > 127 && /\s/.test(String.fromCharCode(code)));
