/** Serves one connection over a pair of streams. */
import type { EventEmitter } from "node:events";
import { Semaphore } from "../../async/semaphore.js";
import { VaultError } from "../../errors.js";
import { traceOf } from "../../tools/outcome.js";
import { boundedFeature, CALL_LIMITS, type CallLimits } from "../call-limits.js";
import { Calls } from "../calls.js";
import { Dispatcher } from "../dispatch.js";
import { MessageRouter } from "./message-router.js";
import { JSON_BOUNDS } from "../json-bounds.js";
import { LineReader, type Line } from "./lines.js";
import { Output, type Outlet, type Strays } from "./output.js";
import { toolFeature, type ToolFeatureOptions } from "../tool-methods.js";
import { INVALID_REQUEST, PARSE_ERROR } from "../rpc.js";
import { Subscriptions } from "../subscriptions.js";

export interface StdioOptions extends Omit<ToolFeatureOptions, "calls" | "transport"> {
  readonly version: string;
  readonly instructions: () => Promise<string>;
  readonly stdin: Input;
  /** What others write to it goes to `stderr`. */
  readonly stdout: Outlet;
  readonly stderr: Strays;
  /** Normally `process`. */
  readonly signals: EventEmitter & { exit(code: number): void };
  readonly close?: () => Promise<void>;
  readonly limits?: Partial<CallLimits>;
  readonly endTimeouts?: EndTimeouts;
}

/** Emits `data`, then `end` or `close`. */
interface Input extends EventEmitter {
  pause(): unknown;
  resume(): unknown;
  isPaused(): boolean;
  destroy(): unknown;
}

/** Counted from the signal. */
interface EndTimeouts {
  readonly abortMs: number;
  readonly endMs: number;
}

/** Clients usually kill the process five or ten seconds after the signal. */
const END_TIMEOUTS: EndTimeouts = { abortMs: 3_500, endMs: 4_500 };

/** Reading pauses at these unanswered lines and characters. */
const MAX_OUTSTANDING = 1024;
const MAX_HELD = 64 * 1024 * 1024;
/** Requests other than tool calls. */
const MAX_OTHERS_RUNNING = 16;
const MAX_OTHERS_WAITING = 100_000;

/**
 * Serves until the end of input, `exit`, a signal or the peer's death; then finishes running calls.
 * @returns the exit code, for the caller to set
 */
export async function serveStdio(options: StdioOptions): Promise<number> {
  return new Connection(options).serve();
}

class Connection {
  readonly #options: StdioOptions;
  readonly #reader = new LineReader();
  readonly #calls: Calls;
  readonly #output: Output;
  readonly #router: MessageRouter;
  readonly #subscriptions: Subscriptions;
  readonly #ended: Promise<void>;
  #end: () => void = () => {};
  #over = false;
  /** False when a signal's time is up. */
  readonly #late: Promise<boolean>;
  #giveUp: (orderly: false) => void = () => {};
  #timers: NodeJS.Timeout[] = [];

