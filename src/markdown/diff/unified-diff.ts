/**
 * Reads a unified diff of one file, strictly: it must contain exactly what its headers announce. Lines stay in the diff's text;
 * `apply.ts` reads them there.
 */
import { VaultError } from "../../errors.js";

export interface Hunk {
  /** Counted from 1. */
  readonly number: number;
  /** The line of its header in the patch, counted from 1. */
  readonly line: number;
  /** As in the header: lines counted from 1; with a count of 0, the line before. */
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
  /** Its lines: offsets in UTF-16 units into the diff's text. */
  readonly start: number;
  readonly end: number;
}

export interface UnifiedDiff {
  /** The patch with `\n` line ends, also when it came with `\r\n` throughout. */
  readonly text: string;
  /** The file names of its header, old and new, unquoted; empty without a header, or when it names none. */
  readonly names: readonly string[];
  readonly hunks: readonly Hunk[];
  /** Whether a line of the file contains its `\r`, so that the patch includes line ends. */
  readonly hasReturns: boolean;
  /** Whether a line of the file begins with a byte order mark. */
  readonly hasMark: boolean;
}

const HEADER = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(?: [^\n]*)?$/;
const FORM = "A hunk begins with `@@ -<line>,<count> +<line>,<count> @@`, lines counted from 1.";
const ALONE = "Send the diff of this one note alone: no code fence and no other text around it.";

type Refusal = readonly [reason: string, hint: string];

const CREATES: Refusal = ["It would create a note.", "Use obsidian_create_note for that."];
const DELETES: Refusal = ["It would delete the note.", "Use obsidian_delete_note for that."];

/** Git's lines before a file's own header that do not concern its text. */
const PASSED_OVER = /^(?:diff |index |(?:dis)?similarity index |$)/;
/** Git's lines that request more than a change of text. */
const BEYOND_TEXT: readonly (readonly [beginning: RegExp, refusal: Refusal])[] = [
  [/^new file mode /, CREATES],
  [/^deleted file mode /, DELETES],
  [/^(?:rename|copy) (?:from|to) /, ["It would rename the note.", "Use obsidian_move_note for that."]],
  [/^(?:old|new) mode /, ["It changes the file's mode.", ALONE]],
  [/^(?:Binary files |GIT binary patch)/, ["It is a patch of a binary file.", ALONE]],
];

/** @throws VaultError INVALID_ARGUMENT with hunk and line of what is wrong */
export function readUnifiedDiff(patch: string): UnifiedDiff {
  const text = withPlainLineEnds(patch);
  const reader = new DiffReader(text);
  const names = readHeader(reader);
  const hunks: Hunk[] = [];
  while (!reader.isAtEnd()) hunks.push(readHunk(reader, hunks.length + 1));
  if (hunks.length === 0) throw refused("It holds no hunk.", FORM);
  if (!reader.hasChanges) throw refused("It changes nothing: none of its lines begins with + or -.", FORM);
  return { text, names, hunks, hasReturns: reader.hasReturns, hasMark: reader.hasMark };
}

export function refused(reason: string, hint: string): VaultError {
  return new VaultError("INVALID_ARGUMENT", `The patch cannot be applied: ${reason}`, { hint });
}

/** If even the hunk headers end with `\r`, the line ends were changed in transit: a diff's own lines end with `\n`. */
function withPlainLineEnds(patch: string): string {
  const header = /^@@.*$/m.exec(patch);
  const next = header ? patch.charCodeAt(header.index + header[0].length) : 0;
  return next === 13 ? patch.replace(/\r(?=\n|$)/g, "") : patch;
}

function readHeader(reader: DiffReader): readonly string[] {
  for (let line = reader.peek(); line !== undefined && !line.startsWith("@@"); line = reader.peek()) {
    if (isFileHeader(reader)) return readNames(reader);
    const beyond = BEYOND_TEXT.find(([beginning]) => beginning.test(line));
    if (beyond) throw refused(...beyond[1]);
    if (!PASSED_OVER.test(line)) throw refused(`Its line ${reader.line} is no part of a unified diff.`, ALONE);
    reader.next();
  }
  return [];
}

function isFileHeader(reader: DiffReader): boolean {
  return /^---(?:\s|$)/.test(reader.peek() ?? "") && /^\+\+\+(?:\s|$)/.test(reader.peek(1) ?? "");
}

function readNames(reader: DiffReader): readonly string[] {
  const from = readFileName(reader.next().slice(3));
  const to = readFileName(reader.next().slice(3));
  if (from === "/dev/null") throw refused(...CREATES);
  if (to === "/dev/null") throw refused(...DELETES);
  return [from, to].filter((name) => name !== "");
}

