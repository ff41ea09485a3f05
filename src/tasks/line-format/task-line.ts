/** Takes a checkbox line apart: its box, its fields with their places, its title, tags and block id (spec: tasks-2, section 6). */
import { EMOJI_SIGNS, type FieldForm, fieldOfKey, type LineFieldName, readSign, signBefore } from "./field-signs.js";

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
  /** Where the text behind the box begins, and where it ends: blanks and the block id left out. */
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
const TAG_AT_END = /(?:^|\s)#([^\s!@#$%^&*(),.?":{}|<>]+)$/u;
const TAGS = /(?<=^|\s)#([^\s!@#$%^&*(),.?":{}|<>]+)/gu;
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
  const blockId = BLOCK_ID.exec(line.slice(bodyStart));
  const bodyEnd = trimmedEnd(line, bodyStart, blockId ? bodyStart + blockId.index : line.length);
  const brackets = bracketFields(line, bodyStart, bodyEnd);
  const { emoji, textEnd, unread } = readFromEnd(line, bodyStart, bodyEnd, brackets);
  const fields = [...brackets, ...emoji].toSorted((a, b) => a.start - b.start);
  const tags = tagsIn(line, bodyStart, bodyEnd, globalFilter);
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
    ...titleOf(line, bodyStart, textEnd, brackets, globalFilter),
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
  const signs = [...line.slice(from, to).matchAll(EMOJI_SIGNS)];
  const emoji: FieldSpan[] = [];
  let end = to;
  for (;;) {
    end = trimmedEnd(line, from, end);
    const bracket = brackets.find((field) => field.end === end);
    if (bracket !== undefined) {
      end = bracket.start;
      continue;
    }
    const sign = signs.at(-1);
    const field = sign && emojiField(line, from, sign, end);
    if (field !== undefined) {
      emoji.push(field);
      signs.pop();
      end = field.start;
      continue;
    }
    const lastSign = sign === undefined ? from : from + sign.index;
    const tag = TAG_AT_END.exec(line.slice(lastSign, end));
    if (tag === null) break;
    end = lastSign + tag.index;
  }
  const unread = signs.flatMap(({ index, 0: whole, 1: character = "" }) => {
    const name = signBefore(character, line.slice(from + index + whole.length, to).trimStart());
    return name === undefined ? [] : [name];
  });
  return { emoji, textEnd: end, unread };
}

function emojiField(line: string, from: number, sign: RegExpExecArray, end: number): FieldSpan | undefined {
  const start = from + sign.index;
  const behind = start + sign[0].length;
  if (behind > end) return undefined;
  const value = line.slice(behind, end).trim();
  const read = readSign(sign[1] ?? "", value);
  if (read === undefined) return undefined;
  const valueStart = read.name === "priority" ? start : line.indexOf(value, behind);
  const valueEnd = read.name === "priority" ? behind : valueStart + value.length;
  return { ...read, form: "emoji", start, end: valueEnd, valueStart, valueEnd };
}

function tagsIn(line: string, from: number, to: number, filter: string): TagSpan[] {
  const body = line.slice(from, to);
  if (!body.includes("#")) return [];
  const code = body.replace(CODE_SPANS, (span) => " ".repeat(span.length));
  return [...code.matchAll(TAGS)].flatMap(({ index, 0: whole, 1: tag = "" }) =>
    whole === filter || /^[\d/]*$/.test(tag)
      ? []
      : [{ tag: tag.replace(/^\/+|\/+$/g, ""), start: from + index, end: from + index + whole.length }],
  );
}

function titleOf(
  line: string,
  from: number,
  to: number,
  brackets: readonly FieldSpan[],
  filter: string,
): Pick<TaskLine, "title" | "titleSpan"> {
  const inside = brackets.filter((field) => field.end <= to);
  let text = "";
  let at = from;
  for (const { start, end } of inside) {
    text += line.slice(at, start).trimEnd();
    at = end;
  }
  text += line.slice(at, to);
  const title = withoutFilter(text, filter).trim();
  const start = title === "" ? -1 : line.slice(from, to).indexOf(title);
  return { title, titleSpan: start < 0 ? undefined : { start: from + start, end: from + start + title.length } };
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
  while (at > from && /\s/.test(line.charAt(at - 1))) at -= 1;
  return at;
}
