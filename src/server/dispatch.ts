/** From a method and its params to a result: the one place every connection leads to, whatever it is carried by. */
import type { Log } from "../log.js";
import { nearest } from "../nearest.js";
import type { ToolOutcome } from "../tools/outcome.js";
import type { ToolBox } from "../tools/registry.js";
import { callResult, rpcErrorOf } from "../tools/result.js";
import type { Workspace } from "../tools/workspace.js";
import type { Calls } from "./calls.js";
import { progressReporter, type ProgressPace } from "./progress.js";
import { INVALID_PARAMS, METHOD_NOT_FOUND, RpcFailure, isObject, type RpcParams } from "./rpc.js";

/** How a failed tool call is told (spec: protocol, section 5): as a result with `isError`, or as a JSON-RPC error. */
export const TOOL_ERROR_STYLES = ["result", "jsonrpc"] as const;
export type ToolErrorStyle = (typeof TOOL_ERROR_STYLES)[number];

export type RpcResultBody = Record<string, unknown>;

/** What the connection lends to one request. */
export interface RequestContext {
  /** Aborted when the peer cancels the request; what is returned after that is not sent. */
  readonly signal: AbortSignal;
  /** Sends a notification that belongs to this request. */
  readonly notify: (method: string, params: RpcParams) => void;
}

export interface DispatcherOptions {
  readonly tools: ToolBox;
  readonly workspace: Workspace;
  readonly log: Log;
  readonly toolErrors: ToolErrorStyle;
  readonly calls: Calls;
  readonly progress?: ProgressPace;
}

/** Work that takes longer than a second reports its progress, four times a second. */
const PROGRESS_PACE: ProgressPace = { afterMs: 1000, everyMs: 250 };
const LONGEST_ECHO = 100;

export class Dispatcher {
  readonly #options: DispatcherOptions;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /**
   * Answers one request.
   * @throws RpcFailure for everything that is answered with a JSON-RPC error
   */
  async dispatch(method: string, params: RpcParams, context: RequestContext): Promise<RpcResultBody> {
    switch (method) {
      case "ping":
        return {};
      case "tools/list":
        return this.#list(params);
      case "tools/call":
        return this.#call(params, context);
      default:
        throw new RpcFailure(METHOD_NOT_FOUND, `Method not found: ${echo(method)}`);
    }
  }

  #list(params: RpcParams): RpcResultBody {
    // The list has one page, so no cursor was ever given out.
    if (typeof params["cursor"] === "string" && params["cursor"] !== "") {
      throw new RpcFailure(INVALID_PARAMS, "Invalid params: unknown cursor. Leave it out to get all tools.");
    }
    return { tools: this.#options.tools.tools.map((tool) => tool.listing) };
  }

  async #call(params: RpcParams, context: RequestContext): Promise<RpcResultBody> {
    const { name, arguments: args = {} } = params;
    if (typeof name !== "string")
      throw new RpcFailure(INVALID_PARAMS, 'Invalid params: "name" must be the name of a tool.');
    if (!isObject(args)) throw new RpcFailure(INVALID_PARAMS, 'Invalid params: "arguments" must be an object.');
    const tool = this.#options.tools.find(name);
    if (!tool) throw new RpcFailure(INVALID_PARAMS, this.#unknownTool(name));
    const { workspace, log, calls } = this.#options;
    const progress = this.#progressOf(params, context);
    try {
      const outcome = await calls.run(tool, args, {
        workspace,
        log,
        signal: context.signal,
        onProgress: progress?.report,
      });
      return this.#resultOf(outcome);
    } finally {
      progress?.stop();
    }
  }

  #unknownTool(name: string): string {
    const names = this.#options.tools.tools.map((tool) => tool.name);
    const [best] = nearest(name, names, 1);
    const hint = best === undefined ? `The tools are: ${names.join(", ")}.` : `Did you mean "${best}"?`;
    return `Unknown tool: ${echo(name)}. ${hint}`;
  }

  #progressOf(params: RpcParams, context: RequestContext) {
    const meta = params["_meta"];
    const progressToken = isObject(meta) ? meta["progressToken"] : undefined;
    if (typeof progressToken !== "string" && !Number.isSafeInteger(progressToken)) return undefined;
    return progressReporter(({ done, total }) => {
      context.notify("notifications/progress", {
        progressToken,
        progress: done,
        ...(total === undefined ? {} : { total }),
      });
    }, this.#options.progress ?? PROGRESS_PACE);
  }

  #resultOf(outcome: ToolOutcome): RpcResultBody {
    if (outcome.ok || this.#options.toolErrors === "result") return callResult(outcome);
    const { code, message, data } = rpcErrorOf(outcome);
    throw new RpcFailure(code, message, data);
  }
}

/** A name from the peer, short and on one line. */
function echo(name: string): string {
  return JSON.stringify(name.length > LONGEST_ECHO ? `${name.slice(0, LONGEST_ECHO)}…` : name);
}
