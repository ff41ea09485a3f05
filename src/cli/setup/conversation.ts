/** What setup prints and asks on the terminal. */
import { createInterface } from "node:readline";
import { isatty } from "node:tty";
import type { Settings } from "../options/options.js";
import { printable, writeOut } from "../terminal.js";

export interface Conversation {
  readonly canAsk: boolean;
  say(line: string): Promise<void>;
  /** Undefined when the person has left (Ctrl-C, end of input). */
  ask(question: string): Promise<string | undefined>;
}

const GREEN = "\u001b[32m";
const RED = "\u001b[31m";
const PLAIN = "\u001b[39m";

/** Over stdin and stdout; changed lines have a colour and a mark. */
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

function askOnce(question: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  return new Promise((resolve) => {
    lines.once("close", () => resolve(undefined));
    lines.question(printable(question), (answer) => {
      resolve(answer.trim());
      lines.close();
    });
  });
}
