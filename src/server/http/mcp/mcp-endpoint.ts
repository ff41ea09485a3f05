/** `/mcp` (spec: http, section 1): requests of both eras, with a session, without one, or as bare as the bridge document's `curl`. */
import type { Log } from "../../../log.js";
import { answerStateless } from "./stateless.js";
import { parseBody, readBody } from "../body.js";
import { sendNothing, singleHeader, type HttpExchange } from "../exchange.js";
import type { Caller } from "../guards.js";
import type { CallerView } from "../caller-view.js";
import { malformedBody, readPostBody, type PostBody } from "./post-body.js";
import { Refusal, methodNotAllowed } from "../refusal.js";
import type { Session } from "./session.js";
import type { Sessions } from "./sessions.js";

type Protocol = typeof import("./sdk-http.js");
type ModernEndpoint = Awaited<ReturnType<Protocol["modernEndpoint"]>>;

const MOST_BYTES = 16 * 1024 * 1024;

export interface CalledBy {
  readonly caller: Caller;
  readonly view: CallerView;
}

export class McpEndpoint {
  readonly #sessions: Sessions;
  readonly #log: Log;
  readonly #modern = new Map<CallerView, Promise<ModernEndpoint>>();
  #loading: Promise<Protocol> | undefined;

  constructor(sessions: Sessions, log: Log) {
    this.#sessions = sessions;
    this.#log = log;
  }

  /** @throws Refusal */
  async serve(exchange: HttpExchange, by: CalledBy): Promise<void> {
    const { method } = exchange.request;
    if (method === "POST") return this.#post(exchange, by);
    if (method === "GET") return this.#listen(exchange, by);
    if (method === "DELETE") return this.#end(exchange, by);
    throw methodNotAllowed(["GET", "POST", "DELETE", "OPTIONS"]);
  }

  /** Ends the streams of those who listen without a session. */
  async close(): Promise<void> {
    for (const made of await Promise.allSettled(this.#modern.values()))
      if (made.status === "fulfilled") await made.value.close();
  }

  async #post(exchange: HttpExchange, by: CalledBy): Promise<void> {
    const { request, response } = exchange;
    const body = parseBody(await readBody(exchange, MOST_BYTES));
    const { SESSION_VERSIONS, eraOf } = await this.#protocol();
    if (eraOf(request.headers, body) === "modern") return (await this.#modernFor(by.view)).serve(exchange, body);
    checkVersion(exchange, SESSION_VERSIONS);
    const posted = readPostBody(body, acceptsStream(exchange));
    const begins = posted.messages.some(
      (message) => "method" in message && "id" in message && message.method === "initialize",
    );
    const id = sessionId(exchange);
    if (begins) return this.#begin(posted, id, exchange, by);
    if (id === undefined) return answerStateless(exchange, posted, by.view.dispatcher, this.#log);
    return this.#sessions.find(id, by.caller.name).post(posted, response);
  }

  /** Loaded once, when first needed: each `import()` of the bundled program costs microseconds. A failure is not kept. */
  #protocol(): Promise<Protocol> {
    if (this.#loading) return this.#loading;
    const loading = (this.#loading = import("./sdk-http.js"));
    loading.catch(() => (this.#loading = undefined));
    return loading;
  }

  /** One for each view, made when first needed; a failure is not kept. */
  #modernFor(view: CallerView): Promise<ModernEndpoint> {
    const known = this.#modern.get(view);
    if (known) return known;
    const made = this.#protocol().then(({ modernEndpoint }) => modernEndpoint(view.shared.mcp));
    this.#modern.set(view, made);
    made.catch(() => this.#modern.delete(view));
    return made;
  }

  async #begin(
    posted: PostBody,
    id: string | undefined,
    exchange: HttpExchange,
    { caller, view }: CalledBy,
  ): Promise<void> {
    if (id !== undefined) throw malformedBody("this session has begun already.");
    if (posted.messages.length > 1) throw malformedBody("initialize comes alone.");
    const session = await this.#sessions.begin(view, caller.name);
    await session.begin(posted, exchange.response, () => this.#sessions.end(session));
  }

  async #listen(exchange: HttpExchange, by: CalledBy): Promise<void> {
    const session = await this.#sessionOf(exchange, by);
    if (!/text\/event-stream|\*\/\*/.test(exchange.request.headers.accept ?? ""))
      throw new Refusal(406, "Not acceptable", "The answer is a stream: accept text/event-stream.");
    exchange.lasting = true;
    session.listen(exchange.response);
  }

  async #end(exchange: HttpExchange, by: CalledBy): Promise<void> {
    this.#sessions.end(await this.#sessionOf(exchange, by));
    sendNothing(exchange.response, 204);
  }

  /** Without a session there is nothing to listen to and nothing to end. */
  async #sessionOf(exchange: HttpExchange, { caller }: CalledBy): Promise<Session> {
    const { SESSION_VERSIONS } = await this.#protocol();
    const id = sessionId(exchange);
    if (id === undefined) throw methodNotAllowed(["POST", "OPTIONS"]);
    checkVersion(exchange, SESSION_VERSIONS);
    return this.#sessions.find(id, caller.name);
  }
}

function sessionId({ request }: HttpExchange): string | undefined {
  const id = singleHeader(request, "mcp-session-id");
  if (id === false) throw malformedBody("several Mcp-Session-Id headers.");
  return id;
}

function checkVersion({ request }: HttpExchange, known: readonly string[]): void {
  const version = singleHeader(request, "mcp-protocol-version");
  if (version === undefined || (version !== false && known.includes(version))) return;
  throw new Refusal(400, "Bad request", `Unsupported MCP-Protocol-Version; supported are ${known.join(", ")}.`);
}

function acceptsStream({ request }: HttpExchange): boolean {
  return (request.headers.accept ?? "").includes("text/event-stream");
}
