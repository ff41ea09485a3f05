/** What every handler of the HTTP server has in its context, and the reading of headers that may be sent once only. */
import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context, Handler, Hono } from "hono";
import type { CalledBy } from "./caller-view.js";
import { methodNotAllowed } from "./refusal.js";
import type { OpenRequest, Traffic } from "./traffic.js";

export interface HttpEnv {
  Bindings: HttpBindings & {
    /** What this request holds. */
    readonly open: OpenRequest;
    /** What all requests hold together. */
    readonly traffic: Traffic;
  };
  Variables: {
    /** Set once the guards have let the request through. */
    by: CalledBy;
  };
}

export type HttpContext = Context<HttpEnv>;

/** For handlers that write to the response of node:http themselves. */
export const ALREADY_SENT = RESPONSE_ALREADY_SENT;

/** The target up to its query, as it was sent: nothing is decoded or normalised. */
export function rawPath(request: IncomingMessage | undefined): string {
  const { url = "" } = request ?? {};
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  return path.startsWith("/") ? path : `/${path}`;
}

/** All below `/web/` that has no route of its own. */
export const PAGE_FILE = "/web/:file{.*}";
/** Preflights are answered before the routes. */
export const PREFLIGHT = ["OPTIONS"];

type Handlers = Readonly<Record<string, Handler<HttpEnv>>>;

/** Answers a path by method; any other method gets 405 with those that are allowed. @param also methods answered elsewhere */
export function addRoute(app: Hono<HttpEnv>, path: string, handlers: Handlers, also: readonly string[] = []): void {
  app.all(path, (c, next) => {
    const handler = Object.hasOwn(handlers, c.req.method) ? handlers[c.req.method] : undefined;
    if (!handler) throw methodNotAllowed([...Object.keys(handlers), ...also]);
    return handler(c, next) as Promise<Response>;
  });
}
