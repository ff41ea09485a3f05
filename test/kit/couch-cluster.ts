/**
 * A cluster of three CouchDB nodes for tests: each document has three copies, kept by express-pouchdb, that hear of a write one after
 * the other. A write counts when two have taken it, and a third that took another one keeps that as a version in conflict; sequences
 * are opaque and go back when a node is lost; reads may be stale. `COUCHDB_CLUSTER_URLS` names the nodes of a real one instead.
 */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { pouchServer } from "./couch-server.js";

/** What a test may do to a fake cluster. */
export interface FakeCluster {
  /** The nodes, and behind `balanced` one of them for each request. */
  readonly nodes: readonly string[];
  readonly balanced: string;
  /** Milliseconds by which a copy may hear of a write later than another. */
  lag: number;
  /** How many of a hundred reads ask one copy alone, whatever it has heard of. */
  stale: number;
  /** The user and the password that are accepted; five wrong ones lock the account. */
  account: { readonly user: string; readonly password: string } | undefined;
  /** Failed sign-ins so far. */
  readonly failedLogins: number;
  /** Puts a node out, or back: it has then heard of nothing meanwhile until `settle`. */
  set(node: number, state: "up" | "down"): void;
  /** All copies hear of everything. */
  settle(database: string): Promise<void>;
  /** The files of a database as they are, to be put back by `restore`. */
  backup(database: string): Promise<Backup>;
  restore(database: string, backup: Backup): Promise<void>;
  close(): Promise<void>;
}

export type Backup = readonly object[];

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

type Json = Readonly<Record<string, unknown>>;

const COPIES = 3;
const QUORUM = 2;
/** The feed is that of the first of these copies that is up; each counts from another number. */
const FEED_ORDER = [2, 0, 1];
const OFFSETS = [100, 500, 3000];
const MAX_FAILURES = 5;

export async function fakeCluster(): Promise<FakeCluster> {
  const copies = await Promise.all(Array.from({ length: COPIES }, (_, copy) => pouchServer(`copy${copy}-`)));
  const cluster = new Cluster(copies);
  await cluster.listen();
  return cluster;
}

/** Nodes to work on side by side, real ones where `COUCHDB_CLUSTER_URLS` names them with commas between. */
export interface ClusterNodes {
  /** Without credentials. */
  readonly nodes: readonly string[];
  /** One of them, or what stands before them, with the credentials that they want. */
  readonly at: string;
  close(): Promise<void>;
}

export async function clusterNodes(lag = 4): Promise<ClusterNodes> {
  const given = process.env["COUCHDB_CLUSTER_URLS"]?.split(",").map((url) => url.trim().replace(/\/$/, ""));
  const [at] = given ?? [];
  if (given && at !== undefined) {
    const nodes = given.map((url) => new URL(url)).map(({ origin, pathname }) => origin + pathname.replace(/\/$/, ""));
    return { nodes, at, close: async () => undefined };
  }
  const cluster = await fakeCluster();
  cluster.lag = lag;
  return { nodes: cluster.nodes, at: cluster.balanced, close: () => cluster.close() };
}

class Cluster implements FakeCluster {
  lag = 4;
  stale = 0;
  account: FakeCluster["account"];
  failedLogins = 0;
  nodes: readonly string[] = [];
  balanced = "";
  readonly #copies: readonly string[];
  readonly #down = new Set<number>();
  /** Nodes that answer the next question for changes by `nodedown`. */
  readonly #startled = new Set<number>();
  readonly #servers: Server[] = [];
  readonly #instances = new Map<string, number>();
  #made = 1_700_000_000;

  constructor(copies: readonly string[]) {
    this.#copies = copies;
  }

