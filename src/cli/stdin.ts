/** The way in: what stands in stdin whole is taken at once, which spares a script's one call Node's streams and sockets (4 of 10 ms). */
import { EventEmitter } from "node:events";
import fs from "node:fs";
import type { Input } from "../server/stdio/stdio-server.js";

/** Bytes that are taken at once, as many as a pipe holds; of a longer input the rest comes through the stream. */
const MOST = 64 * 1024;

export interface ProgramInput extends Input {
  /** Whether nothing will follow what has been read. */
  readonly readableEnded: boolean;
  readonly destroyed: boolean;
}

/** `process.stdin`, or in its place all there is of it, where that can be known without waiting. */
export function openStdin(): ProgramInput {
  const { taken, ended } = takeAll();
  if (ended) return new TakenInput(taken);
  if (taken.length > 0) process.stdin.unshift(taken);
  return process.stdin;
}

interface Taken {
  readonly taken: Buffer;
  readonly ended: boolean;
}

const NOTHING: Taken = { taken: Buffer.alloc(0), ended: false };

/** Reads a file, or a pipe as far as it is filled. Sockets (what Node gives its children) and terminals cannot be read without waiting. */
function takeAll(): Taken {
  try {
    const stat = fs.fstatSync(0);
    if (stat.isFile()) return readAll(0);
    return stat.isFIFO() && process.platform === "linux" ? readPipe() : NOTHING;
  } catch {
    return NOTHING;
  }
}

/** Opened once more the pipe does not make us wait, and whoever shares the descriptor we were given notices nothing. */
function readPipe(): Taken {
  const pipe = fs.openSync("/proc/self/fd/0", fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    return readAll(pipe);
  } finally {
    fs.closeSync(pipe);
  }
}

function readAll(descriptor: number): Taken {
  const buffer = Buffer.allocUnsafe(MOST);
  let length = 0;
  let ended = false;
  try {
    while (!ended && length < MOST) {
      const read = fs.readSync(descriptor, buffer, length, MOST - length, null);
      length += read;
      ended = read === 0;
    }
  } catch {
    // EAGAIN: whoever writes is not done yet. Other errors come again from the stream.
  }
  return { taken: buffer.subarray(0, length), ended };
}

/** An input that has been read to its end. */
class TakenInput extends EventEmitter implements ProgramInput {
  readonly readableEnded = true;
  #taken: Buffer | undefined;
  destroyed = false;

  constructor(taken: Buffer) {
    super();
    this.#taken = taken;
  }

  resume(): void {
    const taken = this.#taken;
    if (taken === undefined) return;
    this.#taken = undefined;
    process.nextTick(() => {
      this.emit("data", taken);
      this.emit("end");
    });
  }

  /** It is too little to be worth stopping. */
  pause(): void {}

  isPaused(): boolean {
    return false;
  }

  destroy(): void {
    this.destroyed = true;
  }
}
