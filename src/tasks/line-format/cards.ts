/** A note's lines as Kanban cards, and the statuses of its lanes. */
import { type Board, type BoardCard, type Lane, readBoard } from "../../markdown/kanban/board.js";
import { type BoardDefaults, type BoardStyle, boardStyle } from "../../markdown/kanban/card-dates.js";
import { plainLine } from "../../markdown/plain-text.js";
import { fileTitle, type VaultPath } from "../../storage/path.js";
import { fold } from "../../text/fold.js";
import { statusOf, type Status, STATUSES } from "../fields/vocabulary.js";

export interface BoardOfLines {
  readonly name: string;
  readonly board: Board;
  readonly style: BoardStyle;
  /** A lane is complete or means a status. */
  readonly isTaskBoard: boolean;
  readonly statuses: readonly Status[];
  /** By their first line. */
  readonly cards: ReadonlyMap<number, CardPlace>;
}

export interface CardPlace {
  readonly card: BoardCard;
  readonly lane: Lane;
  readonly isArchived: boolean;
}

export function boardOfLines(text: string, path: VaultPath, defaults: BoardDefaults): BoardOfLines {
  const board = readBoard(text);
  const cards = new Map<number, CardPlace>();
  const place = (lane: Lane, isArchived: boolean): void => {
    for (const card of lane.cards) cards.set(card.line, { card, lane, isArchived });
  };
  for (const lane of board.lanes) place(lane, false);
  if (board.archive) place(board.archive, true);
  const ofLanes = new Set(board.lanes.map(laneStatus));
  const isTaskBoard = [...ofLanes].some((status) => status !== undefined);
  const statuses = STATUSES.filter((status) => status === "Done" || status === "Cancelled" || ofLanes.has(status));
  return { name: fileTitle(path), board, style: boardStyle(board.settings, defaults), isTaskBoard, statuses, cards };
}

const LANE_WORDS: Readonly<Record<Exclude<Status, "Cancelled">, readonly string[]>> = {
  "To Do": ["ideas", "icebox", "this week", "today"],
  "In Progress": ["now", "testing", "qa", "verify"],
  Blocked: ["waiting on"],
  Done: ["finished", "released", "completed"],
};
const BY_LANE_WORD = new Map(
  Object.entries(LANE_WORDS).flatMap(([status, words]) => words.map((word) => [word, status as Status] as const)),
);

export function laneStatus({ title, isComplete }: Pick<Lane, "title" | "isComplete">): Status | undefined {
  if (isComplete) return "Done";
  const words = plainTitle(title);
  return words === "" ? undefined : (BY_LANE_WORD.get(words.toLowerCase()) ?? statusOf(words));
}

const plainTitle = (title: string): string => plainLine(title).replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");

export function lanesNamed(lanes: readonly Lane[], name: string): readonly Lane[] {
  const exact = lanes.filter(({ title }) => fold(title) === fold(name));
  return exact.length > 0 ? exact : lanes.filter(({ title }) => fold(plainTitle(title)) === fold(plainTitle(name)));
}

export function cardStatus({ lane, isArchived }: CardPlace, ofBox: Status): Status {
  const ofLane = isArchived ? undefined : laneStatus(lane);
  if (ofLane === "Done" || ofBox === "Done" || ofBox === "Cancelled") return ofLane === "Done" ? "Done" : ofBox;
  return ofLane ?? ofBox;
}
