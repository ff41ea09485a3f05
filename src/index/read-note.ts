/** Reads a file's bytes into a source of rows. */
import type { VaultError } from "../errors.js";
import { readFrontmatter, splitNote, type Frontmatter, type NoteParts } from "../markdown/frontmatter/frontmatter.js";
import type { VaultPath } from "../storage/path.js";
import type { StoredFile } from "../storage/storage.js";
import { isNote } from "../obsidian/ignore.js";
import { textOf, type Text } from "../storage/note-text.js";
import type { NoteProblem, NoteSource } from "./subject.js";

/** Nearly always holds the frontmatter, title and first lines; more is decoded only when needed. */
const START_BYTES = 1024;
/** Frontmatter is closed within 64 KiB. */
const LONG = 128 * 1024;

const NO_PARTS: NoteParts = { frontmatter: undefined, bodyStart: 0 };
const NO_PARTS_BUT_BOM: NoteParts = { frontmatter: undefined, bodyStart: 1 };
const NO_FRONTMATTER: Frontmatter = { properties: [], problem: undefined, warning: undefined };
const NO_PROBLEMS: readonly NoteProblem[] = [];

/** Frontmatter that is too large, or never closed. */
const ENDLESS_FRONTMATTER = /^\uFEFF?---[ \t]*\r?\n[ \t]*["'\p{L}][^\n:]*:/u;
const ENDLESS = {
  message:
    "The frontmatter does not end within 64 KiB and is not read: move the long text into the body, or close it with a line of `---`.",
  line: 1,
  column: 1,
};

interface FileReading {
  /** Undefined for a file that is no text. */
  readonly note: NoteSource | undefined;
  readonly problems: readonly NoteProblem[];
}

/** What cannot be read becomes a problem of this note. */
export function noteSource({ stat, bytes }: Pick<StoredFile, "stat" | "bytes">): FileReading {
  const truncated = bytes.length < stat.size;
  const text = textOf(bytes, truncated);
  if (!text) {
    const problem = { path: stat.path, message: "The file is not UTF-8 text and is not read: convert it to UTF-8." };
    return { note: undefined, problems: isNote(stat.path) ? [problem] : NO_PROBLEMS };
  }
  if (!isNote(stat.path) || !text.beginsWithDashes) {
    const parts = text.hasBom && isNote(stat.path) ? NO_PARTS_BUT_BOM : NO_PARTS;
    return { note: sourceOf({ stat, truncated, parts, frontmatter: NO_FRONTMATTER }, text), problems: NO_PROBLEMS };
  }
  const { start, parts } = splitText(text);
  const frontmatter = readFrontmatter(start, parts);
  const endless = bytes.length > LONG && parts.frontmatter === undefined && ENDLESS_FRONTMATTER.test(start);
  const problems = endless ? [{ ...ENDLESS, path: stat.path }] : problemsOf(stat.path, frontmatter);
  return { note: sourceOf({ stat, truncated, parts, frontmatter }, text, start), problems };
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

/** Lazy: some notes are recognised by their frontmatter alone. */
function sourceOf(
  known: Pick<NoteSource, "stat" | "truncated" | "parts" | "frontmatter">,
  text: Text,
  start?: string,
): NoteSource {
  let [beginning, whole]: (string | undefined)[] = [start];
  return {
    ...known,
    path: known.stat.path,
    get start() {
      return (beginning ??= text.start(START_BYTES));
    },
    get text() {
      return (whole ??= text.endsWithin(START_BYTES) ? this.start : text.whole());
    },
  };
}

export function unreadableProblems(path: VaultPath, error: VaultError): readonly NoteProblem[] {
  return isNote(path) ? [{ path, message: error.message }] : NO_PROBLEMS;
}

function problemsOf(path: VaultPath, { problem, warning }: Frontmatter): readonly NoteProblem[] {
  const found = problem ?? warning;
  return found ? [{ path, message: found.message, line: found.line, column: found.column }] : NO_PROBLEMS;
}
