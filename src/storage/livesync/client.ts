/**
 * Requests to one database: deadlines, safe repetition, no second try of a refused login (docs: livesync,
 * "Configuration").
 */
import { isRecord, parseJson } from "../../text/decoded.js";
import { randomBytes, randomInt, scryptSync } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../clock.js";
import { isVaultError, type VaultError } from "../../errors.js";
import { makePrivateFolder } from "../../private-folder.js";
import { sha256 } from "../../text/hash.js";
import {
  answerTooLong,
  isMissingDocument,
  noAnswer,
  noDatabase,
  notCouch,
  proxyFault,
  refusal,
  refusedBefore,
  tooSlow,
} from "./couch-answers.js";
import { httpTransport, type HttpAnswer, type HttpFetch, type CouchAddress } from "./transport.js";

interface CouchRequest {
  readonly method: "GET" | "POST" | "PUT";
  /** Below the database, encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  /** A 403 then means that writing is refused. */
  readonly isWrite?: boolean;
  readonly signal?: AbortSignal | undefined;
}

interface CouchAnswer {
  /** 200 to 299, 404 of a document, 409 or 412. */
  readonly status: number;
  readonly body: unknown;
  /** An earlier try broke and may have been carried out. */
  readonly isRepeated: boolean;
}

export interface ClientOptions {
  readonly transport?: HttpFetch | undefined;
  /** Milliseconds without a byte, repetitions included. */
  readonly deadline?: number | undefined;
  /** Until the server's first answer. */
  readonly firstDeadline?: number | undefined;
  /** Unpacked bytes. */
  readonly maxAnswer?: number | undefined;
  /** Milliseconds, then tripled. */
  readonly pause?: number | undefined;
  readonly refusedLogin?: RefusedLogin | undefined;
  /** Called after a refused login. */
  readonly authorization?: (() => Promise<string | undefined>) | undefined;
}

/** Below the limit of calls without progress: the error then names the cause. */
const DEADLINE_MS = 25_000;
const FIRST_DEADLINE_MS = 10_000;
const MAX_TRIES = 5;
const GROWTH = 3;
const RETRY_AFTER_UNIT_MS = 1000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

interface Failure {
  readonly error: VaultError;
  readonly isUncertain: boolean;
  /** Milliseconds, by the server's request. */
  readonly wait?: number | undefined;
  readonly isPassing: boolean;
}

export class CouchClient {
  readonly address: CouchAddress;
  /** Bytes, for `doctor` and the benchmarks. */
  sent = 0;
  readonly #transport: HttpFetch;
  readonly #deadline: number;
  readonly #firstDeadline: number;
  readonly #maxAnswer: number;
  readonly #pause: number;
  readonly #readAuthorization: ClientOptions["authorization"];
  #authorization: string | undefined;
  readonly #refusedLogin: RefusedLogin | undefined;
  #isAccepted = false;
  #hasAnswered = false;
  /** Another process's. */
  #refusedElsewhere: VaultError | undefined;
  /** Ends all requests: a few wrong passwords lock the account for everybody. */
  #refusal: VaultError | undefined;

  constructor(address: CouchAddress, options: ClientOptions = {}) {
    this.address = address;
    this.#transport = options.transport ?? httpTransport;
    this.#deadline = options.deadline ?? DEADLINE_MS;
    this.#firstDeadline = options.firstDeadline ?? FIRST_DEADLINE_MS;
    this.#maxAnswer = options.maxAnswer ?? MAX_ANSWER_BYTES;
    this.#pause = options.pause ?? 50;
    this.#authorization = address.authorization;
    this.#readAuthorization = options.authorization;
    this.#refusedLogin = options.refusedLogin;
  }

