/** Reads a Kanban board as the plugin does. With text after the footer, the plugin loses that text or the settings. */
import { parseJson } from "../../text/decoded.js";
import { readFrontmatter, splitNote } from "../frontmatter/frontmatter.js";
import type { Heading } from "../blocks.js";
import { VaultError } from "../../errors.js";
import { headings } from "../outline.js";

export interface BoardCard {
  /** UTF-16 offsets of its lines, with the last line end. */
  readonly start: number;
  readonly end: number;
  /** Its first line, from 1. */
  readonly line: number;
  readonly marker: string;
  /** In its checkbox; undefined without one. */
  readonly symbol: string | undefined;
  /** Without marker, box and block id. */
  readonly text: string;
}

export interface Lane {
  readonly heading: Heading;
  /** `<br>` as line breaks. */
  readonly title: string;
  /** `(3)`: cards the lane should hold; `(0)` is none. */
  readonly limit: number | undefined;
  /** By the plugin's word for complete. */
  readonly isComplete: boolean;
  readonly cardsFrom: number;
  readonly cards: readonly BoardCard[];
}

export interface Board {
  readonly lanes: readonly Lane[];
  readonly archive: Lane | undefined;
  /** Of lanes and archive. */
  readonly end: number;
  readonly completeWord: string | undefined;
  /** The frontmatter's first. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export function readBoard(text: string): Board {
  const { bodyStart } = splitNote(text);
  const limit = settingsStart(text) ?? text.length;
  const found: Heading[] = [];
  for (const heading of headings(text, bodyStart)) {
    const from = found.at(-1)?.end ?? heading.start;
    if (heading.start < limit && !isInCard(text, from, heading)) found.push(heading);
  }
  const lanes: Lane[] = [];
  let archive: Lane | undefined;
  let completeWord: string | undefined;
  for (const [place, heading] of found.entries()) {
    const list = readList(text, heading.end, found[place + 1]?.start ?? limit);
    completeWord ??= list.completeWord;
    const lane = laneOf(heading, list);
    const isArchive = ARCHIVE_WORDS.includes(heading.text) && followsRule(text.slice(bodyStart, heading.start));
    if (isArchive) archive ??= lane;
    else lanes.push(lane);
  }
  const first = found[0]?.start ?? bodyStart;
  const end = Math.max(first, contentEnd(text, bodyStart, limit));
  return { lanes, archive, end, completeWord, settings: settingsOf(text) };
}

/** From 1. */
export function droppedLines(text: string): readonly number[] {
  if (!isBoard(text)) return [];
  const { lanes, archive } = readBoard(text);
  const footer = footerOf(text);
  const parts = [...lanes, ...(archive ? [archive] : [])];
  const stored = [
    { start: 0, end: splitNote(text).bodyStart },
    ...(footer === undefined ? [] : [{ start: footer.start, end: text.length }]),
    ...parts.map(({ heading, cardsFrom }) => ({ start: heading.start, end: cardsFrom })),
    ...parts.flatMap(({ cards }) => cards),
  ];
  const dropped: number[] = [];
  let start = 0;
  for (const [at, line] of text.split("\n").entries()) {
    const isStored = stored.some((part) => start >= part.start && start < part.end);
    const isRule =
      archive !== undefined && RULE.test(line) && text.slice(start + line.length, archive.heading.start).trim() === "";
    if (line.trim() !== "" && !isStored && !isRule) dropped.push(at + 1);
    start += line.length + 1;
  }
  return dropped;
}

function contentEnd(text: string, from: number, to: number): number {
  const blank = /(?:(?<=\n)[ \t]*(?:\r?\n|$))+$/.exec(text.slice(from, to));
  return blank === null ? to : from + blank.index;
}

function isInCard(text: string, from: number, { start }: Heading): boolean {
  const indent = columnsOf(/^[ \t]*/.exec(text.slice(start, start + 4))?.[0]);
  return indent > 0 && indent >= readList(text, from, start).content;
}

const LIMIT = /\s*\((\d+)\)\s*$/;

function laneOf(heading: Heading, { cards, cardsFrom, completeWord }: List): Lane {
  const title = withBreaks(heading.text);
  const limit = LIMIT.exec(title)?.[1];
  return {
    heading,
    title: limit === undefined ? title : title.replace(LIMIT, ""),
    limit: Number(limit) || undefined,
    isComplete: completeWord !== undefined,
    cardsFrom,
    cards,
  };
}

const withBreaks = (text: string): string => text.replace(/<br\s*\/?>/gi, "\n");

const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;

const followsRule = (above: string): boolean => RULE.test(above.trimEnd().split("\n").at(-1) ?? "");

interface List {
  readonly cards: readonly BoardCard[];
  readonly cardsFrom: number;
  readonly completeWord: string | undefined;
  /** The column from which the next lines belong to the last card. */
  readonly content: number;
}

const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:([ \t]+)|$)/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** Even without a blank line. */
const INTERRUPTS = /^ {0,3}(?:#{1,6}(?:\s|$)|>|`{3,}|~{3,}|%%|<!--|\|)/;

/** Prose below does not continue it. */
const CLOSED = /^[ \t]*(?:#{1,6}(?:\s|$)|([-*_])[ \t]*(?:\1[ \t]*){2,}$)/;

function readList(text: string, from: number, to: number): List {
  let completeWord: string | undefined;
  let cardsFrom = from;
  const items: { start: number; end: number; marker: string; content: number }[] = [];
  let fence: string | undefined;
  let isBlankBefore = true;
  let isEnded = false;
  let count: number | undefined;
  for (let start = from; start < to && !isEnded;) {
    const newline = text.indexOf("\n", start);
    const next = newline < 0 || newline >= to ? to : newline + 1;
    const line = text.slice(start, next).replace(/\r?\n$/, "");
    const open = items.at(-1);
    const isInside = open !== undefined && columnsOf(/^[ \t]*/.exec(line)?.[0]) >= open.content;
    const item = isInside || RULE.test(line) ? null : itemOf(line);
    if (line.trim() === "") isBlankBefore = true;
    else if (open === undefined) {
      const mark = FENCE.exec(line)?.[1];
      if (fence !== undefined) fence = mark?.startsWith(fence) === true ? undefined : fence;
      else if (mark !== undefined) fence = mark;
      else if (item !== null) items.push({ start, end: next, ...item });
      else {
        const word = COMPLETE_WORDS.find((one) => one === line.trim().replace(/^[*_]+|[*_]+$/g, ""));
        const [below = ""] = text.slice(next, to).split(/\r?\n/, 1);
        const isParagraph =
          isBlankBefore &&
          (below.trim() === "" || [ITEM, INTERRUPTS, /^ {0,3}(?:\*{3,}|_{3,})[ \t]*$/].some((one) => one.test(below)));
        if (word !== undefined && isParagraph) [completeWord, cardsFrom] = [word, next];
      }
      isBlankBefore = CLOSED.test(line);
    } else {
      if (item !== null) {
        if (listKind(item.marker) !== listKind(open.marker)) count ??= items.length;
        items.push({ start, end: next, ...item });
      } else if (isInside || (!isBlankBefore && !RULE.test(line) && !INTERRUPTS.test(line))) open.end = next;
      else isEnded = true;
      isBlankBefore = CLOSED.test(line);
    }
    start = next;
  }
  const content = (isEnded ? undefined : items.at(-1)?.content) ?? Infinity;
  return { cards: cardsOf(text, items.slice(0, count)), cardsFrom, completeWord, content };
}

/** By bullet, or the character after the number. */
const listKind = (marker: string): string => marker.at(-1) ?? "";

/** `content` is the column from which lines below belong to the item. */
function itemOf(line: string): { marker: string; content: number } | null {
  const [, indent = "", marker, blanks = ""] = ITEM.exec(line) ?? [];
  if (marker === undefined) return null;
  const from = indent.length + marker.length;
  const to = columnsOf(`${"x".repeat(from)}${blanks}`);
  return { marker, content: to > from && to < from + 5 ? to : from + 1 };
}

function columnsOf(text = ""): number {
  let column = 0;
  for (const character of text) column += character === "\t" ? 4 - (column % 4) : 1;
  return column;
}

function cardsOf(text: string, items: readonly { start: number; end: number; marker: string }[]): BoardCard[] {
  let [line, counted] = [1, 0];
  return items.map(({ start, end, marker }) => {
    for (let at = text.indexOf("\n", counted); at >= 0 && at < start; at = text.indexOf("\n", at + 1)) {
      line += 1;
      counted = at + 1;
    }
    const [first = "", ...rest] = text
      .slice(start, end)
      .replace(/\r?\n$/, "")
      .split(/\r?\n/);
    const [, symbol, words = ""] = CARD.exec(first) ?? [];
    const lines = [words.replace(BLOCK_ID, ""), ...unindented(rest)];
    const last = lines.at(-1) ?? "";
    if (!ITEM.test(last) && !last.startsWith(">")) lines.splice(-1, 1, last.replace(BLOCK_ID, ""));
    return { start, end, line, marker, symbol, text: withBreaks(lines.join("\n")).trim() };
  });
}

export const cardLines = (text: string, { start, end }: BoardCard): string =>
  text.slice(start, end).replace(/\r?\n$/, "");

const CARD = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]+\[(.)\](?=[ \t]|$))?[ \t]*(.*)$/su;
/** Links name a card by it. */
export const BLOCK_ID = /(?:^|[ \t])\^[A-Za-z0-9-]+[ \t]*$/;

