/** What the catalog keeps of one note: its stamp and the facts its readers took out of it, never its text. */
import type { VaultPath } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";
import type { NoteProblem, NoteRecord } from "./catalog.js";

/** What a note's text says, whenever and wherever it was read. */
export interface EntryContent {
  /** The frontmatter still holds placeholders: the note is a template, whatever folder it is in. */
  readonly templated: boolean;
  readonly problems: readonly NoteProblem[];
  /** The facts by position of their reader; empty when no reader took any. */
  readonly facts: readonly (FactRecord | undefined)[];
  /** The file is there and could not be read; it is tried again at every refresh. */
  readonly unreadable?: true;
}

export const NO_CONTENT: EntryContent = { templated: false, problems: [], facts: [] };

export class Entry {
  readonly stat: FileStat;
  readonly content: EntryContent;
  /** Kept out of every answer: a template, or excluded by the vault's settings. */
  readonly hidden: boolean;
  /** The stamp proves the content: it was taken long enough after the last change. */
  settled: boolean;

  constructor(stat: FileStat, content: EntryContent, settled: boolean, ignored: boolean) {
    this.stat = stat;
    this.content = content;
    this.settled = settled;
    this.hidden = ignored || content.templated;
  }

  get path(): VaultPath {
    return this.stat.path;
  }

  /** Whether a look that found this stamp need not read the file. */
  isProvenBy(stat: FileStat): boolean {
    return this.settled && sameStamp(this.stat, stat);
  }

  /** Whether nothing a caller can see differs. */
  sameAs(other: Entry): boolean {
    return sameStamp(this.stat, other.stat) && this.hidden === other.hidden && sameContent(this.content, other.content);
  }
}

function sameStamp(a: FileStat, b: FileStat): boolean {
  const { length } = a.stamp;
  for (let i = 0; i < length; i++) if (a.stamp[i] !== b.stamp[i]) return false;
  return length === b.stamp.length;
}

function sameContent(a: EntryContent, b: EntryContent): boolean {
  return (
    a.templated === b.templated &&
    JSON.stringify(a.problems) === JSON.stringify(b.problems) &&
    a.facts.length === b.facts.length &&
    a.facts.every((record, reader) => record?.json() === b.facts[reader]?.json())
  );
}

/** One reader's facts on one note, kept as JSON until they are looked at; the JSON holds on to no part of the note's text. */
export class FactRecord implements NoteRecord<unknown> {
  readonly stat: FileStat;
  #json: string | undefined;
  #facts: unknown;

  constructor(stat: FileStat, json: string) {
    this.stat = stat;
    this.#json = json;
  }

  get facts(): unknown {
    if (this.#json !== undefined) {
      this.#facts = JSON.parse(this.#json);
      this.#json = undefined;
    }
    return this.#facts;
  }

  json(): string {
    return this.#json ?? JSON.stringify(this.#facts);
  }
}
