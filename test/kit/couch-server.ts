/** A CouchDB for tests: express-pouchdb over memory on loopback, or the real one that COUCHDB_URL names; every test has a database of its own. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
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

/** Starts express-pouchdb, once for this process. @param prefix tells the databases of several from each other */
export async function pouchServer(prefix = ""): Promise<string> {
  const server = running.get(prefix) ?? start(prefix);
  running.set(prefix, server);
  const { port } = (await server).address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

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
  return server;
}

/** An empty database of a random name. @param at the server, with credentials where it needs any */
export async function emptyDatabase(at = process.env["COUCHDB_URL"]): Promise<TestDatabase> {
  const base = new URL(at ?? (await pouchServer()));
  const [user, password] = [decodeURIComponent(base.username), decodeURIComponent(base.password)];
  const name = `livesync-test-${randomBytes(6).toString("hex")}`;
  const url = base.origin + base.pathname.replace(/\/$/, "");
  const headers = {
    "content-type": "application/json",
    ...(user === "" ? {} : { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` }),
  };
  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${url}/${name}${path === "" ? "" : `/${path}`}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return response.json();
  };
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
