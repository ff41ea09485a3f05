/** Opens vaults, for the program and the library alike: names the storage drivers, the fact readers and the services. */
import { basename, resolve } from "node:path";
import { randomIds, systemClock, type Clock, type Ids } from "./clock.js";
import { VaultError } from "./errors.js";
import { silentLog, type Log } from "./log.js";
import { FilesystemStorage } from "./storage/filesystem/storage.js";
import { pathWithin, resolveVaultFolder } from "./storage/filesystem/vault-folder.js";
import type { VaultPath } from "./storage/path.js";
import type { LivesyncConfiguration } from "./storage/livesync/storage.js";
import type { VaultRules, RuleSet } from "./access/rules.js";
import type { Storage, StoredFile } from "./storage/storage.js";
import type { OpenVault, VaultOpener } from "./tools/workspace.js";
import { waysOut } from "./history/journal.js";
import type { JournalPlace } from "./history/connection.js";
import type { JournalOptions } from "./history/store.js";
import { Vault, type VaultOptions } from "./vault/vault.js";
import { VERSION } from "./version.js";
import { FileService } from "./files/service.js";
import { linkReader } from "./links/reader.js";
import { LinkService, type LinkServiceOptions } from "./links/service.js";
import { noteReader } from "./notes/reader.js";
import { NoteService } from "./notes/service.js";
import { lineReader } from "./tasks/line-format/line-facts.js";
import { lineFormat } from "./tasks/line-format/format.js";
import type { InlineTasks } from "./tasks/task.js";
import { noteFormat } from "./tasks/note-format/format.js";
import { projectAreaReader } from "./tasks/project-areas.js";
import { rawReader, taskReader } from "./tasks/note-format/reader.js";
import { TaskService } from "./tasks/service.js";

export type { VaultRules } from "./access/rules.js";

/** What `openVault` of the library takes too. */
export interface OpenOptions {
  /** Refuse everything that would change the vault; default false. */
  readonly readOnly?: boolean | undefined;
  /** Bytes the largest note may have that is read or written; default 10 MiB. */
  readonly maxFileSize?: number | undefined;
  /** What `mcp-obsidian://` URIs call the vault; default the folder's name. */
  readonly id?: string | undefined;
  /** What may be seen and changed: each of these rules must allow it, and those in the vault's own `.mcpignore`. Default: everything. */
  readonly access?: readonly VaultRules[] | undefined;
  /** Let hidden files be read and written, Obsidian's settings excepted; default false. Not under access rules. */
  readonly allowHidden?: boolean | undefined;
  /** IANA time zone that decides which day it is; default the system's. */
  readonly timeZone?: string | undefined;
  /** The language of periodic notes' names, as Moment calls it, where no plugin's settings say it; default `en`. */
  readonly locale?: string | undefined;
  /** Folder where the vault's index is stored between runs; default: it is not stored. */
  readonly cacheFolder?: string | undefined;
  /** Folder where the undo journal is stored between runs; default: undoing is possible until the vault is closed. */
  readonly stateFolder?: string | undefined;
  /** Whether changes can be undone; default true. */
  readonly undo?: boolean | undefined;
  /** How many changes of a file can be undone; default 100. */
  readonly undoLimit?: number | undefined;
  /** Bytes the undo journal of the vault may take, the oldest changes going first; default 100 MiB, without `stateFolder` 16 MiB. */
  readonly undoSize?: number | undefined;
  /** Which checkbox lines are tasks; default `auto`: the marked ones where the vault's plugins include Tasks, else none. */
  readonly inlineTasks?: InlineTasks | undefined;
  /** What a line must hold to be a task, such as `#task`; default: what the Tasks plugin's settings say. */
  readonly globalFilter?: string | undefined;
  /** Whether many calls will follow, so that it pays to index and to watch the vault; default true. */
  readonly session?: boolean | undefined;
  /** Takes log lines; default: none are made. */
  readonly log?: Log | undefined;
  /** In place of the system's clock, for tests; `timeZone` is then the clock's. */
  readonly clock?: Clock | undefined;
  /** In place of random ids, for tests. */
  readonly ids?: Ids | undefined;
}

export interface OpenerOptions extends OpenOptions {
  /** Only these folders and what lies below them may be opened; default: any ordinary folder. */
  readonly allowed?: readonly string[] | undefined;
  /** The vault that LiveSync keeps in CouchDB, in place of a folder; then only folders that are `allowed` may be opened besides. */
  readonly livesync?: LivesyncVault | undefined;
}

export interface LivesyncVault {
  /** What callers call it in place of a folder. */
  readonly name: string;
  /** Asked whenever the vault is to be opened. @throws VaultError INVALID_ARGUMENT */
  configuration(): Promise<LivesyncConfiguration>;
}

