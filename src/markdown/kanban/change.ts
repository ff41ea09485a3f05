/** Changes a board as the plugin does. */
import type { LocalDate } from "../../clock.js";
import { fold } from "../../text/fold.js";
import { formatDay } from "../../dates/day-format.js";
import { lineEnding } from "../line-edit.js";
import {
  archiveWord,
  BLOCK_ID,
  type Board,
  type BoardCard,
  cardLines,
  droppedText,
  type Lane,
  readBoard,
  settingsStart,
} from "./board.js";
import { type BoardStyle, dateSign, type BoardDefaults, boardStyle } from "./card-dates.js";

/** `line` from 1. */
interface ChangedBoard {
  readonly text: string;
  readonly line: number;
}

const DONE = /^[xX]$/;

function withBox(lines: string, symbol: string): string {
  return lines.replace(
    /^( {0,3}(?:[-*+]|\d{1,9}[.)]))(?:([ \t]+)\[.\](?=[ \t]|\r?\n|$))?/u,
    (_, marker: string, blanks = " ") => `${marker}${blanks}[${symbol}]`,
  );
}

/** By the board's settings. Checks the box in a complete lane; unchecks it elsewhere. */
export function moveCard(text: string, card: BoardCard, to: Lane, style: BoardStyle): ChangedBoard {
  const board = readBoard(text);
  const lines = cardLines(text, card);
  const from = board.lanes.find(({ cards }) => cards.some(({ start }) => start === card.start));
  const symbol = BOX.exec(lines)?.[1];
  const isDone = symbol !== undefined && DONE.test(symbol);
  let moved = lines;
  if (to.isComplete && !isDone) moved = withBox(lines, "x");
  else if (from?.isComplete === true && !to.isComplete && isDone) moved = withBox(lines, " ");
  const changed = replaced(text, card, to, moved, style);
  const isArchived = board.archive?.cards.some(({ start }) => start === card.start) === true;
  return isArchived ? { ...changed, text: withoutEmptyArchive(changed.text) } : changed;
}

/** Without cards the plugin would read it as a lane. */
function withoutEmptyArchive(text: string): string {
  const { archive } = readBoard(text);
  const footer = settingsStart(text) ?? text.length;
  if (archive === undefined || text.slice(archive.heading.end, footer).trim() !== "") return text;
  const rule = text.slice(0, archive.heading.start).trimEnd().lastIndexOf("\n") + 1;
  return text.slice(0, rule) + lineEnding(text).repeat(2) + text.slice(footer);
}

const BOX = /^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+\[(.)\]/u;

export function addCards(text: string, items: readonly string[], to: Lane, style: BoardStyle): ChangedBoard {
  const cards = items.map((item) =>
    to.isComplete && !DONE.test(BOX.exec(item)?.[1] ?? "") ? withBox(item, "x") : item,
  );
  return inserted(text, to, cards.join(lineEnding(text)), style);
}

