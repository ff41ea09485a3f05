/** `/mcp`: requests of both eras, with or without a session (docs: http, "The endpoint /mcp"). */
import { isRecord } from "../../../text/decoded.js";
import { putNewest } from "../../../async/put-newest.js";
import type { Log } from "../../../log.js";
import {
  asFailure,
  errorAnswer,
  INVALID_REQUEST,
  MAX_BATCH,
  readMessage,
  type RpcAnswer,
  type RpcMessage,
} from "../../rpc.js";
import type { Dispatcher, RequestContext } from "../../dispatch.js";
import { parseBody, readBody } from "../body.js";
import { assertToolAskedFor, MAX_VIEWS, type CallerView } from "../caller-view.js";
import { ALREADY_SENT, type HttpContext } from "../context.js";
import { singleHeader, callerId } from "../guards.js";
import { Refusal, methodNotAllowed } from "../refusal.js";
import { PostResponse, type PostBody, type Session, type Sessions } from "./sessions.js";
import type { ModernEndpoint } from "./sdk-http.js";

const loadProtocol = () => import("./sdk-http.js");

const MAX_BYTES = 16 * 1024 * 1024;

export function mcpEndpoint(sessions: Sessions, log: Log) {
  const modern = new Map<CallerView, Promise<ModernEndpoint>>();

  async function close(): Promise<void> {
    for (const made of await Promise.allSettled(modern.values()))
      if (made.status === "fulfilled") await made.value.close();
  }

  async function post(c: HttpContext): Promise<Response> {
    const { caller, view } = c.get("by");
    const body = parseBody(await readBody(c, MAX_BYTES));
    assertAskedFor(c, body);
    const { SESSION_VERSIONS, eraOf } = await loadProtocol();
    if (eraOf(c.env.incoming.headers, body) === "modern") return (await modernFor(view)).serve(c, body);
    checkVersion(c, SESSION_VERSIONS);
    const posted = readPostBody(body, (c.env.incoming.headers.accept ?? "").includes("text/event-stream"));
    const begins = posted.messages.some(
      (message) => "method" in message && "id" in message && message.method === "initialize",
    );
    const id = sessionId(c);
    if (begins) await begin(posted, id, c);
    else if (id === undefined) await answerStateless(c, posted, view.dispatcher, log);
    else await sessions.find(id, callerId(caller)).post(posted, c.env.outgoing);
    return ALREADY_SENT;
  }

  /** Does not cache a failure. */
  function modernFor(view: CallerView): Promise<ModernEndpoint> {
    const known = modern.get(view);
    const made = known ?? loadProtocol().then(({ modernEndpoint }) => modernEndpoint(view.shared));
    putNewest(modern, view, made, MAX_VIEWS);
    if (!known) made.catch(() => modern.delete(view));
    return made;
  }

  async function begin(posted: PostBody, id: string | undefined, c: HttpContext): Promise<void> {
    const { caller, view } = c.get("by");
    // Some programs keep sending an ended session's id.
    if (id !== undefined && sessions.isOpen(id, callerId(caller)))
      throw malformedBody("this session has begun already.");
    if (posted.messages.length > 1) throw malformedBody("initialize comes alone.");
    const session = await sessions.begin(view, callerId(caller));
    await session.post(posted, c.env.outgoing, () => sessions.end(session));
  }

  async function listen(c: HttpContext): Promise<Response> {
    const session = await sessionOf(c);
    if (!/text\/event-stream|\*\/\*/.test(c.env.incoming.headers.accept ?? ""))
      throw new Refusal(406, "Not acceptable", "The answer is a stream: accept text/event-stream.");
    c.env.open.isStream = true;
    session.listen(c.env.outgoing, c.get("by").caller.isStillValid);
    return ALREADY_SENT;
  }

  async function end(c: HttpContext): Promise<Response> {
    sessions.end(await sessionOf(c));
    return c.body(null, 204);
  }

  async function sessionOf(c: HttpContext): Promise<Session> {
    const { SESSION_VERSIONS } = await loadProtocol();
    const id = sessionId(c);
    if (id === undefined) throw methodNotAllowed(["POST", "OPTIONS"]);
    checkVersion(c, SESSION_VERSIONS);
    return sessions.find(id, callerId(c.get("by").caller));
  }

  return { handlers: { GET: listen, POST: post, DELETE: end }, close };
}

export type McpEndpoint = ReturnType<typeof mcpEndpoint>;

function assertAskedFor(c: HttpContext, body: unknown): void {
  if (c.get("by").caller.stepUp === undefined) return;
  for (const message of Array.isArray(body) ? (body as unknown[]) : [body])
    if (isRecord(message) && message["method"] === "tools/call" && isRecord(message["params"]))
      assertToolAskedFor(c.get("by"), message["params"]["name"]);
}

function sessionId(c: HttpContext): string | undefined {
  const id = singleHeader(c.env.incoming, "mcp-session-id");
  if (id === false) throw malformedBody("several Mcp-Session-Id headers.");
  return id;
}

function checkVersion(c: HttpContext, known: readonly string[]): void {
  const version = singleHeader(c.env.incoming, "mcp-protocol-version");
  if (version === undefined || (version !== false && known.includes(version))) return;
  throw new Refusal(400, "Bad request", `Unsupported MCP-Protocol-Version; supported are ${known.join(", ")}.`);
}

/** @throws Refusal 400 for an empty or long batch */
export function readPostBody(body: unknown, streams: boolean): PostBody {
  const isBatch = Array.isArray(body);
  const elements: readonly unknown[] = isBatch ? body : [body];
  if (elements.length === 0) throw malformedBody("an empty batch.");
  if (elements.length > MAX_BATCH) throw malformedBody(`a batch may have at most ${MAX_BATCH} messages.`);
  const messages: RpcMessage[] = [];
  const faults: RpcAnswer[] = [];
  for (const element of elements) {
    const incoming = readMessage(element);
    if (incoming.kind === "fault") faults.push(errorAnswer(incoming.id ?? null, incoming.error));
    else messages.push(incoming.message);
  }
  return { messages, faults, isBatch, streams };
}

function malformedBody(reason: string): Refusal {
  return new Refusal(400, "Bad request", `Invalid Request: ${reason}`, { number: INVALID_REQUEST });
}

async function answerStateless(c: HttpContext, posted: PostBody, dispatcher: Dispatcher, log: Log): Promise<void> {
  const answers = new PostResponse(posted, c.env.outgoing);
  const notify: RequestContext["notify"] = (method, params) => answers.notify({ jsonrpc: "2.0", method, params });
  const context = {
    era: "legacy",
    notify,
    // Lazy: few handlers need it.
    get signal() {
      return c.req.raw.signal;
    },
  } as const;
  answers.begin();
  await Promise.all(
    answers.requests.map(async ({ id, method, params = {} }) => {
      try {
        const result = await dispatcher.dispatch(method, params, context);
        answers.answer(id, { jsonrpc: "2.0", id, result });
      } catch (error) {
        answers.answer(id, errorAnswer(id, asFailure(error, log)));
      }
    }),
  );
}