export interface ClosableOpener extends VaultOpener {
  /** Writes the indexes that are worth keeping and closes every vault it opened. */
  close(): Promise<void>;
}

/** The way to vaults on disk (docs: tasks, "Vaults"). */
export function vaultOpener({ allowed = [], livesync, ...options }: OpenerOptions): ClosableOpener {
  const opened: OpenVault[] = [];
  return {
    resolve: async (path) => {
      if (path === livesync?.name) return path;
      if (livesync && allowed.length === 0) throw onlyDatabase();
      return resolveVaultFolder(path, allowed);
    },
    open: async (folder, name, rules = []) => {
      const isDatabase = folder === livesync?.name;
      const narrowed = rules.length > 0 ? { ...options, access: [...(options.access ?? []), ...rules] } : options;
      const vault = await (isDatabase
        ? openLivesync(await livesync.configuration(), narrowed)
        : openFolder(folder, name, livesync ? { ...narrowed, id: undefined } : narrowed));
      opened.push(vault);
      return vault;
    },
    close: async () => {
      await Promise.all(opened.splice(0).map(closeVault));
    },
  };
}

/**
 * Opens a folder that has passed `resolveVaultFolder`.
 * @param name what answers call it
 */
export async function openFolder(folder: string, name: string, options: OpenOptions): Promise<OpenVault> {
  const { readOnly = false } = options;
  const clock = clockOf(options);
  const storage = await FilesystemStorage.open(folder, { name, clock, clearLeftOvers: !readOnly });
  const within = (absolute: string) => pathWithin(folder, name, absolute);
  const rules = await rulesOf(storage, options.access ?? []);
  return assembled(storage, name, basename(folder), clock, { ...options, pathWithin: within, rules });
}

/** The rules of a server together with those in the vault's root, which are read once. @throws VaultError when these cannot be read */
async function rulesOf(storage: Storage, access: readonly (VaultRules | undefined)[]): Promise<RuleSet | undefined> {
  const file = await storage.read(RULES_FILE_PATH).catch((cause: unknown) => cause);
  if (file === undefined && access.every((rules) => rules === undefined)) return undefined;
  const { RuleSet, rulesInFile, unreadableRules } = await import("./access/rules.js");
  if (file instanceof Error) throw unreadableRules(file);
  return RuleSet.of([...access, file === undefined ? undefined : rulesInFile((file as StoredFile).bytes)]);
}

/**
 * Opens a vault that LiveSync keeps in CouchDB. Nothing is asked of the database before something is asked of the vault, so that a
 * database that cannot be reached is the failure of a call, and the next call tries again.
 * @throws VaultError INVALID_ARGUMENT for what is no address of a database; no message holds any of it
 */
export async function openLivesync(configuration: LivesyncConfiguration, options: OpenOptions): Promise<OpenVault> {
  const { LivesyncStorage } = await import("./storage/livesync/storage.js");
  const { cacheFolder, log = silentLog, ids } = options;
  const clock = clockOf(options);
  const storage = new LivesyncStorage(configuration, {
    clock,
    ids,
    cacheFolder: cacheFolder === undefined ? undefined : resolve(cacheFolder),
    warn: (message, facts) => log.warn(`LiveSync: ${message}`, facts),
  });
  const id = options.id ?? configuration.database;
  const rules = options.access && (await import("./access/rules.js")).RuleSet.of(options.access);
  return assembled(storage, storage.name, undefined, clock, { ...options, id, rules });
}

/** Named here so that a vault without rules loads nothing of them. */
const RULES_FILE_PATH = ".mcpignore" as VaultPath;

const clockOf = ({ clock, timeZone }: OpenOptions): Clock => clock ?? systemClock(timeZone);

async function assembled(
  storage: Storage,
  name: string,
  linkName: string | undefined,
  clock: Clock,
  options: OpenOptions & Pick<AssemblyOptions, "pathWithin" | "rules">,
): Promise<OpenVault> {
  const { session = true, log = silentLog, cacheFolder, ids = randomIds() } = options;
  const cache = cacheFolder === undefined ? undefined : { folder: resolve(cacheFolder), edition: VERSION };
  const journal = journalFor(storage.identity, clock, options);
  const common = { ...options, storage, name, linkName, clock, ids, log, cache, journal, session };
  const opened = options.rules ? await restricted(common, options.rules) : assembleVault(common);
  if (session) setTimeout(() => void warnOfInterrupted(opened.vault, log), WARN_AFTER_MS).unref();
  return opened;
}

