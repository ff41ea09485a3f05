/** The HTTP handlers' context and routes. */
import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context, Handler, Hono } from "hono";
import type { CalledBy } from "./caller-view.js";
import { methodNotAllowed } from "./refusal.js";
import type { OpenRequest, Traffic } from "./traffic.js";

export interface HttpEnv {
  Bindings: HttpBindings & {
    readonly open: OpenRequest;
    readonly traffic: Traffic;
  };
  Variables: {
    by: CalledBy;
  };
}

export type HttpContext = Context<HttpEnv>;

export const ALREADY_SENT = RESPONSE_ALREADY_SENT;

/** Neither decoded nor normalised. */
export function rawPath(request: IncomingMessage | undefined): string {
  const [path = ""] = (request?.url ?? "").split("?", 1);
  return path.startsWith("/") ? path : `/${path}`;
}

/** Not decoded, with its `?`. */
export function rawQuery({ url = "" }: IncomingMessage): string {
  return /\?.*$/s.exec(url)?.[0] ?? "";
}

/** `/web/` has its own route. */
export const PAGE_FILE = "/web/:file{.*}";
export const PREFLIGHT = ["OPTIONS"];

export type Handlers = Readonly<Record<string, Handler<HttpEnv>>>;

/** Other methods get 405. @param also methods answered elsewhere */
export function addRoute(app: Hono<HttpEnv>, path: string, handlers: Handlers, also: readonly string[] = []): void {
  app.all(path, (c, next) => {
    const handler = Object.hasOwn(handlers, c.req.method) ? handlers[c.req.method] : undefined;
    if (!handler) throw methodNotAllowed([...Object.keys(handlers), ...also]);
    return handler(c, next) as Promise<Response>;
  });
}
