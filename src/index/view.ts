/** What callers ask of the index: the vault's files, and statements over the rows of the subjects. */
import { storedText } from "../cache/cache-database.js";
import type { SqlValue, Statement } from "../sqlite.js";
import type { ParaFolders } from "../obsidian/para.js";
import type { VaultSettings } from "../obsidian/settings.js";
import { baseName, stemOf, type VaultPath } from "../storage/path.js";
import type { FileStat, UnlistedEntry } from "../storage/storage.js";
import type { FullText } from "./full-text.js";
import { type FilesByPath, storedStat } from "./file-stamps.js";
import type { IndexStore } from "./store.js";
import { type NoteProblem, ROWS_PER_FILE } from "./subject.js";

/** For bytes of a text that a statement selects. */
export { storedText } from "../cache/cache-database.js";

interface ViewState {
  readonly generation: number;
  readonly settings: VaultSettings;
  readonly para: ParaFolders;
  readonly unlisted: readonly UnlistedEntry[];
  readonly known: FilesByPath;
  readonly store: IndexStore;
  /** Names of subjects. */
  readonly stored: ReadonlySet<string>;
  /** The subject of each table. */
  readonly tables: ReadonlyMap<string, string>;
}

export class IndexView {
  /** Increases with every change. */
  readonly generation: number;
  /** As the refresh found them. */
  readonly settings: VaultSettings;
  readonly para: ParaFolders;
  readonly unlisted: readonly UnlistedEntry[];
  readonly #state: ViewState;
  /** Ids of files. */
  readonly #verified = new Set<number>();
  readonly #checked = new Set<string>();
  readonly #kept = new Map<string, unknown>();

  constructor(state: ViewState) {
    this.#state = state;
    this.generation = state.generation;
    this.settings = state.settings;
    this.para = state.para;
    this.unlisted = state.unlisted;
  }

  holds(subject: string): boolean {
    return this.#state.stored.has(subject);
  }

  /** Made once for each state of the index. */
  once<Value>(name: string, make: () => Value): Value {
    if (!this.#kept.has(name)) this.#kept.set(name, make());
    return this.#kept.get(name) as Value;
  }

  /** Rows that nobody asked for would be missing without a sign. */
  #prepared<Row extends readonly SqlValue[]>(sql: string): Statement<Row> {
    if (!this.#checked.has(sql)) {
      for (const [, table = ""] of sql.matchAll(/\b(?:FROM|JOIN)\s+\(?\s*(\w+)/gi)) {
        const subject = this.#state.tables.get(table);
        if (subject !== undefined && !this.holds(subject))
          throw new Error(`This refresh did not ask for the rows of ${subject}: ${sql}`);
      }
      this.#checked.add(sql);
    }
    return this.#state.store.database.prepare<Row>(sql);
  }

  /** Usable after a refresh with `words`. */
  get text(): FullText {
    return this.#state.store.text;
  }

  /** Without hidden notes. */
  get noteCount(): number {
    return [...this.#state.known.values()].filter(({ isNote, hidden }) => isNote && !hidden).length;
  }

  /**
   * The rows of a statement. Select text with `text`, and give its bytes to `storedText`.
   * @throws SqliteError
   */
  all<Row extends readonly SqlValue[]>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#prepared<Row>(sql).all(...values);
  }

  get<Row extends readonly SqlValue[]>(sql: string, ...values: SqlValue[]): Readonly<Row> | undefined {
    return this.#prepared<Row>(sql).get(...values);
  }

  /** The one column of a statement, a text that it selects as bytes. @throws SqliteError */
  texts<Text extends string = string>(sql: string, ...values: SqlValue[]): Text[] {
    return this.all<[Uint8Array]>(sql, ...values).map(([bytes]) => storedText(bytes) as Text);
  }

  /** As one value of the database, because each row costs time. @param rest from the table on */
  list<Value extends string | number | readonly SqlValue[]>(
    column: string,
    rest: string,
    ...values: SqlValue[]
  ): Value[] {
    const row = this.get<[Uint8Array]>(`SELECT CAST(json_group_array(${column}) AS BLOB) FROM ${rest}`, ...values);
    return row ? (JSON.parse(storedText(row[0])) as Value[]) : [];
  }

  /** @param rest a condition on `file`, and an order: `hidden = 0 ORDER BY path` */
  paths(rest: string, ...values: SqlValue[]): VaultPath[] {
    return this.list("path", `(SELECT path FROM file WHERE present = 1 AND ${rest})`, ...values);
  }

  /** Changes no rows of the vault, but those of temporary tables. */
  run(sql: string, ...values: SqlValue[]): void {
    this.#state.store.database.prepare(sql).run(...values);
  }

  /** `work` sees one state. */
  inTransaction<Result>(work: () => Result): Result {
    return this.#state.store.inTransaction(work);
  }

  /**
   * Proves the rows of the files that an answer shows.
   * @param rows ids of rows
   * @throws SqliteError `corrupt`
   */
  verify(rows: Iterable<number>): void {
    for (const row of rows) {
      const file = Math.floor(row / ROWS_PER_FILE);
      if (this.#verified.has(file)) continue;
      this.#state.store.verify(file);
      this.#verified.add(file);
    }
  }

  /** Temporary tables of one are not those of another. */
  get database(): object {
    return this.#state.store.database;
  }

  /** `hidden`: templates or excluded. */
  notesBelow(folder: VaultPath): { readonly all: number; readonly hidden: number } {
    const below = [...this.#state.known.values()].filter(({ isNote, path }) => isNote && path.startsWith(`${folder}/`));
    return { all: below.length, hidden: below.filter(({ hidden }) => hidden).length };
  }

  /** A template or an excluded note. */
  isHidden(path: VaultPath): boolean {
    return this.#state.known.get(path)?.hidden === true;
  }

  /** Also true for templates and excluded notes: links to them resolve. */
  has(path: VaultPath): boolean {
    return this.#state.known.get(path)?.isNote === true;
  }

  /** Notes of this name, whatever their folder. */
  filesNamed(path: string): readonly { readonly id: number; readonly path: VaultPath }[] {
    return this.all<[number, Uint8Array]>(
      "SELECT id, CAST(path AS BLOB) FROM file WHERE stem = ? AND present = 1 AND note = 1 ORDER BY path",
      stemOf(baseName(path)),
    ).map(([id, text]) => ({ id, path: storedText(text) as VaultPath }));
  }

  /** Hidden ones have none. */
  statOf(path: VaultPath): FileStat | undefined {
    const file = this.#state.known.get(path);
    return file && !file.hidden ? storedStat(file) : undefined;
  }

  /** Notes and other files; unordered. */
  files({ hidden = false } = {}): FileStat[] {
    return [...this.#state.known.values()].filter((file) => hidden || !file.hidden).map(storedStat);
  }

  /** Hidden ones too; unordered. */
  everyPath(): VaultPath[] {
    return [...this.#state.known.keys()];
  }

  problems(): readonly NoteProblem[] {
    return this.texts(
      "SELECT CAST(problems AS BLOB) FROM file INDEXED BY file_problems WHERE problems <> '' AND hidden = 0 ORDER BY path",
    ).flatMap((text) => JSON.parse(text) as NoteProblem[]);
  }

  /** Their content is unknown. */
  unread(): readonly VaultPath[] {
    return [...this.#state.known.values()].flatMap(({ unreadable, path }) => (unreadable ? [path] : []));
  }
}
