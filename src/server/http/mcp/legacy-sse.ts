/**
 * The HTTP+SSE transport of 2024-11-05, deprecated since and served on request only: one stream for all answers, and a path to post to. Our
 * own code, because the SDK's package for it brings Express middleware, OAuth and another version of the SDK's core.
 */
import { randomUUID } from "node:crypto";
import type { Log } from "../../../log.js";
import { traceOf } from "../../../tools/outcome.js";
import type { McpPeer } from "../../sdk-server.js";
import { parseBody, readBody } from "../body.js";
import { EventStream } from "../event-stream.js";
import { sendNothing, type HttpExchange } from "../exchange.js";
import type { CalledBy } from "./mcp-endpoint.js";
import { readPostBody } from "./post-body.js";
import { Refusal, methodNotAllowed } from "../refusal.js";

const MOST_BYTES = 16 * 1024 * 1024;
const MOST_STREAMS = 1000;

interface OpenStream {
  readonly caller: string;
  readonly events: EventStream;
  readonly peer: McpPeer;
}

export class LegacySse {
  readonly #log: Log;
  readonly #open = new Map<string, OpenStream>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** `GET /sse`: opens the stream and says where to post. @throws Refusal */
  async listen(exchange: HttpExchange, { caller, view }: CalledBy): Promise<void> {
    const { request, response } = exchange;
    if (request.method !== "GET") throw methodNotAllowed(["GET", "OPTIONS"]);
    if (this.#open.size >= MOST_STREAMS)
      throw new Refusal(503, "Too many sessions", "Too many streams are open.", { headers: { "Retry-After": "5" } });
    const { sessionPeer } = await import("./sdk-http.js");
    const { mcp } = view.newEnd();
    const id = randomUUID();
    exchange.lasting = true;
    const events = new EventStream(response);
    const peer = await sessionPeer(mcp, (message) => events.send(message));
    this.#open.set(id, { caller: caller.name, events, peer });
    const end = () => {
      this.#open.delete(id);
      mcp.subscriptions.close();
      peer.close().catch((error: unknown) => this.#log.debug("A stream did not close cleanly", traceOf(error)));
    };
    if (response.destroyed) return end();
    response.once("close", end);
    events.event("endpoint", `/messages?sessionId=${id}`);
  }

  /** `POST /messages?sessionId=...`: takes messages in; what is to be answered is answered on the stream. @throws Refusal */
  async post(exchange: HttpExchange, { caller }: CalledBy): Promise<void> {
    if (exchange.request.method !== "POST") throw methodNotAllowed(["POST", "OPTIONS"]);
    const body = await readBody(exchange, MOST_BYTES);
    const open = this.#open.get(new URLSearchParams(exchange.query).get("sessionId") ?? "");
    if (open?.caller !== caller.name) throw new Refusal(404, "Session not found", "This stream has ended.");
    const { messages, faults } = readPostBody(parseBody(body), true);
    sendNothing(exchange.response, 202);
    for (const fault of faults) open.events.send(fault);
    for (const message of messages) open.peer.receive(message);
  }

  close(): void {
    for (const { events } of this.#open.values()) events.end();
  }
}
