/** What the catalog keeps of one file: its stamp and the facts its readers took out of it, never its text. */
import type { VaultPath } from "../storage/path.js";
import type { Stamp } from "../storage/storage.js";
import { NO_READERS, type ReaderBits } from "./readers.js";
import type { NoteProblem } from "./catalog.js";
import type { FactRecord } from "./packed-facts.js";
import { isNote } from "./ignore.js";
import type { KeptStat } from "./packed-stat.js";

/** What a file's text says, whenever and wherever it was read. */
export interface EntryContent {
  /** The frontmatter still holds placeholders: the note is a template, whatever folder it is in. */
  readonly templated: boolean;
  readonly problems: readonly NoteProblem[];
  /** The readers that were shown the file. */
  readonly shown: ReaderBits;
  /** The facts by position of their reader; empty when no reader took any. */
  readonly facts: readonly (FactRecord | undefined)[];
  /** The file is there and could not be read; it is tried again at every refresh. */
  readonly unreadable?: true;
}

const NOTHING: EntryContent = { templated: false, problems: [], shown: NO_READERS, facts: [] };
const nothings = new Map<ReaderBits, EntryContent>([[NO_READERS, NOTHING]]);

/** Most files say nothing to any reader: one object serves them all. */
export function contentOf(content: EntryContent): EntryContent {
  const { templated, problems, facts, unreadable, shown } = content;
  return templated || unreadable || problems.length > 0 || facts.length > 0 ? content : noContent(shown);
}

/** A file that was shown to these readers and has nothing to remember. */
export function noContent(shown: ReaderBits = NO_READERS): EntryContent {
  let nothing = nothings.get(shown);
  if (!nothing) nothings.set(shown, (nothing = { ...NOTHING, shown }));
  return nothing;
}

/** What two sets of readers found in one and the same text. */
export function mergeContents(one: EntryContent | undefined, other: EntryContent): EntryContent {
  if (!one) return other;
  const { templated, problems } = one;
  const length = Math.max(one.facts.length, other.facts.length);
  const facts = Array.from({ length }, (_, reader) => one.facts[reader] ?? other.facts[reader]);
  return contentOf({ templated, problems, shown: one.shown | other.shown, facts });
}

const NOTE = 1;
const HIDDEN = 2;
const SETTLED = 4;

export class Entry {
  readonly stat: KeptStat;
  #content: EntryContent;
  /** Of every file there is one entry, so three words are put into one. */
  #flags: number;

  constructor(stat: KeptStat, content: EntryContent, settled: boolean, ignored: boolean) {
    this.stat = stat;
    this.#content = content;
    this.#flags =
      (isNote(stat.path) ? NOTE : 0) | (ignored || content.templated ? HIDDEN : 0) | (settled ? SETTLED : 0);
  }

  get content(): EntryContent {
    return this.#content;
  }

  /**
   * Adds what more readers found in the very same text. Views that know this entry do not change by it: they refuse the facts of
   * readers that they were not made for, and nothing else differs.
   */
  learn(more: EntryContent): void {
    this.#content = mergeContents(this.#content, more);
  }

  get isNote(): boolean {
    return (this.#flags & NOTE) !== 0;
  }

  /** Kept out of every answer: a template, or excluded by the vault's settings. */
  get hidden(): boolean {
    return (this.#flags & HIDDEN) !== 0;
  }

  /** The stamp proves the content: it was taken long enough after the last change. */
  get settled(): boolean {
    return (this.#flags & SETTLED) !== 0;
  }

  set settled(settled: boolean) {
    this.#flags = (this.#flags & ~SETTLED) | (settled ? SETTLED : 0);
  }

  get path(): VaultPath {
    return this.stat.path;
  }

  /** Whether all of these readers have seen the file. */
  wasShownTo(readers: ReaderBits): boolean {
    return (readers & ~this.content.shown) === NO_READERS;
  }

  /** Whether a look that found this stamp need not read the file. */
  isProvenBy(stamp: Stamp): boolean {
    return this.settled && this.stat.hasStamp(stamp);
  }

  /** Whether nothing a caller can see differs. */
  sameAs(other: Entry): boolean {
    return this.stat.hasStampOf(other.stat) && this.hidden === other.hidden && sameContent(this.content, other.content);
  }
}

function sameContent(a: EntryContent, b: EntryContent): boolean {
  return (
    a.templated === b.templated &&
    a.shown === b.shown &&
    JSON.stringify(a.problems) === JSON.stringify(b.problems) &&
    a.facts.length === b.facts.length &&
    a.facts.every((record, reader) => record?.saysTheSameAs(b.facts[reader]) ?? b.facts[reader] === undefined)
  );
}