  /**
   * All are repeatable: chunks are named by content, a document replaces one revision.
   * @throws UNAVAILABLE, PERMISSION_DENIED, TOO_LARGE; the signal's reason
   */
  async ask(request: CouchRequest): Promise<CouchAnswer> {
    const deadline = this.#hasAnswered ? this.#deadline : Math.min(this.#deadline, this.#firstDeadline);
    const timeout = new RequestTimeout(deadline, request.signal);
    let isRepeated = false;
    try {
      for (let tries = 1; ; tries++) {
        const outcome = await this.#try(request, timeout);
        if (!("error" in outcome)) return { ...outcome, isRepeated };
        const pause = outcome.wait ?? this.#pauseAfter(tries);
        isRepeated ||= outcome.isUncertain;
        if (!outcome.isPassing || tries === MAX_TRIES || pause >= timeout.left)
          throw isRepeated ? outcome.error.with({ isUncertain: true }) : outcome.error;
        await delay(pause, undefined, { signal: request.signal });
      }
    } finally {
      timeout.end();
    }
  }

  async stream(request: CouchRequest & { readonly signal: AbortSignal }): Promise<AsyncIterable<Uint8Array>> {
    let response: HttpAnswer;
    try {
      response = await this.#send(request, request.signal);
    } catch (cause) {
      request.signal.throwIfAborted();
      throw isVaultError(cause) ? cause : noAnswer(cause).error;
    }
    if (isGood(response) && response.body) return response.body;
    const text = await this.#text(response, () => undefined).catch(() => "");
    throw this.#refused(response.status, parseJson(text), request);
  }

  async #try(request: CouchRequest, timeout: RequestTimeout): Promise<Omit<CouchAnswer, "isRepeated"> | Failure> {
    try {
      const response = await this.#send(request, timeout.signal);
      this.#hasAnswered = true;
      timeout.moved();
      return this.#judged(response, await this.#text(response, () => timeout.moved()), request);
    } catch (cause) {
      request.signal?.throwIfAborted();
      if (timeout.isOver) {
        return { error: tooSlow(Math.round(timeout.milliseconds / 1000)), isUncertain: true, isPassing: false };
      }
      if (isVaultError(cause)) return { error: cause, isUncertain: false, isPassing: false };
      return noAnswer(cause);
    }
  }

  /** A small compressed answer may become very large. */
  async #text(response: HttpAnswer, onBytes: () => void): Promise<string> {
    if (!response.body) return "";
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const bytes of response.body) {
      length += bytes.length;
      if (length > this.#maxAnswer) throw answerTooLong(this.#maxAnswer);
      parts.push(bytes);
      onBytes();
    }
    return Buffer.concat(parts).toString("utf8");
  }

  async #send({ method, path, query = {}, body }: CouchRequest, signal: AbortSignal): Promise<HttpAnswer> {
    this.#recall();
    if (this.#refusal) await this.#readAgain(this.#refusal);
    const { url, headers } = this.address;
    const asked = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const target = `${url}${path === "" ? "" : `/${path}`}${asked.size === 0 ? "" : `?${asked.toString()}`}`;
    this.sent++;
    return this.#transport(target, {
      method,
      headers: {
        ...headers,
        accept: "application/json",
        ...(this.#authorization === undefined ? {} : { authorization: this.#authorization }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(query["feed"] === undefined ? {} : { "accept-encoding": "identity" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    });
  }

  #recall(): void {
    const authorization = this.#authorization;
    if (this.#isAccepted || authorization === undefined || !this.#refusedLogin) return;
    if (this.#refusal && this.#refusal !== this.#refusedElsewhere) return;
    this.#refusedElsewhere = this.#refusedLogin.has(authorization) ? refusedBefore() : undefined;
    this.#refusal = this.#refusedElsewhere;
  }

  async #readAgain(refusal: VaultError): Promise<void> {
    const authorization = await this.#readAuthorization?.().catch(() => undefined);
    if (authorization === undefined || authorization === this.#authorization) throw refusal;
    this.#authorization = authorization;
    this.#refusal = undefined;
  }

  #judged(response: HttpAnswer, text: string, request: CouchRequest): Omit<CouchAnswer, "isRepeated"> | Failure {
    const { status } = response;
    const body = parseJson(text);
    const isNodeDown = status === 412 && wordOf(body) === "nodedown";
    if (status === 429 || status >= 500 || isNodeDown) {
      const wait = waitOf(response.headers.get("retry-after"));
      const isProxy = status > 500 && !isRecord(body);
      const error = isProxy ? proxyFault(status) : refusal(status, body, request.isWrite === true);
      return { error, isUncertain: status !== 429, wait, isPassing: true };
    }
    if (status >= 300 && status < 400) throw notCouch(status);
    if (body === undefined && status !== 401 && status !== 403 && status !== 413) {
      // Cut in transit.
      if (!/\bjson\b/i.test(response.headers.get("content-type") ?? "")) throw notCouch(status);
      return noAnswer(new Error("The answer is not whole."));
    }
    this.#isAccepted ||= isGood(response);
    const isMissing = status === 404 && request.path !== "" && isMissingDocument(body);
    if (!isGood(response) && !isMissing && status !== 409 && status !== 412) throw this.#refused(status, body, request);
    return { status, body };
  }

  #refused(status: number, body: unknown, { isWrite }: CouchRequest): VaultError {
    if (status === 404) return noDatabase(this.address.repeatsDatabase);
    const error = refusal(status, body, isWrite === true);
    if (status !== 401) return error;
    this.#refusal = error;
    this.#isAccepted = false;
    if (this.#authorization !== undefined) this.#refusedLogin?.add(this.#authorization);
    return error;
  }

  /** Random: servers cut off together must not return together. */
  #pauseAfter(tries: number): number {
    const full = this.#pause * GROWTH ** (tries - 1);
    return full / 2 + randomInt(Math.max(1, Math.ceil(full / 2)));
  }
}

