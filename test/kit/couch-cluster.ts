/**
 * A cluster of three CouchDB nodes for tests: each document has three copies, kept by express-pouchdb, that receive a write one after
 * the other. As in CouchDB's fabric_doc_update a write is answered by 201 when two copies took it, by 202 when one did, and by 409 only
 * when every copy that answered refused it. Sequences are opaque and go back when a node is lost; reads may be stale.
 * `COUCHDB_CLUSTER_URLS` names the nodes of a real cluster instead.
 */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { askServer as ask, pouchServer, type Answer } from "./couch-server.js";

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
  readonly failedLogins: number;
  /**
   * `down`: it refuses connections, and back up it lacks what was written until `settle`. `alone`: it answers, but reaches no other
   * node. `stopped`: it neither answers nor refuses until it is up again. After these two the copies tell each other what they lack.
   */
  set(node: number, state: NodeState): void;
  settle(database: string): Promise<void>;
  /** The files of a database as they are, to be put back by `restore`. */
  backup(database: string): Promise<Backup>;
  restore(database: string, backup: Backup): Promise<void>;
  close(): Promise<void>;
}

type Backup = readonly object[];

type NodeState = "up" | "down" | "alone" | "stopped";

type Json = Readonly<Record<string, unknown>>;

const COPIES = 3;
const QUORUM = 2;
/** The feed is that of the first of these copies that is up; each counts from another number. */
const FEED_ORDER = [2, 0, 1];
const OFFSETS = [100, 500, 3000];
const MAX_FAILURES = 5;
/** A stopped copy that has not answered by then is left out of an answer; CouchDB waits for 60 s. */
const COPY_TIMEOUT_MS = 1500;

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
  readonly #states: NodeState[] = Array.from({ length: COPIES }, () => "up");
  /** Called when a stopped node goes on. */
  readonly #waking: (() => void)[] = [];
  /** Documents of which the copies may differ, as `database/id`. */
  readonly #unequal = new Set<string>();
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
        const able = [0, 1, 2].filter((one) => this.#states[one] === "up" || this.#states[one] === "alone");
        const chosen = isBalanced ? (able[randomInt(able.length)] ?? 0) : node;
        if (this.#states[chosen] === "down") incoming.socket.destroy();
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

  set(node: number, state: NodeState): void {
    const before = this.#states[node];
    this.#states[node] = state;
    this.#startled.clear();
    if (state === "down") for (const other of this.#up) this.#startled.add(other);
    if (state !== "up" || (before !== "alone" && before !== "stopped")) return;
    for (const wake of this.#waking.splice(0)) wake();
    void delay(this.lag * 3)
      .then(() => this.#equalize())
      .catch(() => undefined);
  }

  async #equalize(): Promise<void> {
    const waiting = [...this.#unequal];
    this.#unequal.clear();
    for (const one of waiting) {
      const slash = one.indexOf("/");
      await this.#repair(one.slice(0, slash), one.slice(slash + 1));
    }
  }

  async #awake(node: number): Promise<void> {
    while (this.#states[node] === "stopped") await new Promise<void>((resolve) => this.#waking.push(resolve));
  }

  async settle(database: string): Promise<void> {
    const ids = new Set<string>();
    for (const copy of this.#copies) {
      const { results } = (await ask(copy, "GET", `/${database}/_changes`)).body as { results: { id: string }[] };
      for (const { id } of results) ids.add(id);
    }
    const queue = ids.values();
    const next = async (): Promise<void> => {
      for (const id of queue) await this.#repair(database, id);
    };
    await Promise.all(Array.from({ length: 10 }, next));
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
    return [0, 1, 2].filter((node) => this.#states[node] !== "down");
  }

  /** The copies that a node asks: its own, and those of the nodes that it reaches. */
  #reached(node: number): readonly number[] {
    if (this.#states[node] === "alone") return [node];
    return this.#up.filter((one) => this.#states[one] !== "alone");
  }

  /** As `#reached`, without those that do not answer; what needs one copy asks one of these. */
  #answering(node: number): readonly number[] {
    return this.#reached(node).filter((one) => this.#states[one] !== "stopped");
  }

  #feed(node: number): number {
    const answering = this.#answering(node);
    return FEED_ORDER.find((copy) => answering.includes(copy)) ?? 0;
  }

  async #serve(node: number, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    await this.#awake(node);
    const { pathname, searchParams: query } = new URL(incoming.url ?? "", "http://node");
    const [, database = "", ...rest] = pathname.split("/");
    const path = rest.join("/");
    const body = await textOf(incoming);
    const refused = this.#refusal(incoming.headers.authorization);
    if (refused) return send(outgoing, refused);
    if (path === "_changes" && query.get("feed") === "continuous") return this.#stream(node, database, query, outgoing);
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
    if (path === "") return this.#database(node, method, database);
    if (path === "_changes") return this.#changes(node, database, query);
    if (path.startsWith("_local/") && method === "GET") return ask(this.#own(node), method, to);
    if (path.startsWith("_local/") || path === "_bulk_docs") return this.#bulk(node, { method, database, to, json });
    if (method === "DELETE") return this.#everywhere(method, to, json);
    if (method === "PUT") return this.#write(node, database, path, to, json);
    if (query.has("open_revs")) return this.#versionsEverywhere(node, database, path, query);
    if (path === "_bulk_get" || path === "_revs_diff" || (path === "_all_docs" && method === "GET")) {
      return ask(this.#own(node), method, to, json);
    }
    return this.#read(node, { method, database, path, query, search }, to, json);
  }

  async #database(node: number, method: string, database: string): Promise<Answer> {
    if (method !== "GET") {
      if (method === "PUT") this.#instances.set(database, this.#made++);
      return this.#everywhere(method, `/${database}`, undefined);
    }
    const feed = this.#feed(node);
    const { status, body } = await ask(this.#copies[feed] ?? "", "GET", `/${database}`);
    if (status !== 200) return { status, body };
    const sequence = this.#sequence(feed, database, Number((body as Json)["update_seq"]));
    const instance = String(this.#instances.get(database));
    const cluster = { n: COPIES, q: 1, r: QUORUM, w: QUORUM };
    return { status, body: { ...(body as Json), update_seq: sequence, instance_start_time: instance, cluster } };
  }

  #sequence(copy: number, database: string, number: number): string {
    const instance = this.#instances.get(database);
    const text = Buffer.from(JSON.stringify({ copy, instance, number })).toString("base64url");
    return `${number + (OFFSETS[copy] ?? 0)}-${text}`;
  }

  /** Where this feed begins for a sequence: one of another copy, or of another database, means nothing here. */
  #since(feed: number, database: string, since: string): number {
    const text = since.split("-")[1];
    if (text === undefined) return Number(since) || 0;
    const { copy, instance, number } = JSON.parse(Buffer.from(text, "base64url").toString()) as Record<string, number>;
    return copy === feed && instance === this.#instances.get(database) ? (number ?? 0) : 0;
  }

  async #changes(node: number, database: string, query: URLSearchParams): Promise<Answer> {
    if (this.#startled.delete(node)) {
      return { status: 412, body: { error: "nodedown", reason: "progress not possible" } };
    }
    const feed = this.#feed(node);
    const copy = this.#copies[feed] ?? "";
    const asked = query.get("since") ?? "0";
    const since = this.#since(feed, database, asked);
    query.set("since", String(since));
    const { status, body } = await ask(copy, "GET", `/${database}/_changes?${query.toString()}`);
    if (status !== 200) return { status, body };
    const { results, last_seq: last } = body as { results: Json[]; last_seq: number };
    // A server whose files were put back has not come so far again: it says what it was asked.
    const isBehind = results.length === 0 && last <= since && since > 0;
    const rows = results.map((row) =>
      Object.assign({}, row, { seq: this.#sequence(feed, database, Number(row["seq"])) }),
    );
    return { status, body: { results: rows, last_seq: isBehind ? asked : this.#sequence(feed, database, last) } };
  }

  async #stream(node: number, database: string, query: URLSearchParams, outgoing: ServerResponse): Promise<void> {
    const feed = this.#feed(node);
    query.set("since", String(this.#since(feed, database, query.get("since") ?? "0")));
    const sent = request(`${this.#copies[feed] ?? ""}/${database}/_changes?${query.toString()}`);
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

  /** Chunks and documents of one node: no copy refuses them, but too few may be reached. */
  async #bulk(node: number, { method, database, to, json }: Bulk): Promise<Answer> {
    const reached = this.#reached(node);
    const answers: Answer[] = [];
    const all = reached.map(async (copy) => {
      await this.#awake(copy);
      answers.push(await ask(this.#copies[copy] ?? "", method, to, json));
    });
    const docs = (json?.["docs"] ?? []) as readonly { _id: string }[];
    const isReached = reached.length === COPIES && this.#answering(node).length === COPIES;
    if (!isReached) for (const { _id } of docs) this.#unequal.add(`${database}/${_id}`);
    await this.#firstOf(all, () => answers.length >= QUORUM);
    const [first = { status: 500, body: {} }] = answers;
    // Documents that are there already are no writes.
    const isWritten = !Array.isArray(first.body) || (first.body as readonly Json[]).some(({ ok }) => ok === true);
    return first.status === 201 && isWritten && answers.length < QUORUM ? { ...first, status: 202 } : first;
  }

  /** Each copy takes the write when it comes to it, if it still fits there. */
  async #write(node: number, database: string, path: string, to: string, json: unknown): Promise<Answer> {
    const answers: Answer[] = [];
    const reached = this.#reached(node);
    const all = reached.map(async (copy) => {
      if (this.lag > 0) await delay(randomInt(this.lag));
      await this.#awake(copy);
      answers.push(await ask(this.#copies[copy] ?? "", "PUT", to, json));
    });
    const taken = (): readonly Answer[] => answers.filter(({ status }) => status < 300);
    const unequal = `${database}/${decodeURIComponent(path)}`;
    this.#unequal.add(unequal);
    const heal = async (): Promise<void> => {
      await Promise.all(all);
      await delay(this.lag * 3);
      const isAgreed = reached.length === COPIES && [0, COPIES].includes(taken().length);
      if (!isAgreed) await this.#repair(database, decodeURIComponent(path));
      if (this.#states.every((state) => state === "up")) this.#unequal.delete(unequal);
    };
    void heal().catch(() => undefined);
    await this.#firstOf(all, () => taken().length >= QUORUM);
    const [one] = taken();
    if (one) return taken().length >= QUORUM ? one : { ...one, status: 202 };
    return answers[0] ?? { status: 500, body: { error: "timeout" } };
  }

  /** The leaves that the copies have together; they tell each other of them, as CouchDB does on reading. */
  async #versionsEverywhere(node: number, database: string, path: string, query: URLSearchParams): Promise<Answer> {
    const id = decodeURIComponent(path);
    const wanted = Number(query.get("r") ?? QUORUM);
    const asked = this.#reached(node).slice(0, Math.max(1, wanted));
    await this.#firstOf(
      asked.map((copy) => this.#awake(copy)),
      () => false,
    );
    await this.#repair(database, id, this.#answering(node));
    return ask(this.#own(node), "GET", `/${database}/${path}?open_revs=all&revs=true`);
  }

  /** Two copies are asked; where they differ all hear of it first. */
  async #read(node: number, { method, database, path }: Asked, to: string, json: Json | undefined): Promise<Answer> {
    const one = this.#own(node);
    const answering = this.#answering(node);
    if (answering.length < 2) return ask(one, method, to, json);
    if (randomInt(100) < this.stale) return ask(this.#random(answering), method, to, json);
    const [first, second] = await Promise.all([
      ask(one, method, to, json),
      ask(this.#random(answering, one), method, to, json),
    ]);
    const before = revisionsIn(first);
    const different = [...revisionsIn(second)].filter(([id, revision]) => before.get(id) !== revision);
    if (different.length === 0 && first.status === second.status) return first;
    const ids = path === "_all_docs" ? different.map(([id]) => id) : [decodeURIComponent(path)];
    await Promise.all(ids.map((id) => this.#repair(database, id, answering)));
    return ask(one, method, to, json);
  }

  #own(node: number): string {
    const answering = this.#answering(node);
    return this.#copies[answering.includes(node) ? node : (answering[0] ?? 0)] ?? "";
  }

  #random(among: readonly number[], except?: string): string {
    const others = among.map((copy) => this.#copies[copy] ?? "").filter((copy) => copy !== except);
    return others[randomInt(others.length)] ?? "";
  }

  /** All copies that reach each other receive every version of a document. */
  async #repair(
    database: string,
    id: string,
    copies: readonly number[] = [0, 1, 2].filter((node) => this.#states[node] === "up"),
  ): Promise<void> {
    const found = await Promise.all(copies.map((copy) => this.#versions(copy, database, id)));
    const docs = new Map(found.flat().map((version) => [version["_rev"], version]));
    if (docs.size === 0) return;
    const body = { new_edits: false, docs: [...docs.values()] };
    await Promise.all(copies.map((copy) => ask(this.#copies[copy] ?? "", "POST", `/${database}/_bulk_docs`, body)));
  }

  /** Waits until enough is there, all have answered, or, while a copy is stopped, the time is over; a busy one is waited for. */
  async #firstOf(all: readonly Promise<unknown>[], isEnough: () => boolean): Promise<void> {
    const enough = new Promise<void>((resolve) => {
      for (const one of all) one.then(() => (isEnough() ? resolve() : undefined)).catch(() => undefined);
    });
    const isDone = Promise.race([enough, Promise.all(all)]).then(() => true);
    while (!(await Promise.race([isDone, delay(COPY_TIMEOUT_MS, false)])) && !this.#states.includes("stopped"));
  }

  async #versions(copy: number, database: string, id: string): Promise<Json[]> {
    const to = `/${database}/${encodeURIComponent(id)}?open_revs=all&revs=true`;
    const { body } = await ask(this.#copies[copy] ?? "", "GET", to);
    return Array.isArray(body) ? (body as { ok?: Json }[]).flatMap(({ ok }) => (ok ? [ok] : [])) : [];
  }
}

interface Bulk {
  readonly method: string;
  readonly database: string;
  readonly to: string;
  readonly json: Json | undefined;
}

interface Asked {
  readonly method: string;
  readonly database: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly search: string;
}

function revisionsIn({ body }: Answer): ReadonlyMap<string, string> {
  const rows = (body as { rows?: readonly Json[] } | undefined)?.rows;
  if (!rows) return new Map([["", JSON.stringify([(body as Json)["_rev"], (body as Json)["_conflicts"]])]]);
  return new Map(
    rows.map(({ key, value, doc }) => [String(key), JSON.stringify([value, (doc as Json)?.["_conflicts"]])]),
  );
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
