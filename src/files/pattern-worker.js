/**
 * Runs in the worker thread of a regular expression: finds the lines of texts in which the expression matches. It is JavaScript, because a
 * thread reads its file without the build, also where the sources are run as they are.
 */
import { parentPort, workerData } from "node:worker_threads";
import * as engine from "re2js";

/** @type {import("./pattern.js").PatternTask} */
const { pattern, shownWhole } = workerData;

/** @returns {import("re2js").RE2JS | undefined} undefined when the expression is refused, which has been reported */
function compile() {
  // When file handles run out, Node may fail to see which kind of module a file is, and export nothing.
  if (engine.RE2JS === undefined) throw Object.assign(new Error("The engine could not be read."), { code: "EMFILE" });
  try {
    return engine.RE2JS.compile(pattern);
  } catch (error) {
    const { error: message = "it is not understood", input } =
      /** @type {{ error?: string; input?: string | null }} */ (error);
    parentPort?.postMessage({ problem: { message, fragment: input ?? undefined } }, []);
    return undefined;
  }
}

/**
 * @param {string} line
 * @param {import("re2js").RE2JS} expression
 */
function startOf(line, expression) {
  const matcher = expression.matcher(line);
  return matcher.find() ? matcher.start() : 0;
}

/**
 * @param {string} text
 * @param {import("re2js").RE2JS} expression
 * @param {number} most
 * @returns {import("./excerpt.js").MatchingLines}
 */
function linesIn(text, expression, most) {
  /** @type {number[]} */
  const lines = [];
  /** @type {number[]} */
  const starts = [];
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
}

/**
 * A byte order mark is no part of the first line.
 * @param {Uint8Array} bytes
 */
function decoded({ buffer, byteOffset, byteLength }) {
  const text = Buffer.from(buffer, byteOffset, byteLength).toString("utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

const expression = compile();
if (expression) {
  parentPort?.on("message", (/** @type {import("./pattern.js").LinesRequest} */ { texts, most }) => {
    parentPort?.postMessage(
      texts.map((text) => linesIn(decoded(text), expression, most)),
      [],
    );
  });
  parentPort?.postMessage({}, []);
}
