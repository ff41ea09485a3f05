/** Checkbox lines, in the words of the Tasks plugin's queries. */
import type { DayNumber } from "../../dates/days.js";
import { type Condition, ROWS_PER_FILE } from "../../index/subject.js";
import { type IndexView, storedText } from "../../index/view.js";
import type { CheckboxStatus } from "../../obsidian/plugin-settings.js";
import type { VaultPath } from "../../storage/path.js";
import { hashNumber, hashText } from "../../text/hash.js";
import { lineId, reparsed } from "../line-format/task-line.js";
import { CHECKBOX_DAYS, type CheckboxDay, INVALID_DAY } from "./checkbox-subject.js";

/** In the plugin's order. */
export const STATUS_TYPES = ["IN_PROGRESS", "TODO", "ON_HOLD", "DONE", "CANCELLED", "NON_TASK"] as const;
const FINISHED: ReadonlySet<string> = new Set(["DONE", "CANCELLED", "NON_TASK"]);

export interface LineStatus {
  readonly name: string;
  readonly type: string;
  readonly isDone: boolean;
}

export type LineStatuses = ReturnType<typeof lineStatuses>;

export function lineStatuses(statuses: readonly CheckboxStatus[]) {
  const known: ReadonlyMap<string, LineStatus> = new Map(
    statuses.map(({ symbol, name, type }) => [symbol, statusOf(name, type)]),
  );
  const unknown = statusOf("Unknown", "TODO");

  function of(symbol: string): LineStatus {
    return known.get(symbol) ?? unknown;
  }

  function condition(fits: (status: LineStatus) => boolean): Condition {
    const takesUnknown = fits(unknown);
    const symbols = [...known].flatMap(([symbol, status]) => (fits(status) === takesUnknown ? [] : [symbol]));
    return { sql: `symbol ${takesUnknown ? "NOT " : ""}IN (${symbols.map(() => "?").join()})`, values: symbols };
  }

  return { of, condition };
}

function statusOf(name: string, type: string): LineStatus {
  const known = (STATUS_TYPES as readonly string[]).includes(type) ? type : "TODO";
  return { name, type: known, isDone: FINISHED.has(known) };
}

export interface NotePlace {
  readonly path: VaultPath;
  /** With the slash at its end; `/` for the root. */
  readonly folder: string;
  readonly root: string;
  readonly filename: string;
  readonly name: string;
  /** Among all notes, by path. */
  order: number;
}

export function notePlace(path: VaultPath): NotePlace {
  const slash = path.lastIndexOf("/") + 1;
  const [folder, filename] = [slash === 0 ? "/" : path.slice(0, slash), path.slice(slash)];
  const root = path.slice(0, path.indexOf("/") + 1) || "/";
  return { path, folder, root, filename, name: filename.replace(/\.md$/, ""), order: 0 };
}

/** The plugin's order of texts. */
export const textOrder = new Intl.Collator("en", { numeric: true });

export type NotePlaces = ReadonlyMap<number, NotePlace>;

/** Of each database's latest state: sorting many paths is the slowest part. */
const latest = new WeakMap<object, { readonly change: number; readonly files: string; readonly notes: NotePlaces }>();

export function notePlaces(view: IndexView): NotePlaces {
  const known = latest.get(view.database);
  const [change = 0] = view.get<[number]>("SELECT max(change) FROM file") ?? [];
  if (known?.change === change) return known.notes;
  const rows = view.list<[number, VaultPath]>("json_array(id, path)", "file WHERE present = 1 AND note = 1");
  const files = JSON.stringify(rows);
  const isSame = known?.files === files;
  const notes = isSame ? known.notes : inOrder(new Map(rows.map(([id, path]) => [id, notePlace(path)])));
  latest.set(view.database, { change, files, notes });
  return notes;
}

function inOrder(notes: NotePlaces): NotePlaces {
  const byPath = [...notes.values()].sort((one, other) => textOrder.compare(one.path, other.path));
  for (const [at, note] of byPath.entries()) note.order = at;
  return notes;
}

const NUMBERS = [...CHECKBOX_DAYS, "priority"] as const;
const TEXTS = ["symbol", "rule", "sign", "waits", "tags", "line", "description", "heading"] as const;

export type LineColumn = (typeof NUMBERS | typeof TEXTS)[number];

