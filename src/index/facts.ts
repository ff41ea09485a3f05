/** What the index takes out of files: readers, the facts that they find, and the problems of files that cannot be read. */
import type { Frontmatter, NoteParts } from "../markdown/frontmatter/frontmatter.js";
import type { VaultPath } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";

/**
 * A note as a fact reader sees it: its text, and what was already worked out about it. A file that is no note, wanted by the reader,
 * has no frontmatter.
 */
export interface NoteSource {
  readonly path: VaultPath;
  readonly stat: FileStat;
  /** The note's text; only its head when `truncated`, which means that the note is larger than this reader asks for. */
  readonly text: string;
  /** The beginning of the text, with all of the frontmatter. A reader that needs no more than this saves decoding the rest. */
  readonly start: string;
  readonly truncated: boolean;
  readonly parts: NoteParts;
  readonly frontmatter: Frontmatter;
}

/**
 * Takes facts out of a note. The index reads each changed file once, shows it to every reader, and stores what they return;
 * facts must be plain JSON and depend on the note alone (not on the day, other notes or settings).
 */
export interface FactReader<Facts> {
  /** Names the facts in the database. */
  readonly name: string;
  /** Which files it reads; default: notes. */
  readonly wants?: (path: VaultPath) => boolean;
  /** It needs the whole text (up to the largest size a file may have), not only the first 128 KiB; default false. */
  readonly whole?: boolean;
  /** Raise it when facts change in shape or meaning: an index with facts of another version is dropped. */
  readonly version: number;
  /** Undefined: this note is of no interest to the reader. */
  read(note: NoteSource): Facts | undefined;
  /** The texts besides its body that a note is found by. One reader has this. */
  searched?(path: VaultPath, facts: Facts): string;
  /** Begins a digest of all facts, which is stored for callers that cannot wait for a refresh. */
  digest?(): FactDigest<Facts>;
}

/** Counts over facts, which come one by one in any order. */
export interface FactDigest<Facts> {
  add(facts: Facts): void;
  /** Small and plain JSON. */
  result(): unknown;
}

/** A note that could not be read, or only in part. */
export interface NoteProblem {
  readonly path: VaultPath;
  readonly message: string;
  /** Counted from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** The same object for as long as its file and its reader stay the same, so that a `WeakMap` may remember what was made of the facts. */
export interface NoteRecord<Facts> {
  readonly stat: FileStat;
  /** Decoded at every access, which takes a few microseconds. */
  readonly facts: Facts;
  /** By which full-text searches call the file; undefined until its words are stored. */
  readonly number: number | undefined;
}

/** The facts of records, decoded one by one, so that they are never all there at once. */
export function* factsOfAll<Facts>(records: Iterable<NoteRecord<Facts>>): Generator<Facts> {
  for (const { facts } of records) yield facts;
}
