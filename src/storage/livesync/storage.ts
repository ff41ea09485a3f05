/** A vault in CouchDB (LiveSync), safe for any number of servers. */
import { Mutex } from "async-mutex";
import type { Clock } from "../../clock.js";
import type { VaultError } from "../../errors.js";
import { ChangeFeed } from "../change-feed.js";
import { isHidden, type VaultPath } from "../path.js";
import type {
  Change,
  ChangeBytes,
  DriverStore,
  Expected,
  FileStat,
  FolderEntry,
  ListOptions,
  ReadManyOptions,
  Revision,
  Settled,
  Storage,
  StoredFile,
  UnreadableFile,
  VaultLock,
  WrittenFile,
} from "../storage.js";
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
import { DocumentWriter } from "./writer.js";

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

export class LivesyncStorage implements Storage {
  readonly name: string;
  readonly identity: string;
  readonly stampLength = STAMP_LENGTH;
  readonly stampGranularity = 0;
  readonly keepsHidden = false;
  readonly spelled = normalPath;
  readonly announcesLate = true;
  readonly withVaultLock: VaultLock;
  readonly #database: Database;
  readonly #reader: Reader;
  readonly #store: DriverStore | undefined;
  readonly #damage: DamageListener;
  readonly #writer: DocumentWriter;
  readonly #changed = new ChangeFeed();
  readonly #feed: Feed;
  readonly #inConflict = new Set<VaultPath>();

  /**
   * Makes no request.
   * @throws INVALID_ARGUMENT for an invalid address, without repeating it
   */
  constructor(configuration: LivesyncConfiguration, options: LivesyncOptions) {
    const { cacheFolder, stateFolder, isCheck, clock, warn } = options;
    const address = couchAddress(configuration);
    this.name = `livesync:${address.database}`;
    this.identity = `livesync:${address.url}`;
    const turn = new Mutex();
    this.withVaultLock = options.lock?.(this.identity) ?? ((work) => turn.runExclusive(work));
    if (address.isExposed)
      warn?.("the password and all notes cross the network readable: use https for COUCHDB_BASE_URL");
    const store = options.store?.(this.identity);
    const { reread } = configuration;
    const authorization = reread && (async () => couchAddress(await reread()).authorization);
    const refusedLogin = cacheFolder === undefined ? undefined : new RefusedLogin(cacheFolder, this.identity, clock);
    const client = new CouchClient(address, { ...options, authorization, refusedLogin });
    this.#database = new Database({
      couch: new Couch(client),
      passphrase: configuration.passphrase === "" ? undefined : configuration.passphrase,
      believed: options.believed,
      compareAfter: options.compareAfter,
      wantsObfuscation: configuration.usePathObfuscation ?? false,
      store,
      guard: new RebuildGuard({ folder: stateFolder, identity: this.identity, isCheck }),
      onChange: (path) => this.#changed.announce(path === undefined ? { kind: "unsure" } : { kind: "changed", path }),
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
    this.#reader = new Reader(this.#database, damage);
    [this.#store, this.#damage] = [store, damage];
    this.#writer = new DocumentWriter(this.#database, this.#reader, clock, {
      onConflict: (path) => this.#inConflict.add(path),
      own: new OwnVersions(cacheFolder, this.identity),
    });
    this.#database.onRefresh = (current) => this.#writer.lost.settleAll(current);
    this.#feed = new Feed(this.#database, () => this.#changed.announce({ kind: "unsure" }));
  }

  get mayLag(): boolean {
    return this.#database.isCluster;
  }

  get requests(): number {
    return this.#database.couch.client.sent;
  }

  async *list(options: ListOptions = {}): AsyncGenerator<readonly FileStat[]> {
    options.signal?.throwIfAborted();
    const current = this.#database.current();
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
  }

  async children(folder: VaultPath): Promise<readonly FolderEntry[] | undefined> {
    if (isHidden(folder)) return undefined;
    return (await this.#database.current()).mirror.children(folder);
  }

  readMany(
    paths: readonly VaultPath[],
    options: ReadManyOptions = {},
  ): AsyncGenerator<readonly (StoredFile | UnreadableFile)[]> {
    const [database, damage, store] = [this.#database, this.#damage, this.#store];
    const readAlone = (path: VaultPath): Promise<StoredFile | undefined> => this.#reader.read(path);
    return readBatches({ database, damage, store, readAlone }, paths, options);
  }

  async stat(path: VaultPath): Promise<FileStat | undefined> {
    const found = await this.#reader.findFile(path);
    return found && noteStat(found.note);
  }

  read(path: VaultPath): Promise<StoredFile | undefined> {
    return this.#reader.read(path);
  }

  async write(path: VaultPath, bytes: Uint8Array, expected: Expected): Promise<WrittenFile> {
    return this.#writer.write(path, bytes, expected);
  }

  async update(path: VaultPath, change: ChangeBytes): Promise<WrittenFile | undefined> {
    return this.#writer.update(path, change);
  }

  async remove(path: VaultPath, expected: Expected): Promise<Settled> {
    await this.#writer.remove(path, expected);
    return { durable: true };
  }

  async move(from: VaultPath, to: VaultPath, expected: Expected): Promise<WrittenFile> {
    return this.#writer.move(from, to, expected);
  }

  async *changes(signal: AbortSignal): AsyncGenerator<Change> {
    await this.#database.current();
    const heard = this.#changed.listen(signal);
    this.#feed.follow(signal);
    yield { kind: "unsure" };
    yield* heard;
  }

  async conflicts(): Promise<ReadonlyMap<VaultPath, readonly Revision[]>> {
    const { mirror } = await this.#database.current();
    return mirror.conflicts();
  }

  takeNewConflicts(): readonly VaultPath[] {
    const paths = [...this.#inConflict];
    this.#inConflict.clear();
    return paths;
  }

  async readVersion(path: VaultPath, revision: Revision): Promise<StoredFile | undefined> {
    return this.#reader.version(path, revision);
  }

  async report(): Promise<LivesyncReport> {
    const current = await this.#database.current();
    const { mirror, settings, marks } = current;
    const { encrypt, algorithm, obfuscate } = settings.settings;
    const { host, database } = this.#database.couch.client.address;
    return {
      host,
      database,
      files: mirror.size,
      conflicts: mirror.conflicts().size,
      untyped: mirror.untyped,
      encryption: encrypt ? `encrypted (${algorithm})` : "not encrypted",
      hasHiddenNames: obfuscate,
      accepted: acceptedDevices(marks)?.length,
      readOnly: this.#database.writeFault(current),
    };
  }

  /** @throws PERMISSION_DENIED when it cannot be stored */
  async acceptRebuilt(): Promise<void> {
    await this.#database.acceptRebuilt();
  }

  async close(): Promise<void> {
    this.#feed.close();
    this.#changed.end();
    await this.#database.close();
  }
}
