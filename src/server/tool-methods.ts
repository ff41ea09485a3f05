/** Lists and calls the tools. */
import { isRecord } from "../text/decoded.js";
import { asCaller } from "../async/caller.js";
import type { Log } from "../log.js";
import { callResult, rpcErrorOf, type ToolOutcome } from "../tools/outcome.js";
import type { ToolBox } from "../tools/registry.js";
import { excerpt } from "../tools/safe-text.js";
import type { Workspace, ToolContext } from "../tools/workspace.js";
import type { Calls } from "./calls.js";
import type { Feature, Peer, RequestContext, RpcResultBody } from "./dispatch.js";
import { quotedName, INVALID_PARAMS, invalidParams, refuseCursor, RpcFailure, type RpcParams } from "./rpc.js";
import type { AppOffer } from "./tasks-app.js";
import { nearest } from "../text/nearest.js";

/** A failed call is a result with `isError`, or a JSON-RPC error (docs: protocol, "Errors"). */
type ToolErrorStyle = "result" | "jsonrpc";

export interface ToolFeatureOptions {
  readonly tools: ToolBox;
  readonly workspace: Workspace;
  readonly log: Log;
  readonly toolErrors: ToolErrorStyle;
  readonly calls: Calls;
  readonly progress?: Readonly<typeof PROGRESS_PACE> | undefined;
  readonly app?: AppOffer | undefined;
  /** For `get_history`. */
  readonly transport?: string | undefined;
}

const PROGRESS_PACE = { afterMs: 1000, everyMs: 250 };

export function toolFeature(options: ToolFeatureOptions): Feature {
  return {
    capabilities: { tools: {} },
    methods: {
      "tools/list": async (params, context) => listTools(options, params, context),
      "tools/call": (params, context) => callTool(options, params, context),
    },
  };
}

async function listTools(
  { tools: { tools }, app }: ToolFeatureOptions,
  params: RpcParams,
  { peer }: RequestContext,
): Promise<RpcResultBody> {
  refuseCursor(params, "Leave it out to get all tools.");
  const listings = tools.map((tool) => tool.listing);
  const drawing = app && (await drawingFor(app, peer));
  return { tools: drawing ? await drawing.markedListings(listings, app) : listings };
}

async function drawingFor(app: AppOffer, peer: Peer | undefined) {
  if (peer === undefined) return undefined;
  try {
    const { isAppOfferedTo, markedListings, resultForApp } = await import("./tasks-app.js");
    return isAppOfferedTo(app, peer) ? { markedListings, resultForApp } : undefined;
  } catch {
    // Too many open files: answer without the app.
    return undefined;
  }
}

async function callTool(
  options: ToolFeatureOptions,
  params: RpcParams,
  context: RequestContext,
): Promise<RpcResultBody> {
  const { name, arguments: args = {} } = params;
  if (typeof name !== "string") throw invalidParams('"name" must be the name of a tool.');
  if (!isRecord(args)) throw invalidParams('"arguments" must be an object.');
  const { tools, calls } = options;
  const tool = tools.find(name);
  if (!tool) throw new RpcFailure(INVALID_PARAMS, unknownTool(name, tools));
  const progress = progressOf(options, params, context);
  try {
    const { workspace, log } = options;
    const { signal } = context;
    const client = callerName(context.peer?.name, options.transport);
    const outcome = await asCaller({ client }, () =>
      calls.run(tool, args, { workspace, log, signal, onProgress: progress?.report }),
    );
    const result = resultOf(outcome, options.toolErrors);
    const drawing = options.app && (await drawingFor(options.app, context.peer));
    return drawing ? drawing.resultForApp(name, result, tools) : result;
  } finally {
    progress?.stop();
  }
}

const MAX_CALLER = 40;

/** In `get_history`, such as `Claude (stdio)`. */
function callerName(peer: string | undefined, transport = "stdio"): string {
  return peer === undefined ? transport : `${excerpt(peer, MAX_CALLER)} (${transport})`;
}

function unknownTool(name: string, { tools }: ToolBox): string {
  const names = tools.map((tool) => tool.name);
  return `Unknown tool: ${quotedName(name)}. ${insteadOf(name, names)}`;
}

function progressOf({ progress }: ToolFeatureOptions, params: RpcParams, context: RequestContext) {
  const meta = params["_meta"];
  const progressToken = isRecord(meta) ? meta["progressToken"] : undefined;
  if (typeof progressToken !== "string" && !Number.isSafeInteger(progressToken)) return undefined;
  return progressReporter(({ done, total }) => {
    context.notify("notifications/progress", {
      progressToken,
      progress: done,
      ...(total === undefined ? {} : { total }),
    });
  }, progress ?? PROGRESS_PACE);
}

