/** A message as JSON; what JSON cannot hold becomes an error, so that nobody waits for an answer in vain. */
import { INTERNAL_ERROR, errorAnswer, type RpcMessage } from "../rpc.js";

export function messageText(message: RpcMessage): string {
  try {
    return JSON.stringify(message);
  } catch {
    const id = "id" in message ? message.id : undefined;
    return JSON.stringify(errorAnswer(id, { code: INTERNAL_ERROR, message: "Internal error" }));
  }
}
