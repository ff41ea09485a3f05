/** Changes a Kanban card: its line, lane and status. */
import { invalidArgument } from "../../errors.js";
import { argument, said } from "../../text/said.js";
import { localTimeOf } from "../../clock.js";
import { type Lane, ARCHIVE_WORDS } from "../../markdown/kanban/board.js";
import { archiveCard, moveCard } from "../../markdown/kanban/change.js";
import { fold } from "../../text/fold.js";
import type { CleanUpdates, EditedTask, UpdateContext } from "../format.js";
import type { Status } from "../fields/vocabulary.js";
import { type BoardOfLines, boardOfLines, type CardPlace, laneStatus, lanesNamed } from "./cards.js";
import { cardSymbols, type LineSettings } from "./line-settings.js";
import { linePlace } from "./line-identity.js";
import { NoteLines } from "./note-lines.js";
import { parseTaskLine } from "./task-line.js";
import { updateLine } from "./update-line.js";

const ARCHIVE = "archive";
type Target = Lane | typeof ARCHIVE;

/** @throws INVALID_ARGUMENT for a missing lane, or a status without a lane */
export function updateCard(
  note: NoteLines,
  on: BoardOfLines,
  place: CardPlace,
  { lane, ...updates }: CleanUpdates,
  context: UpdateContext,
  settings: LineSettings,
): EditedTask {
  const { task } = context;
  const status = updates.values.status as Status | undefined;
  const to = lane === undefined ? laneForStatus(on, place, status) : laneCalled(on, lane);
  const own: LineSettings = {
    ...settings,
    newLineBelow: false,
    ...(on.isTaskBoard && { reads: "all", symbols: cardSymbols(settings.symbols) }),
  };
  const values = { ...updates.values, ...statusByLane(place, to, status, task.status) };
  const before = note.text;
  const edited = new NoteLines(before);
  const change = hasChanges({ ...updates, values })
    ? updateLine(edited, { ...updates, values }, context, own)
    : { changed: false, place: task, linesAdded: 0 };
  const text = change.gone === undefined ? edited.text : undefined;
  const moved =
    text === undefined || to === undefined ? undefined : moveTo(text, on, to, change.place.line ?? 0, context);
  note.reset(moved?.text ?? edited.text);
  if (moved === undefined || to === undefined) return change;
  const first = note.at(moved.line);
  const parsed = first && parseTaskLine(first.text, own);
  if (parsed === undefined) throw new Error("A moved card is no card any more.");
  return {
    ...change,
    changed: true,
    place: linePlace(task.path, moved.line, parsed),
    linesAdded: note.text.split("\n").length - before.split("\n").length,
    ...moveRemarks(on, place, to, context),
    ...(change.next?.line !== undefined && {
      // Moving the card may add lines above the next instance.
      next: { ...change.next, line: change.next.line + (moved.line < change.next.line ? moved.lines : 0) },
    }),
  };
}

const hasChanges = ({ values, description, properties, occurrence }: CleanUpdates): boolean =>
  Object.keys(values).length > 0 || [description, properties, occurrence].some((one) => one !== undefined);

function laneForStatus({ name, board, isTaskBoard }: BoardOfLines, place: CardPlace, status: Status | undefined) {
  if (status === undefined || !isTaskBoard) return undefined;
  const now = place.isArchived ? undefined : laneStatus(place.lane);
  const isOver = status === "Done" || status === "Cancelled";
  if (now === status || (isOver && place.isArchived)) return undefined;
  const fitting = board.lanes.filter((lane) => laneStatus(lane) === status);
  const to = fitting.find(({ isComplete }) => isComplete) ?? fitting[0];
  // In a lane without a status, an empty box means To Do.
  if (to !== undefined || isOver || (status === "To Do" && now === undefined && !place.isArchived)) return to;
  throw invalidArgument(
    `No lane of '${name}' means ${status}. Lanes: ${titles(board.lanes)}.`,
    said`Name one with ${argument("updates.lane")}.`,
  );
}

function laneCalled({ name, board }: BoardOfLines, wanted: string): Target {
  const [found] = lanesNamed(board.lanes, wanted);
  if (found !== undefined) return found;
  if ([...ARCHIVE_WORDS, board.archive?.title ?? ARCHIVE].some((word) => fold(word) === fold(wanted))) return ARCHIVE;
  throw invalidArgument(
    `'${name}' has no lane "${wanted}". Lanes: ${titles(board.lanes)}.`,
    'Name one of these, or "Archive". Lanes are made in Obsidian.',
  );
}

const titles = (lanes: readonly Lane[]): string => lanes.map(({ title }) => title).join(", ");

function statusByLane(place: CardPlace, to: Target | undefined, status: Status | undefined, now: string) {
  if (status !== undefined || to === undefined || to === ARCHIVE) return {};
  if (to.isComplete) return now === "Done" ? {} : { status: "Done" as const };
  const leaves = place.lane.isComplete && !place.isArchived && now === "Done" && laneStatus(to) !== "Done";
  return leaves ? { status: "To Do" as const } : {};
}

function moveTo(
  text: string,
  { style }: BoardOfLines,
  to: Target,
  line: number,
  { task, clock, settings }: UpdateContext,
) {
  const now = boardOfLines(text, task.path, settings.kanban);
  const at = now.cards.get(line);
  if (at === undefined) throw new Error("A changed card is no card any more.");
  const lines = text.slice(at.card.start, at.card.end).trimEnd().split("\n").length;
  if (to === ARCHIVE) {
    if (at.isArchived) return undefined;
    const time = localTimeOf(clock).text.slice(11, 16);
    return { ...archiveCard(text, at.card, { day: clock.today(), time }, style), lines };
  }
  const target = lanesNamed(now.board.lanes, to.title)[0];
  if (target === undefined || target === at.lane) return undefined;
  return { ...moveCard(text, at.card, target, style), lines };
}

function moveRemarks(on: BoardOfLines, { lane }: CardPlace, to: Target, { task }: UpdateContext) {
  const name = to === ARCHIVE ? "Archive" : to.title;
  const remarks = [`Moved "${task.title}" from ${lane.title} to ${name} on ${on.name}.`];
  const count = to === ARCHIVE ? 0 : to.cards.length + 1;
  if (to === ARCHIVE || to.limit === undefined || count <= to.limit) return { remarks };
  return { remarks, fullLane: { lane: name, remark: `${name} now holds ${count} of ${to.limit} cards.` } };
}