/** A vault of which access rules show a part, over one that keeps the links of the rest right. */
async function restricted(options: AssemblyOptions, rules: RuleSet): Promise<OpenVault> {
  const { RestrictedStorage, stewardStorage } = await import("./access/restricted-storage.js");
  const storage = new RestrictedStorage(options.storage, rules);
  const behind = assembleVault({
    ...options,
    storage: stewardStorage(options.storage, rules, storage),
    session: false,
  });
  return assembleVault({ ...options, storage, allowHidden: false, behind });
}

function onlyDatabase(): VaultError {
  return new VaultError("VAULT_NOT_FOUND", "This server works with the vault of its CouchDB database only.", {
    hint: "Leave the vault's path out.",
  });
}

/** Milliseconds after which interrupted operations are warned of, so that the first answer need not wait for the journal. */
const WARN_AFTER_MS = 200;
/** The largest journal that is kept in memory only, in bytes. */
const UNDO_SIZE_IN_MEMORY = 16 * 1024 * 1024;

/** @param identity the vault's, from its storage */
function journalFor(identity: string, clock: Clock, options: OpenOptions): JournalOptions | false {
  const { stateFolder, undo = true, undoLimit: limit, undoSize: maxSize } = options;
  if (!undo) return false;
  if (stateFolder === undefined) return { limit, maxSize: Math.min(maxSize ?? Infinity, UNDO_SIZE_IN_MEMORY) };
  const place = async (): Promise<JournalPlace> => {
    const { JournalFile } = await import("./history/journal-file.js");
    return new JournalFile({ folder: resolve(stateFolder), identity, clock });
  };
  return { place, limit, maxSize };
}

/** Warns of changes of several files that a crash left half done. Where there are none, only a few names are read. */
async function warnOfInterrupted(vault: Vault, log: Log): Promise<void> {
  try {
    for (const operation of await vault.history.unfinished()) {
      const { plan, done, missing } = operation;
      log.warn(`a change of several files was interrupted: ${plan.reason}; ${waysOut(operation)}`, {
        done: done.length,
        missing: missing.length,
      });
    }
  } catch (error) {
    log.debug("the undo journal could not be read", { error: String(error) });
  }
}

/** Writes the vault's index if that is worth it, and closes files and watchers. */
export async function closeVault({ vault }: OpenVault): Promise<void> {
  await vault.index.save();
  await vault.close();
}

export interface AssemblyOptions extends Pick<
  OpenOptions,
  | "id"
  | "clock"
  | "ids"
  | "log"
  | "readOnly"
  | "maxFileSize"
  | "allowHidden"
  | "locale"
  | "inlineTasks"
  | "globalFilter"
> {
  readonly storage: Storage;
  /** What answers call the vault. */
  readonly name: string;
  /** The name Obsidian knows it by; undefined for a vault that is no folder. */
  readonly linkName?: string | undefined;
  /** Where in the vault an absolute path of this machine lies; left out where the vault is no folder. */
  readonly pathWithin?: LinkServiceOptions["pathWithin"];
  /** Where the index is stored between processes; default: nowhere. */
  readonly cache?: VaultOptions["cache"];
  readonly rules?: RuleSet | undefined;
  /** The same vault without access rules, where this one is to show a part. */
  readonly behind?: OpenVault | undefined;
  /** Where changes are written down so that they can be undone; default: in memory. False: nowhere. */
  readonly journal?: JournalOptions | false | undefined;
  /** Whether many calls will follow, so that it pays to index and to watch; default false. */
  readonly session?: boolean | undefined;
}

/** Puts a vault and its services together over any storage: the one place that names every fact reader and service. */
export function assembleVault(options: AssemblyOptions): OpenVault {
  const { storage, name, linkName, session = false, inlineTasks, globalFilter } = options;
  const formats = [noteFormat, lineFormat({ inlineTasks, globalFilter })];
  const vault = new Vault({
    storage,
    id: options.id ?? linkName ?? name,
    clock: options.clock ?? systemClock(),
    ids: options.ids ?? randomIds(),
    readers: [taskReader, linkReader, noteReader, lineReader, rawReader, projectAreaReader],
    log: options.log ?? silentLog,
    cache: options.cache,
    journal: options.journal === false ? undefined : (options.journal ?? {}),
    readOnly: options.readOnly,
    maxFileSize: options.maxFileSize,
    allowHidden: options.allowHidden,
    locale: options.locale,
    behind: options.behind?.vault,
  });
  if (session) vault.index.liveOn();
  const behind = options.behind?.links;
  const links = new LinkService(vault, { linkName, pathWithin: options.pathWithin, behind });
  const notes = new NoteService(vault, links);
  const elsewhere = (reference: string) => notes.locate(reference);
  return {
    name,
    linkName,
    vault,
    tasks: new TaskService(vault, { formats, elsewhere }),
    notes,
    files: new FileService(vault, links),
    links,
  };
}