function unindented(lines: readonly string[]): string[] {
  const indents = lines.flatMap((line) => (line.trim() === "" ? [] : [/^[ \t]*/.exec(line)?.[0] ?? ""]));
  const least = indents.reduce((a, b) => (b.length < a.length ? b : a), indents[0] ?? "");
  return lines.map((line) => (line.startsWith(least) ? line.slice(least.length) : line.trimStart()));
}

function settingsOf(text: string): Record<string, unknown> {
  const own = readFrontmatter(text).properties.map(({ key, value }) => [key, value] as const);
  const footer = parseJson(footerOf(text)?.json ?? "{}");
  return { ...(typeof footer === "object" && footer), ...Object.fromEntries(own) };
}

/** In that language. */
const ARCHIVES: Readonly<Record<string, string>> = {
  Complete: "Archive",
  Fertiggestellt: "Archiv",
  Completato: "Archivio",
  完了: "アーカイブ",
  완료됨: "보관됨",
  Concluído: "Arquivado",
  Выполнено: "Архивировать",
  完成: "归档",
};

const COMPLETE_WORDS: readonly string[] = Object.keys(ARCHIVES);
export const ARCHIVE_WORDS: readonly string[] = Object.values(ARCHIVES);

export const archiveWord = (completeWord = "Complete"): string => ARCHIVES[completeWord] ?? "Archive";

