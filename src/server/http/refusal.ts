/** A request answered with an error status. */
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { INTERNAL_ERROR, errorAnswer } from "../rpc.js";

interface RefusalDetails {
  readonly details?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** For JSON-RPC. */
  readonly number?: number;
  readonly id?: string | number | undefined;
}

/** The caller sees all of it. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: ContentfulStatusCode;
  /** The bridge's `error`. */
  readonly title: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly #details: string | undefined;
  readonly #number: number;
  readonly #id: string | number | null;

  constructor(status: ContentfulStatusCode, title: string, message: string, about: RefusalDetails = {}) {
    super(message);
    this.status = status;
    this.title = title;
    this.headers = about.headers ?? {};
    this.#details = about.details;
    this.#number = about.number ?? -32000;
    this.#id = about.id ?? null;
  }

  body(path: string): object {
    const { title: error, message } = this;
    if (path === "/mcp") return errorAnswer(this.#id, { code: this.#number, message });
    return { error, message, ...(this.#details === undefined ? {} : { details: this.#details }) };
  }
}

export function methodNotAllowed(allowed: readonly string[]): Refusal {
  const allow = allowed.join(", ");
  return new Refusal(405, "Method not allowed", `Use ${allow}.`, { headers: { Allow: allow } });
}

export function notFound(): Refusal {
  return new Refusal(404, "Not found", "There is nothing at this path.");
}

export function unavailable(title: string, message: string, seconds: number): Refusal {
  return new Refusal(503, title, message, { headers: { "Retry-After": String(seconds) } });
}

export function tooManyRequests(seconds: number): Refusal {
  return new Refusal(429, "Too many requests", `Try again in ${seconds} seconds.`, {
    headers: { "Retry-After": String(seconds) },
  });
}

export function internalError(): Refusal {
  return new Refusal(500, "Internal server error", "The server's log says more.", { number: INTERNAL_ERROR });
}
