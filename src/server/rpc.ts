/** JSON-RPC 2.0 messages, their limits before parsing, and a batch's answers as one text. */
import { isRecord } from "../text/decoded.js";
import { ERROR_CODES, isVaultError } from "../errors.js";
import type { Log } from "../log.js";
import { withoutControls } from "../text/wording.js";
import { traceOf } from "../tools/outcome.js";

export type RpcId = string | number;
export type RpcParams = Readonly<Record<string, unknown>>;

export interface RpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: RpcId;
  readonly method: string;
  readonly params?: RpcParams;
}
export interface RpcNotification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: RpcParams;
}
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}
interface RpcResult {
  readonly jsonrpc: "2.0";
  readonly id: RpcId;
  readonly result: unknown;
}
interface RpcErrorAnswer {
  readonly jsonrpc: "2.0";
  /** Null or absent without a readable id. */
  readonly id?: RpcId | null;
  readonly error: RpcError;
}
export type RpcAnswer = RpcResult | RpcErrorAnswer;
export type RpcMessage = RpcRequest | RpcNotification | RpcAnswer;

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** The peer sees its message. */
export class RpcFailure extends Error {
  override readonly name = "RpcFailure";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export function invalidParams(reason: string): RpcFailure {
  return new RpcFailure(INVALID_PARAMS, `Invalid params: ${reason}`);
}

/** Hides unexpected errors from the peer. */
export function asFailure(error: unknown, log: Log): RpcFailure {
  if (error instanceof RpcFailure) return error;
  if (isVaultError(error)) {
    const { code, message, hint } = error;
    const text = hint === undefined ? message : `${message} ${hint}`;
    return new RpcFailure(ERROR_CODES[code].number, text, { errorCode: code });
  }
  log.error("A request failed unexpectedly", traceOf(error));
  return new RpcFailure(INTERNAL_ERROR, "Internal error");
}

type Incoming =
  | { readonly kind: "request"; readonly message: RpcRequest }
  | { readonly kind: "notification"; readonly message: RpcNotification }
  | { readonly kind: "answer"; readonly message: RpcAnswer }
  | { readonly kind: "fault"; readonly id: RpcId | undefined; readonly error: RpcError };

/** @throws RpcFailure */
export function refuseCursor({ cursor }: RpcParams, advice: string): void {
  if (typeof cursor === "string" && cursor !== "") throw invalidParams(`unknown cursor. ${advice}`);
}

/** MCP allows strings and integers, not null and fractions. */
export function isRpcId(value: unknown): value is RpcId {
  return typeof value === "string" || Number.isSafeInteger(value);
}

/** Docs: protocol, "On stdin and stdout". */
export function readMessage(value: unknown): Incoming {
  if (!isRecord(value)) return fault(undefined, "a message is a JSON object.");
  const id = isRpcId(value["id"]) ? value["id"] : undefined;
  if (value["jsonrpc"] !== "2.0") return fault(id, '"jsonrpc" must be "2.0".');
  if (!Object.hasOwn(value, "method")) return readAnswer(value, id);
  const { method, params } = value;
  if (typeof method !== "string") return fault(id, '"method" must be a string.');
  const object = isRecord(params) ? { params } : {};
  if (!Object.hasOwn(value, "id")) return { kind: "notification", message: { jsonrpc: "2.0", method, ...object } };
  if (id === undefined) return fault(undefined, '"id" must be a string or a whole number.');
  if (params !== undefined && !isRecord(params)) {
    const { code, message } = invalidParams('"params" must be an object.');
    return { kind: "fault", id, error: { code, message } };
  }
  return { kind: "request", message: { jsonrpc: "2.0", id, method, ...object } };
}

function readAnswer(value: Readonly<Record<string, unknown>>, id: RpcId | undefined): Incoming {
  const error = readError(value["error"]);
  if (id !== undefined && Object.hasOwn(value, "result") !== (error !== undefined)) {
    const message = error ? errorAnswer(id, error) : { jsonrpc: "2.0" as const, id, result: value["result"] };
    return { kind: "answer", message };
  }
  return fault(id, '"method" is missing.');
}

function readError(value: unknown): RpcError | undefined {
  if (!isRecord(value)) return undefined;
  const { code, message, data } = value;
  return typeof code === "number" && typeof message === "string" ? { code, message, data } : undefined;
}

function fault(id: RpcId | undefined, reason: string): Incoming {
  return { kind: "fault", id, error: { code: INVALID_REQUEST, message: `Invalid Request: ${reason}` } };
}

export function errorAnswer(id: RpcId | null | undefined, { code, message, data }: RpcError): RpcErrorAnswer {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  return { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), error };
}

