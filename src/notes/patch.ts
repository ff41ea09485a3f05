/** Applies a unified diff to a note. Each hunk must match at its header's place; confusable code points match too. A patch without `\r` matches `\n` and `\r\n`, and new lines end like the line above. A byte order mark stays unless the patch contains it. */
import { VaultError } from "../errors.js";
import {
  type Hunk,
  type PatchLine,
  readUnifiedDiff,
  patchRefusal,
  type UnifiedDiff,
} from "../markdown/unified-diff.js";
import { foldName, type VaultPath } from "../storage/path.js";
import { counted } from "../text/wording.js";
import { lineEnding } from "../markdown/line-edit.js";
import { asSeen, ALIKE } from "../text/fold.js";

export interface Patch {
  readonly hunks: number;
  /**
   * The patch may name the note by the end of its path, with git's `a/` and `b/`, `.md` optional.
   * @throws VaultError INVALID_ARGUMENT for another file, and as `applyUnifiedDiff`
   */
  readonly apply: (path: VaultPath, text: string) => Patched;
}

export function readPatch(patch: string): Patch {
  const diff = readUnifiedDiff(patch);
  return {
    hunks: diff.hunks.length,
    apply: (path, text) => {
      if (!diff.names.every((name) => means(name, path))) throw anotherFile(path);
      return applyUnifiedDiff(text, diff);
    },
  };
}

function means(name: string, path: VaultPath): boolean {
  const plain = name.normalize("NFC").replace(/^(?:\.\/|\/)/, "");
  return [plain, plain.replace(/^[ab]\//, "")].some((one) => {
    const wanted = foldName(one.replace(/\.md$/i, ""));
    const note = foldName(path.replace(/\.md$/i, ""));
    return wanted !== "" && `/${note}`.endsWith(`/${wanted}`);
  });
}

function anotherFile(path: VaultPath): VaultError {
  return new VaultError("INVALID_ARGUMENT", `The patch is for another file than '${path}'.`, {
    path,
    hint: "Name in `path` the note that the --- and +++ lines of the patch name, or leave those lines out.",
  });
}

interface Patched {
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

const MARK = "\uFEFF";

/** @throws VaultError INVALID_ARGUMENT with hunk and line when the patch does not match or changes nothing */
export function applyUnifiedDiff(text: string, { hunks }: UnifiedDiff): Patched {
  const patched = new Patching(text, hunks).result();
  if (patched.text === text)
    throw patchRefusal("The text would stay as it is.", "Put into the + lines what the - lines shall become.");
  return patched;
}

class Patching {
  readonly #hunks: readonly Hunk[];
  /** With their line ends. */
  readonly #note: readonly string[];
  readonly #done: string[];
  readonly #hasReturns: boolean;
  #ending: string;
  /** Lines done, and the result's surplus of lines. */
  #passed = 0;
  #growth = 0;
  #added = 0;
  #removed = 0;

  constructor(text: string, hunks: readonly Hunk[]) {
    this.#hunks = hunks;
    const isSome = (test: (line: PatchLine) => boolean) => hunks.some(({ lines }) => lines.some(test));
    this.#hasReturns = isSome((line) => line.text.endsWith("\r"));
    const bare = text.startsWith(MARK) && !isSome((line) => line.text.startsWith(MARK)) ? text.slice(1) : text;
    this.#done = [text.slice(0, text.length - bare.length)];
    this.#note = bare.match(/[^\n]*\n|[^\n]+/g) ?? [];
    this.#ending = lineEnding(text);
  }

