/**
 * Requests that need no session and nothing of the SDK: each is answered from the dispatcher, in plain JSON, or as a stream where progress
 * is reported to a caller that reads one.
 */
import type { Log } from "../../../log.js";
import type { Dispatcher } from "../../dispatch.js";
import type { RequestContext } from "../../feature.js";
import { asFailure, errorAnswer } from "../../rpc.js";
import type { HttpExchange } from "../exchange.js";
import type { PostBody } from "./post-body.js";
import { PostResponse } from "./post-response.js";

export async function answerStateless(
  exchange: HttpExchange,
  posted: PostBody,
  dispatcher: Dispatcher,
  log: Log,
): Promise<void> {
  const answers = new PostResponse(posted, exchange.response);
  const notify: RequestContext["notify"] = (method, params) => answers.notify({ jsonrpc: "2.0", method, params });
  const context = { era: "legacy", signal: exchange.gone, notify } as const;
  answers.begin();
  await Promise.all(
    answers.requests.map(async ({ id, method, params = {} }) => {
      try {
        const result = await dispatcher.dispatch(method, params, context);
        answers.answer(id, { jsonrpc: "2.0", id, result });
      } catch (error) {
        answers.answer(id, errorAnswer(id, asFailure(error, log)));
      }
    }),
  );
}
