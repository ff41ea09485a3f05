/** A vault in CouchDB (LiveSync), safe for any number of servers. */
import { Mutex } from "async-mutex";
import type { Clock } from "../../clock.js";
import type { VaultError } from "../../errors.js";
import { ChangeFeed } from "../change-feed.js";
import { isHidden, type VaultPath } from "../path.js";
import type { DriverStore, FileStat, Storage, VaultLock } from "../storage.js";
import { readBatches, signsOfLife } from "./batch-reader.js";
import { normalPath } from "./codec/note.js";
import { CouchClient, type ClientOptions, RefusedLogin } from "./client.js";
import { Couch } from "./couch.js";
import { Database, Feed } from "./database.js";
import { Reader, noteStat, type DamageListener } from "./file-reader.js";
import { OwnVersions } from "./lost-versions.js";
import { acceptedDevices, RebuildGuard } from "./rebuild-guard.js";
import { STAMP_LENGTH } from "./codec/document.js";
import { couchAddress, type CouchConfiguration } from "./transport.js";
import { documentWriter } from "./writer.js";

export interface LivesyncConfiguration extends CouchConfiguration {
  /** Of LiveSync's end-to-end encryption; never shown. */
  readonly passphrase?: string | undefined;
  /** After the secrets were refused: nothing is sent until they change. */
  readonly reread?: (() => Promise<CouchConfiguration>) | undefined;
  /** Refuse to write readable names. The database says whether names are obfuscated. */
  readonly usePathObfuscation?: boolean | undefined;
}

export interface LivesyncOptions extends ClientOptions {
  readonly clock: Clock;
  /** For refused logins; default: nowhere. */
  readonly cacheFolder?: string | undefined;
  /** For the mirror and downloaded chunks; default: none. */
  readonly store?: ((identity: string) => DriverStore) | undefined;
  /** For what the database was like at first; default: until it is closed. */
  readonly stateFolder?: string | undefined;
  /** Among the processes of this user; default: within this process. */
  readonly lock?: ((identity: string) => VaultLock) | undefined;
  /** Store nothing in the state folder. */
  readonly isCheck?: boolean | undefined;
  /** Milliseconds between checks whether the database is rebuilt or too new. */
  readonly believed?: number | undefined;
  /** Milliseconds between comparisons of revisions. */
  readonly compareAfter?: number | undefined;
  /** For the user, without secrets. */
  readonly warn?: (message: string, facts?: Readonly<Record<string, unknown>>) => void;
}

export interface LivesyncReport {
  /** With port. */
  readonly host: string;
  readonly database: string;
  readonly files: number;
  readonly conflicts: number;
  /** Documents without a type, perhaps not LiveSync's. */
  readonly untyped: number;
  readonly encryption: string;
  readonly hasHiddenNames: boolean;
  /** While it is locked; undefined: not locked. */
  readonly accepted: number | undefined;
  /** Why nothing may be written. */
  readonly readOnly: VaultError | undefined;
}

const BATCH = 1000;

interface DatabaseReports {
  readonly requests: number;
  report(): Promise<LivesyncReport>;
  /** @throws PERMISSION_DENIED when it cannot be stored */
  acceptRebuilt(): Promise<void>;
}

/**
 * Makes no request.
 * @throws INVALID_ARGUMENT for an invalid address, without repeating it
 */
