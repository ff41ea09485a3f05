/** Checkbox lines from the index, in the words of the Tasks plugin's queries. */
import type { DayNumber } from "../../dates/days.js";
import { type Condition, ROWS_PER_FILE } from "../../index/subject.js";
import { type IndexView, storedText } from "../../index/view.js";
import type { CheckboxStatus } from "../../obsidian/plugin-settings.js";
import type { VaultPath } from "../../storage/path.js";
import { hashText } from "../../text/hash.js";
import { lineId } from "../line-format/line-identity.js";
import { reparsed } from "../line-format/task-line.js";
import { CHECKBOX_DAYS, type CheckboxDay, INVALID_DAY } from "./checkbox-subject.js";

/** In the plugin's order. */
export const STATUS_TYPES = ["IN_PROGRESS", "TODO", "ON_HOLD", "DONE", "CANCELLED", "NON_TASK"] as const;
const FINISHED: ReadonlySet<string> = new Set(["DONE", "CANCELLED", "NON_TASK"]);

export interface LineStatus {
  readonly name: string;
  readonly type: string;
  readonly isDone: boolean;
}

export class LineStatuses {
  readonly #known: ReadonlyMap<string, LineStatus>;
  readonly #unknown = statusOf("Unknown", "TODO");

  constructor(statuses: readonly CheckboxStatus[]) {
    this.#known = new Map(statuses.map(({ symbol, name, type }) => [symbol, statusOf(name, type)]));
  }

  of(symbol: string): LineStatus {
    return this.#known.get(symbol) ?? this.#unknown;
  }

