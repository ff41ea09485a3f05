/** What a POST to the protocol holds: one message or a batch of them. */
import { MOST_IN_BATCH } from "../../batch-answers.js";
import { INVALID_REQUEST, errorAnswer, readMessage, type RpcAnswer, type RpcMessage } from "../../rpc.js";
import { Refusal } from "../refusal.js";

export interface PostBody {
  readonly messages: readonly RpcMessage[];
  /** Answers to parts that were no messages; they are sent with the others. */
  readonly faults: readonly RpcAnswer[];
  readonly isBatch: boolean;
  /** Whether the caller can read a stream. */
  readonly streams: boolean;
}

/** What a body holds: one message or a batch of them. @throws Refusal 400 for a batch that is empty or too long */
export function readPostBody(body: unknown, streams: boolean): PostBody {
  const isBatch = Array.isArray(body);
  const elements: readonly unknown[] = isBatch ? body : [body];
  if (elements.length === 0) throw malformedBody("an empty batch.");
  if (elements.length > MOST_IN_BATCH) throw malformedBody(`a batch may have at most ${MOST_IN_BATCH} messages.`);
  const messages: RpcMessage[] = [];
  const faults: RpcAnswer[] = [];
  for (const element of elements) {
    const incoming = readMessage(element);
    if (incoming.kind === "fault") faults.push(errorAnswer(incoming.id ?? null, incoming.error));
    else messages.push(incoming.message);
  }
  return { messages, faults, isBatch, streams };
}

export function malformedBody(reason: string): Refusal {
  return new Refusal(400, "Bad request", `Invalid Request: ${reason}`, { number: INVALID_REQUEST });
}
