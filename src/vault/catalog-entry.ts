/** What the catalog keeps of one note: its stamp and the facts its readers took out of it, never its text. */
import type { VaultError } from "../errors.js";
import { readFrontmatter, splitNote } from "../markdown/frontmatter.js";
import type { VaultPath } from "../storage/path.js";
import type { FileStat, StoredFile } from "../storage/storage.js";
import type { FactReader, NoteProblem, NoteRecord } from "./catalog.js";
import { isTemplated } from "./ignore.js";
import { decodeHead, decodeText } from "./note-text.js";

/** Bytes of a note that are read: room for the largest frontmatter and a good deal of body. */
export const HEAD_BYTES = 128 * 1024;

/** What a note's text says; does not depend on when or where it was read. */
export interface EntryContent {
  /** The frontmatter still holds placeholders: the note is a template, whatever folder it is in. */
  readonly templated: boolean;
  readonly problems: readonly NoteProblem[];
  /** JSON of the facts by reader, in the catalog's order of readers; empty when no reader took any. */
  readonly facts: readonly FactSource[];
}

/** Gives the JSON text of one reader's facts on one note when asked; undefined when there are none. */
export type FactSource = (() => string) | string | undefined;

export class Entry {
  readonly stat: FileStat;
  /** The stamp proves the content: it was taken long enough after the last change. */
  readonly settled: boolean;
  /** Kept out of every answer: a template, or excluded by the vault's settings. */
  readonly hidden: boolean;
  readonly content: EntryContent;
  readonly #records: NoteRecord<unknown>[] = [];

  constructor(stat: FileStat, settled: boolean, ignored: boolean, content: EntryContent) {
    this.stat = stat;
    this.settled = settled;
    this.hidden = ignored || content.templated;
    this.content = content;
  }

  /** The facts of the reader at a position; the same object every time. */
  record(reader: number): NoteRecord<unknown> | undefined {
    const source = this.content.facts[reader];
    if (source === undefined) return undefined;
    return (this.#records[reader] ??= new LazyRecord(this.stat, source));
  }

  /** The JSON text of the reader's facts. */
  encoded(reader: number): string | undefined {
    const source = this.content.facts[reader];
    return typeof source === "function" ? source() : source;
  }
}

/** Facts that are decoded when they are first looked at. */
class LazyRecord implements NoteRecord<unknown> {
  readonly stat: FileStat;
  #source: FactSource;
  #facts: unknown;

  constructor(stat: FileStat, source: FactSource) {
    this.stat = stat;
    this.#source = source;
  }

  get facts(): unknown {
    if (this.#source !== undefined) {
      this.#facts = JSON.parse(typeof this.#source === "string" ? this.#source : this.#source());
      this.#source = undefined;
    }
    return this.#facts;
  }
}

const NOTHING: EntryContent = { templated: false, problems: [], facts: [] };

/** Shows a note to every reader and keeps what they say. A reader that fails makes a problem of that note, not of the others. */
export function readContent(file: StoredFile, readers: readonly FactReader<unknown>[]): EntryContent {
  const { path } = file.stat;
  const truncated = file.stat.size > file.bytes.length;
  const text = truncated ? decodeHead(file.bytes) : decodeText(file.bytes);
  if (text === undefined) return unreadableContent(path, "The file is not UTF-8 text.");
  const parts = splitNote(text);
  if (parts.frontmatter && isTemplated(text.slice(parts.frontmatter.start, parts.frontmatter.end)))
    return { ...NOTHING, templated: true };
  const frontmatter = readFrontmatter(text, parts);
  const problem = frontmatter.problem ?? frontmatter.warning;
  const problems: NoteProblem[] = problem
    ? [{ path, message: problem.message, line: problem.line, column: problem.column }]
    : [];
  const facts = readers.map((reader) => {
    const read = reader.read({ path, stat: file.stat, text, truncated, parts, frontmatter });
    // As JSON text the facts hold on to no part of the note's text, and are ready for the snapshot.
    return read === undefined ? undefined : JSON.stringify(read);
  });
  const some = facts.some((fact) => fact !== undefined);
  return some || problems.length > 0 ? { templated: false, problems, facts: some ? facts : [] } : NOTHING;
}

/** What is kept of a file that is there and cannot be read. */
export function unreadableContent(path: VaultPath, problem: string | VaultError): EntryContent {
  return { ...NOTHING, problems: [{ path, message: typeof problem === "string" ? problem : problem.message }] };
}
