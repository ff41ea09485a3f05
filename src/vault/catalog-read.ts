/** Reads a file into the catalog: shows the note to every fact reader and keeps what they say. */
import type { VaultError } from "../errors.js";
import { readFrontmatter, splitNote, type Frontmatter, type NoteParts } from "../markdown/frontmatter.js";
import type { VaultPath } from "../storage/path.js";
import type { FileStat, StoredFile } from "../storage/storage.js";
import { FactRecord, NO_CONTENT, type EntryContent } from "./catalog-entry.js";
import type { FactReader, NoteProblem, NoteSource } from "./catalog.js";
import { isTemplated } from "./ignore.js";
import { textOf, type Text } from "./note-text.js";

/** Bytes of a note that are read: room for the largest frontmatter and a good deal of body. */
export const HEAD_BYTES = 128 * 1024;

/** Bytes that hold the whole frontmatter of nearly every note; more is decoded only when it is needed. */
const START_BYTES = 2048;

/** A block that does not end within the head is larger than any that is read, or is never closed. */
const ENDLESS_FRONTMATTER = /^\uFEFF?---[ \t]*\r?\n[ \t]*["'\p{L}][^\n:]*:/u;
const ENDLESS = {
  message:
    "The frontmatter does not end within 64 KiB and is not read: move the long text into the body, or close it with a line of `---`.",
  line: 1,
  column: 1,
};

/** What one file says. What cannot be read in it becomes a problem of this note and keeps no other from being read. */
export function readContent(file: StoredFile, readers: readonly FactReader<unknown>[]): EntryContent {
  const { stat } = file;
  const truncated = stat.size > file.bytes.length;
  const text = textOf(file.bytes, truncated);
  if (!text) return problemContent(stat.path, "The file is not UTF-8 text.");
  const { start, parts } = splitText(text, file.bytes.length);
  if (parts.frontmatter && isTemplated(start.slice(parts.frontmatter.start, parts.frontmatter.end))) return TEMPLATE;
  const frontmatter = readFrontmatter(start, parts);
  const facts = factsOf(new ReadNote(stat, text, truncated, parts, frontmatter), readers);
  const endless = truncated && parts.frontmatter === undefined && ENDLESS_FRONTMATTER.test(start);
  const problems = endless ? [{ ...ENDLESS, path: stat.path }] : problemsOf(stat.path, frontmatter);
  return facts.length > 0 || problems.length > 0 ? { templated: false, problems, facts } : NO_CONTENT;
}

/** Splits by the text's start alone where the frontmatter ends in it: its places are the same in the whole text. */
function splitText(text: Text, length: number): { readonly start: string; readonly parts: NoteParts } {
  const start = text.start(START_BYTES);
  const parts = splitNote(start);
  // A fence at the very end may be the beginning of a longer line.
  const isWhole = length <= START_BYTES || (parts.frontmatter !== undefined && parts.bodyStart < start.length);
  if (isWhole || !/^\ufeff?---/u.test(start)) return { start, parts };
  const whole = text.whole();
  return { start: whole, parts: splitNote(whole) };
}

/** A note as its readers see it; most look no further than the frontmatter. */
class ReadNote implements NoteSource {
  readonly stat: FileStat;
  readonly truncated: boolean;
  readonly parts: NoteParts;
  readonly frontmatter: Frontmatter;
  readonly #source: Text;
  #text: string | undefined;

  constructor(stat: FileStat, source: Text, truncated: boolean, parts: NoteParts, frontmatter: Frontmatter) {
    this.stat = stat;
    this.truncated = truncated;
    this.parts = parts;
    this.frontmatter = frontmatter;
    this.#source = source;
  }

  get path(): VaultPath {
    return this.stat.path;
  }

  get text(): string {
    return (this.#text ??= this.#source.whole());
  }
}

/** What is kept of a file that is there and cannot be read. */
export function unreadableContent(path: VaultPath, error: VaultError): EntryContent {
  return { ...problemContent(path, error.message), unreadable: true };
}

const TEMPLATE: EntryContent = { ...NO_CONTENT, templated: true };

function problemContent(path: VaultPath, message: string): EntryContent {
  return { ...NO_CONTENT, problems: [{ path, message }] };
}

function problemsOf(path: VaultPath, { problem, warning }: Frontmatter): readonly NoteProblem[] {
  const found = problem ?? warning;
  return found ? [{ path, message: found.message, line: found.line, column: found.column }] : NO_CONTENT.problems;
}

function factsOf(note: NoteSource, readers: readonly FactReader<unknown>[]): EntryContent["facts"] {
  let facts: (FactRecord | undefined)[] | undefined;
  for (const [position, reader] of readers.entries()) {
    const read = reader.read(note);
    if (read === undefined) continue;
    facts ??= readers.map(() => undefined);
    facts[position] = new FactRecord(note.stat, JSON.stringify(read));
  }
  return facts ?? NO_CONTENT.facts;
}
