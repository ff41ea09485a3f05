/** Writes messages to stdout as lines of JSON; other output goes to stderr. */

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
