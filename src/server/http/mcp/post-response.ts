/** Answers one POST: JSON, or a stream when something precedes the last answer. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { gzip } from "node:zlib";
import { BatchAnswers, type RpcAnswer, type RpcId, type RpcMessage, type RpcRequest } from "../../rpc.js";
import { EventStream } from "../event-stream.js";
import { takesGzip } from "../guards.js";

const MIN_COMPRESSED = 1024;

/** The page may be far away; for programs, mostly near, compressing costs more than it saves. */
function takesCompressed({ headers }: IncomingMessage): boolean {
  return headers["sec-fetch-site"] === "same-origin" && takesGzip(String(headers["accept-encoding"]));
}

export class PostResponse {
  readonly requests: readonly RpcRequest[];
  readonly #posted: PostBody;
  readonly #response: ServerResponse;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #left: Set<RpcId>;
  readonly #answers = new BatchAnswers();
  #stream: EventStream | undefined;
  #begun = false;

  constructor(posted: PostBody, response: ServerResponse, headers: Readonly<Record<string, string>> = {}) {
    this.#posted = posted;
    this.#response = response;
    this.#headers = headers;
    this.requests = posted.messages.filter((message) => "method" in message && "id" in message);
    this.#left = new Set(this.requests.map(({ id }) => id));
    for (const fault of posted.faults) this.#answers.add(fault);
  }

  begin(): void {
    this.#begun = true;
    if (this.#left.size === 0) this.#finish();
  }

  notify(message: RpcMessage): void {
    if (!this.#posted.streams || this.#isOver()) return;
    this.#openStream().send(message);
  }

  answer(id: RpcId, answer: RpcAnswer | undefined): void {
    if (!this.#left.delete(id)) return;
    if (answer && this.#stream) this.#stream.send(answer);
    else this.#answers.add(answer);
    if (this.#begun && this.#left.size === 0) this.#finish();
  }

  abandon(): void {
    this.#left.clear();
    this.#finish();
  }

  #openStream(): EventStream {
    if (this.#stream) return this.#stream;
    this.#stream = new EventStream(this.#response, this.#headers);
    for (const text of this.#answers.take()) this.#stream.event("message", text);
    return this.#stream;
  }

  #finish(): void {
    if (this.#isOver()) return;
    if (this.#stream) return this.#stream.end();
    const body = this.#posted.isBatch ? this.#answers.text() : this.#answers.take()[0];
    if (body === undefined) return void this.#response.writeHead(202, { "Content-Length": 0 }).end();
    const bytes = Buffer.from(body);
    if (bytes.length < MIN_COMPRESSED || !takesCompressed(this.#response.req)) return this.#send(bytes);
    gzip(bytes, (error, packed) => (error ? this.#send(bytes) : this.#send(packed, { "Content-Encoding": "gzip" })));
  }

  #send(bytes: Buffer, coding: Readonly<Record<string, string>> = {}): void {
    if (this.#isOver()) return;
    const headers = { "Content-Type": "application/json", "Content-Length": bytes.length, ...coding, ...this.#headers };
    this.#response.writeHead(this.#status(), headers).end(bytes);
  }

  /** 400 for a body without a message; errors about messages are ordinary answers. */
  #status(): number {
    return !this.#posted.isBatch && this.#posted.faults.length > 0 ? 400 : 200;
  }

  #isOver(): boolean {
    return this.#response.writableEnded || this.#response.destroyed;
  }
}

export interface PostBody {
  readonly messages: readonly RpcMessage[];
  readonly faults: readonly RpcAnswer[];
  readonly isBatch: boolean;
  readonly streams: boolean;
}