function isGood({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300;
}

function wordOf(body: unknown): unknown {
  return isRecord(body) ? body["error"] : undefined;
}

function waitOf(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * RETRY_AFTER_UNIT_MS : undefined;
}

class RequestTimeout {
  readonly milliseconds: number;
  readonly #over = new AbortController();
  readonly signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  #since = performance.now();

  constructor(milliseconds: number, signal: AbortSignal | undefined) {
    this.milliseconds = milliseconds;
    this.signal = signal ? AbortSignal.any([signal, this.#over.signal]) : this.#over.signal;
    this.#timer = setTimeout(() => this.#over.abort(), milliseconds);
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** Milliseconds. */
  get left(): number {
    return this.#since + this.milliseconds - performance.now();
  }

  moved(): void {
    if (this.isOver) return;
    this.#since = performance.now();
    this.#timer.refresh();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/** CouchDB then forgets failed logins. */
const REMEMBERED_MS = 5 * 60 * 1000;
const HASH_BYTES = 32;

/** Shared with other processes: five wrong passwords lock the account. */
export class RefusedLogin {
  readonly #file: string;
  readonly #folder: string;
  readonly #clock: Clock;

  /** @param identity without credentials */
  constructor(folder: string, identity: string, clock: Clock) {
    this.#folder = folder;
    this.#file = join(folder, `${sha256(identity).slice(0, 16)}.refused`);
    this.#clock = clock;
  }

  has(authorization: string): boolean {
    try {
      const found: unknown = JSON.parse(fs.readFileSync(this.#file, "utf8"));
      if (!isRecord(found)) return false;
      const { salt, hash, at } = found;
      if (typeof salt !== "string" || typeof hash !== "string" || typeof at !== "number") return false;
      const age = this.#clock.now() - at;
      return age >= 0 && age < REMEMBERED_MS && slowHash(authorization, salt) === hash;
    } catch {
      return false;
    }
  }

  add(authorization: string): void {
    const salt = randomBytes(16).toString("hex");
    const hash = slowHash(authorization, salt);
    try {
      makePrivateFolder(this.#folder);
      fs.writeFileSync(this.#file, JSON.stringify({ salt, hash, at: this.#clock.now() }), { mode: 0o600 });
    } catch {}
  }
}

/** Slow: a wrong password may be nearly right. */
function slowHash(authorization: string, salt: string): string {
  return scryptSync(authorization, salt, HASH_BYTES).toString("hex");
}