/** Named by `heading`, else the first not complete. @param name for messages @throws INVALID_ARGUMENT with the lanes */
export function laneForNew(name: string, text: string, { lanes }: Board, heading: string | undefined): Lane {
  const words = heading === undefined ? undefined : fold(heading.replace(/^\s*#+\s*/, "").trim());
  const lane = lanes.find(({ title, isComplete, heading: own }) =>
    words === undefined ? !isComplete : fold(title) === words || fold(own.text) === words,
  );
  if (lane === undefined) throw droppedText(name, text);
  return lane;
}

/** @throws INVALID_ARGUMENT for no card */
export function appendToLane(
  name: string,
  text: string,
  content: string,
  heading: string | undefined,
  defaults: BoardDefaults,
): string {
  const board = readBoard(text);
  const lines = content.replace(/^\s*\n|\s+$/g, "").split(/\r?\n/);
  const isItems = lines.every(
    (line) => line.trim() === "" || /^(?:[ \t]+\S| {0,3}(?:[-*+]|\d{1,9}[.)])[ \t])/.test(line),
  );
  if (heading === undefined || !isItems || /^[ \t]{2}/.test(lines[0] ?? "")) throw droppedText(name, text);
  const items: string[] = [];
  for (const line of lines)
    if (/^[ \t]/.test(line) || line.trim() === "") items.push(`${items.pop() ?? ""}${lineEnding(text)}${line}`);
    else items.push(line);
  return addCards(text, items, laneForNew(name, text, board, heading), boardStyle(board.settings, defaults)).text;
}

/** Created if missing. @param time `HH:mm` */
export function archiveCard(
  text: string,
  card: BoardCard,
  now: { readonly day: LocalDate; readonly time: string },
  style: BoardStyle,
): ChangedBoard {
  const lines = dated(cardLines(text, card), now, style);
  const { archive } = readBoard(text);
  if (archive !== undefined) return replaced(text, card, archive, lines, { ...style, prepends: false });
  const [without, board] = [withoutCard(text, card), readBoard(withoutCard(text, card))];
  const ending = lineEnding(text);
  const last = board.lanes.at(-1);
  const isBare = last?.heading.end === undefined || without.slice(last.heading.end, board.end).trim() === "";
  const above = without.slice(0, board.end);
  const isOpen = above !== "" && !above.endsWith("\n");
  const gap = (isOpen ? ending : "") + ending.repeat(isBare ? 3 : 2);
  const heading = `***${ending}${ending}## ${archiveWord(board.completeWord)}${ending}${ending}`;
  const footer = settingsStart(without);
  const behind = footer === undefined ? "" : `${ending}${without.slice(footer)}`;
  const head = above + gap + heading;
  return { text: `${head}${lines}${ending}${behind}`, line: head.split("\n").length };
}

/** Before a block id. @param fieldsFrom with blanks */
export function withDaySign(lines: string, day: LocalDate, style: BoardStyle, fieldsFrom?: number): string {
  const [first = "", ...rest] = lines.split("\n");
  const line = first.replace(/\r$/, "");
  const at = fieldsFrom ?? BLOCK_ID.exec(line)?.index ?? line.length;
  const words = line.slice(0, at).trimEnd();
  return [`${words} ${dateSign(day, style)}${line.slice(at)}${first.slice(line.length)}`, ...rest].join("\n");
}

function dated(
  lines: string,
  { day, time }: { readonly day: LocalDate; readonly time: string },
  { archiveDate }: BoardStyle,
): string {
  if (archiveDate === undefined) return lines;
  const { format, separator, isBehind } = archiveDate;
  const date = formatDay(day, format, time);
  const [, head = "", body = ""] = HEAD.exec(lines) ?? [];
  if (!isBehind) return `${head}${[date, separator, body].filter((part) => part !== "").join(" ")}`;
  const isOneLine = !body.includes("\n");
  const at = isOneLine ? (BLOCK_ID.exec(body)?.index ?? body.length) : body.length;
  const words = body.slice(0, at);
  return `${head}${[words, separator, date].filter((part) => part !== "").join(" ")}${body.slice(at)}`;
}

const HEAD = /^( {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?)([^]*)$/u;

const withoutCard = (text: string, { start, end }: BoardCard): string => text.slice(0, start) + text.slice(end);

function replaced(text: string, card: BoardCard, to: Lane, lines: string, style: BoardStyle): ChangedBoard {
  const without = withoutCard(text, card);
  const place = findLane(readBoard(without), to, card);
  return inserted(without, place, lines, style);
}

function findLane({ lanes, archive }: Board, { heading }: Lane, card: BoardCard): Lane {
  const start = heading.start > card.start ? heading.start - (card.end - card.start) : heading.start;
  const found = [...lanes, ...(archive ? [archive] : [])].find((lane) => lane.heading.start === start);
  if (found === undefined) throw new Error("A lane of a board is gone without its card.");
  return found;
}

function inserted(text: string, lane: Lane, lines: string, { prepends }: BoardStyle): ChangedBoard {
  const ending = lineEnding(text);
  const neighbour = prepends ? lane.cards[0] : lane.cards.at(-1);
  const own = withMarker(lines, neighbour?.marker);
  if (neighbour !== undefined) return put(text, prepends ? neighbour.start : neighbour.end, own, ending);
  if (lane.isComplete) return put(text, lane.cardsFrom, own, ending);
  const blank = /^[ \t]*\r?\n/.exec(text.slice(lane.cardsFrom))?.[0];
  if (blank !== undefined) return put(text, lane.cardsFrom + blank.length, own, ending);
  return put(text, lane.cardsFrom, own, ending, ending);
}

/** @param gap a blank line above */
function put(text: string, at: number, lines: string, ending: string, gap = ""): ChangedBoard {
  const [before, behind] = [text.slice(0, at), text.slice(at)];
  const head = before + (before === "" || before.endsWith("\n") ? "" : ending) + gap;
  // Text would continue the card; a list or heading would not.
  const next = behind.split("\n", 1)[0] ?? "";
  const isText = next.trim() !== "" && !/^\s*(?:#{1,6}\s|[-*+]\s|\d{1,9}[.)]\s)/.test(next);
  const tail = behind === "" && head === before ? "" : ending + (isText ? ending : "");
  const isLast = behind === "" && !before.endsWith("\n");
  return { text: `${head}${lines}${isLast ? "" : tail || ending}${behind}`, line: head.split("\n").length };
}

/** And indentation. */
function withMarker(lines: string, marker: string | undefined): string {
  const [, own = ""] = /^ {0,3}([-*+]|\d{1,9}[.)])/.exec(lines) ?? [];
  if (marker === undefined || marker === own) return lines;
  const pad = " ".repeat(Math.max(0, marker.length - own.length));
  const [first = "", ...rest] = lines.split("\n");
  const below = rest.map((line) => (line.startsWith(" ") ? pad + line : line));
  return [first.replace(/^( {0,3})(?:[-*+]|\d{1,9}[.)])/, `$1${marker}`), ...below].join("\n");
}
