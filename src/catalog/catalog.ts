/** Everything known about the notes of a vault, brought up to date before every answer at the cost of what changed. */
import type { Frontmatter, NoteParts } from "../markdown/frontmatter/frontmatter.js";
import type { VaultPath } from "../storage/path.js";
import type { FileStat, PassedOver, StoredFile } from "../storage/storage.js";
import type { VaultSettings } from "./settings.js";

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
 * Takes facts out of a note. The catalog reads each changed file once, shows it to every reader, and keeps what they return;
 * facts must be plain JSON and depend on the note alone (not on the day, other notes or settings).
 */
export interface FactReader<Facts> {
  /** Names the facts in the snapshot. */
  readonly name: string;
  /** Which files it reads; default: notes. */
  readonly wants?: (path: VaultPath) => boolean;
  /** It needs the whole text (up to the largest size a file may have), not only the first 128 KiB; default false. */
  readonly whole?: boolean;
  /** It reads templates too (a note whose frontmatter holds `{{...}}`); what it finds there is told only with `hidden`. Default false. */
  readonly templates?: boolean;
  /** A change of version drops the stored facts. */
  readonly version: number;
  /** Undefined: this note is of no interest to the reader. */
  read(note: NoteSource): Facts | undefined;
  /** Begins a digest of all facts, kept at the head of the snapshot for callers that cannot wait for all of it. */
  digest?(): FactDigest<Facts>;
}

/** Counts over facts, which come one by one in any order. */
export interface FactDigest<Facts> {
  add(facts: Facts): void;
  /** Small and plain JSON. */
  result(): unknown;
}

/** A note that could not be read into the catalog, or only in part. */
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
  /** The facts, if their JSON passes the test; otherwise they are not decoded. */
  factsIf(test: (json: string) => boolean): Facts | undefined;
}

/** The facts of records, decoded one by one, so that they are never all there at once. */
export function* factsOfAll<Facts>(records: Iterable<NoteRecord<Facts>>): Generator<Facts> {
  for (const { facts } of records) yield facts;
}

/** What one note says to a reader, before and now; undefined where it says nothing. */
export interface RecordChange<Facts> {
  readonly before: NoteRecord<Facts> | undefined;
  readonly now: NoteRecord<Facts> | undefined;
}

/** What a refresh is told while it works, for progress notices. */
export interface Progress {
  readonly done: number;
  readonly total: number | undefined;
}

export interface RefreshOptions {
  /**
   * The readers whose facts the caller will ask the view for. A reader becomes active when it is first requested; until then nothing is read,
   * decoded or written for it, and from then on it is shown every file that changes. Default: the active ones (in a new process
   * the first one).
   */
  readonly facts?: readonly FactReader<unknown>[];
  /** Whether the caller will ask for the files that are no notes as well (attachments, canvases); from then on they are kept true. */
  readonly files?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Is shown each file that is read meanwhile, with the stat that the view will have for it; of what was known before, nothing is read.
   * The bytes, at least the first 128 KiB, are valid during the call alone.
   */
  readonly onRead?: (file: Pick<StoredFile, "stat" | "bytes">) => void;
}

/** How long a long-lived process waits after an answer, in milliseconds. */
export interface Pauses {
  readonly firstSave: number;
  readonly save: number;
}

export interface ViewOptions {
  /**
   * Includes files that are kept out of answers (templates, excluded notes), since links may lead to them or stand in them. Default false.
   */
  readonly hidden?: boolean;
}

/**
 * A catalog as of one refresh. Asking it for the facts of a reader that the refresh was not asked for is a programming error and throws.
 */
export interface CatalogView {
  /** Goes up with every change; equal generations mean equal contents. */
  readonly generation: number;
  /** Increases when a file appears or disappears, or becomes hidden or visible; equal numbers mean files at the same paths. */
  readonly arrangement: number;
  /** Obsidian's settings as the refresh found them, by which files are hidden. */
  readonly settings: VaultSettings;
  /** How many notes there are (Markdown files that are not ignored). */
  readonly noteCount: number;
  records<Facts>(reader: FactReader<Facts>, options?: ViewOptions): readonly NoteRecord<Facts>[];
  /**
   * How the records differ from those of an earlier view, if only a few notes changed that were already there; undefined when all records
   * must be looked at.
   * @param generation of the earlier view
   */
  changedSince<Facts>(reader: FactReader<Facts>, generation: number): readonly RecordChange<Facts>[] | undefined;
  get<Facts>(reader: FactReader<Facts>, path: VaultPath): NoteRecord<Facts> | undefined;
  /** Whether there is a note at this path, also one that is kept out of answers (a template, an excluded note): links to it resolve. */
  has(path: VaultPath): boolean;
  /** The stats of all visible notes; with `RefreshOptions.files` of all other visible files too, in no particular order. */
  files(options?: ViewOptions): readonly FileStat[];
  problems(): readonly NoteProblem[];
  /** Files that should have been read but could not be: their content is unknown. */
  unread(): readonly VaultPath[];
  /** What stands in the vault and could not be listed. */
  readonly passedOver: readonly PassedOver[];
}

export interface Catalog {
  /** Brings the catalog up to date with storage as of the time of the call, and answers the view of it. */
  refresh(options?: RefreshOptions): Promise<CatalogView>;
  /**
   * The view that was returned last, without looking at the storage. `refresh` returns it for as long as nothing has changed, and never
   * again after that.
   */
  readonly latest: CatalogView | undefined;
  /**
   * The reader's digest as of the last refresh, within two percent of the files; before the first refresh that of the snapshot, however
   * old; undefined when there is neither. Costs no sweep.
   */
  summary<Facts>(reader: FactReader<Facts>): Promise<unknown>;
  /**
   * For long-lived processes: from the next refresh on the catalog follows the storage's change feed, where there is one, so that an
   * unchanged vault is not swept again, and saves its snapshot from time to time. In a one-shot call this would cost more than it saves.
   */
  liveOn(pauses?: Partial<Pauses>): void;
  /** Writes the snapshot if that is worth it, once running refreshes have ended. Called after the answer is out. */
  save(): Promise<void>;
  close(): Promise<void>;
}
