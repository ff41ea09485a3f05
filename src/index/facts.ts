/** Fact readers, the facts they find in files, and the problems of unreadable files. */
import type { Frontmatter, NoteParts } from "../markdown/frontmatter/frontmatter.js";
import type { VaultPath } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";

/** A file that is no note has no frontmatter. */
export interface NoteSource {
  readonly path: VaultPath;
  readonly stat: FileStat;
  /** Only the head when `truncated`: the note is larger than the reader asks for. */
  readonly text: string;
  /** The note's beginning, with all of the frontmatter. A reader that uses only this saves decoding the rest. */
  readonly start: string;
  readonly truncated: boolean;
  readonly parts: NoteParts;
  readonly frontmatter: Frontmatter;
}

/**
 * Finds facts in a note. The index shows it each changed file once and stores the result, which must be plain JSON and
 * depend on the note alone (not on the day, other notes or settings).
 */
export interface FactReader<Facts> {
  /** The reader's name in the database. */
  readonly name: string;
  /** Which files; default: notes. */
  readonly wants?: (path: VaultPath) => boolean;
  /** Needs the whole text, not only the first 128 KiB; default false. */
  readonly whole?: boolean;
  /** Increase when facts change in shape or meaning. */
  readonly version: number;
  read(note: NoteSource): Facts | undefined;
  /** What a search covers besides the body. One reader has this. */
  searched?(path: VaultPath, facts: Facts): string;
  /** Counts over all facts, for callers that cannot wait for a refresh. */
  digest?(): FactDigest<Facts>;
}

/** Takes facts one by one in any order. */
export interface FactDigest<Facts> {
  add(facts: Facts): void;
  /** Small and plain JSON. */
  result(): unknown;
}

/** A note that cannot be read, or only in part. */
export interface NoteProblem {
  readonly path: VaultPath;
  readonly message: string;
  /** From 1. */
  readonly line?: number;
  readonly column?: number;
}

/** The same object while file and reader stay the same, so that a `WeakMap` may cache results. */
export interface NoteRecord<Facts> {
  readonly stat: FileStat;
  /** Decoded at every access. */
  readonly facts: Facts;
  /** For full-text searches; undefined until its words are stored. */
  readonly number: number | undefined;
}

/** Yields facts one by one, so that they are never all in memory. */
export function* factsOfAll<Facts>(records: Iterable<NoteRecord<Facts>>): Generator<Facts> {
  for (const { facts } of records) yield facts;
}
