/** Serves one connection over a pair of streams, by lines of JSON. */
import type { EventEmitter } from "node:events";
import { Semaphore } from "../../async/turns.js";
import { traceOf } from "../../tools/outcome.js";
import { boundedFeature, CALL_LIMITS, type CallLimits, Calls, type HasRoom } from "../calls.js";
import { Dispatcher } from "../dispatch.js";
import { MessageRouter } from "./message-router.js";
import { JSON_BOUNDS, INVALID_REQUEST, PARSE_ERROR, idOf, isWithinBounds } from "../rpc.js";
import { toolFeature, type ToolFeatureOptions } from "../tool-methods.js";
import { Subscriptions } from "../subscriptions.js";
import { isUtf8 } from "node:buffer";

export interface StdioOptions extends Omit<ToolFeatureOptions, "calls" | "transport"> {
  readonly version: string;
  readonly instructions: () => Promise<string>;
  readonly stdin: Input;
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

/** Clients kill the process five or ten seconds after the signal. */
const END_TIMEOUTS = { abortMs: 3_500, endMs: 4_500 };

/** Unanswered lines that pause reading. */
const MAX_OUTSTANDING = 1024;
const MAX_HELD = 64 * 1024 * 1024;
/** Requests other than tool calls. */
const MAX_OTHERS_RUNNING = 16;
const MAX_OTHERS_WAITING = 100_000;

/** Until the end of input, `exit`, a signal or the peer's death. @returns the exit code */
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

function hearSignals({ signals, log }: StdioOptions, hurry: () => void): () => void {
  const onSignal = () => {
    // The second ends the process.
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

const MAX_LINE_BYTES = 32 * 1024 * 1024;

export type Line =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "too-long" }
  | { readonly kind: "too-much"; readonly id: string | number | undefined }
  | { readonly kind: "not-utf8" };

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const TOO_LONG: Line = { kind: "too-long" };
const NOT_UTF8: Line = { kind: "not-utf8" };

/** Before decoding: UTF-8 has `\n` in no other character. */
export class LineReader {
  readonly #limit: number;
  #parts: Uint8Array[] = [];
  #size = 0;
  #skipping = false;
  #first = true;

  /** @param limit bytes */
  constructor(limit: number = MAX_LINE_BYTES) {
    this.#limit = limit;
  }

  /** Reports a long line at once. */
  push(chunk: Uint8Array): Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#take(chunk.subarray(start, end), lines);
      this.#finish(lines);
      start = end + 1;
    }
    this.#take(chunk.subarray(start), lines);
    return lines;
  }

  end(): Line[] {
    const lines: Line[] = [];
    this.#finish(lines);
    return lines;
  }

  #take(part: Uint8Array, lines: Line[]): void {
    if (this.#skipping || part.length === 0) return;
    this.#size += part.length;
    if (this.#size <= this.#limit) {
      this.#parts.push(part);
      return;
    }
    lines.push(TOO_LONG);
    this.#parts = [];
    this.#skipping = true;
  }

  #finish(lines: Line[]): void {
    const skipped = this.#skipping;
    const bytes = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#size = 0;
    this.#skipping = false;
    if (skipped || bytes === undefined) return;
    const line = this.#decode(bytes);
    if (line) lines.push(line);
  }

  #decode(bytes: Uint8Array): Line | undefined {
    const marked = this.#first && BYTE_ORDER_MARK.equals(bytes.subarray(0, 3));
    this.#first = false;
    const rest = marked ? bytes.subarray(3) : bytes;
    if (!isUtf8(rest)) return NOT_UTF8;
    if (!isWithinBounds(rest)) return { kind: "too-much", id: idOf(rest) };
    const text = Buffer.from(rest.buffer, rest.byteOffset, rest.length).toString("utf8");
    return /^[ \t\r]*$/.test(text) ? undefined : { kind: "text", text };
  }
}

/** Past these bytes no call starts. */
const MAX_BACKLOG = 16 * 1024 * 1024;

type Done = (error?: Error | null) => void;

interface Outlet {
  write(chunk: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done): boolean;
  readonly writableLength: number;
  on(event: "error" | "close", listener: () => void): unknown;
}

/** Must not throw. */
interface Strays {
  write(chunk: string | Uint8Array): unknown;
}

interface OutputEvents {
  written(): void;
  /** Once, when the reader is gone. */
  closed(): void;
}

/** Others' writes go to `strays`, never between messages. */
class Output {
  readonly #stream: Outlet;
  readonly #write: (text: string, done: Done) => void;
  readonly release: () => void;
  readonly #events: OutputEvents;
  #unflushed = 0;
  #closed = false;
  #waiting: (() => void)[] = [];
  #waitingForRoom: (() => void)[] = [];

  constructor(stream: Outlet, strays: Strays, events: OutputEvents) {
    this.#stream = stream;
    this.#events = events;
    const write = stream.write.bind(stream);
    this.#write = (text, done) => write(text, "utf8", done);
    stream.write = (chunk, encoding, done) => {
      strays.write(typeof chunk === "string" && typeof encoding === "string" ? Buffer.from(chunk, encoding) : chunk);
      process.nextTick(typeof encoding === "function" ? encoding : (done ?? (() => {})));
      return true;
    };
    this.release = () => {
      stream.write = write;
    };
    // A late EPIPE would end the process.
    stream.on("error", () => this.#close());
    stream.on("close", () => this.#close());
  }

  get closed(): boolean {
    return this.#closed;
  }

  get load(): number {
    return this.#stream.writableLength / MAX_BACKLOG;
  }

  room(): Promise<void> {
    if (this.#closed || this.load < 1) return Promise.resolve();
    return new Promise((resolve) => this.#waitingForRoom.push(resolve));
  }

  send(text: string): void {
    if (this.#closed) return;
    this.#unflushed++;
    this.#write(`${text}\n`, () => {
      this.#unflushed--;
      this.#events.written();
      if (this.load < 1) wake(this.#waitingForRoom);
      if (this.#unflushed === 0) wake(this.#waiting);
    });
  }

  flushed(): Promise<void> {
    if (this.#closed || this.#unflushed === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    wake(this.#waitingForRoom);
    wake(this.#waiting);
    this.#events.closed();
  }
}

function wake(waiting: (() => void)[]): void {
  for (const resolve of waiting.splice(0)) resolve();
}