  constructor(options: StdioOptions) {
    this.#options = options;
    const { tools, workspace, log, toolErrors, progress, version, instructions, app } = options;
    this.#ended = new Promise((resolve) => {
      this.#end = () => {
        this.#over = true;
        resolve();
      };
    });
    this.#late = new Promise((resolve) => {
      this.#giveUp = resolve;
    });
    this.#output = new Output(options.stdout, options.stderr, {
      written: () => this.#regulate(),
      closed: () => this.#end(),
    });
    const hasRoom = async () => {
      await this.#output.room();
      return true;
    };
    this.#calls = new Calls({ ...CALL_LIMITS, ...options.limits }, hasRoom);
    const turns = new Semaphore(MAX_OTHERS_RUNNING, MAX_OTHERS_WAITING);
    const subscriptions = (this.#subscriptions = new Subscriptions(log));
    const dispatcher = new Dispatcher(
      toolFeature({ tools, workspace, log, toolErrors, calls: this.#calls, progress, app }),
      async () => {
        const { vaultFeatures } = await import("../vault-features.js");
        const features = await vaultFeatures({ tools, workspace, log, subscriptions, app });
        return features.map((feature) => boundedFeature(feature, turns, hasRoom));
      },
    );
    this.#router = new MessageRouter({
      mcp: { dispatcher, subscriptions, log, version, instructions },
      send: (text) => this.#output.send(text),
      exit: () => this.#end(),
      settled: () => this.#regulate(),
    });
  }

  async serve(): Promise<number> {
    const unlisten = this.#listen();
    const detach = this.#attach();
    await this.#ended;
    detach();
    const orderly = await Promise.race([this.#finish(), this.#late]);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#output.release();
    await this.#options.close?.().catch((error: unknown) => {
      this.#options.log.error("Closing failed", traceOf(error));
    });
    unlisten();
    if (!orderly) this.#options.signals.exit(0);
    return 0;
  }

  async #finish(): Promise<boolean> {
    await this.#router.answered();
    await this.#calls.atRest();
    this.#subscriptions.close();
    await this.#router.close();
    await this.#output.flushed();
    return true;
  }

  #hurry(): void {
    const { abortMs, endMs } = this.#options.endTimeouts ?? END_TIMEOUTS;
    const stop = () => {
      this.#calls.abort(new VaultError("UNAVAILABLE", "The server is shutting down.", { hint: "Start it again." }));
    };
    this.#timers = [setTimeout(stop, abortMs).unref(), setTimeout(this.#giveUp, endMs, false).unref()];
    this.#end();
  }

  #listen(): () => void {
    const { signals, log } = this.#options;
    const onSignal = () => {
      // A second signal ends the process.
      unlisten();
      this.#hurry();
    };
    const unlisten = () => void signals.off("SIGINT", onSignal).off("SIGTERM", onSignal);
    const onStray = (error: unknown) => log.error("An exception that nobody caught", traceOf(error));
    signals.on("SIGINT", onSignal).on("SIGTERM", onSignal);
    signals.on("uncaughtException", onStray).on("unhandledRejection", onStray);
    return unlisten;
  }

  #attach(): () => void {
    const { stdin } = this.#options;
    const onData = (chunk: Uint8Array | string) => {
      this.#lines(this.#reader.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk));
      this.#regulate();
    };
    const onEnd = () => {
      this.#lines(this.#reader.end());
      this.#end();
    };
    stdin.on("data", onData).on("end", onEnd).on("close", onEnd).on("error", onEnd);
    stdin.resume();
    return () => {
      stdin.off("data", onData).off("end", onEnd).off("close", onEnd);
      stdin.destroy();
    };
  }

  #lines(lines: readonly Line[]): void {
    for (const line of lines) {
      if (this.#over) return;
      this.#line(line);
    }
  }

  #line(line: Line): void {
    if (line.kind === "too-long") {
      return this.#router.refuse({
        code: INVALID_REQUEST,
        message: "Invalid Request: a line may have at most 32 MiB.",
      });
    }
    if (line.kind === "too-much") {
      const message = `Invalid Request: a line may hold ${JSON_BOUNDS}.`;
      return this.#router.refuse({ code: INVALID_REQUEST, message }, line.id);
    }
    if (line.kind === "not-utf8") {
      return this.#router.refuse({ code: PARSE_ERROR, message: "Parse error: the line is not UTF-8." });
    }
    let value: unknown;
    try {
      value = JSON.parse(line.text);
    } catch {
      return this.#router.refuse({ code: PARSE_ERROR, message: "Parse error: the line is not JSON." });
    }
    this.#router.receive(value, line.text.length);
  }

  /** Pauses reading above the limits and resumes at half. */
  #regulate(): void {
    const { stdin } = this.#options;
    if (this.#over) return;
    const { outstanding, held } = this.#router;
    const load = Math.max(outstanding / MAX_OUTSTANDING, held / MAX_HELD, this.#output.load);
    if (load > 1) stdin.pause();
    else if (load <= 0.5 && stdin.isPaused()) stdin.resume();
  }
}
