/** The deprecated HTTP+SSE transport (2024-11-05). The SDK's package would add Express. */
import { randomUUID } from "node:crypto";
import type { Log } from "../../../log.js";
import { traceOf } from "../../../tools/outcome.js";
import type { McpPeer } from "../../sdk-server.js";
import { parseBody, readBody } from "../body.js";
import { EventStream } from "../event-stream.js";
import { ALREADY_SENT, type HttpContext } from "../context.js";
import { callerId } from "../guards.js";
import { Refusal, unavailable } from "../refusal.js";
import { readPostBody } from "./mcp-endpoint.js";

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_STREAMS = 1000;

interface OpenStream {
  readonly caller: string;
  readonly events: EventStream;
  readonly peer: McpPeer;
}

export function legacyStreams(log: Log) {
  const streams = new Map<string, OpenStream>();

  /** `GET /sse`. */
  async function listen(c: HttpContext): Promise<Response> {
    const { caller, view } = c.get("by");
    const { outgoing: response, open } = c.env;
    if (streams.size >= MAX_STREAMS) throw unavailable("Too many sessions", "Too many streams are open.", 5);
    const { sessionPeer } = await import("./sdk-http.js");
    const mcp = view.newEnd();
    const id = randomUUID();
    open.isStream = true;
    const events = new EventStream(response, {}, caller.isStillValid);
    const peer = await sessionPeer(mcp, (message) => events.send(message));
    streams.set(id, { caller: callerId(caller), events, peer });
    const end = () => {
      streams.delete(id);
      mcp.subscriptions.close();
      peer.close().catch((error: unknown) => log.debug("A stream did not close cleanly", traceOf(error)));
    };
    if (response.destroyed) end();
    else response.once("close", end);
    events.event("endpoint", `/messages?sessionId=${id}`);
    return ALREADY_SENT;
  }

  /** `POST /messages?sessionId=...`; answers go to the stream. */
  async function post(c: HttpContext): Promise<Response> {
    const body = await readBody(c, MAX_BYTES);
    const open = streams.get(c.req.query("sessionId") ?? "");
    if (open?.caller !== callerId(c.get("by").caller))
      throw new Refusal(404, "Session not found", "This stream has ended.");
    const { messages, faults } = readPostBody(parseBody(body), true);
    for (const fault of faults) open.events.send(fault);
    for (const message of messages) open.peer.receive(message);
    return c.body(null, 202);
  }

  function close(): void {
    for (const { events } of streams.values()) events.end();
  }

  return { listen, post, close };
}

export type LegacySse = ReturnType<typeof legacyStreams>;
