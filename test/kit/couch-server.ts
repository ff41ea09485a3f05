/** A CouchDB for tests: express-pouchdb over memory on loopback, or the real one that COUCHDB_URL names; every test has a database of its own. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, IncomingMessage, ServerResponse, type RequestListener, type Server } from "node:http";
import { createRequire } from "node:module";
import { Socket, type AddressInfo } from "node:net";
import type { RawDocument } from "../../src/storage/livesync/codec/document.js";
import { readDump, type Expected, type Variant } from "./livesync-corpus.js";

interface Pouch {
  plugin(plugin: unknown): Pouch;
  defaults(options: object): Pouch;
}
const require = createRequire(import.meta.url);

export interface TestDatabase {
  readonly url: string;
  readonly name: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
  ask(method: string, path: string, body?: unknown): Promise<unknown>;
  remove(): Promise<void>;
}

let plugged: Pouch | undefined;
const running = new Map<string, Promise<Server>>();
/** What answers at each URL. */
const listeners = new Map<string, RequestListener>();

/** Starts express-pouchdb, once for this process. @param prefix tells the databases of several from each other */
export async function pouchServer(prefix = ""): Promise<string> {
  const server = running.get(prefix) ?? start(prefix);
  running.set(prefix, server);
  return urlOf(await server);
}

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function start(prefix: string): Promise<Server> {
  const express = require("express-pouchdb") as (pouch: Pouch, options: object) => RequestListener;
  plugged ??= (require("pouchdb-core") as Pouch)
    .plugin(require("pouchdb-adapter-memory"))
    .plugin(require("pouchdb-mapreduce"))
    .plugin(require("pouchdb-replication"));
  const pouch = plugged.defaults({ adapter: "memory", prefix });
  // What comes from this machine is not worth its compression.
  const overrideMode = { exclude: ["compression"] };
  const handler = express(pouch, { mode: "minimumForPouchDB", inMemoryConfig: true, overrideMode });
  const server = createServer(handler);
  // A busy test must not meet a connection that just ends.
  server.keepAliveTimeout = 600_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  listeners.set(urlOf(server), handler);
  return server;
}

/** Asks the server at a URL: one of `pouchServer` without a connection, which costs more than its answer. */
export async function askServer(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Headers = {},
): Promise<Answer> {
  const listener = listeners.get(url);
  const sent = { "content-type": "application/json", accept: "application/json", ...headers };
  const text = body === undefined ? undefined : JSON.stringify(body);
  if (listener) return askListener(listener, method, path, text, sent);
  const response = await fetch(url + path, { method, headers: sent, ...(text === undefined ? {} : { body: text }) });
  return { status: response.status, body: await response.json() };
}

type Headers = Readonly<Record<string, string>>;

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

function askListener(
  listener: RequestListener,
  method: string,
  path: string,
  text = "",
  headers: Headers,
): Promise<Answer> {
  const incoming = new IncomingMessage(new Socket());
  const length = text === "" ? {} : { "content-length": String(Buffer.byteLength(text)) };
  Object.assign(incoming, { method, url: path, headers: { host: "127.0.0.1", ...headers, ...length } });
  if (text !== "") incoming.push(text);
  incoming.push(null);
  const outgoing = new ServerResponse<IncomingMessage>(incoming);
  const parts: Buffer[] = [];
  const add = (part: unknown): void => {
    if (typeof part === "string" || part instanceof Uint8Array) parts.push(Buffer.from(part));
  };
  return new Promise((resolve) => {
    const write = (part: unknown): boolean => (add(part), true);
    const end = (part: unknown): ServerResponse => {
      add(part);
      resolve({ status: outgoing.statusCode, body: JSON.parse(Buffer.concat(parts).toString()) });
      return outgoing;
    };
    listener(incoming, Object.assign(outgoing, { write, end }));
  });
}

/** An empty database of a random name. @param at the server, with credentials where it needs any */
export async function emptyDatabase(at = process.env["COUCHDB_URL"]): Promise<TestDatabase> {
  const base = new URL(at ?? (await pouchServer()));
  const [user, password] = [decodeURIComponent(base.username), decodeURIComponent(base.password)];
  const name = `livesync-test-${randomBytes(6).toString("hex")}`;
  const url = base.origin + base.pathname.replace(/\/$/, "");
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const headers = user === "" ? undefined : { authorization };
  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> =>
    (await askServer(url, method, `/${name}${path === "" ? "" : `/${path}`}`, body, headers)).body;
  await ask("PUT", "");
  return {
    url,
    name,
    user: user || undefined,
    password: password || undefined,
    ask,
    remove: async () => void (await ask("DELETE", "")),
  };
}

/** The same in every database: to derive a passphrase's key from another costs more than most tests. */
const SALT = Buffer.alloc(32, "salt").toString("base64");

export interface NewVault {
  readonly encrypt?: boolean;
  readonly usePathObfuscation?: boolean;
  readonly handleFilenameCaseSensitive?: boolean;
  readonly E2EEAlgorithm?: string;
  readonly enableCompression?: boolean;
}

/** A database as LiveSync leaves it before the first note. */
export async function newDatabase(settings: NewVault = {}, at?: string): Promise<TestDatabase> {
  const database = await emptyDatabase(at);
  await prepare(database, settings);
  return database;
}

/** Writes into an empty database what LiveSync writes before the first note. */
export async function prepare(database: TestDatabase, settings: NewVault = {}): Promise<void> {
  await database.ask("PUT", "obsydian_livesync_version", { type: "versioninfo", version: 12 });
  await database.ask("PUT", "_local/obsydian_livesync_milestone", {
    type: "milestoneinfo",
    created: 1_700_000_000_000,
    locked: false,
    accepted_nodes: [],
    node_info: {},
    tweak_values: { PREFERRED: { encrypt: false, usePathObfuscation: false, ...settings } },
  });
  await database.ask("PUT", "_local/obsidian_livesync_sync_parameters", {
    type: "sync-parameters",
    protocolVersion: 2,
    pbkdf2salt: SALT,
  });
}

/** A database loaded from a dump of the corpus, and what it holds. */
export async function dumpedDatabase(variant: Variant): Promise<TestDatabase & { readonly expected: Expected }> {
  const { dump, expected } = readDump(variant);
  const database = await emptyDatabase();
  await load(database, dump.docs);
  for (const { _id: id, _rev: _, ...fields } of dump.local) await database.ask("PUT", id, fields);
  return { ...database, expected };
}

const BATCH = 500;

export async function load(database: TestDatabase, docs: readonly RawDocument[]): Promise<void> {
  for (let start = 0; start < docs.length; start += BATCH) {
    await database.ask("POST", "_bulk_docs", { new_edits: false, docs: docs.slice(start, start + BATCH) });
  }
}
