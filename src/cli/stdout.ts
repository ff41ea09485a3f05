/** The way out for a process that answers once: written straight to the descriptor, as long as that takes no waiting. */
import fs from "node:fs";
import type { Outlet } from "../server/stdio/output.js";

type Done = (error?: Error | null) => void;
type Listener = readonly [event: "error" | "close", listener: () => void];

/** `process.stdout`, or in its place what spares Node's streams and sockets; who else asks for stdout then gets stderr. */
export function directStdout(): Outlet {
  const descriptor = openWithoutWaiting();
  const own = Object.getOwnPropertyDescriptor(process, "stdout");
  if (descriptor === undefined || own === undefined) return process.stdout;
  const real: Pick<NodeJS.Process, "stdout"> = Object.create(null, { stdout: own });
  Object.defineProperty(process, "stdout", { configurable: true, get: () => process.stderr });
  return new DirectOutput(descriptor, () => real.stdout);
}

/** A pipe is opened once more so that no writing to it makes us wait; a file or a terminal none does. Undefined: only the
 * stream will do. Windows' console wants more than bytes. */
function openWithoutWaiting(): number | undefined {
  try {
    const stat = fs.fstatSync(1);
    if (stat.isFile() || (stat.isCharacterDevice() && process.platform !== "win32")) return 1;
    if (!stat.isFIFO() || process.platform !== "linux") return undefined;
    return fs.openSync("/proc/self/fd/1", fs.constants.O_WRONLY | fs.constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}

class DirectOutput implements Outlet {
  readonly #descriptor: number;
  readonly #makeStream: () => NodeJS.WriteStream;
  /** Takes over with the first text that could not be written whole: the reader is slow, or has gone. */
  #stream: NodeJS.WriteStream | undefined;
  readonly #listeners: Listener[] = [];

  constructor(descriptor: number, makeStream: () => NodeJS.WriteStream) {
    this.#descriptor = descriptor;
    this.#makeStream = makeStream;
  }

  get writableLength(): number {
    return this.#stream?.writableLength ?? 0;
  }

  write(chunk: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done): boolean {
    const bytes =
      typeof chunk === "string" ? Buffer.from(chunk, typeof encoding === "string" ? encoding : "utf8") : chunk;
    const written = typeof encoding === "function" ? encoding : done;
    const rest = this.#stream ? bytes : bytes.subarray(this.#writeAtOnce(bytes));
    if (rest.length === 0) {
      if (written) process.nextTick(written);
      return true;
    }
    return (this.#stream ??= this.#openStream()).write(rest, written);
  }

  on(...listener: Listener): void {
    this.#listeners.push(listener);
    this.#stream?.on(...listener);
  }

  /** @returns how many of the bytes have left; what kept the others back is told by the stream */
  #writeAtOnce(bytes: Uint8Array): number {
    let length = 0;
    try {
      while (length < bytes.length) length += fs.writeSync(this.#descriptor, bytes, length);
    } catch {
      // EAGAIN, or nobody reads.
    }
    return length;
  }

  #openStream(): NodeJS.WriteStream {
    const stream = this.#makeStream();
    for (const [event, listener] of this.#listeners) stream.on(event, listener);
    return stream;
  }
}
