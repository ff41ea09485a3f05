/** Reads a unified diff of one file, which must contain exactly what its headers announce. */
import { VaultError } from "../errors.js";
import { call, said, type Wording } from "../text/wording.js";

export interface Hunk {
  /** From 1. */
  readonly number: number;
  /** In the patch, from 1. */
  readonly line: number;
  /** From 1; with a count of 0, the line before. */
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
  readonly lines: readonly PatchLine[];
}

export interface PatchLine {
  readonly mark: string;
  /** Without mark and line end. */
  readonly text: string;
  /** `\ No newline at end of file` follows. */
  readonly isUnended: boolean;
  /** In the patch, from 1. */
  readonly line: number;
}

export interface UnifiedDiff {
  /** Old and new, unquoted; empty when the header names none. */
  readonly names: readonly string[];
  readonly hunks: readonly Hunk[];
}

const HEADER = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(?: [^\n]*)?$/;
const FORM = "A hunk begins with `@@ -<line>,<count> +<line>,<count> @@`, lines counted from 1.";
const ALONE = "Send the diff of this one note alone: no code fence and no other text around it.";

type Refusal = readonly [reason: string, hint: Wording];

const CREATES: Refusal = ["It would create a note.", said`Use ${call("obsidian_create_note")} for that.`];
const DELETES: Refusal = ["It would delete the note.", said`Use ${call("obsidian_delete_note")} for that.`];

/** Git's lines that do not concern the text. */
const SKIPPED = /^(?:diff |index |(?:dis)?similarity index |$)/;
/** Git's lines that request more than a change of text. */
const BEYOND_TEXT: readonly (readonly [beginning: RegExp, refusal: Refusal])[] = [
  [/^new file mode /, CREATES],
  [/^deleted file mode /, DELETES],
  [/^(?:rename|copy) (?:from|to) /, ["It would rename the note.", said`Use ${call("obsidian_move_note")} for that.`]],
  [/^(?:old|new) mode /, ["It changes the file's mode.", ALONE]],
  [/^(?:Binary files |GIT binary patch)/, ["It is a patch of a binary file.", ALONE]],
];

/** @throws INVALID_ARGUMENT with hunk and line */
export function readUnifiedDiff(patch: string): UnifiedDiff {
  const lines = withPlainLineEnds(patch).split("\n");
  if (lines.at(-1) === "") lines.pop();
  const end = lines.findLastIndex((line) => line !== "") + 1;
  const { names, after } = readHeader(lines);
  const hunks: Hunk[] = [];
  for (let at = after; at < end;) {
    const { hunk, after: next } = readHunk(lines, at, hunks.length + 1);
    hunks.push(hunk);
    at = next;
  }
  if (hunks.length === 0) throw patchRefusal("It holds no hunk.", FORM);
  if (!hunks.some((hunk) => hunk.lines.some(({ mark }) => mark !== " ")))
    throw patchRefusal("It changes nothing: none of its lines begins with + or -.", FORM);
  return { names, hunks };
}

export function patchRefusal(reason: string, hint: Wording): VaultError {
  return new VaultError("INVALID_ARGUMENT", `The patch cannot be applied: ${reason}`, { hint });
}

/** CR at the end of hunk headers shows that line ends were changed in transit. */
function withPlainLineEnds(patch: string): string {
  const header = /^@@.*$/m.exec(patch);
  const next = header ? patch.charCodeAt(header.index + header[0].length) : 0;
  return next === 13 ? patch.replace(/\r(?=\n|$)/g, "") : patch;
}

function readHeader(lines: readonly string[]): { readonly names: readonly string[]; readonly after: number } {
  for (const [at, line] of lines.entries()) {
    if (line.startsWith("@@")) return { names: [], after: at };
    if (isFileHeader(lines, at)) return { names: readNames(line, lines[at + 1] ?? ""), after: at + 2 };
    const beyond = BEYOND_TEXT.find(([beginning]) => beginning.test(line));
    if (beyond) throw patchRefusal(...beyond[1]);
    if (!SKIPPED.test(line)) throw patchRefusal(`Its line ${at + 1} is no part of a unified diff.`, ALONE);
  }
  return { names: [], after: lines.length };
}

function isFileHeader(lines: readonly string[], at: number): boolean {
  return /^---(?:\s|$)/.test(lines[at] ?? "") && /^\+\+\+(?:\s|$)/.test(lines[at + 1] ?? "");
}

function readNames(...header: readonly [old: string, young: string]): readonly string[] {
  const [from, to] = header.map((line) => readFileName(line.slice(3)));
  if (from === "/dev/null") throw patchRefusal(...CREATES);
  if (to === "/dev/null") throw patchRefusal(...DELETES);
  return [from, to].filter((name) => name !== undefined && name !== "") as string[];
}

