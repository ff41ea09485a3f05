/** Requests to one CouchDB database: each with a deadline, repeated where that does no harm, answered by JSON or an error (spec: livesync, section 9). */
import { randomInt } from "node:crypto";
import { isVaultError, type VaultError } from "../../errors.js";
import type { CouchAddress } from "./address.js";
import { isMissingDocument, noAnswer, notCouch, refusal, tooSlow } from "./failure.js";

export interface CouchRequest {
  readonly method: "GET" | "POST" | "PUT";
  /** Below the database, encoded; empty for the database itself. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  /** Whether something is written; a 403 then means something else. */
  readonly isWrite?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface CouchAnswer {
  /** 200 to 299, 404 of a document, 409 or 412. */
  readonly status: number;
  readonly body: unknown;
  /** An earlier try of this request broke when it may have been carried out already. */
  readonly isRepeated: boolean;
}

/** As much of `fetch` as is used here. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ClientOptions {
  readonly fetch?: Fetch | undefined;
  /** Milliseconds that a request may take, repetitions included; default 30 s. */
  readonly deadline?: number | undefined;
  /** Milliseconds before the first repetition, later ones wait three times as long each; default 50. */
  readonly pause?: number | undefined;
}

const TRIES = 5;
const GROWTH = 3;
const RETRY_AFTER_UNIT = 1000;

/** One try that brought no answer to go by. */
interface Failure {
  readonly error: VaultError;
  readonly isUncertain: boolean;
  /** Milliseconds that the server asks to wait; undefined: as we like. */
  readonly wait?: number | undefined;
  readonly isPassing: boolean;
}

export class CouchClient {
  readonly address: CouchAddress;
  /** How many requests were sent, for the curious: `doctor` and the benchmarks. */
  sent = 0;
  readonly #fetch: Fetch;
  readonly #deadline: number;
  readonly #pause: number;

  constructor(address: CouchAddress, { fetch = globalThis.fetch, deadline = 30_000, pause = 50 }: ClientOptions = {}) {
    this.address = address;
    this.#fetch = fetch;
    this.#deadline = deadline;
    this.#pause = pause;
  }

  /**
   * Every request of ours may be repeated: reading changes nothing, chunks are named by their content, and a document is written
   * over one revision only. Whether an earlier try was carried out is the caller's to find out (`isRepeated`).
   * @throws VaultError UNAVAILABLE, PERMISSION_DENIED, TOO_LARGE; the signal's reason
   */
  async ask(request: CouchRequest): Promise<CouchAnswer> {
    const end = performance.now() + this.#deadline;
    let isRepeated = false;
    for (let tries = 1; ; tries++) {
      const outcome = await this.#try(request, end);
      if (!("error" in outcome)) return { ...outcome, isRepeated };
      const pause = outcome.wait ?? this.#pauseAfter(tries);
      if (!outcome.isPassing || tries === TRIES || performance.now() + pause >= end) throw outcome.error;
      isRepeated ||= outcome.isUncertain;
      await pausing(pause, request.signal);
    }
  }

  /** An answer that goes on, for the continuous feed: never repeated, and without a deadline once it has begun. */
  async stream(request: CouchRequest & { readonly signal: AbortSignal }): Promise<ReadableStream<Uint8Array>> {
    let response: Response;
    try {
      response = await this.#send(request, request.signal);
    } catch (cause) {
      request.signal.throwIfAborted();
      throw noAnswer(cause).error;
    }
    if (response.ok && response.body) return response.body;
    await response.body?.cancel();
    throw refusal(response.status, undefined, false);
  }

  async #try(request: CouchRequest, end: number): Promise<Omit<CouchAnswer, "isRepeated"> | Failure> {
    const left = Math.max(1, end - performance.now());
    const timeout = AbortSignal.timeout(Math.ceil(left));
    const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
    try {
      const response = await this.#send(request, signal);
      return judged(response, await response.text(), request.isWrite === true);
    } catch (cause) {
      request.signal?.throwIfAborted();
      if (timeout.aborted) {
        return { error: tooSlow(Math.round(this.#deadline / 1000)), isUncertain: true, isPassing: false };
      }
      if (isVaultError(cause)) return { error: cause, isUncertain: false, isPassing: false };
      return noAnswer(cause);
    }
  }

  #send({ method, path, query = {}, body }: CouchRequest, signal: AbortSignal): Promise<Response> {
    const { url, authorization } = this.address;
    const asked = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const target = `${url}${path === "" ? "" : `/${path}`}${asked.size === 0 ? "" : `?${asked.toString()}`}`;
    this.sent++;
    return this.#fetch(target, {
      method,
      // A redirection would carry notes to wherever it leads.
      redirect: "manual",
      headers: {
        accept: "application/json",
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(query["feed"] === undefined ? {} : { "accept-encoding": "identity" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    });
  }

  /** With chance in it, so that servers that broke off together do not come back together. */
  #pauseAfter(tries: number): number {
    const full = this.#pause * GROWTH ** (tries - 1);
    return full / 2 + randomInt(Math.max(1, Math.ceil(full / 2)));
  }
}

function judged(response: Response, text: string, isWrite: boolean): Omit<CouchAnswer, "isRepeated"> | Failure {
  const { status } = response;
  const body = parsed(text);
  if (status === 429 || status >= 500) {
    const wait = waitOf(response.headers.get("retry-after"));
    return { error: refusal(status, body, isWrite), isUncertain: status !== 429, wait, isPassing: true };
  }
  if (status >= 300 && status < 400) throw notCouch(status);
  if (body === undefined && status !== 401 && status !== 403 && status !== 413) {
    // What calls itself JSON and is none was cut on its way.
    if (!/\bjson\b/i.test(response.headers.get("content-type") ?? "")) throw notCouch(status);
    return noAnswer(new Error("The answer is not whole."));
  }
  const isAnswer = response.ok || status === 409 || status === 412 || (status === 404 && isMissingDocument(body));
  if (!isAnswer) throw refusal(status, body, isWrite);
  return { status, body };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Seconds; the form with a date is as good as none. */
function waitOf(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * RETRY_AFTER_UNIT : undefined;
}

/** Waits, unless the signal ends the waiting. */
export async function pausing(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
    signal?.addEventListener("abort", done, { once: true });
  });
  signal?.throwIfAborted();
}