/** `%% kanban:settings`, a fenced block of JSON, `%%`. */
const FOOTER = /^%%[ \t]*kanban:settings[ \t]*\r?\n```[^\n]*\n([\s\S]*?)\n```[ \t]*\r?\n%%[ \t]*\r?$/m;
const OPENING = /^%%[ \t]*kanban:settings\b/m;

export function isBoard(text: string): boolean {
  const { frontmatter } = splitNote(text);
  return frontmatter !== undefined && /^kanban-plugin[ \t]*:/m.test(text.slice(frontmatter.start, frontmatter.end));
}

interface Footer {
  /** In UTF-16 units. */
  readonly start: number;
  readonly json: string;
}

/** Undefined with text after it. */
export function footerOf(text: string): Footer | undefined {
  const found = FOOTER.exec(text);
  return found !== null && text.slice(found.index + found[0].length).trim() === ""
    ? { start: found.index, json: found[1] ?? "" }
    : undefined;
}

/** Also of an ignored footer. */
export const settingsStart = (text: string): number | undefined => OPENING.exec(text)?.index;

/** Not blank; of an unclosed footer, after its first line. */
export function linesBehindFooter(text: string): readonly string[] {
  const found = FOOTER.exec(text) ?? OPENING.exec(text);
  if (found === null || !isBoard(text)) return [];
  return text
    .slice(found.index + found[0].length)
    .split("\n")
    .flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}

/** Text already there may change. @param name for messages @throws INVALID_ARGUMENT */
export function assertNothingBehindFooter(name: string, before: string, after: string): void {
  if (!after.includes("kanban:settings") || footerOf(after)?.start === OPENING.exec(after)?.index) return;
  const known = linesBehindFooter(before);
  if (linesBehindFooter(after).some((line) => !known.includes(line))) throw droppedText(name, after);
}

export function droppedText(name: string, text: string): VaultError {
  const lanes = readBoard(text).lanes.map(({ title }) => title);
  return new VaultError("INVALID_ARGUMENT", `'${name}' is a Kanban board; the plugin would drop this text.`, {
    hint:
      lanes.length === 0
        ? "Add a heading for its first lane above the settings at its end."
        : `Name a lane as heading (${lanes.join(", ")}) and write list items.`,
  });
}