/** A line; what the query does not read of it is empty. */
export interface CheckboxLine extends Readonly<Record<CheckboxDay, DayNumber | null>> {
  readonly id: number;
  readonly note: NotePlace;
  readonly status: LineStatus;
  readonly priority: number;
  readonly rule: string;
  readonly sign: string;
  /** Signs, with commas between. */
  readonly waits: string;
  readonly tags: readonly string[];
  /** As written. */
  readonly line: string;
  /** Without the global filter. */
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
const FILES_AT_ONCE = 4_000;
/** Columns of another table. */
const APART: ReadonlySet<LineColumn> = new Set(["line", "description", "heading"]);

/** A condition over `checkbox AS c`. */
interface LineQuery {
  readonly notes: NotePlaces;
  readonly statuses: LineStatuses;
  readonly where: Condition;
  readonly columns: readonly LineColumn[];
}

interface LinesRead {
  readonly lines: readonly CheckboxLine[];
  /** A sum that differs when other lines or values were read. */
  readonly mark: number;
}

type Cell = number | string | null;

/** In parts, so that other work has turns; by column, because an array is parsed faster than rows. */
export function* checkboxLines(view: IndexView, { notes, statuses, where, columns }: LineQuery): Generator<LinesRead> {
  const selected = ["c.id", ...columns].map((column) => `CAST(json_group_array(${column}) AS BLOB)`).join();
  const hasTexts = columns.some((column) => APART.has(column));
  const from = `checkbox AS c${hasTexts ? " JOIN checkbox_text AS t ON t.id = c.id" : ""}`;
  const last = Math.max(0, ...notes.keys());
  for (let file = 0; file <= last; file += FILES_AT_ONCE) {
    const ofFiles = `c.id BETWEEN ${file * ROWS_PER_FILE} AND ${(file + FILES_AT_ONCE) * ROWS_PER_FILE - 1}`;
    const row = view.get<Uint8Array[]>(
      `SELECT ${selected} FROM ${from} WHERE ${ofFiles} AND (${where.sql})`,
      ...where.values,
    );
    const [ids = [], ...values] = (row ?? []).map((bytes) => JSON.parse(storedText(bytes)) as Cell[]);
    const cellsOf = (names: readonly LineColumn[]) => names.map((name) => values[columns.indexOf(name)] ?? []);
    const [due, scheduled, start, created, done, cancelled, priority] = cellsOf(NUMBERS) as readonly number[][];
    const [symbol, rule, sign, waits, tags, line, description, heading] = cellsOf(TEXTS) as readonly string[][];
    const lines: CheckboxLine[] = [];
    let mark = 0;
    for (const [at, id] of (ids as number[]).entries()) {
      const note = notes.get(Math.floor(id / ROWS_PER_FILE));
      // Another process may have added a note.
      if (note === undefined) continue;
      lines.push({
        id,
        note,
        status: statuses.of(symbol?.[at] ?? ""),
        priority: priority?.[at] ?? 0,
        due: due?.[at] ?? null,
        scheduled: scheduled?.[at] ?? null,
        start: start?.[at] ?? null,
        created: created?.[at] ?? null,
        done: done?.[at] ?? null,
        cancelled: cancelled?.[at] ?? null,
        rule: rule?.[at] ?? "",
        sign: sign?.[at] ?? "",
        waits: waits?.[at] ?? "",
        tags: tags?.[at]?.split("\n") ?? NONE,
        line: line?.[at] ?? "",
        description: description?.[at] ?? "",
        heading: heading?.[at] ?? "",
      });
      mark = (mark + markOf(id, values, at)) | 0;
    }
    yield { lines, mark };
  }
}

function markOf(id: number, columns: readonly (readonly Cell[])[], at: number): number {
  let hash = Math.imul(id % 2 ** 32, 0x85ebca6b) ^ Math.floor(id / 2 ** 32);
  for (const column of columns) {
    const value = column[at];
    const own = typeof value === "string" ? hashNumber(value) : (value ?? INVALID_DAY - 1);
    hash = Math.imul(hash ^ own, 0x01000193);
  }
  return hash ^ (hash >>> 13);
}

/** Ids of lines; none is done. */
export function waitingLines(
  view: IndexView,
  about: Pick<LineQuery, "notes" | "statuses">,
): Record<"blocked" | "blocking", number[]> {
  const open = about.statuses.condition(({ isDone }) => !isDone);
  const where = { ...open, sql: `(sign IS NOT NULL OR waits IS NOT NULL) AND ${open.sql}` };
  const parts = Array.from(checkboxLines(view, { ...about, where, columns: ["sign", "waits"] }), ({ lines }) => lines);
  const lines = parts.flat().map(({ id, sign, waits }) => ({ id, sign, waits: waits.split(",") }));
  const [known, awaited] = [new Set(lines.map(({ sign }) => sign)), new Set(lines.flatMap(({ waits }) => waits))];
  // A line without a sign has an empty one.
  for (const set of [known, awaited]) set.delete("");
  return {
    blocked: lines.filter(({ waits }) => waits.some((sign) => known.has(sign))).map(({ id }) => id),
    blocking: lines.filter(({ sign }) => awaited.has(sign)).map(({ id }) => id),
  };
}

export interface ShownLine {
  readonly path: VaultPath;
  /** From 1. */
  readonly line: number;
  /** Without the text before the list mark. */
  readonly text: string;
  readonly id: string;
  readonly revision: string;
}

/** @throws SqliteError `corrupt` */
export function shownLines(view: IndexView, lines: readonly CheckboxLine[]): ShownLine[] {
  view.verify(lines.map(({ id }) => id));
  return lines.map(({ id: row, note: { path } }) => {
    const [whole = "", ref] =
      view
        .get<[Uint8Array, Uint8Array | null]>(
          `SELECT CAST(checkbox_text.line AS BLOB), CAST(task.ref AS BLOB)
           FROM checkbox_text LEFT JOIN task ON task.id = checkbox_text.id WHERE checkbox_text.id = ?`,
          row,
        )
        ?.map((bytes) => (bytes === null ? undefined : storedText(bytes))) ?? [];
    const parsed = reparsed(whole, NO_SIGNS);
    const line = row % ROWS_PER_FILE;
    // Lines without a task's row: no global filter, or no task for the task tools.
    const id = ref === undefined ? lineId(path, line, parsed) : path + ref;
    return { path, line, text: whole.slice(parsed.lead.length), id, revision: hashText(whole) };
  });
}