  result(): Patched {
    for (const hunk of this.#hunks) this.#apply(hunk);
    for (let at = this.#passed; at < this.#note.length; at += 1) this.#done.push(this.#note[at] ?? "");
    return { text: this.#done.join(""), added: this.#added, removed: this.#removed };
  }

  #apply(hunk: Hunk): void {
    const { number, line, oldStart, oldCount, newStart, newCount } = hunk;
    const before = oldCount === 0 ? oldStart : oldStart - 1;
    if (before < this.#passed)
      throw patchRefusal(
        `Hunk ${number} (line ${line} of the patch) begins before the one above it ends.`,
        "Give the hunks in the order of the note's lines, none over another.",
      );
    while (this.#passed < before && this.#passed < this.#note.length) this.#done.push(this.#next());
    if (this.#passed < before) throw this.#behindEnd(hunk, line);
    const newBefore = newCount === 0 ? newStart : newStart - 1;
    if (newBefore !== before + this.#growth) {
      const right = before + this.#growth + (newCount === 0 ? 0 : 1);
      throw patchRefusal(
        `The header of hunk ${number} (line ${line} of the patch) says that its lines will be at line ${newStart}; they would be at line ${right}.`,
        `If no hunk is missing above, write @@ -${oldStart},${oldCount} +${right},${newCount} @@.`,
      );
    }
    for (const patchLine of hunk.lines) this.#line(patchLine, hunk);
    this.#growth += newCount - oldCount;
    if (this.#isUnended() && this.#passed < this.#note.length) throw glued(hunk);
  }

  #line(line: PatchLine, hunk: Hunk): void {
    if (line.mark !== "+") this.#assertFits(line, hunk);
    if (line.mark === "-") {
      this.#next();
      this.#removed += 1;
      return;
    }
    if (this.#isUnended()) throw glued(hunk);
    if (line.mark === " ") this.#done.push(this.#next());
    else {
      this.#done.push(line.text + (line.isUnended ? "" : this.#hasReturns ? "\n" : this.#ending));
      this.#added += 1;
    }
  }

  #next(): string {
    const line = this.#note[this.#passed] ?? "";
    this.#passed += 1;
    if (line.endsWith("\n")) this.#ending = line.endsWith("\r\n") ? "\r\n" : "\n";
    return line;
  }

  /** Nothing can follow a last line without a line end. */
  #isUnended(): boolean {
    return this.#done.length > 1 && this.#done.at(-1)?.endsWith("\n") === false;
  }

  /** Messages name lines by number and never quote the note. */
  #assertFits({ text: expected, isUnended, line }: PatchLine, hunk: Hunk): void {
    const whole = this.#note[this.#passed];
    if (whole === undefined) throw this.#behindEnd(hunk, line);
    const actual = whole.replace(this.#hasReturns ? /\n$/ : /\r?\n$/, "");
    const where = `line ${this.#passed + 1} of the note`;
    if (actual !== expected && asSeen(actual) !== asSeen(expected)) {
      const differsInReturns = withoutReturn(actual) === withoutReturn(expected);
      throw misfit(
        hunk,
        `${where} is not what line ${line} of the patch says${degree(actual, expected)}.`,
        differsInReturns
          ? "Send the patch without any \\r: its lines then fit either line end, and new lines get the note's own."
          : this.#placeHint(hunk),
      );
    }
    if (isUnended && whole.endsWith("\n"))
      throw misfit(
        hunk,
        `${where} does have a line end.`,
        "Leave `\\ No newline at end of file` out below that line of the patch.",
      );
    if (!isUnended && !whole.endsWith("\n"))
      throw misfit(
        hunk,
        `${where}, its last one, has no line end.`,
        "Put `\\ No newline at end of file` below that line of the patch.",
      );
  }

  #behindEnd(hunk: Hunk, line: number): VaultError {
    const message = `line ${line} of the patch is behind the end of the note, which has ${counted(this.#note.length, "line")}.`;
    return misfit(hunk, message, this.#placeHint(hunk));
  }

  #placeHint({ lines, oldCount, newCount }: Hunk): string {
    const again = "Read the note again and make the patch from what it says now.";
    if (oldCount === 0) return again;
    const old = lines.filter(({ mark }) => mark !== "+").map(({ text }) => withoutReturn(text));
    const [at, another] = placesOf(
      old,
      this.#note.map((line) => line.replace(/\r?\n$/, "")),
    );
    if (at === undefined) return again;
    if (another !== undefined)
      return "The hunk's lines are in several places of the note: make its header name the right one.";
    const young = at + this.#growth + (newCount === 0 ? 0 : 1);
    return `The hunk's lines are at line ${at + 1} of the note: its header would be @@ -${at + 1},${oldCount} +${young},${newCount} @@.`;
  }
}

function misfit({ number }: Hunk, sentence: string, hint: string): VaultError {
  return patchRefusal(`Hunk ${number} does not fit: ${sentence}`, hint);
}

function glued({ number, line }: Hunk): VaultError {
  return patchRefusal(
    `Hunk ${number} (line ${line} of the patch) puts a line behind one that has no line end.`,
    "`\\ No newline at end of file` may only follow the last line of the note.",
  );
}

/** Longer lines are not compared in detail. */
const MAX_COMPARED = 10_000;

function degree(actual: string, expected: string): string {
  if (withoutReturn(actual) === withoutReturn(expected)) return " (they differ in their line ends only)";
  if (actual.length > MAX_COMPARED || expected.length > MAX_COMPARED) return "";
  const [bare = "", otherBare = ""] = [actual, expected].map((line) => asSeen(line).replace(/\s+/g, ""));
  if (bare === otherBare) return " (they differ in white space only)";
  const alike = ALIKE.find(([, plain]) => plain(bare) === plain(otherBare));
  return alike === undefined ? "" : ` (it has other ${alike[0]})`;
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** Gives up after this many. */
const MAX_COMPARISONS = 2_000_000;

/** The first two, from 0; none when the search takes too long. */
function placesOf(run: readonly string[], lines: readonly string[]): number[] {
  const places: number[] = [];
  let compared = 0;
  for (let at = 0; at + run.length <= lines.length && places.length < 2; at += 1) {
    let same = 0;
    while (same < run.length && lines[at + same] === run[same]) same += 1;
    if (same === run.length) places.push(at);
    compared += same + 1;
    if (compared > MAX_COMPARISONS) return [];
  }
  return places;
}
