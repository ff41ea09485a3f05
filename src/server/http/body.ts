/** Reads a JSON body and counts its bytes. */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { withoutControls } from "../../text/wording.js";
import { JSON_BOUNDS, idOf, isWithinBounds, INVALID_REQUEST, PARSE_ERROR } from "../rpc.js";
import { type HttpContext, tooBusy } from "./context.js";
import { Refusal } from "./refusal.js";

/**
 * Also limits what all requests hold, unlike Hono's limit.
 * @param assertType throws for a wrong content type
 * @throws Refusal 415; 413; 503 when all requests hold too much; 400 for an incomplete body
 */
export async function readBody(c: HttpContext, limit: number, assertType = assertJson): Promise<Buffer> {
  const { incoming, open, traffic } = c.env;
  assertType(incoming);
  const announced = Number(incoming.headers["content-length"] ?? 0);
  if (announced > limit) throw tooLarge(limit);
  if (!traffic.hasRoom(announced)) throw tooBusy();
  const parts: Buffer[] = [];
  let size = 0;
  try {
    await eachPart(incoming, (part) => {
      size += part.length;
      if (size > limit) throw tooLarge(limit);
      if (size > announced && !traffic.hasRoom(part.length)) throw tooBusy();
      parts.push(part);
      open.body = size;
    });
  } catch (error) {
    open.body = 0;
    throw error;
  }
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts, size);
}

/** An iterator costs twice as much. */
function eachPart(request: IncomingMessage, take: (part: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => void request.off("data", onData).off("end", onEnd).off("close", onBroken).off("error", onBroken);
    const onData = (part: Buffer) => {
      try {
        take(part);
      } catch (error) {
        stop();
        request.pause();
        reject(error);
      }
    };
    const onEnd = () => {
      stop();
      resolve();
    };
    const onBroken = () => {
      stop();
      reject(new Refusal(400, "Invalid request body", "The body broke off."));
    };
    if (request.destroyed) return onBroken();
    request.on("data", onData).on("end", onEnd).on("close", onBroken).on("error", onBroken);
  });
}

/** Other types need no preflight. */
function assertJson({ headers }: IncomingMessage): void {
  const [type = "", ...parameters] = (headers["content-type"] ?? "")
    .split(";")
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length);
  const isPlain = (headers["content-encoding"] ?? "identity").toLowerCase() === "identity";
  if (type === "application/json" && isPlain && /^("?utf-?8"?)?$/.test(charset ?? "")) return;
  throw new Refusal(415, "Unsupported media type", "The body must be application/json in UTF-8, not compressed.");
}

function tooLarge(limit: number): Refusal {
  const most = limit < 1024 * 1024 ? `${limit / 1024} KiB` : `${limit / 1024 / 1024} MiB`;
  return new Refusal(413, "Request body too large", `The body may have at most ${most}.`);
}

/** @throws Refusal 400; 413 for too many values */
export function parseBody(body: Buffer): unknown {
  if (!isUtf8(body)) throw unreadable("The body is not UTF-8.");
  if (!isWithinBounds(body))
    throw new Refusal(413, "Request body too large", `The body may hold ${JSON_BOUNDS}.`, {
      number: INVALID_REQUEST,
      id: idOf(body),
    });
  try {
    return JSON.parse(body.toString("utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    throw unreadable("The body is not JSON.", error instanceof Error ? error.message : undefined);
  }
}

/** The parser's message may quote the body. */
const MAX_DETAILS = 200;

function unreadable(message: string, details?: string): Refusal {
  const about = details === undefined ? {} : { details: withoutControls(details.slice(0, MAX_DETAILS)) };
  return new Refusal(400, "Invalid request body", message, { ...about, number: PARSE_ERROR });
}