function readHunk(lines: readonly string[], at: number, number: number): { hunk: Hunk; after: number } {
  const match = HEADER.exec(lines[at] ?? "");
  if (!match) throw patchRefusal(...faultOutside(lines, at, number));
  const [oldStart = 0, oldCount = 1, newStart = 0, newCount = 1] = match
    .slice(1)
    .map((digits: string | undefined) => (digits === undefined ? undefined : Number(digits)));
  const place = `The header of hunk ${number} (line ${at + 1} of the patch)`;
  const isEmpty = oldCount + newCount === 0;
  if (isEmpty || (oldCount > 0 && oldStart === 0) || (newCount > 0 && newStart === 0))
    throw patchRefusal(`${place} names no lines.`, FORM);
  const body = readBody(lines, at + 1, oldCount, newCount);
  if (body.old !== oldCount || body.young !== newCount) {
    const [old, young] = countRest(lines, body);
    throw patchRefusal(
      `${place} promises ${oldCount} old and ${newCount} new lines; it has ${old} and ${young}.`,
      `Count the lines again: old ones begin with a blank or -, new ones with a blank or +. The header would be @@ -${oldStart},${old} +${newStart},${young} @@ if the lines are right.`,
    );
  }
  const hunk = { number, line: at + 1, oldStart, oldCount, newStart, newCount, lines: body.lines };
  return { hunk, after: body.after };
}

function faultOutside(lines: readonly string[], at: number, number: number): Refusal {
  const line = lines[at] ?? "";
  const place = `line ${at + 1} of the patch`;
  if (line.startsWith("@@")) return [`The header of hunk ${number} (${place}) is not one of a unified diff.`, FORM];
  if (number === 1) return [`There is no hunk header at ${place}.`, FORM];
  if (line.startsWith("diff ") || isFileHeader(lines, at))
    return [`It is for several files (${place}).`, "Send one patch for each note."];
  if (/^[ +\-\\]/.test(line) || line === "")
    return [
      `Hunk ${number - 1} goes on (${place}) after all the lines that its header promises.`,
      "Count its lines again and fix the header, or leave out what does not belong to it.",
    ];
  return [`Its line ${at + 1} is no part of a unified diff.`, ALONE];
}

interface HunkBody {
  readonly lines: readonly PatchLine[];
  readonly old: number;
  readonly young: number;
  readonly after: number;
}

/** Ends early at a line that cannot be the hunk's. */
function readBody(all: readonly string[], from: number, oldCount: number, newCount: number): HunkBody {
  const lines: PatchLine[] = [];
  let [at, old, young] = [from, 0, 0];
  for (; at < all.length && (old < oldCount || young < newCount); at += 1) {
    const line = all[at] ?? "";
    // Some programs omit the space before an empty line.
    const mark = line.charAt(0) || " ";
    const [isOld, isNew] = [mark === " " || mark === "-", mark === " " || mark === "+"];
    if ((!isOld && !isNew) || (isOld && old === oldCount) || (isNew && young === newCount)) break;
    if (isOld) old += 1;
    if (isNew) young += 1;
    const isUnended = all[at + 1]?.startsWith("\\") ?? false;
    lines.push({ mark, text: line.slice(1), isUnended, line: at + 1 });
    if (isUnended) at += 1;
  }
  return { lines, old, young, after: at };
}

/** Up to the apparent end of the hunk. */
function countRest(lines: readonly string[], body: HunkBody): [old: number, young: number] {
  let { old, young } = body;
  for (let at = body.after; /^[ +\-\\]/.test(lines[at] ?? "") && !isFileHeader(lines, at); at += 1) {
    const mark = lines[at]?.charAt(0);
    if (mark === " " || mark === "-") old += 1;
    if (mark === " " || mark === "+") young += 1;
  }
  return [old, young];
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

function readFileName(rest: string): string {
  const name = rest.replace(/^ /, "").split("\t", 1)[0]?.trimEnd() ?? "";
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(name)?.[1];
  return quoted === undefined ? name : unquoted(quoted);
}

/** Git writes non-ASCII bytes in octal (`"caf\303\251.md"`). */
function unquoted(quoted: string): string {
  const bytes: Buffer[] = [];
  for (const [part] of quoted.matchAll(/[^\\]+|\\[0-3][0-7]{2}|\\./gu)) {
    if (!part.startsWith("\\")) bytes.push(Buffer.from(part));
    else if (part.length === 4) bytes.push(Buffer.of(Number.parseInt(part.slice(1), 8)));
    else bytes.push(Buffer.from(String.fromCodePoint(ESCAPES[part.charAt(1)] ?? part.codePointAt(1) ?? 0)));
  }
  return Buffer.concat(bytes).toString("utf8");
}
