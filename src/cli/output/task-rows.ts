/** Tasks as rows, stacked in a narrow terminal. */
import type { AgendaAnswer } from "../../tools/tasks/agenda-text.js";
import type { LocalDate } from "../../clock.js";
import { weekdayName } from "../../dates/read-day.js";
import { shownFacts } from "../../tools/tasks/task-view.js";
import { linksAsText } from "../../markdown/plain-text.js";
import { padded, widestWord, widthOf, wrapped, type Meaning, type Paint } from "./columns.js";

type ListedTask = NonNullable<AgendaAnswer["sections"]>[number]["tasks"][number];
type ScreenTask = Pick<ListedTask, "title" | "status"> & Partial<ListedTask>;

/** Statuses are a vault's words, `constructor` too. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ["To Do", "○"],
  ["In Progress", "◐"],
  ["Blocked", "⊘"],
  ["Done", "✓"],
  ["Cancelled", "–"],
]);

/** They have no column of their own. */
const IN_PLACE: ReadonlySet<string> = new Set(["priority", "waits", "repeats", "remind"]);

const GAP = 2;
const PLACE = 18;
const MIN_TITLE = 16;

interface Cells {
  readonly sign: string;
  readonly title: string;
  readonly day: string;
  readonly place: string;
  readonly dayMeaning: Meaning | undefined;
  readonly rowMeaning: Meaning | undefined;
}

export function taskLines(rows: readonly ScreenTask[], columns: number, today: string, paint: Paint): string[] {
  const titles = rows.map(({ title }) => title);
  const isRepeated = (title: string): boolean => titles.indexOf(title) !== titles.lastIndexOf(title);
  const cells = rows.map((row) => cellsOf(row, today, isRepeated(row.title)));
  const widths = columnWidths(cells, columns);
  return cells.flatMap((cell) =>
    widths && widestWord(cell.title) <= widths.title ? tableRow(cell, widths, paint) : stackedRow(cell, columns, paint),
  );
}

/** @param isRepeated another row has its title */
function cellsOf(row: ScreenTask, today: string, isRepeated: boolean): Cells {
  const { status, area, parentProjects = [], projected, sameTitle, id } = row;
  const facts = shownFacts(row, today);
  const [ofDay, scheduled] = (["due", "scheduled"] as const).map((kind) => facts.find((fact) => fact.kind === kind));
  const day = ofDay?.when ?? scheduled?.text ?? "";
  const places = [
    [area, parentProjects[0]].filter((name) => name !== undefined).join(" › "),
    ofDay && scheduled?.day ? `scheduled ${weekdayName(scheduled.day as LocalDate)} ${scheduled.day}` : "",
    ...facts.flatMap(({ kind, text }) => (IN_PLACE.has(kind) ? [linksAsText(text)] : [])),
    projected === true ? "to come" : "",
    sameTitle === undefined ? "" : `${sameTitle} of this title`,
    isRepeated ? (id ?? "").replace(/~[0-9a-f]+$/, "") : "",
  ];
  const title = linksAsText(row.title);
  const isBlocked = status === "Blocked" || facts.some(({ meaning }) => meaning === "blocked");
  return {
    sign: SIGNS.get(status) ?? "○",
    title: SIGNS.has(status) ? title : `${title} (${status})`,
    day: ofDay?.meaning === "overdue" ? `! ${day}` : day,
    place: places.filter((fact) => fact !== "").join(" · "),
    dayMeaning: ofDay?.meaning,
    rowMeaning: status === "Done" || status === "Cancelled" ? "done" : isBlocked ? "blocked" : undefined,
  };
}

interface Widths {
  readonly title: number;
  readonly day: number;
  readonly place: number;
}

/** Undefined without room for titles. */
function columnWidths(cells: readonly Cells[], columns: number): Widths | undefined {
  const most = (of: (cell: Cells) => number) => Math.max(0, ...cells.map(of));
  const day = most((cell) => widthOf(cell.day));
  const room = columns - 2 - (day === 0 ? 0 : day + GAP) - GAP;
  const place = most((cell) => widthOf(cell.place));
  const least = Math.min(
    place,
    Math.max(
      PLACE,
      most((cell) => widestWord(cell.place)),
    ),
  );
  const wanted = most((cell) => (widestWord(cell.title) > room - least ? 0 : widthOf(cell.title)));
  const title = Math.min(wanted, Math.max(room - place, room - least));
  return title < Math.min(MIN_TITLE, wanted) ? undefined : { title, day, place: Math.min(place, room - title) };
}

function tableRow(cell: Cells, widths: Widths, paint: Paint): string[] {
  const titles = wrapped(cell.title, widths.title);
  const places = cell.place === "" ? [""] : wrapped(cell.place, widths.place);
  const gap = " ".repeat(GAP);
  return Array.from({ length: Math.max(titles.length, places.length) }, (_, at) => {
    const sign = at === 0 ? painted(cell.rowMeaning, cell.sign, paint) : " ";
    const title = paint("bold", titles[at] ?? "");
    const parts = [`${sign} ${padded(title, widths.title)}`];
    if (widths.day > 0) parts.push(padded(at === 0 ? painted(cell.dayMeaning, cell.day, paint) : "", widths.day));
    if (widths.place > 0) parts.push(painted(cell.rowMeaning, places[at] ?? "", paint));
    return parts.join(gap).trimEnd();
  });
}

function stackedRow(cell: Cells, columns: number, paint: Paint): string[] {
  const titles = wrapped(cell.title, columns - 2).map((line) => paint("bold", line));
  const days =
    cell.day === "" ? [] : wrapped(cell.day, columns - 4).map((line) => painted(cell.dayMeaning, line, paint));
  const places = cell.place === "" ? [] : wrapped(cell.place, columns - 4);
  const [first = "", ...rest] = titles;
  return [
    `${painted(cell.rowMeaning, cell.sign, paint)} ${first}`,
    ...rest.map((line) => `  ${line}`),
    ...[...days, ...places.map((line) => painted(cell.rowMeaning, line, paint))].map((line) => `    ${line}`),
  ];
}

function painted(meaning: Meaning | undefined, text: string, paint: Paint): string {
  return meaning === undefined ? text : paint(meaning, text);
}
