/** Regular expressions that cannot run away: RE2's linear-time engine in a worker thread that is ended at a deadline. */
import { join } from "node:path";
import { Semaphore } from "../async/semaphore.js";
import { VaultError } from "../errors.js";
import { MAX_MATCH_LENGTH, type MatchingLines } from "./excerpt.js";
import { refusedPattern } from "./pattern-problem.js";

/** What the worker is started with. */
export interface PatternTask {
  readonly pattern: string;
  /** For longer lines (UTF-16 units) the place of the match is returned. */
  readonly shownWhole: number;
}

/** The worker's first message: whether the expression is valid. */
interface PatternVerdict {
  readonly problem?: {
    readonly message: string;
    /** The part of the expression that is at fault, as far as the engine knows it. */
    readonly fragment: string | undefined;
  };
}

export interface LinesRequest {
  /** In UTF-8, which is decoded in the thread: that takes long enough with a large file to keep others waiting. */
  readonly texts: readonly Uint8Array[];
  /** At most this many line numbers are returned for each text; matches are still counted. */
  readonly most: number;
}

/** Longer expressions are refused (UTF-16 units). */
export const MAX_PATTERN_LENGTH = 1000;
/** Shorter than the limit of a search call, so that the answer names the cause. */
const DEADLINE_MS = 4_500;
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };
/** Paths that are sent to the worker at once. */
const PATHS_AT_ONCE = 5_000;
/** So many expressions match at a time, one request after the other: on few cores other callers are still answered. */
const matching = new Semaphore(2, Infinity);

export interface PatternOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for each answer of the thread; default 4,500. */
  readonly deadline?: number | undefined;
}

/** A running expression; it holds a thread until it is closed. */
export interface LinePattern {
  /**
   * The lines of each text (UTF-8) that match; line ends are not part of them.
   * @param most how many line numbers are returned for each text
   * @throws VaultError TIMEOUT at the deadline, INVALID_ARGUMENT when the expression needs too much memory; the signal's reason
   */
  linesIn(texts: readonly Uint8Array[], most: number): Promise<readonly MatchingLines[]>;
  close(): Promise<void>;
}

/**
 * The paths that match a regular expression, in their order.
 * @throws VaultError INVALID_ARGUMENT saying what is wrong with the expression and where, TIMEOUT; the signal's reason
 */
export async function pathsMatching<Path extends string>(
  paths: readonly Path[],
  pattern: string,
  options: PatternOptions = {},
): Promise<Path[]> {
  const expression = await openPattern(pattern, options);
  try {
    const found: Path[] = [];
    for (let from = 0; from < paths.length; from += PATHS_AT_ONCE) {
      const part = paths.slice(from, from + PATHS_AT_ONCE);
      const [matches] = await expression.linesIn([Buffer.from(`${part.join("\n")}\n`)], part.length);
      for (const line of matches?.lines ?? []) found.push(...part.slice(line, line + 1));
    }
    return found;
  } finally {
    await expression.close();
  }
}

/**
 * Starts a thread for an expression of RE2's syntax (github.com/google/re2/wiki/Syntax).
 * @throws VaultError INVALID_ARGUMENT saying what is wrong with the expression and where, TIMEOUT; the signal's reason
 */
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
  readonly #worker: Promise<import("node:worker_threads").Worker>;
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

  async #start(workerData: PatternTask): Promise<import("node:worker_threads").Worker> {
    const { Worker } = await import("node:worker_threads");
    const program = join(import.meta.dirname, "pattern-worker.js");
    const worker = new Worker(program, { workerData, env: {}, execArgv: [], resourceLimits: MEMORY });
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
    // A thread that did not start need not be ended.
    const worker = await this.#worker.catch(() => undefined);
    await worker?.terminate();
  }

  /** The worker's next message; one question is asked at a time. */
  #answer<Answer>(): Promise<Answer> {
    if (this.#failure) return Promise.reject(this.#failure.error);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fail(tooLong(this.#deadline)), this.#deadline);
    return new Promise<Answer>((resolve, reject) => {
      this.#waiting = { resolve: (answer) => resolve(answer as Answer), reject };
    });
  }

  readonly #abort = (): void => this.#fail(this.#signal?.reason);

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#waiting?.reject(this.#failure.error);
    this.#waiting = undefined;
  }
}

/** Copies in one piece of memory, which is handed over to the thread. */
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

/** What happened to the worker, by Node's code for it. */
const WORKER_FAILURES: Readonly<Record<string, () => VaultError>> = {
  ERR_WORKER_OUT_OF_MEMORY: tooMuch,
  ERR_WORKER_INIT_FAILED: noThread,
  // It could not read its program.
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
