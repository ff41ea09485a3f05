/** Domain errors and their codes. */
import { inSpeech, joined, said, Said, type Speech, withoutControls, type Wording } from "./text/wording.js";

/** `number` is for JSON-RPC; `retry`: the same call may succeed later (docs: protocol, "Errors"). */
export const ERROR_CODES = {
  SERVER_ERROR: { number: -32000, retry: false },
  OBSIDIAN_NOT_RUNNING: { number: -32001, retry: true },
  VAULT_NOT_FOUND: { number: -32002, retry: false },
  VAULT_NOT_INITIALIZED: { number: -32002, retry: false },
  FILE_NOT_FOUND: { number: -32003, retry: false },
  AMBIGUOUS_NAME: { number: -32004, retry: false },
  PERMISSION_DENIED: { number: -32005, retry: false },
  TIMEOUT: { number: -32006, retry: true },
  INVALID_ARGUMENT: { number: -32602, retry: false },
  ALREADY_EXISTS: { number: -32000, retry: false },
  CONFLICT: { number: -32000, retry: true },
  TOO_LARGE: { number: -32000, retry: false },
  NOT_TEXT: { number: -32000, retry: false },
  UNAVAILABLE: { number: -32000, retry: true },
} as const satisfies Record<string, { number: number; retry: boolean }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** For clients that cannot ask the user. */
export interface Candidate {
  readonly id: string;
  readonly title: string;
  readonly path: string;
  readonly status?: string;
  /** Of a task, YYYY-MM-DD. */
  readonly due?: string;
}

/** Why one clause of a saved view cannot be answered. */
export interface ClauseFault {
  /** As written, cut to 80 characters. */
  readonly clause: string;
  /** `views[2].filters.and[1], line 14`, or `line 3`. */
  readonly place: string;
  readonly reason: string;
  /** Closest to an unknown name. */
  readonly nearest?: string;
}

export interface VaultErrorDetails {
  /** What to do next. Of several sentences each caller gets those it can follow. */
  readonly hint?: Wording | readonly Wording[] | undefined;
  readonly candidates?: readonly Candidate[] | undefined;
  /** The parts of a saved view not understood. */
  readonly details?: readonly ClauseFault[] | undefined;
  /** Vault-relative. */
  readonly path?: string | undefined;
  /** In that file, from 1. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** Without the position that the message begins with, for one that names the file first. */
  readonly unplaced?: Wording | undefined;
  /** Only another setting, or another installation, can help. */
  readonly isOfSetup?: boolean | undefined;
  /** The change may have been made. */
  readonly isUncertain?: boolean | undefined;
  /** For the log only. */
  readonly cause?: unknown;
}

/** Hint sentences that are true only of a whole call. */
export const NOTHING_CHANGED = "Nothing was changed.";
export const NOTHING_ADDED = "Nothing was added.";

/** Clients may see the message: it has no absolute path, secret, note text or control characters. */
export class VaultError extends Error {
  override readonly name = "VaultError";
  readonly code: ErrorCode;
  /** In the words of tools, as the message. */
  readonly hint: string | undefined;
  readonly candidates: readonly Candidate[] | undefined;
  readonly details: readonly ClauseFault[] | undefined;
  readonly path: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly isOfSetup: boolean;
  readonly isUncertain: boolean;
  readonly words: Wording;
  readonly unplaced: Wording;
  readonly #details: VaultErrorDetails;

  constructor(code: ErrorCode, message: Wording, details: VaultErrorDetails = {}) {
    super(withoutControls(String(message)), details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.words = message;
    this.unplaced = details.unplaced ?? message;
    this.#details = details;
    this.hint = details.hint === undefined ? undefined : withoutControls(sentences(details.hint).join(" "));
    this.candidates = details.candidates?.map(shownCandidate);
    this.details = details.details;
    this.path = details.path;
    this.line = details.line;
    this.column = details.column;
    this.isOfSetup = details.isOfSetup ?? false;
    this.isUncertain = details.isUncertain ?? false;
  }

  /** In the words of a front end; the hint keeps the sentences that its caller can follow. */
  in(speech: Speech): VaultError {
    const hint = sentences(this.#details.hint ?? []).flatMap((words) => inSpeech(words, speech) ?? []);
    const message = inSpeech(this.words, speech) ?? this.message;
    return new VaultError(this.code, message, { ...this.#details, hint: hint.length === 0 ? undefined : hint });
  }

  with(details: VaultErrorDetails, message = this.words): VaultError {
    return new VaultError(this.code, message, { ...this.#details, ...details });
  }

  /** With candidates and hint. @param isPart the rest of the call is carried out */
  inSentences({ isPart = false } = {}): Wording {
    const { hint = [] } = this.#details;
    const next = sentences(hint).filter((one) => !isPart || (one !== NOTHING_CHANGED && one !== NOTHING_ADDED));
    const ids = (this.candidates ?? []).map(({ id }) => id).join(", ");
    const isOpen = String(this.words).endsWith(":");
    const words = ids !== "" && isOpen ? said`${this.words} ${ids}` : this.words;
    const candidates = ids !== "" && !isOpen ? [`Candidates: ${ids}.`] : [];
    if (next.length + candidates.length === 0) return words;
    return joined([ended(words), ...candidates, ...next], " ");
  }
}

export const invalidArgument = (message: Wording, hint?: VaultErrorDetails["hint"]): VaultError =>
  new VaultError("INVALID_ARGUMENT", message, { hint });

const ended = (words: Wording): Wording => (/[.!?]$/.test(String(words)) ? words : said`${words}.`);

function sentences(hint: Wording | readonly Wording[]): readonly Wording[] {
  return typeof hint === "string" || hint instanceof Said ? [hint] : hint;
}

/** Paths stay as they are. */
function shownCandidate({ id, title, path, status, due }: Candidate): Candidate {
  const own = { id: id === path ? id : withoutControls(id), title: withoutControls(title), path };
  const shown = due === undefined ? own : { ...own, due };
  return status === undefined ? shown : { ...shown, status: withoutControls(status) };
}

export function isVaultError(error: unknown, code?: ErrorCode): error is VaultError {
  return error instanceof VaultError && (code === undefined || error.code === code);
}

/** For `catch`: returns this value in place of a refusal; other errors are thrown. */
export function ifRefused<Fallback>(fallback: Fallback, code?: ErrorCode): (error: unknown) => Fallback {
  return (error) => {
    if (isVaultError(error, code)) return fallback;
    throw error;
  };
}

/** Node has no name for this number. */
const LINUX_EDQUOT = -122;

/** Such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  if (error instanceof Error && "errno" in error && error.errno === LINUX_EDQUOT) return "EDQUOT";
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** For additions to an answer whose work is done: no failure, even of the index's database, may hide that. */
export async function orIfFailed<Result, Fallback>(
  work: Promise<Result>,
  fallback: Fallback,
): Promise<Result | Fallback> {
  try {
    return await work;
  } catch {
    return fallback;
  }
}
