/** RE2 in a worker thread with a deadline. */
import { join } from "node:path";
import { Semaphore } from "../async/turns.js";
import { startThread } from "../async/thread.js";
import { VaultError } from "../errors.js";
import { MAX_MATCH_LENGTH, type MatchingLines } from "./excerpt.js";

export interface PatternTask {
  readonly pattern: string;
  /** UTF-16 units; for longer lines the match's position is returned. */
  readonly shownWhole: number;
}

interface PatternVerdict {
  readonly problem?: {
    readonly message: string;
    /** If the engine names it. */
    readonly fragment: string | undefined;
  };
}

export interface LinesRequest {
  /** The worker decodes, which takes long. */
  readonly texts: readonly Uint8Array[];
  /** Line numbers per text; all matches are counted. */
  readonly most: number;
}

/** UTF-16 units. */
const MAX_PATTERN_LENGTH = 1000;
/** Below a call's time-out: the answer names the cause. */
const DEADLINE_MS = 4_500;
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };
/** In one message. */
const PATHS_AT_ONCE = 5_000;
/** For other callers' cores. */
const matching = new Semaphore(2, Infinity);

interface PatternOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds of processor time per answer. */
  readonly deadline?: number | undefined;
}

/** Occupies a thread until closed. */
export interface LinePattern {
  /**
   * Without line ends.
   * @param most line numbers per text
   * @throws TIMEOUT, INVALID_ARGUMENT when the expression needs too much memory; the signal's reason
   */
  linesIn(texts: readonly Uint8Array[], most: number): Promise<readonly MatchingLines[]>;
  close(): Promise<void>;
}

/** However accents are composed. @throws INVALID_ARGUMENT that explains the fault, TIMEOUT; the signal's reason */
export async function pathsMatching<Path extends string>(
  paths: readonly Path[],
  pattern: string,
  options: PatternOptions = {},
): Promise<Path[]> {
  const expression = await openPattern(pattern.normalize("NFC"), options);
  try {
    const found: Path[] = [];
    for (let from = 0; from < paths.length; from += PATHS_AT_ONCE) {
      const part = paths.slice(from, from + PATHS_AT_ONCE);
      const [matches] = await expression.linesIn([Buffer.from(`${part.join("\n").normalize("NFC")}\n`)], part.length);
      for (const line of matches?.lines ?? []) found.push(...part.slice(line, line + 1));
    }
    return found;
  } finally {
    await expression.close();
  }
}

/** RE2 syntax (github.com/google/re2/wiki/Syntax). @throws as `pathsMatching` */
export async function openPattern(pattern: string, options: PatternOptions = {}): Promise<LinePattern> {
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw new VaultError(
      "INVALID_ARGUMENT",
      `The regular expression is longer than ${MAX_PATTERN_LENGTH} characters.`,
      {
        hint: "Use a shorter one, or search in steps.",
      },
    );
  options.signal?.throwIfAborted();
  const thread = new PatternThread(pattern, options);
  try {
    const { problem } = await thread.verdict;
    if (problem) throw refusedPattern(pattern, problem);
  } catch (error) {
    await thread.close();
    throw error;
  }
  return thread;
}

class PatternThread implements LinePattern {
  readonly verdict: Promise<PatternVerdict>;
  readonly #worker: ReturnType<typeof startThread>;
  readonly #signal: AbortSignal | undefined;
  readonly #deadline: number;
  #timer: NodeJS.Timeout | undefined;
  #waiting: { resolve(answer: unknown): void; reject(error: unknown): void } | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(pattern: string, { signal, deadline = DEADLINE_MS }: PatternOptions) {
    this.#signal = signal;
    this.#deadline = deadline;
    this.#worker = this.#start({ pattern, shownWhole: MAX_MATCH_LENGTH });
    this.#worker.catch((error: unknown) => this.#fail(worded(error)));
    signal?.addEventListener("abort", this.#abort, { once: true });
    this.verdict = this.#answer<PatternVerdict>();
  }

