/** Puts a vault and its services together over any storage: the one place that names every fact reader and service. */
import { randomIds, systemClock, type Clock, type Ids } from "./clock.js";
import { FileService } from "./files/service.js";
import { linkReader } from "./links/reader.js";
import { LinkService } from "./links/service.js";
import { silentLog, type Log } from "./log.js";
import { noteReader } from "./notes/reader.js";
import { NoteService } from "./notes/service.js";
import type { Storage } from "./storage/storage.js";
import { taskReader } from "./tasks/note-format/reader.js";
import { TaskService } from "./tasks/service.js";
import type { OpenVault } from "./tools/workspace.js";
import type { SnapshotStore } from "./catalog/snapshot/store.js";
import type { JournalOptions } from "./history/store.js";
import { SESSION_INDEX_FROM } from "./search/ranker.js";
import { Vault } from "./vault/vault.js";

export interface AssemblyOptions {
  readonly storage: Storage;
  /** What answers call the vault. */
  readonly name: string;
  /** The name Obsidian knows it by; undefined for a vault that is no folder. */
  readonly linkName?: string | undefined;
  /** What `mcp-obsidian://` URIs call it; default `linkName`, else `name`. */
  readonly id?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly ids?: Ids | undefined;
  readonly log?: Log | undefined;
  readonly snapshots?: SnapshotStore | undefined;
  /** Where changes are written down so that they can be undone; default: in memory. False: nowhere. */
  readonly journal?: JournalOptions | false | undefined;
  readonly readOnly?: boolean | undefined;
  /** Bytes. */
  readonly maxFileSize?: number | undefined;
  readonly allowHidden?: boolean | undefined;
  /** Whether many calls will follow, so that it pays to index and to watch; default false. */
  readonly session?: boolean | undefined;
}

export function assembleVault(options: AssemblyOptions): OpenVault {
  const { storage, name, linkName, session = false } = options;
  const vault = new Vault({
    storage,
    id: options.id ?? linkName ?? name,
    clock: options.clock ?? systemClock(),
    ids: options.ids ?? randomIds(),
    readers: [taskReader, linkReader, noteReader],
    log: options.log ?? silentLog,
    snapshots: options.snapshots,
    journal: options.journal === false ? undefined : (options.journal ?? {}),
    readOnly: options.readOnly,
    maxFileSize: options.maxFileSize,
    allowHidden: options.allowHidden,
  });
  if (session) {
    vault.catalog.liveOn();
    vault.texts.liveOn();
  }
  const links = new LinkService(vault);
  return {
    name,
    linkName,
    vault,
    tasks: new TaskService(vault, session ? { indexFrom: SESSION_INDEX_FROM } : {}),
    notes: new NoteService(vault, links, session ? { indexFrom: SESSION_INDEX_FROM } : {}),
    files: new FileService(vault, links),
    links,
  };
}
