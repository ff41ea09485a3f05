/** Checkbox lines from the index, in the words of the Tasks plugin's queries. */
import type { DayNumber } from "../../dates/days.js";
import { type Condition, ROWS_PER_FILE } from "../../index/subject.js";
import { type IndexView, storedText } from "../../index/view.js";
import type { CheckboxStatus } from "../../obsidian/plugin-settings.js";
import type { VaultPath } from "../../storage/path.js";
import { hashNumber, hashText } from "../../text/hash.js";
import { lineId } from "../line-format/line-identity.js";
import { reparsed } from "../line-format/task-line.js";
import { type CheckboxDay, INVALID_DAY } from "./checkbox-subject.js";

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

/** By the id of the file. */
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

export type LineColumn =
  | "symbol"
  | "priority"
  | CheckboxDay
  | "rule"
  | "sign"
  | "waits"
  | "tags"
  | "description"
  | "heading";

/** The line that `CheckboxLines` is at. */
export interface CheckboxLine extends Readonly<Record<CheckboxDay, DayNumber | null>> {
  /** Of its row. */
  readonly id: number;
  readonly note: NotePlace;
  readonly status: LineStatus;
  readonly priority: number;
  readonly rule: string;
  readonly sign: string;
  readonly tags: readonly string[];
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
const TEXT_COLUMNS: ReadonlySet<LineColumn> = new Set(["description", "heading"]);

/** A condition over `checkbox AS c`. */
interface LineQuery {
  readonly notes: NotePlaces;
  readonly statuses: LineStatuses;
  readonly where: Condition;
  /** Only these columns can be read of the lines. */
  readonly columns: readonly LineColumn[];
}

/** Lines by column: most queries read few, and an array of numbers is parsed faster than rows. */
export class CheckboxLines implements CheckboxLine {
  #at = 0;
  ids: readonly number[] = [];
  notes: readonly NotePlace[] = [];
  readonly #query: LineQuery;
  readonly #values: Partial<Record<LineColumn, readonly (number | string | null)[]>> = {};

  constructor(query: LineQuery) {
    this.#query = query;
    for (const column of query.columns) this.#values[column] = [];
  }

  /** In parts, so that other work has turns between. Yields the number of lines. */
  *read(view: IndexView): Generator<number> {
    const { notes, where, columns } = this.#query;
    const selected = ["c.id", ...columns].map((column) => `CAST(json_group_array(${column}) AS BLOB)`).join();
    const hasTexts = columns.some((column) => TEXT_COLUMNS.has(column));
    const from = `checkbox AS c${hasTexts ? " JOIN checkbox_text AS t ON t.id = c.id" : ""}`;
    const last = Math.max(0, ...notes.keys());
    for (let file = 0; file <= last; file += FILES_AT_ONCE) {
      const ids = `c.id BETWEEN ${file * ROWS_PER_FILE} AND ${(file + FILES_AT_ONCE) * ROWS_PER_FILE - 1}`;
      const row = view.get<Uint8Array[]>(
        `SELECT ${selected} FROM ${from} WHERE ${ids} AND (${where.sql})`,
        ...where.values,
      );
      this.#add((row ?? []).map((bytes) => JSON.parse(storedText(bytes)) as (number | string | null)[]));
      yield this.ids.length;
    }
  }

  #add([ids = [], ...values]: readonly (number | string | null)[][]): void {
    const owners = this.#ownersOf(ids as number[]);
    // Another process may have added a note.
    const isWhole = !owners.includes(undefined);
    const joined = <Item>(before: readonly Item[], items: readonly Item[]): readonly Item[] =>
      before.concat(isWhole ? items : items.filter((_, at) => owners[at] !== undefined));
    this.ids = joined(this.ids, ids as number[]);
    this.notes = joined(this.notes, owners as NotePlace[]);
    for (const [place, column] of this.#query.columns.entries())
      this.#values[column] = joined(this.#values[column] ?? [], values[place] ?? []);
  }

  /** Lines of a note follow each other. */
  #ownersOf(ids: readonly number[]): (NotePlace | undefined)[] {
    let [file, owner]: [number, NotePlace | undefined] = [-1, undefined];
    return ids.map((id) => {
      const own = Math.floor(id / ROWS_PER_FILE);
      if (own !== file) [file, owner] = [own, this.#query.notes.get(own)];
      return owner;
    });
  }

