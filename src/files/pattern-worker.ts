/** What runs in the worker thread of a regular expression: finds the lines of texts in which the expression matches. */
import type { RE2JS } from "re2js";

/** What the worker is started with. */
export interface PatternTask {
  /** Where the engine's CommonJS file is. */
  readonly engine: string;
  readonly pattern: string;
  /** For longer lines (UTF-16 units) the place of the match is returned. */
  readonly shownWhole: number;
}

/** The worker's first message: whether the expression is valid. */
export interface PatternVerdict {
  readonly problem?: {
    readonly message: string;
    /** The part of the expression that is at fault, as far as the engine knows it. */
    readonly fragment: string | undefined;
  };
}

export interface LinesRequest {
  /** In UTF-8, which is decoded in the thread: that takes long enough with a large file to keep others waiting. */
  readonly texts: readonly Uint8Array[];
  /** At most so many line numbers are returned for each text; matches are still counted. */
  readonly most: number;
}

/** The lines of one text in which the expression is found. */
export interface MatchingLines {
  readonly count: number;
  /** The first ones, counted from 0. */
  readonly lines: readonly number[];
  /** Where in each of them the match begins (UTF-16 units): 0 in those short enough to be shown whole. Absent when all are. */
  readonly starts?: readonly number[] | undefined;
}

/**
 * The worker's program is the source text of this function, so that it is the same in source, library and bundle: it must not refer to
 * anything outside itself.
 */
export function serveMatches(require: NodeJS.Require): void {
  const { parentPort, workerData } = require("node:worker_threads") as typeof import("node:worker_threads");
  const { engine, pattern, shownWhole } = workerData as PatternTask;
  const { RE2JS: Engine } = require(engine) as { RE2JS?: typeof RE2JS };
  // When file handles run out, Node may fail to see which kind of module a file is, and export nothing.
  if (Engine === undefined) throw Object.assign(new Error("The engine could not be read."), { code: "EMFILE" });

  const compile = (): RE2JS | undefined => {
    try {
      return Engine.compile(pattern);
    } catch (error) {
      const { error: message, input } = error as { error?: string; input?: string | null };
      const problem = { message: message ?? "it is not understood", fragment: input ?? undefined };
      parentPort?.postMessage({ problem } satisfies PatternVerdict, []);
      return undefined;
    }
  };

  const startOf = (line: string, expression: RE2JS): number => {
    const matcher = expression.matcher(line);
    return matcher.find() ? matcher.start() : 0;
  };

  const linesIn = (text: string, expression: RE2JS, most: number): MatchingLines => {
    const lines: number[] = [];
    const starts: number[] = [];
    let count = 0;
    let line = 0;
    for (let start = 0; start < text.length; line++) {
      const newline = text.indexOf("\n", start);
      const next = newline < 0 ? text.length : newline;
      // `$` means the end of the line whatever ends it.
      const end = next > start && text.charCodeAt(next - 1) === 13 ? next - 1 : next;
      const content = text.slice(start, end);
      if (expression.test(content)) {
        count++;
        if (lines.length < most) {
          lines.push(line);
          starts.push(content.length > shownWhole ? startOf(content, expression) : 0);
        }
      }
      start = next + 1;
    }
    return { count, lines, ...(starts.some((start) => start > 0) ? { starts } : {}) };
  };

  /** A byte order mark is no part of the first line. */
  const decoded = ({ buffer, byteOffset, byteLength }: Uint8Array): string => {
    const text = Buffer.from(buffer, byteOffset, byteLength).toString("utf8");
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  };

  const expression = compile();
  if (!expression) return;
  parentPort?.on("message", ({ texts, most }: LinesRequest) => {
    const answer: readonly MatchingLines[] = texts.map((text) => linesIn(decoded(text), expression, most));
    parentPort.postMessage(answer, []);
  });
  parentPort?.postMessage({} satisfies PatternVerdict, []);
}
