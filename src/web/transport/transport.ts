/** How the page calls the server and learns of changes (docs: web). */
import type { ClauseFault, ErrorCode, VaultError } from "../../errors.js";
import type { GetHistoryAnswer } from "../../tools/files/get_history.js";
import type { DeleteNoteAnswer } from "../../tools/notes/obsidian_delete_note.js";
import type { BacklinksAnswer } from "../../tools/notes/obsidian_get_backlinks.js";
import type { OutgoingLinksAnswer } from "../../tools/notes/obsidian_get_outgoing_links.js";
import type { FindNotesAnswer } from "../../tools/notes/find_notes.js";
import type { ReadNoteAnswer } from "../../tools/notes/read_note.js";
import type { RunViewAnswer } from "../../tools/notes/run_view.js";
import type { UndoEditAnswer } from "../../tools/files/undo_edit.js";
import type { AddTasksAnswer } from "../../tools/tasks/add_tasks.js";
import type { AgendaAnswer } from "../../tools/tasks/agenda-text.js";
import type { GetTaskAnswer } from "../../tools/tasks/get_task.js";
import type { ScanAnswer } from "../../tools/tasks/scan_vault.js";
import type { SearchTasksAnswer } from "../../tools/tasks/search_tasks.js";
import type { UpdateTaskAnswer } from "../../tools/tasks/update_task.js";
import type { UpdateTasksAnswer } from "../../tools/tasks/update_tasks.js";
import type { ListTagsAnswer } from "../../tools/notes/obsidian_list_tags.js";
import { WORDS } from "../words.js";

export interface ToolAnswers {
  readonly search_tasks: SearchTasksAnswer;
  readonly get_agenda: AgendaAnswer;
  readonly scan_vault: ScanAnswer;
  readonly get_task: GetTaskAnswer;
  readonly update_task: UpdateTaskAnswer;
  readonly update_tasks: UpdateTasksAnswer;
  readonly obsidian_list_tags: ListTagsAnswer;
  readonly add_tasks: AddTasksAnswer;
  readonly undo_edit: UndoEditAnswer;
  readonly find_notes: FindNotesAnswer;
  readonly read_note: ReadNoteAnswer;
  readonly obsidian_delete_note: DeleteNoteAnswer;
  readonly obsidian_get_backlinks: BacklinksAnswer;
  readonly obsidian_get_outgoing_links: OutgoingLinksAnswer;
  readonly get_history: GetHistoryAnswer;
  readonly run_view: RunViewAnswer;
  readonly edit_note: object;
}
export type ToolName = keyof ToolAnswers;
export type ToolArguments = Readonly<Record<string, unknown>>;

export interface ReadingProgress {
  readonly done: number;
  readonly total?: number | undefined;
}

export interface CallOptions {
  readonly onProgress?: ((progress: ReadingProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** May share a request with calls of the same turn. */
  readonly isShared?: boolean | undefined;
}

export interface Beginning {
  readonly tools: readonly string[];
  /** The vault's day, if known. */
  readonly today?: string;
}

export interface ChangeListener {
  changed(): void;
  /** Whether change events arrive. */
  connected(isConnected: boolean): void;
  loggedOut(): void;
}

export interface PageTransport {
  /**
   * @returns the tool's structured answer
   * @throws CallFailure
   */
  callTool(name: ToolName, args: ToolArguments, options: CallOptions): Promise<unknown>;
  /** Absent if the transport cannot read files. */
  readFile?(uri: string): Promise<Blob>;
  begin(): Promise<Beginning>;
  follow(listener: ChangeListener): void;
  /** Absent if the host handles logins. */
  logIn?(token: string): Promise<void>;
  readonly session?: PageSession;
}

export interface PageSession {
  isOpen(): boolean;
  /** A one-time link that logs in another device. */
  makeLink(): Promise<string>;
  end(): Promise<void>;
}

/** `unreachable`: no answer; `login`: a login is required. */
type FailureKind = "refused" | "unreachable" | "login";

/** Its message may be shown. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";
  readonly kind: FailureKind;
  readonly code: ErrorCode | undefined;
  /** A saved view's clauses that are not understood. */
  readonly faults: readonly ClauseFault[];

  constructor(kind: FailureKind, message: string, code?: ErrorCode, faults: readonly ClauseFault[] = []) {
    super(message);
    this.kind = kind;
    this.code = code;
    this.faults = faults;
  }
}

export function isCallFailure(error: unknown, kind?: FailureKind): error is CallFailure {
  return error instanceof CallFailure && (kind === undefined || error.kind === kind);
}

export interface ToolReply {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text?: string }[];
  readonly structuredContent?: object;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

const ERROR_META = "obsidian-vault-mcp-server/error";

/** @throws CallFailure with the error's message only: the tool's text is for models */
export function structuredOf({ isError, content = [], structuredContent, _meta: meta }: ToolReply): object {
  if (isError !== true && structuredContent !== undefined) return structuredContent;
  const error = meta?.[ERROR_META] as Partial<Pick<VaultError, "code" | "message" | "details">> | undefined;
  const text = content.find((part) => part.text !== undefined)?.text;
  throw new CallFailure("refused", error?.message ?? text ?? WORDS.refused, error?.code, error?.details);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
