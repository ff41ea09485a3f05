/** Opens vaults; only this file names storage drivers, fact readers and services. */
import { existsSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { randomIds, systemClock, type Clock, type Ids } from "./clock.js";
import { VaultError } from "./errors.js";
import { silentLog, type Log } from "./log.js";
import { filesystemStorage } from "./storage/filesystem/storage.js";
import { pathWithin, resolveVaultFolder } from "./storage/filesystem/vault-folder.js";
import { ROOT, type VaultPath } from "./storage/path.js";
import type { LivesyncConfiguration } from "./storage/livesync/storage.js";
import type { RulesFile } from "./access/restricted-storage.js";
import type { VaultRules, RuleSet } from "./access/rules.js";
import type { Storage } from "./storage/storage.js";
import type { OpenVault, VaultOpener } from "./tools/workspace.js";
import { waysOut } from "./history/journal-records.js";
import type { JournalStorage } from "./history/connection.js";
import type { JournalOptions } from "./history/journal-store.js";
import { Vault, type VaultOptions } from "./vault/vault.js";
import { VERSION } from "./version.js";
import { Attachments } from "./attachments/attachments.js";
import { Files } from "./files/service.js";
import { linkSubject } from "./links/link-rows.js";
import { linkText, renamed } from "./links/resolver.js";
import { Links, linksTaken, type LinksOptions } from "./links/service.js";
import { noteSubject } from "./notes/note-rows.js";
import type { TaskFields } from "./notes/api.js";
import { Notes } from "./notes/service.js";
import { lineFormat } from "./tasks/line-format/format.js";
import type { InlineTasks } from "./tasks/task.js";
import { readFieldNames } from "./tasks/note-format/note-settings.js";
import { noteFormat } from "./tasks/note-format/format.js";
import { checkboxSubject } from "./tasks/rows/checkbox-subject.js";
import { taskSubject } from "./tasks/rows/task-subject.js";
import type { AskOptions } from "./index/refresh.js";
import { taskService } from "./tasks/service.js";
import type { NoteLinks } from "./tasks/writing/edit-note.js";
import { viewSubject } from "./views/bases/file-rows.js";

export type { VaultRules } from "./access/rules.js";

export interface OpenOptions {
  /** Refuses all changes; default false. */
  readonly readOnly?: boolean | undefined;
  /** Bytes of a note; default 10 MiB. */
  readonly maxFileSize?: number | undefined;
  /** Bytes of an image shown; default 700 KB. */
  readonly maxImageSize?: number | undefined;
  /** In `mcp-obsidian://` URIs; default the folder's name. */
  readonly id?: string | undefined;
  /** All must allow access, as must the vault's `.mcpignore`. Default: everything is allowed. */
  readonly access?: readonly VaultRules[] | undefined;
  /** Allows hidden files except Obsidian's settings; default false. Not with access rules. */
  readonly allowHidden?: boolean | undefined;
  /** IANA time zone of "today"; default the system's. */
  readonly timeZone?: string | undefined;
  /** Moment's locale for periodic notes, unless a plugin sets it; default `en`. */
  readonly locale?: string | undefined;
  /** Property keys, and the task field each holds: `termin=due`. */
  readonly fieldNames?: readonly string[] | undefined;
  /** Stores the index between runs; default: not stored. */
  readonly cacheFolder?: string | undefined;
  /** Stores the undo journal, and what a database was like at first, between runs; default: until the vault is closed. */
  readonly stateFolder?: string | undefined;
  /** Default true. */
  readonly undo?: boolean | undefined;
  /** Changes per file; default 100. */
  readonly undoLimit?: number | undefined;
  /** Bytes; default 100 MiB, without `stateFolder` 16 MiB. */
  readonly undoSize?: number | undefined;
  /** Which checkbox lines are tasks; default `auto`: marked ones with the Tasks plugin, else none. */
  readonly inlineTasks?: InlineTasks | undefined;
  /** Part of every task line, such as `#task`; default: the Tasks plugin's setting. */
  readonly globalFilter?: string | undefined;
  /** Index and watch for many calls; default true. */
  readonly session?: boolean | undefined;
  /** Default: no log. */
  readonly log?: Log | undefined;
  /** For tests; replaces `timeZone`. */
  readonly clock?: Clock | undefined;
  /** For tests. */
  readonly ids?: Ids | undefined;
}

interface OpenerOptions extends OpenOptions {
  /** Only these folders and those below may be opened; default: any ordinary folder. */
  readonly allowed?: readonly string[] | undefined;
  /** Instead of a folder; folders then open only if `allowed`. */
  readonly livesync?: LivesyncVault | undefined;
}

interface LivesyncVault {
  readonly name: string;
  /** Called whenever the vault is opened. */
  configuration(): Promise<LivesyncConfiguration>;
}

export interface ClosableOpener extends VaultOpener {
  /** Stores the indexes first. */
  close(): Promise<void>;
}

/** Docs: tasks, "Vaults". */
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

/** @param folder from `resolveVaultFolder` */
export async function openFolder(folder: string, name: string, options: OpenOptions): Promise<OpenVault> {
  const { readOnly = false } = options;
  const clock = clockOf(options);
  const storage = await filesystemStorage(folder, { name, clock, clearLeftOvers: !readOnly });
  const within = (absolute: string) => pathWithin(folder, name, absolute);
  const file = rulesFileOf(storage, folder, options.access ?? []);
  const isRestricted = options.access?.some((rules) => rules !== undefined) === true || file.state() !== "";
  const rules = isRestricted ? { now: await file.read(), file } : undefined;
  const places = { pathWithin: within, rules, born: () => storage.born() };
  const opened = await assembled(storage, name, basename(folder), clock, { ...options, ...places });
  // Nothing else would notice a first `.mcpignore`.
  return rules ? opened : { ...opened, isOutdated: () => existsSync(join(folder, RULES_FILE_PATH)) };
}

function rulesFileOf(storage: Storage, folder: string, access: readonly (VaultRules | undefined)[]): RulesFile {
  const place = join(folder, RULES_FILE_PATH);
  return {
    state() {
      try {
        const stat = statSync(place, { throwIfNoEntry: false });
        return stat ? [stat.mtimeMs, stat.ctimeMs, stat.size, stat.ino].join() : "";
      } catch {
        return "unreadable";
      }
    },
    async read() {
      const { RuleSet, rulesInFile, unreadableRules } = await import("./access/rules.js");
      const file = await storage.read(RULES_FILE_PATH).catch(async (cause: unknown) => {
        // In a closed folder this is not the rules' fault.
        await storage.children(ROOT);
        throw unreadableRules(cause);
      });
      return RuleSet.of([...access, file && rulesInFile(file.bytes)]) ?? RuleSet.NONE;
    },
  };
}

interface Rules {
  readonly now: RuleSet;
  /** Undefined without rules in the vault. */
  readonly file?: RulesFile;
}

/** Connects on the first call. @throws VaultError INVALID_ARGUMENT for an invalid address */
export async function openLivesync(configuration: LivesyncConfiguration, options: OpenOptions): Promise<OpenVault> {
  const { livesyncStorage } = await import("./storage/livesync/storage.js");
  const { vaultLock } = await import("./storage/filesystem/lock.js");
  const { DriverDatabase } = await import("./cache/driver-database.js");
  const { cacheFolder, stateFolder, readOnly = false, log = silentLog } = options;
  const folder = cacheFolder === undefined ? undefined : resolve(cacheFolder);
  const clock = clockOf(options);
  const storage = livesyncStorage(configuration, {
    clock,
    cacheFolder: folder,
    // Only writing needs it.
    stateFolder: stateFolder === undefined || readOnly ? undefined : resolve(stateFolder),
    lock: (identity) => vaultLock(identity, () => clock.now()),
    store: (identity) => new DriverDatabase({ folder, identity, clock }, log),
    warn: (message, facts) => log.warn(`LiveSync: ${message}`, facts),
  });
  const id = options.id ?? configuration.database;
  const now = options.access && (await import("./access/rules.js")).RuleSet.of(options.access);
  return assembled(storage, storage.name, undefined, clock, { ...options, id, rules: now && { now } });
}

/** Repeated: the rules' module need not load. */
const RULES_FILE_PATH = ".mcpignore" as VaultPath;

const clockOf = ({ clock, timeZone }: OpenOptions): Clock => clock ?? systemClock(timeZone);

async function assembled(
  storage: Storage,
  name: string,
  linkName: string | undefined,
  clock: Clock,
  options: OpenOptions & Pick<AssemblyOptions, "pathWithin" | "rules"> & JournalBirth,
): Promise<OpenVault> {
  const { session = true, log = silentLog, cacheFolder, ids = randomIds(), locale } = options;
  // Only a given name loads the date library.
  if (locale !== undefined) await (await import("./notes/note-date.js")).assertLocale(locale);
  const cache = cacheFolder === undefined ? undefined : { folder: resolve(cacheFolder), edition: VERSION };
  const journal = journalFor(storage.identity, clock, options);
  const common = { ...options, storage, name, linkName, clock, ids, log, cache, journal, session };
  const opened = options.rules ? await restricted(common, options.rules) : assembleVault(common);
  if (session) setTimeout(() => void warnOfInterrupted(opened.vault, log), WARN_AFTER_MS).unref();
  return opened;
}

/** Access rules over a vault that also updates links in hidden notes. */
async function restricted(options: AssemblyOptions, { now, file }: Rules): Promise<OpenVault> {
  const { restrictedStorage, stewardStorage } = await import("./access/restricted-storage.js");
  const storage = restrictedStorage(options.storage, now, file);
  const unrestricted = assembleVault({
    ...options,
    storage: stewardStorage(options.storage, storage),
    session: false,
  });
  return assembleVault({ ...options, storage, allowHidden: false, unrestricted });
}

function onlyDatabase(): VaultError {
  return new VaultError("VAULT_NOT_FOUND", "This server works with the vault of its CouchDB database only.", {
    hint: "Leave the vault's path out.",
  });
}

/** The first answer need not wait for the journal. */
const WARN_AFTER_MS = 200;
/** Bytes. */
const UNDO_SIZE_IN_MEMORY = 16 * 1024 * 1024;

type JournalBirth = Partial<Pick<JournalStorage, "born">>;

function journalFor(identity: string, clock: Clock, options: OpenOptions & JournalBirth): JournalOptions | false {
  const { born, stateFolder, undo = true, undoLimit: limit, undoSize: maxSize } = options;
  if (!undo) return false;
  if (stateFolder === undefined) return { limit, maxSize: Math.min(maxSize ?? Infinity, UNDO_SIZE_IN_MEMORY) };
  const place = async (): Promise<JournalStorage> => {
    const { JournalFile } = await import("./history/journal-file.js");
    return new JournalFile({ folder: resolve(stateFolder), identity, clock, born });
  };
  return { place, limit, maxSize };
}

async function warnOfInterrupted(vault: Vault, log: Log): Promise<void> {
  try {
    for (const operation of await vault.history.unfinished()) {
      const { plan, done, missing } = operation;
      log.warn(`a change of several files was interrupted: ${plan.reason}; ${String(waysOut(operation))}`, {
        done: done.length,
        missing: missing.length,
      });
    }
  } catch (error) {
    log.debug("the undo journal could not be read", { error: String(error) });
  }
}

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
  | "maxImageSize"
  | "allowHidden"
  | "locale"
  | "fieldNames"
  | "inlineTasks"
  | "globalFilter"
> {
  readonly storage: Storage;
  /** The vault's name in answers. */
  readonly name: string;
  /** In Obsidian; undefined for a vault that is no folder. */
  readonly linkName?: string | undefined;
  /** Undefined for a vault that is no folder. */
  readonly pathWithin?: LinksOptions["pathWithin"];
  /** Default: not stored. */
  readonly cache?: VaultOptions["cache"];
  readonly rules?: Rules | undefined;
  /** The vault without access rules. */
  readonly unrestricted?: OpenVault | undefined;
  /** Default: in memory. False: none. */
  readonly journal?: JournalOptions | false | undefined;
  /** Many calls follow; default false. */
  readonly session?: boolean | undefined;
}

export function assembleVault(options: AssemblyOptions): OpenVault {
  const { storage, name, linkName, session = false, inlineTasks, globalFilter } = options;
  const lines = { inlineTasks, globalFilter };
  const formats = [noteFormat, lineFormat(lines)];
  const clock = options.clock ?? systemClock();
  const vault = new Vault({
    storage,
    id: options.id ?? linkName ?? name,
    clock,
    ids: options.ids ?? randomIds(),
    subjects: [taskSubject(formats, clock), checkboxSubject(lines), linkSubject, noteSubject, viewSubject],
    log: options.log ?? silentLog,
    cache: options.cache,
    journal: options.journal === false ? undefined : (options.journal ?? {}),
    readOnly: options.readOnly,
    maxFileSize: options.maxFileSize,
    allowHidden: options.allowHidden,
    locale: options.locale,
    fieldNames: readFieldNames(options.fieldNames ?? []),
    unrestricted: options.unrestricted?.vault,
  });
  if (session) vault.index.startSession();
  const unrestricted = options.unrestricted?.links;
  const links = new Links(vault, {
    linkName,
    pathWithin: options.pathWithin,
    unrestricted,
    companionsOf: (request) => tasks.renamedWith(request),
  });
  const taskFields: TaskFields = {
    of: (path, properties) => tasks.fieldsOf(path, properties),
    keys: (path) => tasks.fieldKeys(path),
  };
  const notes = new Notes(vault, links, taskFields, options.unrestricted);
  const findFile = (reference: string, asked?: AskOptions) => notes.locate(reference, asked);
  const noteLinks: NoteLinks = {
    find: findFile,
    // The note may be one that is only planned.
    linkText: (to, from) => links.ask({}, (graph) => linkText(to, from, renamed(graph, new Map([[to, to]])))),
    linksTaken: (path) => linksTaken(vault, links, path),
    backlinks: (path) => links.ask({}, (graph) => graph.backlinks(path)),
    carried: async (text, way) => (await import("./notes/extract.js")).carriedText(vault, links, text, way),
    lists: async (keys) => (await import("./notes/set-properties.js")).listsAmong(vault, keys),
    lost: async (path, parts) => (await import("./notes/extract.js")).linksLost(links, path, parts),
  };
  const tasks = taskService(vault, { formats, findFile, links: noteLinks });
  return {
    name,
    linkName,
    vault,
    tasks,
    notes,
    files: new Files(vault, links),
    links,
    attachments: new Attachments(vault, { maxImageSize: options.maxImageSize }),
  };
}
