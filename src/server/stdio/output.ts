/** Writes messages to stdout as whole lines of JSON; all other output goes to stderr. */

/** Unread bytes after which no further answer is started; running ones still add theirs. */
const MAX_BACKLOG = 16 * 1024 * 1024;

type Done = (error?: Error | null) => void;

export interface Outlet {
  write(chunk: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done): boolean;
  /** Bytes the reader has not taken yet. */
  readonly writableLength: number;
  on(event: "error" | "close", listener: () => void): unknown;
}

/** Takes text that is no message; must not throw. */
export interface Strays {
  write(chunk: string | Uint8Array): unknown;
}

export interface OutputEvents {
  /** A line has been flushed. */
  written(): void;
  /** Called once, when the reader has gone (EPIPE, closed stream). */
  closed(): void;
}

/**
 * Also redirects what others write to the stream to `strays`, so that a dependency's output never lands between
 * messages.
 */
export class Output {
  readonly #stream: Outlet;
  readonly #write: (text: string, done: Done) => void;
  readonly #restore: () => void;
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
    this.#restore = () => {
      stream.write = write;
    };
    // Never removed: a late EPIPE would otherwise end the process with a stack trace.
    stream.on("error", () => this.#close());
    stream.on("close", () => this.#close());
  }

  get closed(): boolean {
    return this.#closed;
  }

  get load(): number {
    return this.#stream.writableLength / MAX_BACKLOG;
  }

  /** Resolves when the reader has read enough, or has gone. */
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

  /** Resolves when every line so far has been flushed, or the reader has gone. */
  flushed(): Promise<void> {
    if (this.#closed || this.#unflushed === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  release(): void {
    this.#restore();
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
