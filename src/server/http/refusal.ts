/** A request that is answered with an error status: the two shapes its body may have, and how it is sent. */
import { errorAnswer } from "../rpc.js";
import type { HttpExchange } from "./exchange.js";

interface RefusalDetails {
  readonly details?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The JSON-RPC number where the body is JSON-RPC; default -32000. */
  readonly number?: number;
  /** Of the message that is refused, where that is known. */
  readonly id?: string | number | undefined;
  /** Whether the rest of the request is not worth reading. */
  readonly closes?: boolean;
}

/** Thrown to end a request; everything in it is shown to the caller. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  /** What kind of refusal it is, in the bridge document's words. */
  readonly title: string;
  readonly details: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly number: number;
  readonly id: string | number | null;
  readonly closes: boolean;

  constructor(status: number, title: string, message: string, about: RefusalDetails = {}) {
    super(message);
    this.status = status;
    this.title = title;
    this.details = about.details;
    this.headers = about.headers ?? {};
    this.number = about.number ?? SERVER_REFUSES;
    this.id = about.id ?? null;
    this.closes = about.closes ?? false;
  }
}

const SERVER_REFUSES = -32000;

/** As the bridge document has it: `{error, message, details?}`. */
export function plainBody({ title, message, details }: Refusal): Readonly<Record<string, unknown>> {
  return { error: title, message, ...(details === undefined ? {} : { details }) };
}

/** As MCP's Streamable HTTP has it: a JSON-RPC error, without an id where none could be read. */
export function rpcBody({ number, message, id }: Refusal): unknown {
  return errorAnswer(id, { code: number, message });
}

export function methodNotAllowed(allowed: readonly string[]): Refusal {
  const allow = allowed.join(", ");
  return new Refusal(405, "Method not allowed", `Use ${allow}.`, { headers: { Allow: allow } });
}

export function notFound(): Refusal {
  return new Refusal(404, "Not found", "There is nothing at this path.");
}

/** @param seconds after which it may be tried again */
export function tooManyRequests(seconds: number): Refusal {
  return new Refusal(429, "Too many requests", `Try again in ${seconds} seconds.`, {
    headers: { "Retry-After": String(seconds) },
  });
}

/** Our own failure: what went wrong is for the log. */
export function internalError(): Refusal {
  return new Refusal(500, "Internal server error", "The server's log says more.", { number: -32603 });
}

/** Milliseconds for which the rest of a refused body is read and dropped, so that its sender reads the answer. */
const LINGER_MS = 500;

/** Answers with a refusal; the connection ends where the rest of the request is not worth reading. */
export function sendRefusal({ path, request, response }: HttpExchange, refusal: Refusal): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const body = Buffer.from(JSON.stringify(path === "/mcp" ? rpcBody(refusal) : plainBody(refusal)));
  const closes = refusal.closes && !request.complete;
  response.writeHead(refusal.status, {
    "Content-Type": "application/json",
    "Content-Length": body.length,
    ...refusal.headers,
    ...(closes ? { Connection: "close" } : {}),
  });
  if (!closes) return void response.end(body);
  response.write(body);
  const end = () => response.end();
  const timer = setTimeout(end, LINGER_MS);
  request
    .once("end", end)
    .once("close", () => clearTimeout(timer))
    .on("error", end)
    .resume();
}
