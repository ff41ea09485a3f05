/** Requests that need no session and nothing of the SDK: each is answered for itself from the dispatcher, in plain JSON. */
import type { Log } from "../../log.js";
import type { Dispatcher } from "../dispatch.js";
import type { Era, RequestContext, RpcResultBody } from "../feature.js";
import { asFailure, errorAnswer } from "../rpc.js";
import type { HttpExchange } from "./exchange.js";
import type { Posted } from "./post-body.js";
import { PostedAnswers } from "./post-response.js";

/** How requests of one kind are answered. */
export interface BareWay {
  readonly dispatcher: Dispatcher;
  readonly era: Era;
  /** A result as this kind of request is to see it. */
  readonly dressed: (result: RpcResultBody) => RpcResultBody;
}

export async function answerBare(exchange: HttpExchange, posted: Posted, way: BareWay, log: Log): Promise<void> {
  const answers = new PostedAnswers({ ...posted, streams: false }, exchange.response);
  const context = new BareContext(exchange, way.era);
  answers.begin();
  await Promise.all(
    answers.requests.map(async ({ id, method, params = {} }) => {
      try {
        const result = await way.dispatcher.dispatch(method, params, context);
        answers.answer(id, { jsonrpc: "2.0", id, result: way.dressed(result) });
      } catch (error) {
        answers.answer(id, errorAnswer(id, asFailure(error, log)));
      }
    }),
  );
}

/** Nobody hears a request's notices here, and few look at its signal, which is made for those who do. */
class BareContext implements RequestContext {
  readonly era: Era;
  readonly #exchange: HttpExchange;

  constructor(exchange: HttpExchange, era: Era) {
    this.#exchange = exchange;
    this.era = era;
  }

  get signal(): AbortSignal {
    return this.#exchange.gone;
  }

  notify(): void {}
}