  /** The rows whose status is like this. */
  condition(fits: (status: LineStatus) => boolean): Condition {
    const takesUnknown = fits(this.#unknown);
    const symbols = [...this.#known].flatMap(([symbol, status]) => (fits(status) === takesUnknown ? [] : [symbol]));
    return { sql: `symbol ${takesUnknown ? "NOT " : ""}IN (${symbols.map(() => "?").join()})`, values: symbols };
  }
}

function statusOf(name: string, type: string): LineStatus {
  const known = (STATUS_TYPES as readonly string[]).includes(type) ? type : "TODO";
  return { name, type: known, isDone: FINISHED.has(known) };
}

/** The note of a line, in the plugin's parts. */
export class NotePlace {
  readonly path: VaultPath;
  /** With the slash at its end; `/` for the root. */
  readonly folder: string;
  readonly root: string;
  readonly filename: string;
  readonly name: string;
  /** Among all notes, by path. */
  order = 0;

  constructor(path: VaultPath) {
    const slash = path.lastIndexOf("/") + 1;
    this.path = path;
    this.folder = slash === 0 ? "/" : path.slice(0, slash);
    this.root = path.slice(0, path.indexOf("/") + 1) || "/";
    this.filename = path.slice(slash);
    this.name = this.filename.replace(/\.md$/, "");
  }
}

/** As the plugin compares texts. */
export const textOrder = new Intl.Collator("en", { numeric: true });

/** By the id of the file. */
export type NotePlaces = ReadonlyMap<number, NotePlace>;

const placesOf = new WeakMap<IndexView, NotePlaces>();
/** Of the last state of each database: sorting many paths takes longer than all else. */
const latest = new WeakMap<object, { readonly files: string; readonly notes: NotePlaces }>();

export function notePlaces(view: IndexView): NotePlaces {
  let notes = placesOf.get(view);
  if (notes === undefined) {
    const rows = view.list<[number, VaultPath]>("json_array(id, path)", "file WHERE present = 1 AND note = 1");
    const files = JSON.stringify(rows);
    const known = latest.get(view.database);
    notes =
      known?.files === files ? known.notes : inOrder(new Map(rows.map(([id, path]) => [id, new NotePlace(path)])));
    placesOf.set(view, notes);
    latest.set(view.database, { files, notes });
  }
  return notes;
}

function inOrder(notes: NotePlaces): NotePlaces {
  const byPath = [...notes.values()].sort((one, other) => textOrder.compare(one.path, other.path));
  for (const [at, note] of byPath.entries()) note.order = at;
  return notes;
}

export interface CheckboxLine extends Readonly<Record<CheckboxDay, DayNumber | null>> {
  /** Of its row. */
  readonly id: number;
  readonly note: NotePlace;
  readonly status: LineStatus;
  readonly priority: number;
  readonly isNested: boolean;
  readonly rule: string;
  readonly sign: string;
  readonly waits: readonly string[];
  readonly tags: readonly string[];
  /** Without the global filter; these two are empty unless they were asked for. */
  readonly description: string;
  readonly heading: string;
}

export const lineNumber = ({ id }: CheckboxLine): number => id % ROWS_PER_FILE;

/** As `happens` sorts and groups: the earliest day that exists. */
export function happensOn({ due, scheduled, start }: CheckboxLine): DayNumber | null {
  const days = [due, scheduled, start].filter((day) => day !== null && day !== INVALID_DAY) as DayNumber[];
  return days.length === 0 ? null : Math.min(...days);
}

const NONE: readonly string[] = [];
const NO_SIGNS = { globalFilter: "" };

const FILES_AT_ONCE = 1_000;
const COLUMNS = ["c.id", "symbol", "priority", ...CHECKBOX_DAYS, "nested", "rule", "sign", "waits", "tags"].join();

type LineRow = readonly [
  id: number,
  symbol: string,
  priority: number,
  due: DayNumber | null,
  scheduled: DayNumber | null,
  start: DayNumber | null,
  created: DayNumber | null,
  done: DayNumber | null,
  cancelled: DayNumber | null,
  nested: number,
  rule: string | null,
  sign: string | null,
  waits: string | null,
  tags: string | null,
  description: string | null,
  heading: string | null,
];

interface LineQuery {
  readonly notes: NotePlaces;
  readonly statuses: LineStatuses;
  /** Over `checkbox AS c`. */
  readonly where: readonly Condition[];
  readonly withTexts: boolean;
}

/** In parts of some notes, so that other work has turns between. */
export function* checkboxLines(
  view: IndexView,
  { notes, statuses, where, withTexts }: LineQuery,
): Generator<readonly CheckboxLine[]> {
  const columns = `${COLUMNS},${withTexts ? "description, heading" : "NULL, NULL"}`;
  const from = `checkbox AS c ${withTexts ? "JOIN checkbox_text AS t ON t.id = c.id" : ""}`;
  const conditions = where.map(({ sql }) => ` AND (${sql})`).join("");
  const values = where.flatMap((condition) => condition.values);
  const last = Math.max(0, ...notes.keys());
  for (let file = 0; file <= last; file += FILES_AT_ONCE) {
    const ids = `c.id BETWEEN ${file * ROWS_PER_FILE} AND ${(file + FILES_AT_ONCE) * ROWS_PER_FILE - 1}`;
    const rows = view.list<LineRow>(`json_array(${columns})`, `${from} WHERE ${ids}${conditions}`, ...values);
    yield rows.flatMap((row) => {
      const note = notes.get(Math.floor(row[0] / ROWS_PER_FILE));
      return note === undefined ? [] : [lineOf(row, note, statuses)];
    });
  }
}

function lineOf(row: LineRow, note: NotePlace, statuses: LineStatuses): CheckboxLine {
  const [rule, sign, waits, tags] = [row[10], row[11], row[12], row[13]];
  return {
    id: row[0],
    note,
    status: statuses.of(row[1]),
    priority: row[2],
    due: row[3],
    scheduled: row[4],
    start: row[5],
    created: row[6],
    done: row[7],
    cancelled: row[8],
    isNested: row[9] === 1,
    rule: rule ?? "",
    sign: sign ?? "",
    waits: waits === null ? NONE : waits.split(","),
    tags: tags === null ? NONE : tags.split("\n"),
    description: row[14] ?? "",
    heading: row[15] ?? "",
  };
}

/** Ids of the lines that wait for another one, and of those that others wait for; none of them is done. */
export function waitingLines(view: IndexView, statuses: LineStatuses): Record<"blocked" | "blocking", Set<number>> {
  const rows = view.list<[id: number, symbol: string, sign: string | null, waits: string | null]>(
    "json_array(id, symbol, sign, waits)",
    "checkbox WHERE sign IS NOT NULL OR waits IS NOT NULL",
  );
  const open = rows.filter(([, symbol]) => !statuses.of(symbol).isDone);
  const signs = new Set(open.map(([, , sign]) => sign));
  const awaited = new Set(open.flatMap(([, , , waits]) => waits?.split(",") ?? []));
  return {
    blocked: new Set(
      open.flatMap(([id, , , waits]) => (waits?.split(",").some((sign) => signs.has(sign)) ? [id] : [])),
    ),
    blocking: new Set(open.flatMap(([id, , sign]) => (sign !== null && awaited.has(sign) ? [id] : []))),
  };
}

/** A line as answers show it. */
export interface ShownLine {
  readonly path: VaultPath;
  /** From 1. */
  readonly line: number;
  /** As written, without what is before the list mark. */
  readonly text: string;
  /** As the task tools take it. */
  readonly id: string;
  readonly revision: string;
}

/** @throws SqliteError `corrupt` when the rows are not those that were stored */
export function shownLines(view: IndexView, lines: readonly CheckboxLine[]): ShownLine[] {
  view.verify(lines.map(({ id }) => id));
  return lines.map((line) => {
    const [whole = "", ref] =
      view
        .get<[Uint8Array, Uint8Array | null]>(
          `SELECT CAST(checkbox_text.line AS BLOB), CAST(task.ref AS BLOB)
           FROM checkbox_text LEFT JOIN task ON task.id = checkbox_text.id WHERE checkbox_text.id = ?`,
          line.id,
        )
        ?.map((bytes) => (bytes === null ? undefined : storedText(bytes))) ?? [];
    const parsed = reparsed(whole, NO_SIGNS);
    const [{ path }, number] = [line.note, lineNumber(line)];
    // A line without a row of a task has no global filter, or is none for the task tools.
    const id = ref ?? lineId(path, number, parsed);
    return { path, line: number, text: whole.slice(parsed.lead.length), id, revision: hashText(whole) };
  });
}
