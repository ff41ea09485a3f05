/** Reads a file into the catalog: shows the note to every fact reader and keeps what they say. */
import type { VaultError } from "../errors.js";
import { readFrontmatter, splitNote, type Frontmatter } from "../markdown/frontmatter.js";
import type { VaultPath } from "../storage/path.js";
import type { StoredFile } from "../storage/storage.js";
import { FactRecord, NO_CONTENT, type EntryContent } from "./catalog-entry.js";
import type { FactReader, NoteProblem, NoteSource } from "./catalog.js";
import { isTemplated } from "./ignore.js";
import { decodeHead, decodeText } from "./note-text.js";

/** Bytes of a note that are read: room for the largest frontmatter and a good deal of body. */
export const HEAD_BYTES = 128 * 1024;

/** What one file says. What cannot be read in it becomes a problem of this note and keeps no other from being read. */
export function readContent(file: StoredFile, readers: readonly FactReader<unknown>[]): EntryContent {
  const { stat } = file;
  const truncated = stat.size > file.bytes.length;
  const text = truncated ? decodeHead(file.bytes) : decodeText(file.bytes);
  if (text === undefined) return problemContent(stat.path, "The file is not UTF-8 text.");
  const parts = splitNote(text);
  if (parts.frontmatter && isTemplated(text.slice(parts.frontmatter.start, parts.frontmatter.end))) return TEMPLATE;
  const frontmatter = readFrontmatter(text, parts);
  const facts = factsOf({ path: stat.path, stat, text, truncated, parts, frontmatter }, readers);
  const problems = problemsOf(stat.path, frontmatter);
  return facts.length > 0 || problems.length > 0 ? { templated: false, problems, facts } : NO_CONTENT;
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

function factsOf(note: NoteSource, readers: readonly FactReader<unknown>[]): readonly (FactRecord | undefined)[] {
  let facts: (FactRecord | undefined)[] = [];
  readers.forEach((reader, position) => {
    const read = reader.read(note);
    if (read === undefined) return;
    if (facts.length === 0) facts = readers.map(() => undefined);
    facts[position] = new FactRecord(note.stat, JSON.stringify(read));
  });
  return facts;
}
