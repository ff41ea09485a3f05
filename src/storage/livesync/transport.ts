/** One request over HTTP and its answer as it comes, by Node's own client: `fetch` needs a quarter of a warm start only to be loaded. */
import { request as requestPlain, type IncomingMessage } from "node:http";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";

export interface HttpRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** As much of an answer as is used here; `Response` is one. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** Unpacked. Fails when the answer is cut, or the signal aborts. */
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** Sends a request. Redirections are not followed: they would carry notes to wherever they lead. */
export type Transport = (url: string, request: HttpRequest) => Promise<HttpAnswer>;

/** Milliseconds a connection may take to stand. */
const CONNECTING = 10_000;

export const httpTransport: Transport = async (url, { method, headers, body, signal }) => {
  const send = url.startsWith("https:") ? (await import("node:https")).request : requestPlain;
  const packing = { "accept-encoding": "gzip" };
  return new Promise((resolve, reject) => {
    const request = send(url, { method, headers: { ...packing, ...headers }, signal });
    request.once("response", (response) => resolve(answerIn(response)));
    request.on("error", reject);
    request.once("socket", (socket) => {
      if (!socket.connecting) return;
      const late = Object.assign(new Error("No connection."), { code: "ETIMEDOUT" });
      const timer = setTimeout(() => request.destroy(late), CONNECTING);
      for (const event of ["connect", "close"]) socket.once(event, () => clearTimeout(timer));
    });
    request.end(body);
  });
};

function answerIn(response: IncomingMessage): HttpAnswer {
  const { statusCode: status = 0, headers } = response;
  const get = (name: string): string | null => {
    const value = headers[name];
    return value === undefined ? null : String(value);
  };
  return { status, headers: { get }, body: get("content-encoding") === "gzip" ? unpacked(response) : response };
}

/** What breaks the answer breaks what is unpacked of it. */
function unpacked(response: IncomingMessage): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip();
  pipeline(response, gunzip, () => undefined);
  return gunzip;
}
