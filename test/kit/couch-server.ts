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
  /** Of the server, without credentials. */
  readonly url: string;
  readonly name: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** Sends a request below the database and answers its JSON. */
  ask(method: string, path: string, body?: unknown): Promise<unknown>;
  remove(): Promise<void>;
}

let running: Promise<Server> | undefined;

/** Starts express-pouchdb, once for this process. */
export async function pouchServer(): Promise<string> {
  running ??= start();
  const { port } = (await running).address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

async function start(): Promise<Server> {
  const express = require("express-pouchdb") as (pouch: Pouch, options: object) => RequestListener;
  const core = require("pouchdb-core") as Pouch;
  const pouch = core
    .plugin(require("pouchdb-adapter-memory"))
    .plugin(require("pouchdb-mapreduce"))
    .plugin(require("pouchdb-replication"))
    .defaults({ adapter: "memory" });
  const handler = express(pouch, { mode: "minimumForPouchDB", inMemoryConfig: true });
  const server = createServer(handler);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  return server;
}

/** An empty database of a random name. */
export async function emptyDatabase(): Promise<TestDatabase> {
  const given = process.env["COUCHDB_URL"];
  const base = new URL(given ?? (await pouchServer()));
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

/** Settings of a new vault, as LiveSync writes them into the milestone. */
export interface NewVault {
  readonly encrypt?: boolean;
  readonly usePathObfuscation?: boolean;
  readonly handleFilenameCaseSensitive?: boolean;
  readonly E2EEAlgorithm?: string;
  readonly enableCompression?: boolean;
}

/** A database as LiveSync leaves it before the first note. */
export async function newDatabase(settings: NewVault = {}): Promise<TestDatabase> {
  const database = await emptyDatabase();
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
    pbkdf2salt: randomBytes(32).toString("base64"),
  });
  return database;
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

/** Loads documents with the revisions they have. */
export async function load(database: TestDatabase, docs: readonly RawDocument[]): Promise<void> {
  for (let start = 0; start < docs.length; start += BATCH) {
    await database.ask("POST", "_bulk_docs", { new_edits: false, docs: docs.slice(start, start + BATCH) });
  }
}