export function livesyncStorage(configuration: LivesyncConfiguration, options: LivesyncOptions) {
  const changed = new ChangeFeed();
  const inConflict = new Set<VaultPath>();
  const { cacheFolder, stateFolder, isCheck, clock, warn } = options;
  const address = couchAddress(configuration);
  const identity = `livesync:${address.url}`;
  const turn = new Mutex();
  if (address.isExposed)
    warn?.("the password and all notes cross the network readable: use https for COUCHDB_BASE_URL");
  const store = options.store?.(identity);
  const { reread } = configuration;
  const authorization = reread && (async () => couchAddress(await reread()).authorization);
  const refusedLogin = cacheFolder === undefined ? undefined : new RefusedLogin(cacheFolder, identity, clock);
  const client = new CouchClient(address, { ...options, authorization, refusedLogin });
  const database = new Database({
    couch: new Couch(client),
    passphrase: configuration.passphrase === "" ? undefined : configuration.passphrase,
    believed: options.believed,
    compareAfter: options.compareAfter,
    wantsObfuscation: configuration.usePathObfuscation ?? false,
    store,
    guard: new RebuildGuard({ folder: stateFolder, identity, isCheck }),
    onChange: (path) => changed.announce(path === undefined ? { kind: "unsure" } : { kind: "changed", path }),
  });
  const warned = new Set<string>();
  // A damaged database may cause thousands.
  const warnOnce = (message: string, facts: Readonly<Record<string, unknown>>): void => {
    if (!warned.has(message)) warn?.(`${message}; others like it are not reported`, facts);
    warned.add(message);
  };
  const damage: DamageListener = {
    onSizeMismatch: (path, said, found) =>
      warnOnce("a file is not of the size that its document says", { path, said, found }),
    onChunkMismatch: (path, chunk) =>
      warnOnce("a chunk does not match its name: let LiveSync in Obsidian verify its files", { path, chunk }),
  };
  const reader = new Reader(database, damage);
  const writer = documentWriter(database, reader, clock, {
    onConflict: (path) => inConflict.add(path),
    own: new OwnVersions(cacheFolder, identity),
  });
  database.onRefresh = (current) => writer.lost.settleAll(current);
  const feed = new Feed(database, () => changed.announce({ kind: "unsure" }));

  return {
    stampLength: STAMP_LENGTH,
    stampGranularity: 0,
    keepsHidden: false,
    spelled: normalPath,
    announcesLate: true,
    name: `livesync:${address.database}`,
    identity,
    withVaultLock: options.lock?.(identity) ?? ((work) => turn.runExclusive(work)),

    get mayLag() {
      return database.isCluster;
    },

    get requests() {
      return database.couch.client.sent;
    },

    async *list(options = {}) {
      options.signal?.throwIfAborted();
      const current = database.current();
      yield* signsOfLife(current, options.signal);
      const { mirror } = await current;
      let batch: FileStat[] = [];
      for (const stat of mirror.list(options)) {
        batch.push(stat);
        if (batch.length < BATCH) continue;
        options.signal?.throwIfAborted();
        yield batch;
        batch = [];
      }
      if (batch.length > 0) yield batch;
    },

    async children(folder) {
      if (isHidden(folder)) return undefined;
      return (await database.current()).mirror.children(folder);
    },

    readMany: (paths, options = {}) =>
      readBatches({ database, damage, store, readAlone: (path) => reader.read(path) }, paths, options),

    async stat(path) {
      const found = await reader.findFile(path);
      return found && noteStat(found.note);
    },

    read: (path) => reader.read(path),
    write: async (path, bytes: Uint8Array, expected) => writer.write(path, bytes, expected),
    update: async (path, change) => writer.update(path, change),

    async remove(path, expected) {
      await writer.remove(path, expected);
      return { durable: true };
    },

    move: async (from, to, expected) => writer.move(from, to, expected),

    async *changes(signal) {
      await database.current();
      const heard = changed.listen(signal);
      feed.follow(signal);
      yield { kind: "unsure" };
      yield* heard;
    },

    conflicts: async () => (await database.current()).mirror.conflicts(),

    takeNewConflicts() {
      const paths = [...inConflict];
      inConflict.clear();
      return paths;
    },

    readVersion: async (path, revision) => reader.version(path, revision),

    async report() {
      const current = await database.current();
      const { mirror, settings, marks } = current;
      const { encrypt, algorithm, obfuscate } = settings.settings;
      return {
        host: address.host,
        database: address.database,
        files: mirror.size,
        conflicts: mirror.conflicts().size,
        untyped: mirror.untyped,
        encryption: encrypt ? `encrypted (${algorithm})` : "not encrypted",
        hasHiddenNames: obfuscate,
        accepted: acceptedDevices(marks)?.length,
        readOnly: database.writeFault(current),
      };
    },

    acceptRebuilt: async () => await database.acceptRebuilt(),

    async close() {
      feed.close();
      changed.end();
      await database.close();
    },
  } satisfies Storage & DatabaseReports;
}

export type LivesyncStorage = ReturnType<typeof livesyncStorage>;
