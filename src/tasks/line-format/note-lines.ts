/** Single lines of a note's text: where one stands, and the text with others in its place, every other byte as it was. */
import { lineEnding } from "../../markdown/line-endings.js";
import { depthOf } from "./line-facts.js";

export interface LineSpan {
  readonly text: string;
  /** Offsets of the line without its ending. */
  readonly start: number;
  readonly end: number;
  /** Behind its ending; the last line of a note may have none. */
  readonly next: number;
}

/** Where each line of a text begins. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let feed = text.indexOf("\n"); feed >= 0; feed = text.indexOf("\n", feed + 1)) starts.push(feed + 1);
  return starts;
}

/**
 * A line by its number from 1; undefined where the text has fewer.
 * @param start where the line begins, where that is known
 */
export function lineAt(text: string, number: number, start?: number): LineSpan | undefined {
  return start === undefined ? countedLine(text, number) : rangeFrom(text, start);
}

function countedLine(text: string, number: number): LineSpan | undefined {
  let start = 0;
  for (let line = 1; line < number; line++) {
    start = text.indexOf("\n", start) + 1;
    if (start === 0) return undefined;
  }
  return number < 1 || (start === text.length && number > 1) ? undefined : rangeFrom(text, start);
}

/** The line that follows; undefined at the text's end. */
export function lineAfter(text: string, { next }: LineSpan): LineSpan | undefined {
  return next < text.length ? rangeFrom(text, next) : undefined;
}

export function lineBefore(text: string, { start }: LineSpan): LineSpan | undefined {
  return start === 0 ? undefined : rangeFrom(text, start < 2 ? 0 : text.lastIndexOf("\n", start - 2) + 1);
}

function rangeFrom(text: string, start: number): LineSpan {
  const feed = text.indexOf("\n", start);
  const stop = feed < 0 ? text.length : feed;
  const end = stop > start && text.charCodeAt(stop - 1) === 13 ? stop - 1 : stop;
  return { text: text.slice(start, end), start, end, next: feed < 0 ? stop : feed + 1 };
}

/** The text with these lines in place of one; with none the line goes, its ending too. */
export function withLines(text: string, { start, end, next }: LineSpan, lines: readonly string[]): string {
  if (lines.length === 0) return text.slice(0, start) + text.slice(next);
  const ending = text.slice(end, next) || lineEnding(text);
  return text.slice(0, start) + lines.join(ending) + text.slice(end);
}

/** The lines below that stand deeper than this one, blank ones between them included. */
export function linesBelow(text: string, line: LineSpan): LineSpan[] {
  const { quotes, indent } = depthOf(line.text);
  const below: LineSpan[] = [];
  let filled = 0;
  for (let at = lineAfter(text, line); at; at = lineAfter(text, at)) {
    const depth = depthOf(at.text);
    const isBlank = at.text.replace(/[\s>]+/g, "") === "";
    if (depth.quotes !== quotes || (!isBlank && depth.indent <= indent)) break;
    below.push(at);
    if (!isBlank) filled = below.length;
  }
  return below.slice(0, filled);
}
