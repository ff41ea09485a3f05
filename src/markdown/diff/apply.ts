/**
 * Applies a unified diff strictly: each hunk must match the text line by line at the place its header names; no other place is
 * tried. Unchanged lines keep every byte. Line ends: a patch without any `\r` matches `\n` and `\r\n` alike, and its new lines
 * end like the line above them; a patch with `\r` must match exactly. A byte order mark stays, unless the patch contains it.
 */
import { lineEnding } from "../line-edit.js";
import { refused, type Hunk, type UnifiedDiff } from "./unified-diff.js";
import { misfit, type Misfit } from "./misfit.js";

export interface Patched {
  readonly text: string;
  /** Lines. */
  readonly added: number;
  readonly removed: number;
}

/** @throws VaultError INVALID_ARGUMENT with hunk and line when the patch does not match, or when nothing would change */
export function applyUnifiedDiff(text: string, diff: UnifiedDiff): Patched {
  const patching = new Patching(text, diff);
  for (const hunk of diff.hunks) patching.apply(hunk);
  const patched = patching.result();
  if (patched.text === text)
    throw refused("The text would stay as it is.", "Put into the + lines what the - lines shall become.");
  return patched;
}

interface PatchLine {
  readonly mark: string;
  /** Without mark and line end. */
  readonly text: string;
  /** Whether a `\ No newline at end of file` follows. */
  readonly isUnended: boolean;
  /** Counted from 1, in the patch. */
  readonly line: number;
}

class Patching {
  readonly #text: string;
  readonly #diff: UnifiedDiff;
  readonly #done: string[] = [];
  /** The start of the text that is not in `#done` yet. */
  #keptFrom = 0;
  #at: number;
  #passed = 0;
  #growth = 0;
  #ending: string;
  /** Whether the result so far ends in a line without line end, so that nothing can follow it. */
  #isUnended = false;
  #added = 0;
  #removed = 0;

  constructor(text: string, diff: UnifiedDiff) {
    this.#text = text;
    this.#diff = diff;
    this.#at = text.startsWith("\uFEFF") && !diff.hasMark ? 1 : 0;
    this.#ending = lineEnding(text);
  }

  apply(hunk: Hunk): void {
    const { number, line, oldStart, oldCount, newStart, newCount } = hunk;
    const before = oldCount === 0 ? oldStart : oldStart - 1;
    if (before < this.#passed)
      throw refused(
        `Hunk ${number} (line ${line} of the patch) begins before the one above it ends.`,
        "Give the hunks in the order of the note's lines, none over another.",
      );
    while (this.#passed < before && this.#at < this.#text.length) this.#keep();
    if (this.#passed < before) throw this.#misfit(hunk, undefined, { kind: "short", lines: this.#passed });
    const newBefore = newCount === 0 ? newStart : newStart - 1;
    if (newBefore !== before + this.#growth) {
      const right = before + this.#growth + (newCount === 0 ? 0 : 1);
      throw refused(
        `The header of hunk ${number} (line ${line} of the patch) says that its lines come to stand at line ${newStart}; they would stand at line ${right}.`,
        `If no hunk is missing above, write @@ -${oldStart},${oldCount} +${right},${newCount} @@.`,
      );
    }
    for (const patchLine of linesIn(this.#diff.text, hunk)) this.#line(patchLine, hunk);
    this.#growth += newCount - oldCount;
    if (this.#isUnended && this.#at < this.#text.length) throw glued(hunk);
  }

  result(): Patched {
    this.#done.push(this.#text.slice(this.#keptFrom));
    return { text: this.#done.join(""), added: this.#added, removed: this.#removed };
  }

  #line(line: PatchLine, hunk: Hunk): void {
    if (line.mark === "+") return this.#add(line, hunk);
    const wrong = this.#difference(line);
    if (wrong) throw this.#misfit(hunk, line, wrong);
    if (line.mark === "-") return this.#remove();
    if (this.#isUnended) throw glued(hunk);
    this.#keep();
  }

  /** How the current line of the text differs from the one the patch expects; undefined when it does not. */
  #difference({ text: expected, isUnended }: PatchLine): Misfit | undefined {
    const text = this.#text;
    if (this.#at >= text.length) return { kind: "short", lines: this.#passed };
    const newline = text.indexOf("\n", this.#at);
    const end = newline === -1 ? text.length : newline;
    const bare = newline > this.#at && text.charCodeAt(newline - 1) === 13 ? newline - 1 : end;
    const stop = this.#diff.hasReturns ? end : bare;
    const isSame = stop - this.#at === expected.length && text.startsWith(expected, this.#at);
    const noteLine = this.#passed + 1;
    if (!isSame) return { kind: "text", noteLine, actual: text.slice(this.#at, stop), expected };
    if (isUnended === (newline === -1)) return undefined;
    return { kind: isUnended ? "ended" : "unended", noteLine };
  }

  #add({ text, isUnended }: PatchLine, hunk: Hunk): void {
    if (this.#isUnended) throw glued(hunk);
    this.#flush();
    this.#done.push(text, isUnended ? "" : this.#diff.hasReturns ? "\n" : this.#ending);
    this.#isUnended = isUnended;
    this.#added += 1;
  }

  #remove(): void {
    this.#flush();
    this.#pass();
    this.#keptFrom = this.#at;
    this.#removed += 1;
  }

  #keep(): void {
    this.#isUnended = !this.#pass();
  }

  #pass(): boolean {
    const text = this.#text;
    const newline = text.indexOf("\n", this.#at);
    if (newline !== -1) this.#ending = newline > this.#at && text.charCodeAt(newline - 1) === 13 ? "\r\n" : "\n";
    this.#at = newline === -1 ? text.length : newline + 1;
    this.#passed += 1;
    return newline !== -1;
  }

  #flush(): void {
    if (this.#keptFrom < this.#at) this.#done.push(this.#text.slice(this.#keptFrom, this.#at));
    this.#keptFrom = this.#at;
  }

  #misfit(hunk: Hunk, line: PatchLine | undefined, wrong: Misfit) {
    const lines = [...linesIn(this.#diff.text, hunk)].filter(({ mark }) => mark !== "+");
    return misfit(wrong, {
      hunk,
      patchLine: line?.line ?? hunk.line,
      note: this.#text,
      expected: lines.map(({ text }) => text),
      growth: this.#growth,
    });
  }
}

function* linesIn(text: string, { line: headerLine, start, end }: Hunk): Generator<PatchLine> {
  let line = headerLine + 1;
  for (let at = start; at < end;) {
    const newline = text.indexOf("\n", at);
    const next = newline === -1 ? text.length : newline + 1;
    const isUnended = text.charCodeAt(next) === 92 && next < end;
    // Some programs omit the space before an empty line.
    yield { mark: text.charAt(at), text: text.slice(at + 1, newline === -1 ? next : newline), isUnended, line };
    line += isUnended ? 2 : 1;
    const markEnd = isUnended ? text.indexOf("\n", next) : -1;
    at = isUnended ? (markEnd === -1 ? end : markEnd + 1) : next;
  }
}

function glued({ number, line }: Hunk): Error {
  return refused(
    `Hunk ${number} (line ${line} of the patch) puts a line behind one that has no line end.`,
    "`\\ No newline at end of file` may only follow the last line of the note.",
  );
}
