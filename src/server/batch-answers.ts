/** Collects a batch's answers as text, up to a limit. */
import { INVALID_REQUEST, errorAnswer, messageText, type RpcAnswer } from "./rpc.js";

export const MAX_BATCH = 100;
/** Characters; further answers become errors. */
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
