/** Reads a file into the index: shows it to every fact reader and collects their facts. */
import type { VaultError } from "../errors.js";
import { readFrontmatter, splitNote, type Frontmatter, type NoteParts } from "../markdown/frontmatter/frontmatter.js";
import type { VaultPath } from "../storage/path.js";
import type { FileStat, StoredFile } from "../storage/storage.js";
import { type FileContent, noContent } from "./files.js";
import { type Audience, NO_KINDS, type FactKinds } from "./readers.js";
import type { FactReader, NoteProblem, NoteSource } from "./facts.js";
import { isNote } from "../obsidian/ignore.js";
import { textOf, type Text } from "../storage/note-text.js";

/** Room for the largest frontmatter and much of the body. */
export const HEAD_BYTES = 128 * 1024;

/** Nearly always holds the frontmatter, title and first lines; more is decoded only when needed. */
const START_BYTES = 1024;

/** Without frontmatter. */
const NO_PARTS: NoteParts = { frontmatter: undefined, bodyStart: 0 };
const NO_PARTS_BUT_BOM: NoteParts = { frontmatter: undefined, bodyStart: 1 };
const NO_FRONTMATTER: Frontmatter = { properties: [], problem: undefined, warning: undefined };

type FileBytes = Pick<StoredFile, "stat" | "bytes">;

/** Frontmatter that does not end within the head: too large, or never closed. */
const ENDLESS_FRONTMATTER = /^\uFEFF?---[ \t]*\r?\n[ \t]*["'\p{L}][^\n:]*:/u;
const ENDLESS = {
  message:
    "The frontmatter does not end within 64 KiB and is not read: move the long text into the body, or close it with a line of `---`.",
  line: 1,
  column: 1,
};

/**
 * What cannot be read becomes a problem of this note. Facts depend on the head alone, except for readers of whole
 * files.
 */
export function readContent(file: FileBytes, audience: Audience): FileContent {
  const { stat, bytes } = file;
  const kinds = kindsOf(audience);
  const truncated = stat.size > HEAD_BYTES || bytes.length < stat.size;
  const text = textOf(bytes.length > HEAD_BYTES ? bytes.subarray(0, HEAD_BYTES) : bytes, truncated);
  if (!text)
    return isNote(stat.path)
      ? { ...problemContent(stat.path, "The file is not UTF-8 text and is not read: convert it to UTF-8."), kinds }
      : noContent(kinds);
  if (!isNote(stat.path) || !text.beginsWithDashes) {
    const parts = text.hasBom && isNote(stat.path) ? NO_PARTS_BUT_BOM : NO_PARTS;
    const facts = factsOf(new ReadNote(stat, text, truncated, parts, NO_FRONTMATTER), file, audience);
    return { ...noContent(kinds), facts };
  }
  const { start, parts } = splitText(text);
  const frontmatter = readFrontmatter(start, parts);
  const facts = factsOf(new ReadNote(stat, text, truncated, parts, frontmatter, start), file, audience);
  const endless = truncated && parts.frontmatter === undefined && ENDLESS_FRONTMATTER.test(start);
  const problems = endless ? [{ ...ENDLESS, path: stat.path }] : problemsOf(stat.path, frontmatter);
  return { problems, kinds, facts };
}

/** One file's facts, without storing them. */
export function factsOfFile<Facts>(file: FileBytes, reader: FactReader<Facts>): Facts | undefined {
  let facts: Facts | undefined;
  readContent(file, [{ ...reader, read: (note) => void (facts = reader.read(note)) }]);
  return facts;
}

function kindsOf(audience: Audience): FactKinds {
  let kinds = NO_KINDS;
  for (let position = 0; position < audience.length; position++) if (audience[position]) kinds |= 1 << position;
  return kinds;
}

/** Splits the start, or the whole text if the frontmatter is longer; offsets are the same in both. */
function splitText(text: Text): { readonly start: string; readonly parts: NoteParts } {
  const start = text.start(START_BYTES);
  const parts = splitNote(start);
  // A fence at the very end may begin a longer line.
  if (text.endsWithin(START_BYTES) || (parts.frontmatter !== undefined && parts.bodyStart < start.length))
    return { start, parts };
  const whole = text.whole();
  return { start: whole, parts: splitNote(whole) };
}

/** Lazy: most readers need only the frontmatter. */
class ReadNote implements NoteSource {
  readonly stat: FileStat;
  readonly truncated: boolean;
  readonly parts: NoteParts;
  readonly frontmatter: Frontmatter;
  readonly #source: Text;
  #start: string | undefined;
  #text: string | undefined;

  constructor(
    stat: FileStat,
    source: Text,
    truncated: boolean,
    parts: NoteParts,
    frontmatter: Frontmatter,
    start?: string,
  ) {
    this.stat = stat;
    this.truncated = truncated;
    this.parts = parts;
    this.frontmatter = frontmatter;
    this.#source = source;
    this.#start = start;
  }

  get path(): VaultPath {
    return this.stat.path;
  }

  get start(): string {
    return (this.#start ??= this.#source.start(START_BYTES));
  }

  get text(): string {
    return (this.#text ??= this.#source.endsWithin(START_BYTES) ? this.start : this.#source.whole());
  }

  /** The whole note, for readers that need it; undefined when the rest is not valid text. */
  lengthened({ stat, bytes }: FileBytes): ReadNote | undefined {
    if (bytes.length <= HEAD_BYTES) return this;
    const truncated = bytes.length < stat.size;
    const text = textOf(bytes, truncated);
    return text && new ReadNote(stat, text, truncated, this.parts, this.frontmatter, this.start);
  }
}

export function unreadableContent(path: VaultPath, error: VaultError): FileContent {
  return { ...(isNote(path) ? problemContent(path, error.message) : noContent()), unreadable: true };
}

function problemContent(path: VaultPath, message: string): FileContent {
  return { ...noContent(), problems: [{ path, message }] };
}

function problemsOf(path: VaultPath, { problem, warning }: Frontmatter): readonly NoteProblem[] {
  const found = problem ?? warning;
  return found ? [{ path, message: found.message, line: found.line, column: found.column }] : noContent().problems;
}

/** JSON, up to the last reader that found any. */
function factsOf(head: ReadNote, file: FileBytes, audience: Audience): FileContent["facts"] {
  const facts: (string | undefined)[] = [];
  let whole: ReadNote | undefined;
  for (const [position, reader] of audience.entries()) {
    const note = reader?.whole ? (whole ??= head.lengthened(file)) : head;
    const read = note && reader?.read(note);
    if (read !== undefined) facts[position] = JSON.stringify(read);
  }
  return facts;
}