function resultOf(outcome: ToolOutcome, style: ToolErrorStyle): RpcResultBody {
  if (outcome.ok || style === "result") return callResult(outcome);
  const { code, message, data } = rpcErrorOf(outcome);
  throw new RpcFailure(code, message, data);
}

const VERBS: Readonly<Record<string, readonly string[]>> = {
  delete: ["delete", "remove", "trash", "erase", "destroy"],
  undo: ["undo", "revert", "restore", "rollback"],
  rename: ["rename", "move", "mv"],
  finish: ["complete", "finish", "close", "check", "done"],
  add: ["create", "add", "new", "make", "write", "insert", "append", "prepend", "save"],
  change: ["update", "edit", "change", "modify", "set", "patch", "replace"],
  find: ["find", "search", "list", "scan", "query", "grep", "ls"],
  show: ["get", "read", "view", "show", "open", "cat", "fetch", "summarise", "summarize"],
};

/** Suggests only available tools. */
const BY_OTHER_TOOLS: readonly {
  readonly verb: string;
  readonly noun: string;
  readonly tool: string;
  readonly how: string;
}[] = [
  { verb: "delete", noun: "task", tool: "obsidian_delete_note", how: "a task is a note" },
  { verb: "delete", noun: "task", tool: "delete", how: "a task is a note" },
  { verb: "rename", noun: "task", tool: "update_task", how: "with a new title" },
  { verb: "finish", noun: "task", tool: "update_task", how: 'with status "Done"' },
  { verb: "find", noun: "task", tool: "search_tasks", how: "with query *, or filters" },
];

export function insteadOf(name: string, names: readonly string[]): string {
  const words = wordsOf(name);
  const verb = verbOf(words);
  const [best] = nearest(name, names, 1);
  if (verb === undefined) return best === undefined ? all(names) : `Did you mean "${best}"?`;
  const other = BY_OTHER_TOOLS.find((row) => row.verb === verb && words.includes(row.noun) && names.includes(row.tool));
  const alike = names.filter((known) => verbOf(wordsOf(known)) === verb);
  if (best !== undefined && alike.includes(best) && sharesNoun(best, words, verb)) return `Did you mean "${best}"?`;
  if (other) return `Call "${other.tool}" (${other.how}).`;
  const about = alike.filter((known) => sharesNoun(known, words, verb));
  const offered = about.length > 0 ? about : alike;
  if (offered.length === 0) return all(names);
  return `To ${verb}, there is ${offered.map((known) => `"${known}"`).join(", ")}.`;
}

function all(names: readonly string[]): string {
  return `The tools are: ${names.join(", ")}.`;
}

/** `deleteTasks` and `delete_task` give the same words. */
function wordsOf(name: string): string[] {
  const words = name.slice(0, 200).replace(/(?<=[a-z])(?=[A-Z])/g, "_");
  return words
    .toLowerCase()
    .split(/[^a-z]+/)
    .map((word) => (word.length > 3 ? word.replace(/s$/, "") : word))
    .filter((word) => word !== "" && word !== "obsidian");
}

function verbOf(words: readonly string[]): string | undefined {
  for (const word of words)
    for (const [verb, spellings] of Object.entries(VERBS))
      if (spellings.some((spelling) => spelling === word || spelling.replace(/s$/, "") === word)) return verb;
  return undefined;
}

function sharesNoun(known: string, words: readonly string[], verb: string): boolean {
  const nouns = words.filter((word) => verbOf([word]) !== verb);
  return nouns.length === 0 || wordsOf(known).some((word) => nouns.includes(word));
}

type CallProgress = Parameters<NonNullable<ToolContext["onProgress"]>>[0];

/** MCP requires increasing values. */
function progressReporter(send: (progress: CallProgress) => void, pace: typeof PROGRESS_PACE) {
  let last = -1;
  let latest: CallProgress | undefined;
  let due = false;
  let timer = setTimeout(open, pace.afterMs);

  function open(): void {
    due = true;
    flush();
  }
  function flush(): void {
    if (!due || latest === undefined || latest.done <= last) return;
    last = latest.done;
    due = false;
    timer = setTimeout(open, pace.everyMs);
    send(latest);
  }
  return {
    report: (progress: CallProgress): void => {
      latest = progress;
      flush();
    },
    stop: (): void => {
      clearTimeout(timer);
      due = false;
      latest = undefined;
    },
  };
}
