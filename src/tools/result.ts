/** Converts a tool's outcome to MCP; every front end uses it. */
import { ERROR_CODES, type Candidate, type ErrorCode } from "../errors.js";
import type { FailedOutcome, ToolOutcome } from "./outcome.js";

/** The key in `_meta` for the details of a failed call. */
export const ERROR_META_KEY = "obsidian-vault-mcp-server/error";

interface ErrorParticulars {
  readonly code: ErrorCode;
  readonly number: number;
  readonly message: string;
  readonly hint?: string;
  readonly candidates?: readonly Candidate[];
}

interface TextBlock {
  type: "text";
  text: string;
  annotations?: { audience: ["assistant"] };
}

interface ImageBlock {
  type: "image";
  /** In base64. */
  data: string;
  mimeType: string;
}

/**
 * One text block, a second one for the model where there are details, and structured content on success only (docs:
 * protocol, "Errors").
 */
export type CallResult = {
  content: [TextBlock, ...(TextBlock | ImageBlock)[]];
  structuredContent?: Record<string, unknown>;
  isError?: true;
  _meta?: Record<string, ErrorParticulars>;
};

export function callResult(outcome: ToolOutcome): CallResult {
  const content: CallResult["content"] = [{ type: "text", text: outcome.text }];
  if (outcome.ok && outcome.details !== undefined)
    content.push({ type: "text", text: outcome.details, annotations: { audience: ["assistant"] } });
  for (const { bytes, mimeType } of outcome.ok ? (outcome.images ?? []) : [])
    content.push({ type: "image", data: Buffer.from(bytes).toString("base64"), mimeType });
  if (outcome.ok) return { content, structuredContent: { ...outcome.data } };
  return { content, isError: true, _meta: { [ERROR_META_KEY]: particularsOf(outcome) } };
}

/** For `--tool-errors jsonrpc`. */
export function rpcErrorOf(outcome: FailedOutcome): { code: number; message: string; data: Record<string, unknown> } {
  const { code, number, message, ...rest } = particularsOf(outcome);
  return { code: number, message: outcome.text, data: { errorCode: code, details: message, ...rest } };
}

function particularsOf({ error }: FailedOutcome): ErrorParticulars {
  const { code, message, hint, candidates } = error;
  return {
    code,
    number: ERROR_CODES[code].number,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(candidates === undefined ? {} : { candidates }),
  };
}