  async #start(workerData: PatternTask): ReturnType<typeof startThread> {
    const program = join(import.meta.dirname, "pattern-worker.js");
    const worker = await startThread(program, { workerData, resourceLimits: MEMORY });
    worker.on("message", (answer: unknown) => {
      clearTimeout(this.#timer);
      this.#waiting?.resolve(answer);
      this.#waiting = undefined;
    });
    worker.on("error", (error) => this.#fail(worded(error)));
    return worker;
  }

  async linesIn(texts: readonly Uint8Array[], most: number): Promise<readonly MatchingLines[]> {
    const worker = await this.#worker.catch((error: unknown) => Promise.reject(worded(error)));
    return matching.run(() => {
      const answer = this.#answer<readonly MatchingLines[]>();
      const copies = copiesOf(texts);
      worker.postMessage({ texts: copies.texts, most } satisfies LinesRequest, [copies.buffer]);
      return answer;
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#abort);
    const worker = await this.#worker.catch(() => undefined);
    await worker?.terminate();
  }

  /** One request at a time. */
  #answer<Answer>(): Promise<Answer> {
    if (this.#failure) return Promise.reject(this.#failure.error);
    clearTimeout(this.#timer);
    this.#limit(process.cpuUsage(), this.#deadline);
    return new Promise<Answer>((resolve, reject) => {
      this.#waiting = { resolve: (answer) => resolve(answer as Answer), reject };
    });
  }

  /** In processor time: on a busy machine a thread waits. @param milliseconds left */
  #limit(start: NodeJS.CpuUsage, milliseconds: number): void {
    this.#timer = setTimeout(() => {
      const { user, system } = process.cpuUsage(start);
      const left = this.#deadline - (user + system) / 1000;
      if (left > 0) this.#limit(start, left);
      else this.#fail(tooLong(this.#deadline));
    }, milliseconds);
  }

  readonly #abort = (): void => this.#fail(this.#signal?.reason);

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#waiting?.reject(this.#failure.error);
    this.#waiting = undefined;
  }
}

/** Ownership goes to the thread. */
function copiesOf(texts: readonly Uint8Array[]): {
  readonly texts: readonly Uint8Array[];
  readonly buffer: ArrayBuffer;
} {
  const buffer = new ArrayBuffer(texts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let end = 0;
  const copies = texts.map((text) => {
    const copy = new Uint8Array(buffer, end, text.byteLength);
    copy.set(text);
    end += text.byteLength;
    return copy;
  });
  return { texts: copies, buffer };
}

/** By Node's error code. */
const WORKER_FAILURES: Readonly<Record<string, () => VaultError>> = {
  ERR_WORKER_OUT_OF_MEMORY: tooMuch,
  ERR_WORKER_INIT_FAILED: noThread,
  // Reading the worker's code failed.
  EMFILE: noThread,
  ENFILE: noThread,
};

function worded(error: unknown): unknown {
  const code = error instanceof Error ? String(Reflect.get(error, "code")) : "";
  return WORKER_FAILURES[code]?.() ?? error;
}

function noThread(): VaultError {
  return new VaultError("UNAVAILABLE", "There is no thread for the regular expression: too many calls are at work.", {
    hint: "Try again in a moment, or search for the text without regex.",
  });
}

function tooMuch(): VaultError {
  return new VaultError("INVALID_ARGUMENT", "The regular expression needs too much memory.", {
    hint: "Use a simpler one: fewer and smaller repetitions.",
  });
}

function tooLong(milliseconds: number): VaultError {
  return new VaultError(
    "TIMEOUT",
    `The regular expression was still at work after ${milliseconds / 1000} seconds and was stopped.`,
    { hint: "Use a simpler one, or narrow the search with path." },
  );
}

interface PatternProblem {
  readonly message: string;
  /** Undefined: the expression's end. */
  readonly fragment: string | undefined;
}

/** By the fragment at which the engine stops. */
const UNSUPPORTED: readonly (readonly [fragment: RegExp, name: string])[] = [
  [/^\(\?=|^\(\?!/, "Look-ahead"],
  [/^\(\?<[=!]/, "Look-behind"],
  [/^\\[1-9]|^\\k/, "A backreference"],
  [/^\(\?>/, "An atomic group"],
  [/^[*+?}]\+/, "A possessive repetition"],
];

const HINT = "Correct it (RE2 syntax). A backslash before a special character takes it as it is, such as \\(";

function refusedPattern(pattern: string, problem: PatternProblem): VaultError {
  const { message, fragment = "" } = problem;
  const place = `at character ${placeOf(pattern, problem) + 1}`;
  const feature = UNSUPPORTED.find(([beginning]) => beginning.test(fragment))?.[1];
  if (feature !== undefined)
    return new VaultError("INVALID_ARGUMENT", `${feature} is not supported in a regular expression (${place}).`, {
      hint: "Only what matches in linear time is: no look-around, no backreferences (RE2 syntax).",
    });
  return new VaultError("INVALID_ARGUMENT", `Invalid regular expression ${place}: ${message}.`, { hint: HINT });
}

/** UTF-16 units. */
function placeOf(pattern: string, { message, fragment }: PatternProblem): number {
  // For unpaired brackets the engine names the whole expression.
  if (message.startsWith("unexpected )")) return firstUnpaired(pattern);
  if (fragment === undefined || message.startsWith("missing closing )")) return pattern.length;
  const isTail = pattern.endsWith(fragment);
  return Math.max(0, isTail ? pattern.length - fragment.length : pattern.indexOf(fragment));
}

function firstUnpaired(pattern: string): number {
  let open = 0;
  for (const { 0: part, index } of pattern.matchAll(/\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()]/gsu)) {
    if (part === "(") open++;
    if (part === ")" && --open < 0) return index;
  }
  return pattern.length;
}
