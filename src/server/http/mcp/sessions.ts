/** Sessions of 2025-era clients, limited in number and idle time. */
import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Log } from "../../../log.js";
import { traceOf } from "../../../tools/outcome.js";
import { INVALID_REQUEST, errorAnswer, isRpcId, type RpcId, type RpcMessage } from "../../rpc.js";
import type { McpPeer } from "../../sdk-server.js";
import type { CallerView } from "../caller-view.js";
import { Refusal, unavailable } from "../refusal.js";
import { EventStream, type MayListen } from "../event-stream.js";
import { type PostBody, PostResponse } from "./post-response.js";

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

  /** @throws Refusal 404 for an unknown id or another caller's session */
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

  /** Ends the least recently used idle one, preferably without a stream. */
  #makeRoom(): void {
    const all = [...this.#open.values()].filter(({ busy }) => !busy);
    const oldest = all.find(({ streams }) => !streams) ?? all[0];
    if (!oldest) throw unavailable("Too many sessions", "All sessions are busy. Try again later.", 5);
    this.end(oldest);
  }
}

type Connect = (send: (message: RpcMessage, related: RpcId | undefined) => void) => Promise<McpPeer>;

const SESSION_HEADER = "Mcp-Session-Id";

/** Matches answers to requests; other messages go to the open stream. */
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

  /** @param onRefused when the protocol refuses the first request */
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

  /** For messages without a request; replaces an older stream. */
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

  /** MCP leaves a cancelled request unanswered; HTTP cannot. */
  #cancel(id: unknown): void {
    if (!isRpcId(id)) return;
    const answers = this.#waiting.get(id);
    this.#waiting.delete(id);
    answers?.answer(id, undefined);
  }
}

const REPEATED = { code: INVALID_REQUEST, message: "Invalid Request: a request of this id is not answered yet." };

/** As the SDK's transport; clients react to the status. */
const SESSION_NOT_FOUND = -32001;

function unknownSession(): Refusal {
  return new Refusal(404, "Session not found", "Session not found: it has ended. Begin a new one with initialize.", {
    number: SESSION_NOT_FOUND,
  });
}
