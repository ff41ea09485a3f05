/** The result of a call, its answer or an error, and its form in MCP. */
import { type Candidate, type ClauseFault, ERROR_CODES, type ErrorCode, VaultError } from "../errors.js";
import { call, type Speech } from "../text/wording.js";
import { excerpt, oneLine } from "./safe-text.js";

export interface AnswerImage {
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

/** A failure's text says what failed, why, and what to do next. */
export type ToolOutcome =
  | {
      /** Front ends for people have the text alone. */
      readonly images?: readonly AnswerImage[];
      readonly ok: true;
      readonly text: string;
      /** What `text` omits, for a model: many clients show it only texts. */
      readonly details?: string;
      /** The part of `details` about the call itself, which `data` omits. */
      readonly remarks?: string;
      readonly data: Readonly<Record<string, unknown>>;
    }
  | FailedOutcome;

export function wordsOf(outcome: ToolOutcome): string {
  return outcome.ok && outcome.details !== undefined ? `${outcome.text}\n\n${outcome.details}` : outcome.text;
}

interface FailedOutcome {
  readonly ok: false;
  readonly text: string;
  readonly error: VaultError;
}

/** @param opening the text's beginning, such as `❌ Error scanning vault: ` */
export function failedOutcome(error: VaultError, opening: string): FailedOutcome {
  const start = error.code === "VAULT_NOT_INITIALIZED" ? "❌ Error: " : opening;
  const candidates = (error.candidates ?? []).map(candidateLine);
  const lines = [`${start}${error.message}`, ...candidates, ...(error.hint === undefined ? [] : [error.hint])];
  return { ok: false, text: lines.join("\n"), error };
}

/** Tools that do the work of another, in this order. */
const INSTEAD: Readonly<Record<string, readonly string[]>> = {
  view: ["obsidian_read_note"],
  read_note: ["obsidian_read_note"],
  summarise_note: ["obsidian_read_note"],
  edit_note: ["str_replace"],
  insert: ["str_replace"],
  create: ["obsidian_create_note"],
  delete: ["obsidian_delete_note"],
  obsidian_delete_note: ["delete"],
  obsidian_prepend_note: ["obsidian_append_note"],
  obsidian_move_note: ["rename"],
  rename: ["obsidian_move_note"],
  scan_vault: ["get_agenda"],
  str_replace: ["edit_note", "replace_section"],
  find_notes: ["search"],
  search: ["find_notes"],
};

/** Arguments are those of one tool alone. */
export function withoutTools(speech: Speech, isOff: (name: string) => boolean): Speech {
  return (part) => {
    if (!("tool" in part) || !isOff(part.tool)) return speech(part);
    const isPlain = Object.keys(part.with).length === 0;
    const other = isPlain ? INSTEAD[part.tool]?.find((name) => !isOff(name)) : undefined;
    return other === undefined ? undefined : speech(call(other));
  };
}

function candidateLine({ id, title, status, due }: Candidate): string {
  const facts = [...(status === undefined ? [] : [excerpt(status)]), ...(due === undefined ? [] : [`due ${due}`])];
  return `- ${oneLine(id)}: "${excerpt(title, 200)}"${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`;
}

/** Too many open files: loading parts of the program fails with these too. */
const TOO_MANY_OPEN = new Set<unknown>(["EMFILE", "ENFILE"]);

export function unforeseen(error: unknown): VaultError {
  if (error instanceof Error && TOO_MANY_OPEN.has(Reflect.get(error, "code")))
    return new VaultError("UNAVAILABLE", "Too many files are open.", { hint: "Try again in a moment.", cause: error });
  return new VaultError("SERVER_ERROR", "Something unexpected went wrong in the server.", {
    hint: "Try again; if it happens again, the server's log (stderr) says where.",
    cause: error ?? "nothing",
  });
}

const MAX_CAUSES = 4;

/** The message may contain a note's text or a path. */
export function traceOf(error: unknown, depth = 0): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { kind: typeof error };
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  const code: unknown = Reflect.get(error, "code");
  return {
    kind: error.name,
    ...(typeof code === "string" ? { code } : {}),
    stack: frames.map((frame) => frame.trim()).join(" < "),
    ...(error.cause === undefined || depth >= MAX_CAUSES ? {} : { cause: traceOf(error.cause, depth + 1) }),
  };
}

/** The key in `_meta` for a failed call's details. */
export const ERROR_META_KEY = "obsidian-vault-mcp-server/error";

interface ErrorParticulars {
  readonly code: ErrorCode;
  readonly number: number;
  readonly message: string;
  readonly hint?: string;
  readonly candidates?: readonly Candidate[];
  readonly details?: readonly ClauseFault[];
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

/** A text block, a second one with details for the model, and structured content on success only (docs: protocol, "Errors"). */
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
  return { code: number, message: outcome.text, data: { errorCode: code, ...rest, details: rest.details ?? message } };
}

function particularsOf({ error }: FailedOutcome): ErrorParticulars {
  const { code, message, hint, candidates, details } = error;
  return {
    code,
    number: ERROR_CODES[code].number,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(candidates === undefined ? {} : { candidates }),
    ...(details === undefined ? {} : { details }),
  };
}
