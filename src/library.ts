/**
 * The library: an Obsidian vault without a server.
 *
 * @example
 * import { openVault } from "obsidian-vault-mcp-server";
 *
 * const vault = await openVault("/path/to/My Vault");
 * const { outstanding } = await vault.tasks.agenda();
 * for (const task of outstanding) if (task.title === "Buy milk") await vault.tasks.update(task.id, { status: "Done" });
 * const { notes } = await vault.notes.find({ query: "kitchen", tags: ["home"] });
 * await vault.notes.append("Shopping", "- milk");
 * await vault.close();
 *
 * @packageDocumentation
 */
import { VaultError } from "./errors.js";
import { silentLog } from "./log.js";
import {
  checked,
  closed,
  FILE_METHODS,
  givenDatabase,
  givenFolder,
  givenOptions,
  LINK_METHODS,
  NOTE_METHODS,
  type WhileOpen,
  TASK_METHODS,
} from "./library-methods.js";
import type { Files } from "./files/service.js";
import type { Links } from "./links/service.js";
import type { Notes } from "./notes/service.js";
import { closeVault, openFolder, openLivesync, type OpenOptions } from "./open.js";
import type { LivesyncConfiguration } from "./storage/livesync/storage.js";
import { resolveVaultFolder } from "./storage/filesystem/vault-folder.js";
import type { Tasks } from "./tasks/service.js";
import { toolsFor, type ToolBox } from "./tools/registry.js";
import { failedOutcome } from "./tools/outcome.js";
import type { ToolListing, ToolOutcome } from "./tools/tool.js";
import type { OpenVault, Workspace } from "./tools/workspace.js";
import type { ProgressOptions } from "./index/refresh.js";

export { VaultError, isVaultError, ERROR_CODES } from "./errors.js";
export type { Candidate, ErrorCode, VaultErrorDetails } from "./errors.js";
export { fixedClock, sequentialIds, systemClock } from "./clock.js";
export type { Clock, Ids, LocalDate } from "./clock.js";
export type { Log } from "./log.js";
export type { OpenOptions, VaultRules } from "./open.js";
export type { LivesyncConfiguration } from "./storage/livesync/storage.js";
export type { Priority, SettableStatus, Status, StatusFilter } from "./tasks/fields/vocabulary.js";
export type * from "./tasks/api.js";
export type { InlineTasks, Occurrence, Series, TaskPlace, TaskProblem, TaskRule, TaskSource } from "./tasks/task.js";
export type * from "./notes/api.js";
export type { Notes } from "./notes/service.js";
export type { ChangedNotes } from "./notes/bulk-edit.js";
export type { FoundNote, FoundNotes, NoteOrder, NoteSearch } from "./notes/find.js";
export type { FoundAttachments } from "./notes/find-attachments.js";
export type { RenamedPart } from "./notes/rename-part.js";
export type { RenamedTag } from "./notes/tags.js";
export type { TagCount } from "./notes/tags.js";
export type * from "./links/api.js";
export type { Links } from "./links/service.js";
export type * from "./files/service.js";
export type { ChangeList, HistoryRequest } from "./files/change-list.js";
export type { SyncCopy } from "./files/sync-copies.js";
export type { VaultPath } from "./storage/path.js";
export type { Revision } from "./storage/storage.js";
export type { ToolListing, ToolOutcome } from "./tools/tool.js";
export type { Progress, ProgressOptions } from "./index/refresh.js";
export type { DeleteOutcome } from "./vault/vault.js";

export interface VaultHandle {
  /** The folder as given. */
  readonly name: string;
  /** Methods throw `VaultError`. */
  readonly tasks: Tasks;
  readonly notes: Notes;
  /** A graph does not change until the next call refreshes it. */
  readonly links: Links;
  readonly files: Files;
  /** As an MCP client sees them. */
  readonly tools: readonly ToolListing[];
  /**
   * Calls a tool as an MCP client does. Never rejects: a failure is an outcome with `ok: false`, whose text says what to
   * do next.
   *
   * @example
   * const outcome = await vault.call("search_tasks", { query: "kitchen" });
   * console.log(outcome.text);
   */
  call(tool: string, args?: Readonly<Record<string, unknown>>, options?: ProgressOptions): Promise<ToolOutcome>;
  /** Waits for running calls, closes files and watchers, and stores the index if there is a cache folder. */
  close(): Promise<void>;
}

