/** A child process whose output is collected and whose end can be waited for. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class Child {
  readonly process: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  #stdout: Buffer[] = [];
  #stderr: Buffer[] = [];

  /** Starts Node with the arguments. `NODE_EXTRA_CA_CERTS` is left out: Node 20 reads it at start, which spoils every time. */
  constructor(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    /** A command that runs what follows it in other circumstances. */
    wrapper: readonly string[] = [],
  ) {
    const [command = "", ...rest] = [...wrapper, process.execPath, ...args];
    const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
    this.process = spawn(command, rest, {
      env: { ...inherited, XDG_STATE_HOME: stateHome(), ...environment },
    });
    this.process.stdout.on("data", (chunk: Buffer) => this.#stdout.push(chunk));
    this.process.stderr.on("data", (chunk: Buffer) => this.#stderr.push(chunk));
    // A child that is gone when we write is what some tests are about.
    this.process.stdin.on("error", () => {});
    this.ended = new Promise((resolve, reject) => {
      this.process.on("error", reject);
      this.process.on("close", (code, signal) => resolve({ code, signal, stdout: this.stdout, stderr: this.stderr }));
    });
  }

  get stdout(): string {
    return Buffer.concat(this.#stdout).toString("utf8");
  }

  get stderr(): string {
    return Buffer.concat(this.#stderr).toString("utf8");
  }

  end(input = ""): Promise<Ended> {
    this.process.stdin.end(input);
    return this.ended;
  }

  async until(text: string): Promise<void> {
    while (!this.stdout.includes(text)) {
      await new Promise<void>((resolve) => this.process.stdout.once("data", () => setImmediate(resolve)));
    }
  }
}

let state: string | undefined;

/** No test writes into the undo journals of who runs it. */
export function stateHome(): string {
  if (state !== undefined) return state;
  const made = mkdtempSync(join(tmpdir(), "state-"));
  process.once("exit", () => rmSync(made, { recursive: true, force: true }));
  return (state = made);
}

export const jsonLines = (text: string): unknown[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
