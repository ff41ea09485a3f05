/** Serves one connection over a pair of streams. */
import type { EventEmitter } from "node:events";
import { Semaphore } from "../../async/turns.js";
import { traceOf } from "../../tools/outcome.js";
import { boundedFeature, CALL_LIMITS, type CallLimits, Calls, type HasRoom } from "../calls.js";
import { Dispatcher } from "../dispatch.js";
import { MessageRouter } from "./message-router.js";
import { JSON_BOUNDS } from "../json-bounds.js";
import { type Line, LineReader, type Outlet, Output, type Strays } from "./json-lines.js";
import { toolFeature, type ToolFeatureOptions } from "../tool-methods.js";
import { INVALID_REQUEST, PARSE_ERROR } from "../rpc.js";
import { Subscriptions } from "../subscriptions.js";

export interface StdioOptions extends Omit<ToolFeatureOptions, "calls" | "transport"> {
  readonly version: string;
  readonly instructions: () => Promise<string>;
  readonly stdin: Input;
  /** Others' writes to it go to `stderr`. */
  readonly stdout: Outlet;
  readonly stderr: Strays;
  /** Normally `process`. */
  readonly signals: EventEmitter & { exit(code: number): void };
  readonly close?: () => Promise<void>;
  readonly limits?: Partial<CallLimits>;
  readonly endTimeouts?: Readonly<typeof END_TIMEOUTS>;
}

/** Emits `data`, then `end` or `close`. */
interface Input extends EventEmitter {
  pause(): unknown;
  resume(): unknown;
  isPaused(): boolean;
  destroy(): unknown;
}

/** After the signal. Clients usually kill the process five or ten seconds after it. */
const END_TIMEOUTS = { abortMs: 3_500, endMs: 4_500 };

/** Unanswered lines and characters that pause reading. */
const MAX_OUTSTANDING = 1024;
const MAX_HELD = 64 * 1024 * 1024;
/** Requests other than tool calls. */
const MAX_OTHERS_RUNNING = 16;
const MAX_OTHERS_WAITING = 100_000;

/** Until the end of input, `exit`, a signal or the peer's death; then finishes running calls. @returns the exit code */
export async function serveStdio(options: StdioOptions): Promise<number> {
  const { log, stdin, version, instructions, endTimeouts = END_TIMEOUTS } = options;
  let isOver = false;
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = () => {
      isOver = true;
      resolve();
    };
  });
  const output = new Output(options.stdout, options.stderr, { written: regulate, closed: () => end() });
  const hasRoom = async () => {
    await output.room();
    return true;
  };
  const calls = new Calls({ ...CALL_LIMITS, ...options.limits }, hasRoom);
  const subscriptions = new Subscriptions(log);
  const dispatcher = dispatcherFor(options, calls, subscriptions, hasRoom);
  const router = new MessageRouter({
    mcp: { dispatcher, subscriptions, log, version, instructions },
    send: (text) => output.send(text),
    exit: () => end(),
    settled: regulate,
  });

  function regulate(): void {
    if (isOver) return;
    const load = Math.max(router.outstanding / MAX_OUTSTANDING, router.held / MAX_HELD, output.load);
    if (load > 1) stdin.pause();
    else if (load <= 0.5 && stdin.isPaused()) stdin.resume();
  }

  async function finish(): Promise<boolean> {
    await router.answered();
    await calls.atRest();
    subscriptions.close();
    await router.close();
    await output.flushed();
    return true;
  }

  let timers: NodeJS.Timeout[] = [];
  let giveUp: (isOrderly: false) => void = () => {};
  /** False when a signal's time is up. */
  const late = new Promise<boolean>((resolve) => (giveUp = resolve));
  const unlisten = hearSignals(options, () => {
    timers = [
      setTimeout(() => calls.abort(), endTimeouts.abortMs).unref(),
      setTimeout(giveUp, endTimeouts.endMs, false).unref(),
    ];
    end();
  });
  const take = (lines: readonly Line[]) => {
    for (const line of lines) if (!isOver) takeLine(line, router);
  };
  const detach = readLines(stdin, take, regulate, () => end());
  await ended;
  detach();
  const isOrderly = await Promise.race([finish(), late]);
  for (const timer of timers) clearTimeout(timer);
  output.release();
  await options.close?.().catch((error: unknown) => log.error("Closing failed", traceOf(error)));
  unlisten();
  if (!isOrderly) options.signals.exit(0);
  return 0;
}

function dispatcherFor(
  options: StdioOptions,
  calls: Calls,
  subscriptions: Subscriptions,
  hasRoom: HasRoom,
): Dispatcher {
  const { tools, workspace, log, toolErrors, progress, app } = options;
  const turns = new Semaphore(MAX_OTHERS_RUNNING, MAX_OTHERS_WAITING);
  return new Dispatcher(toolFeature({ tools, workspace, log, toolErrors, calls, progress, app }), async () => {
    const { vaultFeatures } = await import("../vault-features.js");
    const features = await vaultFeatures({ tools, workspace, log, subscriptions, app });
    return features.map((feature) => boundedFeature(feature, turns, hasRoom));
  });
}

/** Until the returned function is called. */
function hearSignals({ signals, log }: StdioOptions, hurry: () => void): () => void {
  const onSignal = () => {
    // A second signal ends the process.
    unlisten();
    hurry();
  };
  const unlisten = () => void signals.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  const onStray = (error: unknown) => log.error("An exception that nobody caught", traceOf(error));
  signals.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  signals.on("uncaughtException", onStray).on("unhandledRejection", onStray);
  return unlisten;
}

/** @param taken called after each piece of input */
function readLines(
  stdin: Input,
  take: (lines: readonly Line[]) => void,
  taken: () => void,
  end: () => void,
): () => void {
  const reader = new LineReader();
  const onData = (chunk: Uint8Array | string) => {
    take(reader.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk));
    taken();
  };
  const onEnd = () => {
    take(reader.end());
    end();
  };
  stdin.on("data", onData).on("end", onEnd).on("close", onEnd).on("error", onEnd);
  stdin.resume();
  return () => {
    stdin.off("data", onData).off("end", onEnd).off("close", onEnd);
    stdin.destroy();
  };
}

function takeLine(line: Line, router: MessageRouter): void {
  if (line.kind === "too-long")
    return router.refuse({ code: INVALID_REQUEST, message: "Invalid Request: a line may have at most 32 MiB." });
  if (line.kind === "too-much") {
    const message = `Invalid Request: a line may hold ${JSON_BOUNDS}.`;
    return router.refuse({ code: INVALID_REQUEST, message }, line.id);
  }
  if (line.kind === "not-utf8")
    return router.refuse({ code: PARSE_ERROR, message: "Parse error: the line is not UTF-8." });
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch {
    return router.refuse({ code: PARSE_ERROR, message: "Parse error: the line is not JSON." });
  }
  router.receive(value, line.text.length);
}
