/** Splits stdin into lines of limited size, and writes messages to stdout as lines of JSON; other output goes to stderr. */
import { isUtf8 } from "node:buffer";
import { idOf, isWithinBounds } from "../json-bounds.js";

const MAX_LINE_BYTES = 32 * 1024 * 1024;

export type Line =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "too-long" }
  /** See `json-bounds.ts`. */
  | { readonly kind: "too-much"; readonly id: string | number | undefined }
  | { readonly kind: "not-utf8" };

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const TOO_LONG: Line = { kind: "too-long" };
const NOT_UTF8: Line = { kind: "not-utf8" };

/** Splits before decoding: no other UTF-8 character contains the byte `\n`. */
export class LineReader {
  readonly #limit: number;
  #parts: Uint8Array[] = [];
  #size = 0;
  #skipping = false;
  #first = true;

  /** @param limit bytes, without `\n` */
  constructor(limit: number = MAX_LINE_BYTES) {
    this.#limit = limit;
  }

  /** Skips blank lines. Reports a line past the limit at once. */
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

/** Unread bytes past which no call starts. */
const MAX_BACKLOG = 16 * 1024 * 1024;

type Done = (error?: Error | null) => void;

export interface Outlet {
  write(chunk: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done): boolean;
  readonly writableLength: number;
  on(event: "error" | "close", listener: () => void): unknown;
}

/** Must not throw. */
export interface Strays {
  write(chunk: string | Uint8Array): unknown;
}

interface OutputEvents {
  written(): void;
  /** Once, when the reader is gone (EPIPE, closed stream). */
  closed(): void;
}

/** Redirects others' writes to `strays`, so that none lands between messages. */
export class Output {
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
    // Never removed: a late EPIPE would end the process.
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
