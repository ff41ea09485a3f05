/** One stdio connection inside the test's own process: the server at one end of injected streams, the test at the other. */
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { serveStdio, type StdioOptions } from "../../src/server/stdio/stdio-server.js";
import { fixtureFacts } from "./fixture-tools.js";

/** A message (or batch) from the server, loosely typed: tests compare it with what it should be. */
export interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export class StdioSession {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly signals = Object.assign(new EventEmitter(), { exit: (code: number) => void this.exits.push(code) });
  /** The codes the process was told to exit with, which only happens when it could not end by itself. */
  readonly exits: number[] = [];
  readonly code: Promise<number>;
  #out = "";
  /** How much of it `#parsed` holds. */
  #read = 0;
  readonly #parsed: (Message | Message[])[] = [];
  #err = "";
  #arrived: (() => void)[] = [];

  constructor(options: Partial<StdioOptions> = {}) {
    this.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#out += text;
      const arrived = this.#arrived;
      this.#arrived = [];
      for (const wake of arrived) wake();
    });
    this.stderr.setEncoding("utf8").on("data", (text: string) => (this.#err += text));
    const { stdin, stdout, stderr, signals } = this;
    this.code = serveStdio({ ...fixtureFacts, toolErrors: "result", stdin, stdout, stderr, signals, ...options });
  }

  get errors(): string {
    return this.#err;
  }

  get raw(): string {
    return this.#out;
  }

  get received(): (Message | Message[])[] {
    const rest = this.#out.slice(this.#read);
    this.#read = this.#out.length;
    for (const line of rest.split("\n")) if (line !== "") this.#parsed.push(JSON.parse(line) as Message | Message[]);
    return this.#parsed;
  }

  get messages(): Message[] {
    return this.received.flatMap((message) => (Array.isArray(message) ? [] : [message]));
  }

  send(...messages: unknown[]): this {
    for (const message of messages) this.stdin.write(`${JSON.stringify(message)}\n`);
    return this;
  }

  call(id: unknown, name: string, args: unknown = {}, more: object = {}): this {
    return this.send({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args, ...more } });
  }

  async until(fits: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(fits);
      if (found) return found;
      await new Promise<void>((resolve) => this.#arrived.push(resolve));
    }
  }

  answer(id: unknown): Promise<Message> {
    return this.until((message) => message.id === id && message.method === undefined);
  }

  initialize(id: unknown = "init"): Promise<Message> {
    this.send({ jsonrpc: "2.0", id, method: "initialize", params: INITIALIZE_PARAMS });
    this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return this.answer(id);
  }

  async end(text = ""): Promise<(Message | Message[])[]> {
    this.stdin.end(text);
    await this.code;
    return this.received;
  }
}

export const INITIALIZE_PARAMS = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
};

/** The `_meta` of every request of a 2026-07-28 peer. */
export const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
