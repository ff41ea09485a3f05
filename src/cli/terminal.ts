/** Answers, questions and progress notices on a terminal. */
import { isatty } from "node:tty";
import { systemClock } from "../clock.js";
import { VaultError } from "../errors.js";
import type { Progress } from "../index/refresh.js";
import type { Settings } from "./options/options.js";

const NOTICE_DELAY_MS = 500;
const NOTICE_INTERVAL_MS = 100;

export function printable(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "\ufffd");
}

const USUAL_COLUMNS = 80;
const MIN_COLUMNS = 40;

/** 0 where it is unknown. */
export function screenColumns({ columns }: { readonly columns?: number }): number {
  return columns === undefined || columns <= 0 ? USUAL_COLUMNS : Math.max(columns, MIN_COLUMNS);
}

export async function onScreen(text: string, terminal: { readonly columns?: number }): Promise<string> {
  const { hanging } = await import("./output/columns.js");
  const lines = printable(text).split("\n");
  return lines.flatMap((line) => hanging(line, screenColumns(terminal))).join("\n");
}

interface ProgressLine {
  readonly report: (progress: Progress) => void;
  readonly finish: () => void;
}

/** Elsewhere one line a second. */
export function progressLine(write: (text: string) => void, isTerminal: boolean, now: () => number): ProgressLine {
  const begun = now();
  const pace = isTerminal ? NOTICE_INTERVAL_MS : 1000;
  let last: number | undefined;
  return {
    report({ done, total }) {
      const instant = now();
      if (instant - begun < NOTICE_DELAY_MS || (last !== undefined && instant - last < pace)) return;
      last = instant;
      const notice = `Reading notes: ${done}${total === undefined ? "" : ` of ${total}`}`;
      write(isTerminal ? `\r${notice}\u001b[K` : `${notice}\n`);
    },
    finish() {
      if (last !== undefined && isTerminal) write("\r\u001b[K");
    },
  };
}

export function stderrProgress({
  progress,
  timeZone,
}: Pick<Settings, "progress" | "timeZone">): ProgressLine | undefined {
  const isTerminal = isatty(2);
  if (!isTerminal && !progress) return undefined;
  const clock = systemClock(timeZone);
  return progressLine(
    (text) => process.stderr.write(text),
    isTerminal,
    () => clock.now(),
  );
}

/** Also when the reader has gone (`| head`). @throws UNAVAILABLE on a full disk */
export function writeOut(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error: Error | null | undefined): void => {
      // The stream emits the error again.
      if (!error) process.stdout.off("error", settle);
      const code = error && "code" in error ? String(error.code) : undefined;
      if (!error || code === "EPIPE") return resolve();
      const message = `The answer could not be written to standard output${code === undefined ? "" : ` (${code})`}.`;
      reject(new VaultError("UNAVAILABLE", message, { cause: error }));
    };
    process.stdout.once("error", settle);
    process.stdout.write(text, settle);
  });
}

export interface Conversation {
  readonly canAsk: boolean;
  say(line: string): Promise<void>;
  /** Undefined after Ctrl-C or the end of input. */
  ask(question: string): Promise<string | undefined>;
}

const GREEN = "\u001b[32m";
const RED = "\u001b[31m";
const PLAIN = "\u001b[39m";

/** Changed lines have a colour and a mark. */
export function terminalConversation({ noColor }: Pick<Settings, "noColor">): Conversation {
  const isTerminal = isatty(1);
  return {
    canAsk: isTerminal && isatty(0),
    say: (line) => writeOut(`${isTerminal ? coloured(printable(line), !noColor) : line}\n`),
    ask: askOnce,
  };
}

function coloured(line: string, color: boolean): string {
  const mark = /^ {2}([+-]) /.exec(line)?.[1];
  return mark === undefined || !color ? line : `${mark === "+" ? GREEN : RED}${line}${PLAIN}`;
}

async function askOnce(question: string): Promise<string | undefined> {
  const { createInterface } = await import("node:readline");
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  return new Promise((resolve) => {
    lines.once("close", () => resolve(undefined));
    lines.question(printable(question), (answer) => {
      resolve(answer.trim());
      lines.close();
    });
  });
}
