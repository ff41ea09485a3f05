/** Messages as JSON; what JSON cannot hold becomes an error, so that nobody waits for an answer in vain. */
import { isLasting, onceIfLasting } from "../../tools/lasting.js";
import { INTERNAL_ERROR, errorAnswer, isObject, type RpcMessage } from "../rpc.js";

export function messageText(message: RpcMessage): string {
  try {
    return JSON.stringify(message);
  } catch {
    const id = "id" in message ? message.id : undefined;
    return JSON.stringify(errorAnswer(id, { code: INTERNAL_ERROR, message: "Internal error" }));
  }
}

const bytesOf = onceIfLasting((result: object) => Buffer.from(JSON.stringify(result)));

/** The same in pieces to be sent one after the other; the bytes of a result that is given again are made once, and not copied. */
export function messagePieces(message: RpcMessage): readonly Buffer[] {
  if (!("result" in message) || !isObject(message.result) || !isLasting(message.result))
    return [Buffer.from(messageText(message))];
  const opening = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":`;
  return [Buffer.from(opening), bytesOf(message.result), CLOSING];
}

const CLOSING = Buffer.from("}");
