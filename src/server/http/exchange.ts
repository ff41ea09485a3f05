/** One HTTP request with its response, and the few ways a response is written. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Traffic } from "./traffic.js";

export class HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The target up to its query, as it was sent: nothing is decoded or normalised. */
  readonly path: string;
  /** What follows the `?`, as it was sent. */
  readonly query: string;
  /** What all open requests hold in memory together. */
  readonly traffic: Traffic;
  /** Bytes of the body that are held. */
  body = 0;
  /** Whether the response is a stream that stays open until someone ends it. */
  lasting = false;
  #gone: AbortSignal | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, traffic: Traffic) {
    const target = request.url ?? "";
    const mark = target.indexOf("?");
    this.request = request;
    this.response = response;
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.query = mark < 0 ? "" : target.slice(mark + 1);
    this.traffic = traffic;
  }

  /** Aborted when the caller goes away before the response is complete; made when first asked for, because few answers need it. */
  get gone(): AbortSignal {
    return (this.#gone ??= goneSignal(this.response));
  }
}

/** A header that was sent once; undefined when it is missing. @returns false when it was sent several times */
export function singleHeader(request: IncomingMessage, name: string): string | undefined | false {
  const values = request.headersDistinct[name];
  if (values === undefined || values.length === 0) return undefined;
  return values.length === 1 ? values[0] : false;
}

/** Ends the response with a JSON body. @throws TypeError or RangeError when JSON cannot hold the value; nothing is sent then */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendText(response, status, "application/json", JSON.stringify(value));
}

/** Ends the response with a text as its body. */
export function sendText(
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = Buffer.from(text);
  response.writeHead(status, { "Content-Type": type, "Content-Length": body.length, ...headers });
  response.end(body);
}

/** Ends a response that has no body. */
export function sendNothing(response: ServerResponse, status: number): void {
  response.writeHead(status, status === 204 ? {} : { "Content-Length": 0 });
  response.end();
}

function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const check = () => {
    if (!response.writableFinished) gone.abort();
  };
  if (response.closed) check();
  else response.once("close", check);
  return gone.signal;
}