function readHunk(reader: DiffReader, number: number): Hunk {
  const { line } = reader;
  const header = reader.peek() ?? "";
  const match = HEADER.exec(header);
  if (!match) throw refused(...faultOutside(reader, header, number));
  reader.next();
  const [oldStart = 0, oldCount = 1, newStart = 0, newCount = 1] = match
    .slice(1)
    .map((digits: string | undefined) => (digits === undefined ? undefined : Number(digits)));
  const isEmpty = oldCount + newCount === 0;
  if (isEmpty || (oldCount > 0 && oldStart === 0) || (newCount > 0 && newStart === 0))
    throw refused(`The header of hunk ${number} (line ${line} of the patch) names no lines.`, FORM);
  const start = reader.at;
  const found = reader.body(oldCount, newCount);
  if (found.old !== oldCount || found.new !== newCount) {
    const [old, young] = reader.countRest(found);
    throw refused(
      `The header of hunk ${number} (line ${line} of the patch) promises ${oldCount} old and ${newCount} new lines; it has ${old} and ${young}.`,
      `Count the lines again: old ones begin with a blank or -, new ones with a blank or +. The header would be @@ -${oldStart},${old} +${newStart},${young} @@ if the lines are right.`,
    );
  }
  return { number, line, oldStart, oldCount, newStart, newCount, start, end: reader.at };
}

function faultOutside(reader: DiffReader, line: string, number: number): Refusal {
  const place = `line ${reader.line} of the patch`;
  if (line.startsWith("@@")) return [`The header of hunk ${number} (${place}) is not one of a unified diff.`, FORM];
  if (number === 1) return [`There is no hunk header at ${place}.`, FORM];
  if (line.startsWith("diff ") || isFileHeader(reader))
    return [`It is for several files (${place}).`, "Send one patch for each note."];
  if (/^[ +\-\\]/.test(line) || line === "")
    return [
      `Hunk ${number - 1} goes on (${place}) after all the lines that its header promises.`,
      "Count its lines again and fix the header, or leave out what does not belong to it.",
    ];
  return [`Its line ${reader.line} is no part of a unified diff.`, ALONE];
}

class DiffReader {
  readonly text: string;
  at = 0;
  /** Of the line at `at`, counted from 1. */
  line = 1;
  hasChanges = false;
  hasReturns = false;
  hasMark = false;

  constructor(text: string) {
    this.text = text;
  }

  /** This line, or the one `further` lines ahead, without its line end; undefined after the last. */
  peek(further = 0): string | undefined {
    let at = this.at;
    for (let lines = 0; lines < further; lines += 1) at = this.#behind(at);
    if (at >= this.text.length) return undefined;
    const newline = this.text.indexOf("\n", at);
    return this.text.slice(at, newline === -1 ? this.text.length : newline);
  }

  next(): string {
    const line = this.peek() ?? "";
    this.#step();
    return line;
  }

  isAtEnd(): boolean {
    let at = this.at;
    while (this.text.charCodeAt(at) === 10) at += 1;
    return at >= this.text.length;
  }

  /** Moves past a hunk's lines; stops early at a line that cannot be one. */
  body(oldCount: number, newCount: number): { old: number; new: number } {
    const found = { old: 0, new: 0 };
    while (this.at < this.text.length && (found.old < oldCount || found.new < newCount)) {
      const mark = this.text.charAt(this.at);
      const isOld = mark === " " || mark === "-" || mark === "\n";
      const isNew = mark === " " || mark === "+" || mark === "\n";
      if ((!isOld && !isNew) || (isOld && found.old === oldCount) || (isNew && found.new === newCount)) break;
      if (isOld) found.old += 1;
      if (isNew) found.new += 1;
      if (isOld !== isNew) this.hasChanges = true;
      this.#note();
      this.#step();
      if (this.text.charAt(this.at) === "\\") this.#step();
    }
    return found;
  }

  countRest(found: { readonly old: number; readonly new: number }): [old: number, young: number] {
    let [old, young] = [found.old, found.new];
    for (; this.at < this.text.length && /[ +\-\\]/.test(this.text.charAt(this.at)); this.#step()) {
      if (isFileHeader(this)) break;
      const mark = this.text.charAt(this.at);
      if (mark === " " || mark === "-") old += 1;
      if (mark === " " || mark === "+") young += 1;
    }
    return [old, young];
  }

  /** Notes what few patches contain: carriage returns and a byte order mark. */
  #note(): void {
    const end = this.#behind(this.at) - 1;
    if (end > this.at + 1 && this.text.charCodeAt(end - 1) === 13) this.hasReturns = true;
    if (this.text.charCodeAt(this.at + 1) === 0xfeff) this.hasMark = true;
  }

  #step(): void {
    this.at = this.#behind(this.at);
    this.line += 1;
  }

  #behind(at: number): number {
    const newline = this.text.indexOf("\n", at);
    return newline === -1 ? this.text.length : newline + 1;
  }
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** @param rest the text after `---` or `+++` */
export function readFileName(rest: string): string {
  const name = rest.replace(/^ /, "").split("\t", 1)[0]?.trimEnd() ?? "";
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(name)?.[1];
  return quoted === undefined ? name : unquoted(quoted);
}

/** Git writes bytes beyond ASCII as three octal digits (`"caf\303\251.md"`). */
function unquoted(quoted: string): string {
  const bytes: Buffer[] = [];
  for (const [part] of quoted.matchAll(/[^\\]+|\\[0-3][0-7]{2}|\\./gu)) {
    if (!part.startsWith("\\")) bytes.push(Buffer.from(part));
    else if (part.length === 4) bytes.push(Buffer.of(Number.parseInt(part.slice(1), 8)));
    else bytes.push(Buffer.from(String.fromCodePoint(ESCAPES[part.charAt(1)] ?? part.codePointAt(1) ?? 0)));
  }
  return Buffer.concat(bytes).toString("utf8");
}
