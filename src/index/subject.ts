/** What a subject, such as tasks or links, stores of each file. */
import type { TimeSlice } from "../async/timers.js";
import type { SqlValue } from "../sqlite.js";
import type { Frontmatter, NoteParts } from "../markdown/frontmatter/frontmatter.js";
import type { ParaFolders } from "../obsidian/para.js";
import type { VaultSettings } from "../obsidian/settings.js";
import type { VaultPath } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";

export type { SqlValue } from "../sqlite.js";

/** A file that is no note has no frontmatter. */
export interface NoteSource {
  readonly path: VaultPath;
  readonly stat: FileStat;
  /** Up to the vault's largest file size. */
  readonly text: string;
  /** The note's beginning, with all of the frontmatter. */
  readonly start: string;
  /** The file is longer than `text`. */
  readonly truncated: boolean;
  readonly parts: NoteParts;
  readonly frontmatter: Frontmatter;
}

/** Or only in part. */
export interface NoteProblem {
  readonly path: VaultPath;
  readonly message: string;
  /** From 1. */
  readonly line?: number;
  readonly column?: number;
}

/** The first column of every table is `id`, the file's id times this plus the row's place in the file. */
export const ROWS_PER_FILE = 2 ** 22;

export interface Table {
  readonly name: string;
  /** Declarations of the columns after `id`, such as `title TEXT NOT NULL`. */
  readonly columns: readonly string[];
  /** Columns that hold the place of a row of the same file; stored as that row's id. */
  readonly places?: readonly string[];
  /** As after `CREATE INDEX`: `due ON task (due) WHERE open = 1`. */
  readonly indexes?: readonly string[];
}

export type SubjectRow = readonly [place: number, ...values: SqlValue[]];

/** By table. */
export type Rows = Readonly<Record<string, readonly SubjectRow[]>>;

export interface RowContext {
  readonly settings: VaultSettings;
  readonly para: ParaFolders;
  /** A template, or excluded by settings. */
  readonly hidden: boolean;
}

/** A promise where a note may be so long that the event loop needs turns meanwhile. */
export type MaybePromise<Value> = Value | Promise<Value>;

export interface Subject {
  readonly name: string;
  /** Increase it when rows change in form or meaning. */
  readonly version: number;
  readonly tables: readonly Table[];
  /** Rows are stored for callers that name the subject, and in idle turns. */
  readonly isRare?: true;
  /** Files besides notes whose text is read. */
  readonly wants?: (path: VaultPath) => boolean;
  /** What rows depend on besides the file, as JSON; a change of it builds the index again. */
  epoch?(settings: VaultSettings): unknown;
  /** @returns undefined for no rows */
  read(note: NoteSource, context: RowContext, slice: TimeSlice): MaybePromise<Rows | undefined>;
  /** Few callers need these rows: stored when one asks for them, and in idle turns. */
  readLater?(note: NoteSource, context: RowContext, slice: TimeSlice): MaybePromise<Rows | undefined>;
  /** What a search covers besides the body. One subject has this. */
  searched?(note: NoteSource): string;
}

/** Of a WHERE clause. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export const condition = (sql: string, ...values: readonly SqlValue[]): Condition => ({ sql, values });

export const not = ({ sql, values }: Condition): Condition => ({ sql: `NOT (${sql})`, values });

/** `1` for none. */
export const allOf = (all: readonly Condition[]): Condition =>
  all.length === 0 ? condition("1") : joined(all, " AND ");

/** `0` for none. */
export const anyOf = (all: readonly Condition[]): Condition =>
  all.length === 0 ? condition("0") : joined(all, " OR ");

const joined = (all: readonly Condition[], by: " AND " | " OR "): Condition => ({
  sql: all.map(({ sql }) => `(${sql})`).join(by),
  values: all.flatMap(({ values }) => values),
});
