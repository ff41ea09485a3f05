/** Sends one request over and over on connections that stay open, and counts: cheap enough not to be what is measured. */
import { connect } from "node:net";

const END_OF_HEAD = Buffer.from("\r\n\r\n");

/** A request as bytes; `headers` besides Host, Content-Type and Content-Length. */
export function requestBytes({ port, path, headers = {}, body }) {
  const text = JSON.stringify(body);
  const lines = {
    Host: `127.0.0.1:${port}`,
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    ...headers,
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n${text}`);
}

/** One connection: answers are told apart by their length, and each must begin as the first one did. */
class Connection {
  #socket;
  #rest = Buffer.alloc(0);
  #answered;
  #failed;

  constructor(port) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.on("error", (error) => this.#failed?.(error));
    this.#socket.on("close", () => this.#failed?.(new Error("the server closed a connection")));
    this.#socket.on("data", (part) => this.#take(part));
  }

  #take(part) {
    this.#rest = this.#rest.length === 0 ? part : Buffer.concat([this.#rest, part]);
    const end = this.#rest.indexOf(END_OF_HEAD);
    if (end < 0) return;
    const head = this.#rest.toString("latin1", 0, end);
    const length = /^content-length: (\d+)/im.exec(head)?.[1];
    const chunked = length === undefined;
    const size = chunked ? this.#rest.indexOf("0\r\n\r\n", end) + 5 : end + 4 + Number(length);
    if (this.#rest.length < size || size < end + 4) return;
    const body = this.#rest.subarray(end + 4, size);
    this.#rest = this.#rest.subarray(size);
    this.#answered?.({ head, body });
  }

  ask(bytes) {
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      this.#socket.write(bytes);
    });
  }

  close() {
    this.#failed = undefined;
    this.#socket.destroy();
  }
}

/** Asks once. @returns {Promise<{ head: string, body: Buffer }>} */
export async function askOnce(port, bytes) {
  const connection = new Connection(port);
  try {
    return await connection.ask(bytes);
  } finally {
    connection.close();
  }
}

/**
 * As many requests as are answered in so many milliseconds, one after the other on each connection.
 * @returns {Promise<{ rate: number, answers: number, waits: number[] }>} answers a second, and the milliseconds each was waited for
 * @throws Error for an answer of another length than the first
 */
export async function load({ port, bytes, connections, ms }) {
  const open = Array.from({ length: connections }, () => new Connection(port));
  const { body } = await open[0].ask(bytes);
  const waits = [];
  const start = performance.now();
  const end = start + ms;
  await Promise.all(
    open.map(async (connection) => {
      for (let asked = start; asked < end;) {
        const { body: other } = await connection.ask(bytes);
        if (other.length !== body.length) throw new Error(`another answer: ${other.toString("utf8", 0, 500)}`);
        const answered = performance.now();
        waits.push(answered - asked);
        asked = answered;
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  for (const connection of open) connection.close();
  return { rate: waits.length / seconds, answers: waits.length, waits };
}
