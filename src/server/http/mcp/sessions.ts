/** Sessions of 2025-era clients, and their answers to a POST. */
import { randomUUID } from "node:crypto";
import type { ServerResponse, IncomingMessage } from "node:http";
import type { Log } from "../../../log.js";
import { traceOf } from "../../../tools/outcome.js";
import {
  INVALID_REQUEST,
  errorAnswer,
  isRpcId,
  type RpcId,
  type RpcMessage,
  BatchAnswers,
  type RpcAnswer,
  type RpcRequest,
} from "../../rpc.js";
import type { McpPeer } from "../../sdk-server.js";
import type { CallerView } from "../caller-view.js";
import { Refusal, unavailable } from "../refusal.js";
import { EventStream, type MayListen } from "../event-stream.js";
import { gzip } from "node:zlib";
import { takesGzip } from "../guards.js";

/** `idleMs`: without a request or an open stream. */
export const SESSION_LIMITS = { idleMs: 30 * 60_000, most: 1000 };
export type SessionLimits = Readonly<typeof SESSION_LIMITS>;

export class Sessions {
  readonly #limits: SessionLimits;
  readonly #log: Log;
  readonly #open = new Map<string, Session>();
  readonly #sweeping: NodeJS.Timeout;

  constructor(log: Log, limits: SessionLimits = SESSION_LIMITS) {
    this.#log = log;
    this.#limits = limits;
    this.#sweeping = setInterval(() => this.#sweep(), Math.min(60_000, limits.idleMs / 2)).unref();
  }

  get size(): number {
    return this.#open.size;
  }

  /** @throws Refusal 503 when all sessions are busy */
  async begin(view: CallerView, caller: string): Promise<Session> {
    const { sessionPeer } = await import("./sdk-http.js");
    if (this.#open.size >= this.#limits.most) this.#makeRoom();
    const mcp = view.newEnd();
    const connect: Connect = (send) => sessionPeer(mcp, send);
    const session = new Session(caller, connect, () => mcp.subscriptions.close());
    this.#open.set(session.id, session);
    return session;
  }

  isOpen(id: string, caller: string): boolean {
    return this.#open.get(id)?.caller === caller;
  }

  /** @throws Refusal 404 */
  find(id: string, caller: string): Session {
    const session = this.#open.get(id);
    if (session?.caller !== caller) throw unknownSession();
    session.lastUsed = performance.now();
    this.#open.delete(id);
    this.#open.set(id, session);
    return session;
  }

  end(session: Session): void {
    this.#open.delete(session.id);
    session.close().catch((error: unknown) => this.#log.debug("A session did not close cleanly", traceOf(error)));
  }

  close(): void {
    clearInterval(this.#sweeping);
    for (const session of this.#open.values()) this.end(session);
  }

  #sweep(): void {
    const latest = performance.now() - this.#limits.idleMs;
    for (const session of this.#open.values())
      if (session.lastUsed < latest && !session.busy && !session.streams) this.end(session);
  }

  /** The least recently used idle one, preferably without a stream. */
  #makeRoom(): void {
    const all = [...this.#open.values()].filter(({ busy }) => !busy);
    const oldest = all.find(({ streams }) => !streams) ?? all[0];
    if (!oldest) throw unavailable("Too many sessions", "All sessions are busy. Try again later.", 5);
    this.end(oldest);
  }
}

type Connect = (send: (message: RpcMessage, related: RpcId | undefined) => void) => Promise<McpPeer>;

const SESSION_HEADER = "Mcp-Session-Id";

/** Messages that answer no request go to the open stream. */
export class Session {
  readonly id = randomUUID();
  readonly caller: string;
  /** Monotonic milliseconds. */
  lastUsed = performance.now();
  readonly #peer: Promise<McpPeer>;
  readonly #release: () => void;
  readonly #waiting = new Map<RpcId, PostResponse>();
  #stream: EventStream | undefined;
  #closed = false;
  #onRefused: (() => void) | undefined;

  constructor(caller: string, connect: Connect, release: () => void) {
    this.caller = caller;
    this.#release = release;
    this.#peer = connect((message, related) => this.#send(message, related));
  }

  get busy(): boolean {
    return this.#waiting.size > 0;
  }

  get streams(): boolean {
    return this.#stream !== undefined;
  }

  /** @param onRefused for the first request */
  async post(posted: PostBody, response: ServerResponse, onRefused?: () => void): Promise<void> {
    this.#onRefused ??= onRefused;
    const peer = await this.#peer;
    if (this.#closed) throw unknownSession();
    const answers = new PostResponse(posted, response, { [SESSION_HEADER]: this.id });
    for (const { id } of answers.requests) {
      if (this.#waiting.has(id)) answers.answer(id, errorAnswer(id, REPEATED));
      else this.#waiting.set(id, answers);
    }
    answers.begin();
    for (const message of posted.messages) {
      const isRepeated = "method" in message && "id" in message && this.#waiting.get(message.id) !== answers;
      if (isRepeated) continue;
      peer.receive(message);
      if ("method" in message && message.method === "notifications/cancelled")
        this.#cancel(message.params?.["requestId"]);
    }
  }

  /** Replaces an older stream. */
  listen(response: ServerResponse, mayListen?: MayListen): void {
    this.#stream?.end();
    const stream = (this.#stream = new EventStream(response, { [SESSION_HEADER]: this.id }, mayListen));
    response.once("close", () => {
      this.lastUsed = performance.now();
      if (this.#stream === stream) this.#stream = undefined;
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#release();
    this.#stream?.end();
    for (const answers of new Set(this.#waiting.values())) answers.abandon();
    this.#waiting.clear();
    await this.#peer.then(
      (peer) => peer.close(),
      () => {},
    );
  }

  #send(message: RpcMessage, related: RpcId | undefined): void {
    if (!("method" in message)) {
      const answers = isRpcId(message.id) ? this.#waiting.get(message.id) : undefined;
      if (!isRpcId(message.id) || !answers) return;
      this.#waiting.delete(message.id);
      answers.answer(message.id, message);
      if ("error" in message) this.#onRefused?.();
      this.#onRefused = undefined;
    } else if (related === undefined) this.#stream?.send(message);
    else this.#waiting.get(related)?.notify(message);
  }

  /** MCP leaves it unanswered; HTTP cannot. */
  #cancel(id: unknown): void {
    if (!isRpcId(id)) return;
    const answers = this.#waiting.get(id);
    this.#waiting.delete(id);
    answers?.answer(id, undefined);
  }
}

const REPEATED = { code: INVALID_REQUEST, message: "Invalid Request: a request of this id is not answered yet." };

/** As in the SDK; clients react to the status. */
const SESSION_NOT_FOUND = -32001;

function unknownSession(): Refusal {
  return new Refusal(404, "Session not found", "Session not found: it has ended. Begin a new one with initialize.", {
    number: SESSION_NOT_FOUND,
  });
}

const MIN_COMPRESSED = 1024;

/** Near programs would lose more than they save. */
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

  /** 400 for a body without a message. */
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
