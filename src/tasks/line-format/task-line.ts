/** Parses a checkbox line; its id, and how to find it later (docs: tasks, "Checkbox lines"). */
import { type BoardStyle, cardDates, dayOfSign, timeOfSign } from "../../markdown/kanban/card-dates.js";
import {
  type FieldForm,
  fieldOfKey,
  type LineFieldName,
  readSign,
  signBefore,
  type SignPlace,
  signsIn,
} from "./field-signs.js";
import { fileTitle, foldName, type VaultPath } from "../../storage/path.js";
import { sha256 } from "../../text/hash.js";
import type { ReferenceForm } from "../format.js";
import type { LinePlace, Task } from "../task.js";

export interface LineSigns {
  /** In every task line, such as `#task`; may be empty. */
  readonly globalFilter: string;
  /** Cards have dates and times as fields, and need no box. */
  readonly board?: BoardStyle | undefined;
}

/** Offsets in UTF-16 units. */
export interface FieldSpan {
  readonly name: LineFieldName;
  readonly form: FieldForm;
  readonly value: string;
  readonly start: number;
  readonly end: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

interface TagSpan {
  /** Without `#`. */
  readonly tag: string;
  readonly start: number;
  readonly end: number;
}

export interface TaskLine {
  readonly text: string;
  readonly lead: string;
  readonly symbol: string;
  /** -1 for a card without a box. */
  readonly symbolStart: number;
  /** Without trailing spaces and block id. */
  readonly bodyStart: number;
  readonly bodyEnd: number;
  /** Only fields and tags follow. */
  readonly textEnd: number;
  /** In line order; `fieldSpan` chooses among equal names. */
  readonly fields: readonly FieldSpan[];
  /** Ignored because other text follows. */
  readonly unread: readonly LineFieldName[];
  readonly tags: readonly TagSpan[];
  /** Without fields and filter. */
  readonly title: string;
  /** Without trailing tags; `wordsSpan` is undefined if fields are inside. */
  readonly words: string;
  readonly wordsSpan: { readonly start: number; readonly end: number } | undefined;
  /** Without `^`. */
  readonly blockId: string | undefined;
}

const CHECKBOX = /^([\s>]*)(?:[-*+]|\d{1,9}[.)])[ \t]+\[(.)\](?:[ \t]+|$)/u;
const CARD = /^([\s>]*)(?:[-*+]|\d{1,9}[.)])[ \t]+/u;
const BLOCK_ID = /(?:^|[ \t])\^([A-Za-z0-9-]+)[ \t]*$/;
const TAG_TEXT = /^[^\s!@#$%^&*(),.?":{}|<>]+$/u;
const TRAILING_TAGS = /(?:(?:^|\s+)#[^\s!@#$%^&*(),.?":{}|<>]+)+$/u;
const TAG_HEAD = /[^\s!@#$%^&*(),.?":{}|<>]+/uy;
/** Dataview's `[key:: value]` and `(key:: value)`. */
export const BRACKETS = /\[([A-Za-z]+)::[ \t]*([^[\]()]*?)[ \t]*\]|\(([A-Za-z]+)::[ \t]*([^[\]()]*?)[ \t]*\)/g;
const CODE_SPANS = /(`+)(?!`)[^`]*\1(?!`)/g;
/** HTML attributes may contain colours. */
const NO_TAGS_IN = /(`+)(?!`)[^`]*\1(?!`)|<\/?[A-Za-z][^<>]*>/g;

export const isCheckbox = (line: string): boolean => CHECKBOX.test(line);

export function checkboxParts(line: string): Pick<TaskLine, "lead" | "symbol" | "bodyStart"> | undefined {
  const [head, lead = "", symbol = " "] = CHECKBOX.exec(line) ?? [];
  return head === undefined ? undefined : { lead, symbol, bodyStart: head.length };
}

const NO_SIGNS: LineSigns = { globalFilter: "" };

/** @param line without line ending */
export function parseTaskLine(line: string, { globalFilter, board }: LineSigns = NO_SIGNS): TaskLine | undefined {
  const box = CHECKBOX.exec(line) ?? (board === undefined ? null : CARD.exec(line));
  if (box === null) return undefined;
  const [head, lead = "", symbol = " "] = box;
  const bodyStart = head.length;
  const blockId = line.includes("^", bodyStart) ? BLOCK_ID.exec(line.slice(bodyStart)) : null;
  const bodyEnd = trimmedEnd(line, bodyStart, blockId ? bodyStart + blockId.index : line.length);
  const inBrackets = bracketFields(line, bodyStart, bodyEnd);
  const onBoard = board === undefined ? [] : boardFields(line, bodyStart, bodyEnd, board);
  const brackets =
    onBoard.length === 0 ? inBrackets : [...inBrackets, ...onBoard].toSorted((a, b) => a.start - b.start);
  const { emoji, textEnd, unread } = readFromEnd(line, bodyStart, bodyEnd, brackets);
  const fields = brackets.length === 0 ? emoji : [...brackets, ...emoji].toSorted((a, b) => a.start - b.start);
  const tags = tagsIn(line, bodyStart, bodyEnd, globalFilter);
  const words = wordsIn(line, bodyStart, textEnd, brackets, globalFilter);
  const trailing = tags.flatMap(({ tag, start }) => (start >= textEnd ? [`#${tag}`] : []));
  return {
    text: line,
    lead,
    symbol,
    symbolStart: box.length > 2 ? line.indexOf("[", lead.length) + 1 : -1,
    bodyStart,
    bodyEnd,
    textEnd,
    fields,
    unread,
    tags,
    title: trailing.length === 0 ? words : [words, ...trailing].join(" ").trim(),
    words,
    wordsSpan: spanOf(line, words, bodyStart, textEnd),
    blockId: blockId?.[1],
  };
}

export function reparsed(text: string, style: LineSigns): TaskLine {
  const line = parseTaskLine(text, style);
  if (line === undefined) throw new Error("A changed checkbox line is no checkbox any more.");
  return line;
}

export const withoutTrailingTags = (title: string): string => title.replace(TRAILING_TAGS, "");

/**
 * The first counts, as in the Tasks plugin, which reads from the end. Its signs override the board's, of which the
 * last counts.
 */
export function fieldSpan(line: TaskLine, name: LineFieldName): FieldSpan | undefined {
  const own = line.fields.find((field) => field.name === name && field.form !== "board");
  return own ?? line.fields.findLast((field) => field.name === name);
}

/** Invalid dates and times keep their text. */
function boardFields(line: string, from: number, to: number, board: BoardStyle): FieldSpan[] {
  const { dates, times } = cardDates(line.slice(from, to), board);
  const spanOf = (name: "due" | "time", sign: { start: number; end: number }, value: string): FieldSpan => {
    const [start, end] = [from + sign.start, from + sign.end];
    return { name, form: "board", value, start, end, valueStart: start, valueEnd: end };
  };
  return [
    ...dates.map((sign) => spanOf("due", sign, dayOfSign(sign, board) ?? sign.value)),
    ...times.map((sign) => spanOf("time", sign, timeOfSign(sign.value, board) ?? sign.value)),
  ];
}

/** Valid anywhere outside code. */
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

/** Emoji fields count only at the line's end, among tags and bracket fields. */
function readFromEnd(line: string, from: number, to: number, brackets: readonly FieldSpan[]) {
  const signs = signsIn(line, from, to);
  const emoji: FieldSpan[] = [];
  let end = trimmedEnd(line, from, to);
  for (;;) {
    const start =
      startOfBracket(brackets, end) ??
      takeSign(line, signs, end, emoji) ??
      startOfTag(line, from, signs.at(-1)?.end ?? from, end);
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

function startOfTag(line: string, from: number, least: number, end: number): number | undefined {
  const start = line.lastIndexOf("#", end - 1);
  if (start < least || !beginsWord(line, from, start)) return undefined;
  return TAG_TEXT.test(line.slice(start + 1, end)) ? start : undefined;
}

function tagsIn(line: string, from: number, to: number, filter: string): TagSpan[] {
  const tags: TagSpan[] = [];
  let body: string | undefined;
  for (let start = line.indexOf("#", from); start >= 0 && start < to; start = line.indexOf("#", start + 1)) {
    body ??= withoutMarkup(line.slice(0, to), from);
    TAG_HEAD.lastIndex = start + 1;
    const [tag = ""] = TAG_HEAD.exec(body) ?? [];
    const isTag = beginsWord(body, from, start) && body[start] === "#" && /[^\d/]/.test(tag) && `#${tag}` !== filter;
    if (isTag) tags.push({ tag: tag.replace(/^\/+|\/+$/g, ""), start, end: start + 1 + tag.length });
  }
  return tags;
}

function withoutMarkup(text: string, from: number): string {
  if (!/[`<]/.test(text)) return text;
  return text.slice(0, from) + text.slice(from).replace(NO_TAGS_IN, (span) => " ".repeat(span.length));
}

const beginsWord = (text: string, from: number, at: number): boolean => at === from || isWhite(text.charCodeAt(at - 1));

function wordsIn(line: string, from: number, to: number, brackets: readonly FieldSpan[], filter: string): string {
  let text = "";
  let at = from;
  for (const { start, end } of brackets) {
    if (end > to) break;
    text += line.slice(at, start).trimEnd();
    at = end;
  }
  return withoutFilter(text + line.slice(at, to), filter).trim();
}

function spanOf(line: string, words: string, from: number, to: number): TaskLine["wordsSpan"] {
  const start = words === "" ? -1 : line.indexOf(words, from);
  return start < 0 || start + words.length > to ? undefined : { start, end: start + words.length };
}

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

const DIGITS = 6;

/**
 * `Note.md#^id` or `Note.md:14~a3f9c2`. The only maker of line ids: without digits an id would mean another task after
 * an insertion above.
 */
export function lineId(path: VaultPath, line: number, { blockId, title }: Pick<TaskLine, "blockId" | "title">): string {
  return blockId === undefined ? `${path}:${line}~${titleDigits(title)}` : `${path}#^${blockId}`;
}

export function linePlace(path: VaultPath, line: number, parsed: Parameters<typeof lineId>[2]): LinePlace {
  return { id: lineId(path, line, parsed), path, source: "line", line };
}

export const titleDigits = (title: string): string => sha256(title).slice(0, DIGITS);

interface LineName {
  readonly path: string;
  readonly blockId?: string | undefined;
  readonly line?: number | undefined;
  readonly digits?: string | undefined;
}

const BY_BLOCK = /^(.+)#\^([A-Za-z0-9-]+)$/;
const BY_LINE = /^(.+?):(\d{1,9})(?:~([0-9a-f]{6}))?$/i;
const LINK = /^!?\[\[([^\]|#^]+)#\^([A-Za-z0-9-]+)(?:\|[^\]]*)?\]\]$/;

export function readLineName(reference: string): LineName | undefined {
  const block = BY_BLOCK.exec(reference);
  if (block !== null && !reference.startsWith("[[")) return { path: fromRoot(block[1] ?? ""), blockId: block[2] };
  const [, path, line, digits] = BY_LINE.exec(reference) ?? [];
  return path === undefined ? undefined : { path: fromRoot(path), line: Number(line), digits: digits?.toLowerCase() };
}

/** A slash before a path is the vault's root. */
const fromRoot = (path: string): string => path.replace(/^\//, "");

/** By block id; by line and title digits; by digits alone; by line alone. */
export function lineWays(reference: string): readonly ReferenceForm[] {
  const [, note, block] = LINK.exec(reference) ?? [];
  if (note !== undefined && block !== undefined) {
    const name = foldName(fromRoot(note.trim()).replace(/\.md$/i, ""));
    const fits = ({ path }: Task): boolean =>
      foldName(path.replace(/\.md$/i, "")) === name || foldName(fileTitle(path)) === name;
    return [{ kind: "link", lookup: { by: "block", note: name, block }, fits }];
  }
  const name = readLineName(reference);
  if (name === undefined) return [];
  const { line = 0, digits, blockId } = name;
  const path = foldName(/\.md$/i.test(name.path) ? name.path : `${name.path}.md`);
  if (blockId !== undefined)
    return [
      { kind: "id", lookup: { by: "block", note: path, block: blockId }, fits: (task) => foldName(task.path) === path },
    ];
  const there: ReferenceForm = { kind: "id", lookup: { by: "line", path, line } };
  if (digits === undefined) return [there];
  return [
    { ...there, fits: (task) => digitsOf(task) === digits || earlierDigits(task) === digits },
    { kind: "id", lookup: { by: "digits", path, digits, earlier: false } },
    { kind: "id", lookup: { by: "digits", path, digits, earlier: true } },
  ];
}

const digitsOf = ({ id, title }: Task): string => readLineName(id)?.digits ?? titleDigits(title);
/** Ids of earlier versions exclude trailing tags. */
const earlierDigits = ({ title }: Task): string => titleDigits(withoutTrailingTags(title));