/**
 * Opens a folder as a vault. Reads nothing before it is needed, and creates nothing.
 *
 * @param folder relative paths count from the working folder
 * @throws VaultError VAULT_NOT_FOUND when the folder is missing, a file, a home or a system folder; INVALID_ARGUMENT for an
 *   unknown time zone
 * @example
 * const vault = await openVault("/path/to/My Vault", { readOnly: true, timeZone: "Europe/Berlin" });
 */
export async function openVault(folder: string, options: OpenOptions = {}): Promise<VaultHandle> {
  const known = givenFolder(folder, options);
  return handleOf(await openFolder(resolveVaultFolder(folder), folder, known), folder, known);
}

/**
 * Opens a vault that Self-hosted LiveSync keeps in CouchDB. Connects on the first call; after a failure the next call
 * tries again.
 *
 * @throws VaultError INVALID_ARGUMENT for an invalid address
 * @example
 * const vault = await openLivesyncVault({ url: "https://couch.example:5984", database: "notes", user, password,
 * passphrase });
 */
export async function openLivesyncVault(
  configuration: LivesyncConfiguration,
  options: OpenOptions = {},
): Promise<VaultHandle> {
  const [database, known] = givenDatabase(configuration, options);
  const open = await openLivesync(database, known);
  return handleOf(open, open.name, known);
}

function handleOf(open: OpenVault, name: string, options: OpenOptions): VaultHandle {
  const box = toolsFor({ readOnly: options.readOnly ?? false, hasDefaultVault: true });
  const workspace = workspaceOf(open);
  let closing: Promise<void> | undefined;
  const running = new Set<Promise<unknown>>();
  const run: WhileOpen = (work) => {
    if (closing) return Promise.reject(closed());
    const one = work();
    const end = () => void running.delete(one);
    running.add(one);
    one.then(end, end);
    return one;
  };
  return {
    name,
    tasks: checked("tasks", open.tasks, TASK_METHODS, run),
    notes: checked("notes", open.notes, NOTE_METHODS, run),
    links: checked("links", open.links, LINK_METHODS, run),
    files: checked("files", open.files, FILE_METHODS, run),
    tools: box.tools.map((tool) => tool.listing),
    call: (tool, args = {}, given) =>
      run(async () => {
        const { signal = new AbortController().signal, onProgress } = givenOptions(given);
        if (signal.aborted) throw new VaultError("SERVER_ERROR", "The call was cancelled.");
        const found = box.find(tool);
        if (!found) return unknownTool(tool, box);
        return found.call(args, { workspace, log: options.log ?? silentLog, signal, onProgress });
      }).catch((error: VaultError) => failedOutcome(error, "❌ Error: ")),
    close: () => (closing ??= Promise.allSettled(running).then(() => closeVault(open))),
  };
}

/** Always this one vault. */
function workspaceOf(open: OpenVault): Workspace {
  return {
    hasDefault: true,
    current: async () => open,
    open: async (path) => {
      if (path === undefined || path === open.name) return open;
      const isFolder = open.linkName !== undefined;
      if (isFolder && resolveVaultFolder(path) === resolveVaultFolder(open.name)) return open;
      throw new VaultError("VAULT_NOT_FOUND", "This is not the vault that was opened.", {
        hint: "Open the other vault with openVault.",
      });
    },
  };
}

function unknownTool(name: string, { tools }: ToolBox): ToolOutcome {
  const hint = `The tools are: ${tools.map((tool) => tool.name).join(", ")}.`;
  const error = new VaultError("INVALID_ARGUMENT", `Unknown tool: ${JSON.stringify(name)}.`, { hint });
  return failedOutcome(error, "❌ Error: ");
}
