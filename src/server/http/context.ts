/** The HTTP handlers' context and routes, and the open requests. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context, Handler, Hono } from "hono";
import type { CalledBy } from "./caller-view.js";
import { methodNotAllowed, type Refusal, unavailable } from "./refusal.js";

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

/** Not decoded. */
export function rawQuery({ url = "" }: IncomingMessage): string {
  return /\?.*$/s.exec(url)?.[0] ?? "";
}

/** `/web/` has its own route. */
export const PAGE_FILE = "/web/:file{.*}";
export const PREFLIGHT = ["OPTIONS"];

export type Handlers = Readonly<Record<string, Handler<HttpEnv>>>;

/** Other methods get 405. @param also answered elsewhere */
export function addRoute(app: Hono<HttpEnv>, path: string, handlers: Handlers, also: readonly string[] = []): void {
  app.all(path, (c, next) => {
    const handler = Object.hasOwn(handlers, c.req.method) ? handlers[c.req.method] : undefined;
    if (!handler) throw methodNotAllowed([...Object.keys(handlers), ...also]);
    return handler(c, next) as Promise<Response>;
  });
}

export interface OpenRequest {
  readonly response: ServerResponse;
  /** Bytes held. */
  body: number;
  isStream: boolean;
  route: () => string;
}

export class Traffic {
  readonly #maxBytes: number;
  readonly #open = new Set<OpenRequest>();
  #waiting: (() => void)[] = [];

  /** @param maxBytes of bodies and unread answers */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#open.size;
  }

  admit(response: ServerResponse): OpenRequest {
    const open: OpenRequest = { response, body: 0, isStream: false, route: () => "other" };
    this.#open.add(open);
    response.once("close", () => {
      this.#open.delete(open);
      this.#notifyIfAtRest();
    });
    return open;
  }

  hasRoom(bytes = 0): boolean {
    let held = bytes;
    for (const { body, response } of this.#open) held += body + response.writableLength;
    return held <= this.#maxBytes;
  }

  atRest(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#notifyIfAtRest();
    });
  }

  #notifyIfAtRest(): void {
    if (this.#waiting.length === 0 || [...this.#open].some(({ isStream }) => !isStream)) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

export function tooBusy(): Refusal {
  return unavailable("Too busy", "The server holds as much as it may. Try again later.", 1);
}