export function messageText(message: RpcMessage): string {
  try {
    return JSON.stringify(message);
  } catch {
    const id = "id" in message ? message.id : undefined;
    return JSON.stringify(errorAnswer(id, { code: INTERNAL_ERROR, message: "Internal error" }));
  }
}

const MAX_ECHO = 100;

export function quotedName(name: string): string {
  const word = withoutControls(name.length > MAX_ECHO ? `${name.slice(0, MAX_ECHO)}…` : name);
  return JSON.stringify(word);
}

export const MAX_BATCH = 100;
/** Further answers become errors. */
const MAX_HELD = 64 * 1024 * 1024;

const TOO_MUCH = {
  code: INVALID_REQUEST,
  message: "Invalid Request: the batch's answers are too large together. Send its requests one by one.",
};

export class BatchAnswers {
  readonly #maxLength: number;
  readonly #texts: string[] = [];
  #length = 0;

  constructor(maxLength: number = MAX_HELD) {
    this.#maxLength = maxLength;
  }

  add(answer: RpcAnswer | undefined): void {
    if (answer === undefined) return;
    let text = messageText(answer);
    if (this.#length > 0 && this.#length + text.length > this.#maxLength)
      text = messageText(errorAnswer(answer.id, TOO_MUCH));
    this.#length += text.length;
    this.#texts.push(text);
  }

  take(): readonly string[] {
    this.#length = 0;
    return this.#texts.splice(0);
  }

  text(): string | undefined {
    return this.#texts.length === 0 ? undefined : `[${this.#texts.join(",")}]`;
  }
}

/** Parsed within 0.1 s. */
const MAX_VALUES = 200_000;
const MAX_DEPTH = 1_000;

export const JSON_BOUNDS = "at most 200,000 values and names of fields, nested at most 1,000 deep";

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** May accept invalid JSON. */
export function isWithinBounds(bytes: Uint8Array): boolean {
  if (bytes.length <= MAX_DEPTH) return true;
  let values = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COMMA || byte === COLON) values++;
    else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
      values++;
      depth++;
    } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) depth--;
    if (values > MAX_VALUES || depth > MAX_DEPTH) return false;
  }
  return true;
}

/** Bytes. */
const MAX_ID = 256;
const ID = Buffer.from('"id"');

export function idOf(bytes: Uint8Array): string | number | undefined {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = endOfString(bytes, at);
      const found = depth === 1 && ID.equals(bytes.subarray(at, end + 1)) ? scalarAfter(bytes, end + 1) : undefined;
      if (found !== undefined) return found;
      at = end;
    } else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) depth++;
    else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) depth--;
  }
  return undefined;
}

function scalarAfter(bytes: Uint8Array, start: number): string | number | undefined {
  const rest = Buffer.from(bytes.subarray(start, start + MAX_ID)).toString("utf8");
  const [, value] = /^\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?)\s*[,}]/.exec(rest) ?? [];
  try {
    const id: unknown = value === undefined ? undefined : JSON.parse(value);
    return typeof id === "string" || typeof id === "number" ? id : undefined;
  } catch {
    return undefined;
  }
}

function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