  /** Differs when other lines, or other values of them, were read. Their order does not matter. */
  get mark(): number {
    const hashes = Int32Array.from(this.ids, (id) => Math.imul(id % 2 ** 32, 0x85ebca6b) ^ Math.floor(id / 2 ** 32));
    for (const values of Object.values(this.#values))
      for (let at = 0; at < values.length; at++) {
        const value = values[at];
        const own = typeof value === "string" ? hashNumber(value) : (value ?? INVALID_DAY - 1);
        hashes[at] = Math.imul(hashes[at]! ^ own, 0x01000193);
      }
    return hashes.reduce((sum, hash) => (sum + (hash ^ (hash >>> 13))) | 0, 0);
  }

  /** The same object each time. */
  line(at: number): CheckboxLine {
    this.#at = at;
    return this;
  }

  get id(): number {
    return this.ids[this.#at] ?? 0;
  }

  get note(): NotePlace {
    return this.notes[this.#at]!;
  }

  get status(): LineStatus {
    return this.#query.statuses.of(this.#text("symbol"));
  }

  get priority(): number {
    return this.#number("priority") ?? 0;
  }

  get due(): DayNumber | null {
    return this.#number("due");
  }

  get scheduled(): DayNumber | null {
    return this.#number("scheduled");
  }

  get start(): DayNumber | null {
    return this.#number("start");
  }

  get created(): DayNumber | null {
    return this.#number("created");
  }

  get done(): DayNumber | null {
    return this.#number("done");
  }

  get cancelled(): DayNumber | null {
    return this.#number("cancelled");
  }

  get rule(): string {
    return this.#text("rule");
  }

  get sign(): string {
    return this.#text("sign");
  }

  get tags(): readonly string[] {
    const tags = this.#text("tags");
    return tags === "" ? NONE : tags.split("\n");
  }

  get description(): string {
    return this.#text("description");
  }

  get heading(): string {
    return this.#text("heading");
  }

  #number(column: LineColumn): number | null {
    return this.#values[column]![this.#at] as number | null;
  }

  #text(column: LineColumn): string {
    return this.textAt(this.#at, column);
  }

  textAt(at: number, column: LineColumn): string {
    return (this.#values[column]![at] ?? "") as string;
  }
}

/** Ids of lines that wait for another, and of those waited for; none is done. */
export function waitingLines(
  view: IndexView,
  about: Pick<LineQuery, "notes" | "statuses">,
): Record<"blocked" | "blocking", number[]> {
  const open = about.statuses.condition(({ isDone }) => !isDone);
  const where = { ...open, sql: `(sign IS NOT NULL OR waits IS NOT NULL) AND ${open.sql}` };
  const lines = new CheckboxLines({ ...about, where, columns: ["sign", "waits"] });
  Array.from(lines.read(view));
  const texts = (column: LineColumn): string[] => lines.ids.map((_, at) => lines.textAt(at, column));
  const [signs, waits] = [texts("sign"), texts("waits").map((list) => list.split(","))];
  const [known, awaited] = [new Set(signs), new Set(waits.flat())];
  // A line without a sign has an empty one.
  for (const set of [known, awaited]) set.delete("");
  return {
    blocked: lines.ids.filter((_, at) => waits[at]!.some((sign) => known.has(sign))),
    blocking: lines.ids.filter((_, at) => awaited.has(signs[at]!)),
  };
}

export interface ShownLine {
  readonly path: VaultPath;
  /** From 1. */
  readonly line: number;
  /** As written, without the text before the list mark. */
  readonly text: string;
  /** As the task tools take it. */
  readonly id: string;
  readonly revision: string;
}

/** @throws SqliteError `corrupt` when the rows are not those stored */
export function shownLines(view: IndexView, ids: readonly number[], notes: NotePlaces): ShownLine[] {
  view.verify(ids);
  return ids.map((row) => {
    const [whole = "", ref] =
      view
        .get<[Uint8Array, Uint8Array | null]>(
          `SELECT CAST(checkbox_text.line AS BLOB), CAST(task.ref AS BLOB)
           FROM checkbox_text LEFT JOIN task ON task.id = checkbox_text.id WHERE checkbox_text.id = ?`,
          row,
        )
        ?.map((bytes) => (bytes === null ? undefined : storedText(bytes))) ?? [];
    const parsed = reparsed(whole, NO_SIGNS);
    const [{ path }, line] = [notes.get(Math.floor(row / ROWS_PER_FILE))!, row % ROWS_PER_FILE];
    // Lines without a task's row: no global filter, or no task for the task tools.
    const id = ref ?? lineId(path, line, parsed);
    return { path, line, text: whole.slice(parsed.lead.length), id, revision: hashText(whole) };
  });
}
