/** Reads an answer of `/mcp`: JSON, or a stream with progress. */
import type { ErrorCode } from "../../errors.js";
import { WORDS } from "../words.js";
import { CallFailure, type CarrierOptions, type ReadingProgress } from "./carrier.js";
import { readEvents } from "./event-lines.js";

interface RpcReply {
  readonly method?: string;
  readonly params?: { readonly progress?: number; readonly total?: number };
  readonly result?: unknown;
  readonly error?: { readonly message?: string; readonly data?: { readonly errorCode?: ErrorCode } };
}

interface ToolReply {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly _meta?: Readonly<Record<string, { readonly code?: ErrorCode; readonly message?: string } | undefined>>;
}

const ERROR_META = "obsidian-vault-mcp-server/error";

export async function readRpcResult(response: Response, { onProgress }: CarrierOptions): Promise<unknown> {
  if (!response.ok) throw await refusalOf(response);
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const reply = isStream ? await lastOf(response, onProgress) : ((await response.json()) as RpcReply);
  if (reply?.error) throw new CallFailure("refused", reply.error.message ?? WORDS.refused, reply.error.data?.errorCode);
  if (reply?.result === undefined) throw new CallFailure("unreachable", WORDS.brokenOff);
  return reply.result;
}

/** @throws CallFailure with the error's message only: the tool's text is for models */
export function structuredOf(result: unknown): unknown {
  const { isError, content = [], structuredContent, _meta: meta } = result as ToolReply;
  if (isError !== true && structuredContent !== undefined) return structuredContent;
  const { code, message = content[0]?.text ?? WORDS.refused } = meta?.[ERROR_META] ?? {};
  throw new CallFailure("refused", message, code);
}

async function lastOf(
  response: Response,
  onProgress: ((progress: ReadingProgress) => void) | undefined,
): Promise<RpcReply | undefined> {
  for await (const { data } of readEvents(response)) {
    if (data === "") continue;
    const message = JSON.parse(data) as RpcReply;
    if (message.method === undefined) return message;
    const { progress, total } = message.params ?? {};
    if (progress !== undefined) onProgress?.({ done: progress, total });
  }
  return undefined;
}

async function refusalOf(response: Response): Promise<CallFailure> {
  if (response.status === 401) return new CallFailure("login", WORDS.loginNeeded);
  if (response.status >= 502 && response.status <= 504) return new CallFailure("unreachable", WORDS.offline);
  if (response.status === 429) return new CallFailure("refused", WORDS.tooMany);
  return new CallFailure("refused", await wordsOfRefusal(response));
}

async function wordsOfRefusal(response: Response): Promise<string> {
  try {
    const { error } = (await response.json()) as RpcReply;
    return error?.message ?? WORDS.refused;
  } catch {
    return WORDS.refused;
  }
}