  async listen(): Promise<void> {
    const urls: string[] = [];
    for (let node = 0; node <= COPIES; node++) {
      const server = createServer((incoming, outgoing) => {
        const isBalanced = node === COPIES;
        const chosen = isBalanced ? (this.#up[randomInt(this.#up.length)] ?? 0) : node;
        if (this.#down.has(chosen)) incoming.socket.destroy();
        else void this.#serve(chosen, incoming, outgoing).catch(() => incoming.socket.destroy());
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      server.unref();
      this.#servers.push(server);
      urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    }
    this.nodes = urls.slice(0, COPIES);
    this.balanced = urls[COPIES] ?? "";
  }

  set(node: number, state: "up" | "down"): void {
    if (state === "up") this.#down.delete(node);
    else this.#down.add(node);
    this.#startled.clear();
    if (state === "down") for (const other of this.#up) this.#startled.add(other);
  }

  async settle(database: string): Promise<void> {
    const ids = new Set<string>();
    for (const copy of this.#copies) {
      const { results } = (await ask(copy, "GET", `/${database}/_changes`)).body as { results: { id: string }[] };
      for (const { id } of results) ids.add(id);
    }
    await Promise.all([...ids].map((id) => this.#repair(database, id)));
  }

  async backup(database: string): Promise<Backup> {
    await this.settle(database);
    const { results } = (await ask(this.#copies[0] ?? "", "GET", `/${database}/_changes`)).body as {
      results: { id: string }[];
    };
    const versions = await Promise.all(results.map(({ id }) => this.#versions(0, database, id)));
    return versions.flat();
  }

  async restore(database: string, backup: Backup): Promise<void> {
    const locals = ["obsydian_livesync_milestone", "obsidian_livesync_sync_parameters"];
    for (const copy of this.#copies) {
      const kept = await Promise.all(locals.map((id) => ask(copy, "GET", `/${database}/_local/${id}`)));
      await ask(copy, "DELETE", `/${database}`);
      await ask(copy, "PUT", `/${database}`);
      await ask(copy, "POST", `/${database}/_bulk_docs`, { new_edits: false, docs: backup });
      for (const { body } of kept) {
        const { _rev: _, ...document } = body as { _id: string; _rev: string };
        if (document["_id"]) await ask(copy, "PUT", `/${database}/${document["_id"]}`, document);
      }
    }
  }

  async close(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
  }

  get #up(): readonly number[] {
    return [0, 1, 2].filter((node) => !this.#down.has(node));
  }

  get #feed(): number {
    return FEED_ORDER.find((copy) => !this.#down.has(copy)) ?? 0;
  }

  async #serve(node: number, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(incoming.url ?? "", "http://node");
    const [, database = "", ...rest] = pathname.split("/");
    const path = rest.join("/");
    const body = await textOf(incoming);
    const refused = this.#refusal(incoming.headers.authorization);
    if (refused) return send(outgoing, refused);
    if (path === "_changes" && query.get("feed") === "continuous") return this.#stream(database, query, outgoing);
    const asked = { method: incoming.method ?? "GET", database, path, query, search: query.toString() };
    send(outgoing, await this.#answer(node, asked, body));
  }

  #refusal(authorization: string | undefined): Answer | undefined {
    if (!this.account) return undefined;
    const { user, password } = this.account;
    if (this.failedLogins >= MAX_FAILURES) {
      const reason = "Account is temporarily locked due to multiple authentication failures";
      return { status: 403, body: { error: "forbidden", reason } };
    }
    if (authorization === `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`) return undefined;
    this.failedLogins++;
    return { status: 401, body: { error: "unauthorized", reason: "Name or password is incorrect." } };
  }

  async #answer(node: number, { method, database, path, query, search }: Asked, body: string): Promise<Answer> {
    const to = `/${database}${path === "" ? "" : `/${path}`}${search === "" ? "" : `?${search}`}`;
    const json = body === "" ? undefined : (JSON.parse(body) as Json);
    if (path === "") return this.#database(method, database);
    if (path === "_changes") return this.#changes(node, database, query);
    if (path.startsWith("_local/") || path === "_bulk_docs" || method === "DELETE") {
      return method === "GET" ? ask(this.#own(node), method, to) : this.#everywhere(method, to, json);
    }
    if (method === "PUT") return this.#write(database, path, to, json);
    if (path === "_bulk_get" || path === "_revs_diff" || (path === "_all_docs" && method === "GET")) {
      return ask(this.#own(node), method, to, json);
    }
    return this.#read(node, { method, database, path, query, search }, to, json);
  }

  async #database(method: string, database: string): Promise<Answer> {
    if (method !== "GET") {
      if (method === "PUT") this.#instances.set(database, this.#made++);
      return this.#everywhere(method, `/${database}`, undefined);
    }
    const { status, body } = await ask(this.#copies[this.#feed] ?? "", "GET", `/${database}`);
    if (status !== 200) return { status, body };
    const sequence = this.#sequence(database, Number((body as Json)["update_seq"]));
    const instance = String(this.#instances.get(database));
    const cluster = { n: COPIES, q: 1, r: QUORUM, w: QUORUM };
    return { status, body: { ...(body as Json), update_seq: sequence, instance_start_time: instance, cluster } };
  }

  #sequence(database: string, number: number): string {
    const [copy, instance] = [this.#feed, this.#instances.get(database)];
    const text = Buffer.from(JSON.stringify({ copy, instance, number })).toString("base64url");
    return `${number + (OFFSETS[copy] ?? 0)}-${text}`;
  }

  /** Where this feed begins for a sequence: one of another copy, or of another database, means nothing here. */
  #since(database: string, since: string): number {
    const text = since.split("-")[1];
    if (text === undefined) return Number(since) || 0;
    const { copy, instance, number } = JSON.parse(Buffer.from(text, "base64url").toString()) as Record<string, number>;
    return copy === this.#feed && instance === this.#instances.get(database) ? (number ?? 0) : 0;
  }

  async #changes(node: number, database: string, query: URLSearchParams): Promise<Answer> {
    if (this.#startled.delete(node)) {
      return { status: 412, body: { error: "nodedown", reason: "progress not possible" } };
    }
    const copy = this.#copies[this.#feed] ?? "";
    const asked = query.get("since") ?? "0";
    const since = this.#since(database, asked);
    query.set("since", String(since));
    const { status, body } = await ask(copy, "GET", `/${database}/_changes?${query.toString()}`);
    if (status !== 200) return { status, body };
    const { results, last_seq: last } = body as { results: Json[]; last_seq: number };
    // A server whose files were put back has not come so far again: it says what it was asked.
    const isBehind = results.length === 0 && last <= since && since > 0;
    const rows = results.map((row) => Object.assign({}, row, { seq: this.#sequence(database, Number(row["seq"])) }));
    return { status, body: { results: rows, last_seq: isBehind ? asked : this.#sequence(database, last) } };
  }

  async #stream(database: string, query: URLSearchParams, outgoing: ServerResponse): Promise<void> {
    query.set("since", String(this.#since(database, query.get("since") ?? "0")));
    const sent = request(`${this.#copies[this.#feed] ?? ""}/${database}/_changes?${query.toString()}`);
    sent.end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    outgoing.writeHead(response.statusCode ?? 500, { "content-type": "application/json" });
    outgoing.on("close", () => sent.destroy());
    response.on("error", () => outgoing.destroy());
    response.pipe(outgoing);
  }

  async #everywhere(method: string, to: string, json: unknown): Promise<Answer> {
    const answers = await Promise.all(this.#copies.map((copy) => ask(copy, method, to, json)));
    return answers[0] ?? { status: 500, body: {} };
  }

  /** Each copy takes the write when it comes to it, if it still fits there; two make it acknowledged or refused. */
  async #write(database: string, path: string, to: string, json: unknown): Promise<Answer> {
    const answers: Answer[] = [];
    const all = this.#up.map(async (copy) => {
      if (this.lag > 0) await delay(randomInt(this.lag));
      answers.push(await ask(this.#copies[copy] ?? "", "PUT", to, json));
    });
    const healed = Promise.all(all)
      .then(() => delay(this.lag * 3))
      .then(() => {
        const isAgreed = new Set(answers.map(({ status }) => status < 300)).size === 1;
        return isAgreed ? undefined : this.#repair(database, decodeURIComponent(path));
      });
    void healed.catch(() => undefined);
    const decided = (): Answer | undefined =>
      [true, false]
        .map((isTaken) => answers.filter(({ status }) => status < 300 === isTaken))
        .find(({ length }) => length >= QUORUM)?.[0];
    await new Promise<void>((resolve, reject) => {
      for (const one of all) one.then(() => (decided() ? resolve() : undefined), reject);
      Promise.all(all).then(() => resolve(), reject);
    });
    return decided() ?? answers[0] ?? { status: 500, body: {} };
  }

  /** Two copies are asked; where they differ all hear of it first. */
  async #read(node: number, { method, database, path }: Asked, to: string, json: Json | undefined): Promise<Answer> {
    const one = this.#own(node);
    if (randomInt(100) < this.stale) return ask(this.#random(), method, to, json);
    const [first, second] = await Promise.all([ask(one, method, to, json), ask(this.#random(one), method, to, json)]);
    const before = revisionsIn(first);
    const different = [...revisionsIn(second)].filter(([id, revision]) => before.get(id) !== revision);
    if (different.length === 0 && first.status === second.status) return first;
    const ids = path === "_all_docs" ? different.map(([id]) => id) : [decodeURIComponent(path)];
    await Promise.all(ids.map((id) => this.#repair(database, id)));
    return ask(one, method, to, json);
  }

  #own(node: number): string {
    return this.#copies[this.#down.has(node) ? (this.#up[0] ?? 0) : node] ?? "";
  }

  #random(except?: string): string {
    const others = this.#up.map((copy) => this.#copies[copy] ?? "").filter((copy) => copy !== except);
    return others[randomInt(others.length)] ?? "";
  }

  /** All copies that are up hear of every version of a document. */
  async #repair(database: string, id: string): Promise<void> {
    const found = await Promise.all(this.#up.map((copy) => this.#versions(copy, database, id)));
    const docs = new Map(found.flat().map((version) => [version["_rev"], version]));
    if (docs.size === 0) return;
    const body = { new_edits: false, docs: [...docs.values()] };
    await Promise.all(this.#up.map((copy) => ask(this.#copies[copy] ?? "", "POST", `/${database}/_bulk_docs`, body)));
  }

  async #versions(copy: number, database: string, id: string): Promise<Json[]> {
    const to = `/${database}/${encodeURIComponent(id)}?open_revs=all&revs=true`;
    const { body } = await ask(this.#copies[copy] ?? "", "GET", to);
    return Array.isArray(body) ? (body as { ok?: Json }[]).flatMap(({ ok }) => (ok ? [ok] : [])) : [];
  }
}

interface Asked {
  readonly method: string;
  readonly database: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly search: string;
}

/** The current revision of each document in an answer, with those beside it. */
function revisionsIn({ body }: Answer): ReadonlyMap<string, string> {
  const rows = (body as { rows?: readonly Json[] } | undefined)?.rows;
  if (!rows) return new Map([["", JSON.stringify([(body as Json)["_rev"], (body as Json)["_conflicts"]])]]);
  return new Map(
    rows.map(({ key, value, doc }) => [String(key), JSON.stringify([value, (doc as Json)?.["_conflicts"]])]),
  );
}

async function ask(base: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(base + path, {
    method,
    headers: { "content-type": "application/json", accept: "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

function send(outgoing: ServerResponse, { status, body }: Answer): void {
  outgoing.writeHead(status, { "content-type": "application/json" });
  outgoing.end(JSON.stringify(body));
}
