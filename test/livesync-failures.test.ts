import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { load, newDatabase, type NewVault, type TestDatabase } from "./kit/couch-server.js";
import { all, fails } from "./kit/storage-contract.js";
import { DriverDatabase } from "../src/cache/driver-database.js";
import { systemClock } from "../src/clock.js";
import { isVaultError, type VaultError } from "../src/errors.js";
import { silentLog } from "../src/log.js";
import { vaultPath } from "../src/storage/path.js";
import type { RawDocument } from "../src/storage/livesync/codec/document.js";
import { livesyncStorage, type LivesyncStorage, type LivesyncConfiguration } from "../src/storage/livesync/storage.js";
import { httpTransport } from "../src/storage/livesync/transport.js";

type Answer = (
  method: string,
  path: string,
  body: string,
  authorization: string,
) => Response | Error | undefined | Promise<Response | Error | undefined>;

let database: TestDatabase;
beforeEach(async () => {
  database = await newDatabase();
});
afterEach(() => database.remove());

const A = vaultPath("a.md");
const bytes = (text: string): Uint8Array => Buffer.from(text);
const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });

/** A storage some of whose requests are answered by `answer` in place of the database. */
function open(
  answer: Answer = () => undefined,
  configuration: Partial<LivesyncConfiguration> = {},
  options: object = {},
) {
  const { url, name, user, password } = database;
  const asked: string[] = [];
  const warnings: string[] = [];
  const storage = livesyncStorage(
    { url, database: name, user, password, ...configuration },
    {
      clock: systemClock(),
      pause: 1,
      ...options,
      warn: (message) => warnings.push(message),
      transport: async (target, init) => {
        const { pathname, search } = new URL(target);
        const path = decodeURIComponent(pathname.split("/").slice(2).join("/")) + search;
        asked.push(`${init.method} ${path}`);
        const given = await answer(init.method, path, init.body ?? "", init.headers["authorization"] ?? "");
        if (given instanceof Error) throw given;
        return given ?? httpTransport(target, init);
      },
    },
  );
  return { storage, asked, warnings };
}

async function failure(promise: Promise<unknown>): Promise<VaultError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isVaultError(error)) throw new Error(`no VaultError: ${String(error)}`);
  return error;
}

describe("a database that cannot be used", () => {
  it.each<[string, Answer, RegExp]>([
    ["403", () => json(403, { error: "forbidden", reason: "You are not allowed" }), /may not read/],
    ["404", () => json(404, { error: "not_found", reason: "Database does not exist." }), /no database of that name/],
    ["500", () => json(500, { error: "internal_server_error" }), /refused \(500, internal_server_error\)/],
    ["429", () => json(429, {}), /asked too often/],
    [
      "a portal's page",
      () => new Response("<html>Sign in</html>", { headers: { "content-type": "text/html" } }),
      /is no CouchDB/,
    ],
    ["a portal's JSON", () => json(200, { login: "https://portal" }), /not what CouchDB answers/],
    ["a redirection", () => new Response("", { status: 302, headers: { location: "https://x/" } }), /leads elsewhere/],
    ["no connection", () => refusedConnection("ECONNREFUSED"), /nothing listens/],
    ["no such host", () => refusedConnection("ENOTFOUND"), /host name is unknown/],
    ["no way to the host", () => refusedConnection("ETIMEDOUT"), /host does not answer/],
    [
      "https on a port of http",
      () => refusedConnection("ERR_SSL_WRONG_VERSION_NUMBER"),
      /speaks no https, perhaps http/,
    ],
    ["http on a port of https", () => refusedConnection("HPE_INVALID_CONSTANT"), /speaks no http, perhaps https/],
    ["an HTML 502 of a proxy", () => new Response("<html>", { status: 502 }), /proxy .* answered 502/],
    ["an untrusted certificate", () => refusedConnection("DEPTH_ZERO_SELF_SIGNED_CERT"), /certificate/],
  ])("%s: says so, and works again as soon as it can be", async (_, answer, words) => {
    let isBroken = true;
    const { storage } = open((...request) => (isBroken ? answer(...request) : undefined));
    const error = await failure(storage.read(A));
    expect(error.code).toBe("UNAVAILABLE");
    expect(error.message).toMatch(words);
    expect((await failure(storage.list().next())).message).toMatch(words);
    isBroken = false;
    expect(await storage.read(A)).toBeUndefined();
  });

  it("401: one request is sent, and nothing more until there are other credentials", async () => {
    let password = "wrong";
    const { storage, asked } = open(
      (_method, _path, _body, authorization) =>
        Buffer.from(authorization.slice("Basic ".length), "base64").toString() === "alice:wrong"
          ? json(401, { error: "unauthorized", reason: "Name or password is incorrect." })
          : undefined,
      { user: "alice", password, reread: async () => ({ url: database.url, database: database.name, ...account() }) },
    );
    function account() {
      return database.user !== undefined && password !== "wrong"
        ? { user: database.user, password: database.password }
        : { user: "alice", password };
    }
    for (const work of [() => storage.read(A), () => storage.list().next(), () => storage.stat(A)]) {
      expect((await failure(work())).message).toMatch(/user name or the pass/);
    }
    expect(asked).toHaveLength(1);
    password = "right";
    await expect.poll(() => storage.read(A).catch(() => "refused")).toBeUndefined();
    expect(asked.length).toBeGreaterThan(1);
  });

  it("401 is remembered between processes: the same password is not sent for five minutes, another one is", async () => {
    const cacheFolder = await mkdtemp(join(tmpdir(), "refused-"));
    let now = 1_700_000_000_000;
    const clock = { ...systemClock(), now: () => now };
    const refuse: Answer = (_method, _path, _body, authorization) =>
      authorization.endsWith(Buffer.from("alice:wrong").toString("base64"))
        ? json(401, { error: "unauthorized", reason: "Name or password is incorrect." })
        : json(404, { error: "not_found", reason: "Database does not exist." });
    const start = (password: string) => open(refuse, { user: "alice", password }, { cacheFolder, clock });
    expect((await failure(start("wrong").storage.read(A))).message).toMatch(/user name or the password \(401\)/);
    const { storage, asked } = start("wrong");
    expect((await failure(storage.read(A))).message).toMatch(/less than five minutes ago/);
    expect((await failure(storage.list().next())).message).toMatch(/less than five minutes ago/);
    expect(asked).toEqual([]);
    expect((await failure(start("other").storage.read(A))).message).toMatch(/no database/);
    const [file = ""] = await readdir(cacheFolder);
    expect(await readFile(join(cacheFolder, file), "utf8")).not.toMatch(/wrong|alice/);
    now += 5 * 60 * 1000;
    expect((await failure(storage.read(A))).message).toMatch(/user name or the password \(401\)/);
    expect(asked).toHaveLength(1);
    await rm(cacheFolder, { recursive: true });
  });

  it("an account that is locked is told from one that is no member", async () => {
    const reason = "Account is temporarily locked due to multiple authentication failures";
    const { storage } = open(() => json(403, { error: "forbidden", reason }));
    expect((await failure(storage.read(A))).message).toMatch(/locked the account for some minutes/);
  });

  it("an address that ends with the database's name is named as the mistake", async () => {
    const { storage } = open(undefined, { url: `${database.url}/${database.name}` });
    const error = await failure(storage.read(A));
    expect(error.message).toMatch(/no database of that name|no CouchDB/);
    expect(error.hint).toMatch(/COUCHDB_BASE_URL ends with the database's name/);
  });

  it("is asked less and less often when it goes on failing", async () => {
    const { storage, asked } = open(() => json(404, { error: "not_found", reason: "Database does not exist." }));
    for (let round = 0; round < 20; round++) await failure(storage.read(A));
    expect(asked.length).toBeLessThan(6);
  });

  it("too new: neither read nor written, found within seconds in a session too", async () => {
    const { storage } = open(undefined, {}, { believed: 0 });
    await storage.write(A, bytes("x"), { kind: "absent" });
    await change("obsydian_livesync_version", { version: 13 });
    for (const one of [storage, open().storage]) {
      expect((await failure(one.read(A))).message).toMatch(/format 13/);
      expect((await failure(one.write(A, bytes("y"), { kind: "any" }))).message).toMatch(/format 13/);
    }
    await change("obsydian_livesync_version", { version: 12 });
    expect(String((await storage.read(A))?.bytes)).toBe("x");
  });

  it("that is none of LiveSync is left alone", async () => {
    await database.remove();
    await database.ask("PUT", "");
    const { storage, asked } = open();
    expect((await failure(storage.write(A, bytes("x"), { kind: "absent" }))).message).toMatch(/not one of LiveSync/);
    expect(asked.filter((request) => request.startsWith("PUT"))).toEqual([]);
  });

  it("that another program uses is not taken for an empty vault", async () => {
    await database.remove();
    await database.ask("PUT", "");
    await database.ask("PUT", "user-1", { name: "Alice", path: "/home/alice" });
    const { storage } = open();
    const error = await failure(storage.list().next());
    expect(error).toMatchObject({ code: "UNAVAILABLE", message: expect.stringContaining("not one of LiveSync") });
  });

  it("whose hash for chunks is unknown is read and not written", async () => {
    await open().storage.write(A, bytes("x"), { kind: "absent" });
    const milestone = (await database.ask("GET", "_local/obsydian_livesync_milestone")) as object;
    const tweaks = { tweak_values: { PREFERRED: { encrypt: false, hashAlg: "blake9" } } };
    await database.ask("PUT", "_local/obsydian_livesync_milestone", { ...milestone, ...tweaks });
    const { storage, warnings } = open();
    expect(String((await storage.read(A))?.bytes)).toBe("x");
    expect((await failure(storage.write(A, bytes("y"), { kind: "any" }))).message).toMatch(/a hash that/);
    expect(warnings).toEqual([]);
  });

  const UNKNOWN = { code: "UNAVAILABLE", message: expect.stringContaining("a form that this server does not know") };

  it("with an unknown encryption in its settings is neither read nor written", async () => {
    await open().storage.write(A, bytes("x"), { kind: "absent" });
    const milestone = (await database.ask("GET", "_local/obsydian_livesync_milestone")) as object;
    const tweaks = { tweak_values: { PREFERRED: { encrypt: true, E2EEAlgorithm: "v9" } } };
    await database.ask("PUT", "_local/obsydian_livesync_milestone", { ...milestone, ...tweaks });
    const calls: ((storage: LivesyncStorage) => Promise<unknown>)[] = [
      (storage) => storage.list().next(),
      (storage) => storage.read(A),
      (storage) => storage.write(vaultPath("new.md"), bytes("y"), { kind: "absent" }),
    ];
    for (const call of calls)
      expect(await failure(call(open(undefined, { passphrase: "secret" }).storage))).toMatchObject(UNKNOWN);
  });

  /** More notes than a sample at the start would show, before the unknown one and after it. */
  async function many(): Promise<readonly string[]> {
    const { storage } = open();
    const names = Array.from({ length: 40 }, (_, at) => `${at < 20 ? "a" : "z"}${String(at).padStart(2, "0")}.md`);
    for (const name of names) await storage.write(vaultPath(name), bytes(name), { kind: "absent" });
    await storage.write(vaultPath("m.md"), bytes("of a later client"), { kind: "absent" });
    return names;
  }

  it.each<[string, () => Promise<unknown>]>([
    ["form of document", () => change("m.md", { type: "packed" })],
    ["form of document without chunks", () => change("m.md", { type: "packed", children: undefined })],
    ["form of chunk", () => spoilChunk({ type: "chunkpack" })],
  ])("with an unknown %s leaves out that note, names it, and changes all others", async (_, spoil) => {
    const names = await many();
    await spoil();
    const storage = () => open().storage;
    const read = await all(storage().readMany([...names, "m.md"].map((name) => vaultPath(name))));
    expect(read.filter((file) => !("error" in file))).toHaveLength(40);
    expect(read.find((file) => "error" in file)).toMatchObject({ path: "m.md", error: UNKNOWN });
    const m = vaultPath("m.md");
    const calls: ((one: LivesyncStorage) => Promise<unknown>)[] = [
      (one) => one.read(m),
      (one) => one.update(m, () => bytes("y")),
      (one) => one.move(m, vaultPath("n.md"), { kind: "any" }),
    ];
    const before = await database.ask("GET", "m.md");
    for (const call of calls) expect(await failure(call(storage()))).toMatchObject(UNKNOWN);
    expect(await database.ask("GET", "m.md")).toEqual(before);
    await storage().update(vaultPath("a00.md"), () => bytes("changed"));
    expect(String((await storage().read(vaultPath("a00.md")))?.bytes)).toBe("changed");
  });

  it("with a document of an unknown form whose name is taken: the name is not written", async () => {
    await many();
    await change("m.md", { type: "packed" });
    for (const kind of ["absent", "any"] as const)
      expect(await failure(open().storage.write(vaultPath("m.md"), bytes("y"), { kind }))).toMatchObject(UNKNOWN);
    const move = open().storage.move(vaultPath("a00.md"), vaultPath("m.md"), { kind: "any" });
    expect(await failure(move)).toMatchObject(UNKNOWN);
  });

  it("with a chunk of an unknown encryption is read but for its note, and later processes write nothing", async () => {
    await many();
    await spoilChunk({ e_: true, data: "%&abcdef" });
    const folder = await mkdtemp(join(tmpdir(), "livesync-cache-"));
    const store = (identity: string) => new DriverDatabase({ folder, identity, clock: systemClock() }, silentLog);
    const start = () => open(undefined, { passphrase: "secret" }, { store }).storage;
    const first = start();
    expect(await failure(first.read(vaultPath("m.md")))).toMatchObject(UNKNOWN);
    expect(String((await first.read(vaultPath("a00.md")))?.bytes)).toBe("a00.md");
    await first.close();
    const second = start();
    expect(await failure(second.write(vaultPath("new.md"), bytes("y"), { kind: "absent" }))).toMatchObject({
      code: "PERMISSION_DENIED",
      message: expect.stringContaining("encrypted in a form that this server does not know"),
    });
    await second.close();
    await rm(folder, { recursive: true });
  });

  it("with a damaged text of an encryption is not taken for one of a later client", async () => {
    await many();
    await spoilChunk({ e_: true, data: "%0123" });
    const { storage } = open(undefined, { passphrase: "secret" });
    expect((await failure(storage.read(vaultPath("m.md")))).message).toMatch(/damaged/);
  });

  it("with hidden names lists the id of a document that it cannot read, in later processes too", async () => {
    await database.remove();
    database = await newDatabase({ encrypt: true, usePathObfuscation: true });
    const folder = await mkdtemp(join(tmpdir(), "livesync-cache-"));
    const store = (identity: string) => new DriverDatabase({ folder, identity, clock: systemClock() }, silentLog);
    const start = () => open(undefined, { passphrase: "secret" }, { store }).storage;
    const writer = start();
    await writer.write(A, bytes("x"), { kind: "absent" });
    await writer.close();
    const id = `f:${"0".repeat(64)}`;
    await database.ask("PUT", encodeURIComponent(id), { type: "packed", path: "/\\:%=abc", children: [], mtime: 1 });
    for (let process = 1; process <= 2; process++) {
      const storage = start();
      const unlisted: unknown[] = [];
      expect((await all(storage.list({ onUnlisted: (what) => unlisted.push(what) }))).map(({ path }) => path)).toEqual([
        A,
      ]);
      expect(unlisted).toEqual([{ folder: "", name: id, kind: "file", reason: "unreadable" }]);
      await storage.close();
    }
    await rm(folder, { recursive: true });
  });

  async function spoilChunk(fields: object): Promise<unknown> {
    const { children } = (await database.ask("GET", "m.md")) as { children: [string] };
    const leaf = (await database.ask("GET", encodeURIComponent(children[0]))) as object;
    return database.ask("PUT", encodeURIComponent(children[0]), { ...leaf, ...fields });
  }

  it.each<[string, NewVault, Partial<LivesyncConfiguration>, RegExp]>([
    ["encrypted, without a passphrase", { encrypt: true }, {}, /passphrase/],
    ["readable, with a passphrase", {}, { passphrase: "x" }, /not encrypted/],
    ["readable, where hidden names are asked for", {}, { usePathObfuscation: true }, /USE_PATH_OBFUSCATION/],
  ])("%s: nothing is written", async (_, settings, configuration, words) => {
    await database.remove();
    database = await newDatabase(settings);
    const { storage, asked } = open(undefined, configuration);
    expect((await failure(storage.write(A, bytes("x"), { kind: "absent" }))).message).toMatch(words);
    expect(asked.filter((request) => /^PUT|_bulk_docs/.test(request))).toEqual([]);
  });
});

async function change(id: string, fields: object): Promise<void> {
  await database.ask("PUT", id, { ...((await database.ask("GET", id)) as object), ...fields });
}

describe("a database that LiveSync has locked or rebuilt", () => {
  const MILESTONE = "_local/obsydian_livesync_milestone";
  const LOCK = { locked: true, accepted_nodes: ["laptop"] };
  let stateFolder: string;
  beforeEach(async () => {
    stateFolder = await mkdtemp(join(tmpdir(), "livesync-state-"));
  });
  afterEach(() => rm(stateFolder, { recursive: true }));
  const start = (options: object = {}) => open(undefined, {}, { stateFolder, ...options });
  const writes = (asked: readonly string[]) => asked.filter((request) => /^PUT|_bulk_docs/.test(request));

  it("before this program first used it, is read and written, by later processes too", async () => {
    await change(MILESTONE, LOCK);
    for (const text of ["one", "two"]) {
      const { storage } = start();
      await storage.write(A, bytes(text), { kind: "any" });
      expect(String((await storage.read(A))?.bytes)).toBe(text);
    }
  });

  it.each<[string, (storage: LivesyncStorage) => Promise<unknown>]>([
    ["write", (storage) => storage.write(A, bytes("y"), { kind: "any" })],
    ["new note", (storage) => storage.write(vaultPath("b.md"), bytes("y"), { kind: "absent" })],
    ["update", (storage) => storage.update(A, () => bytes("y"))],
    ["deletion", (storage) => storage.remove(A, { kind: "any" })],
    ["move", (storage) => storage.move(A, vaultPath("b.md"), { kind: "any" })],
  ])("in the middle of a session: it is read, and the very next %s is refused", async (_, work) => {
    const { storage, asked } = start();
    await storage.write(A, bytes("x"), { kind: "absent" });
    await change(MILESTONE, LOCK);
    const before = writes(asked).length;
    expect(await failure(work(storage))).toMatchObject({
      code: "PERMISSION_DENIED",
      message: expect.stringContaining("locked after this program first used it"),
      hint: expect.stringContaining("Maintenance"),
    });
    expect(writes(asked)).toHaveLength(before);
    for (const one of [storage, start().storage]) expect(String((await one.read(A))?.bytes)).toBe("x");
    expect((await failure(work(start().storage))).code).toBe("PERMISSION_DENIED");
    await change(MILESTONE, { locked: false });
    await work(storage);
  });

  it.each<[string, () => Promise<void>]>([
    ["creation time", () => change(MILESTONE, { created: 2 })],
    ["salt", () => change("_local/obsidian_livesync_sync_parameters", { pbkdf2salt: btoa("s".repeat(32)) })],
    ["mark of a clean-up", () => change(MILESTONE, { cleaned: true })],
  ])("has another %s: it is read, and written only after it was accepted", async (_, rebuild) => {
    const { storage } = start({ believed: 0 });
    await storage.write(A, bytes("x"), { kind: "absent" });
    await rebuild();
    for (const one of [storage, start().storage]) {
      expect(String((await one.read(A))?.bytes)).toBe("x");
      expect((await failure(one.update(A, () => bytes("y")))).hint).toContain("doctor --accept-rebuilt");
    }
    await start({ isCheck: true }).storage.acceptRebuilt();
    for (const [at, one] of [storage, start().storage].entries()) {
      await one.update(A, () => bytes(`y${at}`));
      expect(String((await one.read(A))?.bytes)).toBe(`y${at}`);
    }
  });

  it("a rebuild is seen at the very next write", async () => {
    const { storage } = start();
    await storage.write(A, bytes("x"), { kind: "absent" });
    await change(MILESTONE, { created: 2 });
    expect((await failure(storage.update(A, () => bytes("y")))).message).toContain("rebuilt or replaced");
  });

  it("is asked once next to the read by a write, and by many writes at once hardly more often", async () => {
    const { storage, asked } = start();
    await storage.write(A, bytes("x"), { kind: "absent" });
    asked.length = 0;
    await storage.update(A, () => bytes("y"));
    expect(asked.filter((request) => request.includes("milestone"))).toHaveLength(1);
    expect(asked.slice(0, 2).some((request) => request.includes("milestone"))).toBe(true);
    asked.length = 0;
    const names = Array.from({ length: 20 }, (_, at) => vaultPath(`n${at}.md`));
    await Promise.all(names.map((name) => storage.write(name, bytes("z"), { kind: "absent" })));
    expect(asked.filter((request) => request.includes("milestone")).length).toBeLessThan(5);
  });
});

describe("a request", () => {
  it("is repeated after 500 and 503, when it is asked to wait, and when the connection breaks", async () => {
    const spoilt = [
      json(500, {}),
      json(503, {}, { "retry-after": "0" }),
      json(429, {}, { "retry-after": "0" }),
      new TypeError("terminated"),
    ];
    let rest: (Response | Error)[] = [];
    const { storage } = open(() => rest.pop());
    await storage.stat(A);
    rest = [...spoilt];
    await storage.write(A, bytes("x"), { kind: "absent" });
    expect(rest).toEqual([]);
    expect((await storage.read(A))?.bytes.toString()).toBe("x");
  });

  it("is repeated when a node of the cluster is down", async () => {
    let rest = [json(412, { error: "nodedown", reason: "progress not possible" })];
    const { storage } = open((method) => (method === "PUT" || method === "GET" ? rest.pop() : undefined));
    await storage.write(A, bytes("x"), { kind: "absent" });
    rest = [json(412, { error: "nodedown" }), json(412, { error: "nodedown" })];
    expect(String((await storage.read(A))?.bytes)).toBe("x");
    for await (const batch of storage.list()) expect(batch).toHaveLength(1);
    expect(rest).toEqual([]);
  });

  it("may take as long as it likes while its answer comes", async () => {
    await open().storage.write(A, bytes("x".repeat(2000)), { kind: "absent" });
    const slow = createServer((incoming, outgoing) => {
      const isListing = incoming.url?.includes("_all_docs?") === true && incoming.method === "GET";
      const pass = async (): Promise<void> => {
        const parts: Buffer[] = [];
        for await (const part of incoming) parts.push(part as Buffer);
        const { method = "GET", url = "" } = incoming;
        const body = parts.length > 0 ? { body: Buffer.concat(parts) } : {};
        const headers = { ...headersOf(database), "content-type": "application/json" };
        const answer = await fetch(database.url + url, { method, headers, ...body });
        const whole = Buffer.from(await answer.arrayBuffer());
        outgoing.writeHead(answer.status, { "content-type": "application/json" });
        const share = isListing ? Math.ceil(whole.length / 12) : whole.length;
        for (let at = 0; at < whole.length; at += share) {
          if (isListing) await new Promise((resolve) => setTimeout(resolve, 250));
          outgoing.write(whole.subarray(at, at + share));
        }
        outgoing.end();
      };
      void pass().catch(() => outgoing.destroy());
    });
    slow.listen(0, "127.0.0.1");
    await once(slow, "listening");
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
    const { storage } = open(undefined, { url }, { deadline: 2500 });
    const sizes: number[] = [];
    for await (const batch of storage.list()) sizes.push(batch.length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1);
    slow.closeAllConnections();
    slow.close();
  });

  it("is given up when its answer is without measure, however small it was packed", async () => {
    const packed = gzipSync(Buffer.alloc(40 * 1024 * 1024, 0x20));
    const server = createServer((_, outgoing) => {
      outgoing.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(packed);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { storage } = open(undefined, { url }, { maxAnswer: 1024 * 1024 });
    const before = process.memoryUsage().rss;
    expect((await failure(storage.read(A))).code).toBe("TOO_LARGE");
    expect(process.memoryUsage().rss - before).toBeLessThan(30 * 1024 * 1024);
    server.closeAllConnections();
    server.close();
  });

  it("for more than an answer may hold is made in parts", async () => {
    const { storage: writer } = open();
    for (let note = 0; note < 6; note++) {
      await writer.write(vaultPath(`n${note}.md`), bytes(`${note}`.repeat(3000)), { kind: "absent" });
    }
    const { storage } = open(undefined, {}, { maxAnswer: 8 * 1024 });
    const notes = Array.from({ length: 6 }, (_, note) => vaultPath(`n${note}.md`));
    const read: string[] = [];
    for await (const batch of storage.readMany(notes)) {
      for (const file of batch) read.push("error" in file ? file.error.message : String(file.bytes));
    }
    expect(read).toEqual(notes.map((_, note) => `${note}`.repeat(3000)));
  });

  it("ends at its deadline", async () => {
    const { storage } = open(
      () =>
        new Promise((resolve) => {
          setTimeout(() => resolve(undefined), 500);
        }),
      {},
      { deadline: 100 },
    );
    const error = await failure(storage.read(A));
    expect(error.code).toBe("UNAVAILABLE");
  });

  it("to a server that has never answered ends sooner, and a listing shows that it waits", async () => {
    const silent = createServer(() => undefined);
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const { storage } = open(undefined, { url }, { firstDeadline: 1500, deadline: 60_000 });
    const listing = storage.list();
    // Without a sign of life the caller stops after seconds, and names no cause.
    expect(await listing.next()).toMatchObject({ value: [] });
    expect(await failure(listing.next())).toMatchObject({
      code: "UNAVAILABLE",
      message: "The CouchDB server sent nothing for 2 seconds.",
      hint: expect.stringContaining("names the port of CouchDB"),
    });
    silent.closeAllConnections();
    silent.close();
  });

  it("may take longer once the server has answered, and reading shows that it waits", async () => {
    let delay = 0;
    const late: Answer = () => new Promise((resolve) => void setTimeout(() => resolve(undefined), delay));
    const { storage } = open(late, {}, { firstDeadline: 2000, deadline: 60_000 });
    expect(await storage.read(A)).toBeUndefined();
    delay = 2500;
    const sizes: number[] = [];
    const files = storage.readMany([A]);
    for await (const batch of files) sizes.push(batch.length);
    // Signs of life, for the caller's own time limit.
    expect(sizes.length).toBeGreaterThan(0);
  });

  it("that was carried out before the answer broke is not carried out twice, nor taken for another's", async () => {
    let spoilt = 0;
    const { storage } = open(async (method, path, body) => {
      if (method !== "PUT" || spoilt++ > 0) return undefined;
      await database.ask("PUT", encodeURIComponent(path), JSON.parse(body));
      return json(502, {});
    });
    const written = await storage.write(A, bytes("x"), { kind: "absent" });
    expect(spoilt).toBe(2);
    expect((await storage.read(A))?.revision).toBe(written.revision);
    expect(written.revision).toMatch(/^1-/);
  });

  it("that was carried out, and written over by another before the answer was asked for again, was carried out", async () => {
    const { storage: other } = open();
    let spoilt = 0;
    const { storage } = open(async (method, path, body) => {
      if (method !== "PUT" || spoilt++ > 0) return undefined;
      await database.ask("PUT", encodeURIComponent(path), JSON.parse(body));
      await other.update(A, (current) => bytes(`${String(current?.bytes)}, then the other`));
      return json(502, {});
    });
    await storage.write(A, bytes("ours"), { kind: "absent" });
    expect((await storage.read(A))?.bytes.toString()).toBe("ours, then the other");
  });

  it.each([
    ["that a single node took and another server built upon is known again, and not made twice", true],
    ["of which that cannot be told, as no node that answers has its text, is refused rather than made twice", false],
  ])("refused by a cluster %s", async (_, isTextThere) => {
    const { storage: other } = open();
    await other.write(A, bytes("begin"), { kind: "absent" });
    let writes = 0;
    const { storage } = open(async (method, path, body) => {
      if (method === "GET" && path === "") {
        return json(200, { ...((await database.ask("GET", "")) as object), cluster: { n: 3 } });
      }
      if (method === "GET" && /\?rev=2-/.test(path) && !isTextThere) return json(404, { reason: "missing" });
      if (method !== "PUT" || writes++ > 0) return undefined;
      await database.ask("PUT", encodeURIComponent(path), JSON.parse(body));
      await other.update(A, (current) => bytes(`${String(current?.bytes)}, theirs`));
      return json(409, { error: "conflict" });
    });
    const change = storage.update(A, (current) => bytes(`${String(current?.bytes)}, ours`));
    if (isTextThere) await change;
    else expect(await failure(change)).toMatchObject({ code: "CONFLICT", message: expect.stringContaining("'a.md'") });
    expect(String((await other.read(A))?.bytes)).toBe("begin, ours, theirs");
  });

  it.each([
    ["of the same one is made anew on that, and nothing stays beside it", true],
    ["of another one is refused, and both are named", false],
  ])("taken by a cluster whose nodes then count a version made %s", async (_, isSibling) => {
    const { storage: other } = open();
    await other.write(A, bytes("begin"), { kind: "absent" });
    await other.write(vaultPath("b.md"), bytes("begin, theirs"), { kind: "absent" });
    const { _rev: parent } = (await database.ask("GET", "a.md")) as { _rev: string };
    const theirs = (await database.ask("GET", "b.md")) as RawDocument;
    const hash = "f".repeat(32);
    const ids = [hash, isSibling ? parent.slice(2) : "e".repeat(32)];
    let ours: { rev: string } | undefined;
    const { storage } = open(async (method, path, body) => {
      if (method === "GET" && path === "") {
        return json(200, { ...((await database.ask("GET", "")) as object), cluster: { n: 3 } });
      }
      if (method !== "PUT" || ours) return undefined;
      ours = (await database.ask("PUT", path, JSON.parse(body))) as { rev: string };
      const winner = { ...theirs, _id: "a.md", path: "a.md", _rev: `2-${hash}`, _revisions: { start: 2, ids } };
      await load(database, [winner]);
      return json(201, ours);
    });
    const change = storage.update(A, (current) => bytes(`${String(current?.bytes)}, ours`));
    if (isSibling) {
      const written = await change;
      expect(await other.read(A)).toMatchObject({ revision: written?.revision });
      expect(String((await other.read(A))?.bytes)).toBe("begin, theirs, ours");
      expect(await database.ask("GET", "a.md?conflicts=true")).not.toHaveProperty("_conflicts");
    } else {
      const { code, message } = await failure(change);
      expect(code).toBe("CONFLICT");
      expect(message).toContain(`2-${hash}`);
      expect(message).toContain(ours?.rev);
    }
  });

  it("is given up as a conflict only after many others came between", async () => {
    const { storage, asked } = open((method) => (method === "PUT" ? json(409, { error: "conflict" }) : undefined));
    expect((await failure(storage.write(A, bytes("x"), { kind: "any" }))).code).toBe("CONFLICT");
    expect(asked.filter((request) => request.startsWith("PUT")).length).toBeGreaterThan(5);
  });

  it("refused by 412 or 413 is not repeated, and says which", async () => {
    for (const [status, code] of [
      [412, "UNAVAILABLE"],
      [413, "TOO_LARGE"],
    ] as const) {
      const { storage, asked } = open((method) => (method === "PUT" ? json(status, { error: "x" }) : undefined));
      await fails(storage.write(A, bytes("x"), { kind: "any" }), code);
      expect(asked.filter((request) => request.startsWith("PUT"))).toHaveLength(1);
    }
  });
});

describe("a write", () => {
  it("puts the metadata only when every chunk has been taken", async () => {
    const refuseOne: Answer = (_, path, body) => {
      if (!path.startsWith("_bulk_docs")) return undefined;
      const { docs } = JSON.parse(body) as { docs: { _id: string }[] };
      return json(
        201,
        docs.map(({ _id: id }, at) =>
          at === 0 ? { id, error: "forbidden", reason: "no" } : { ok: true, id, rev: "1-x" },
        ),
      );
    };
    const { storage, asked } = open(refuseOne);
    await fails(storage.write(A, bytes("text ".repeat(1000)), { kind: "absent" }), "PERMISSION_DENIED");
    expect(asked.filter((request) => request.startsWith("PUT"))).toEqual([]);
    expect(await open().storage.read(A)).toBeUndefined();
  });

  it("that moves a note which another changes meanwhile moves what the other wrote, and leaves no copy", async () => {
    const { storage: other } = open();
    await other.write(A, bytes("one"), { kind: "absent" });
    let isFirst = true;
    const { storage } = open(async (method, path) => {
      if (method !== "PUT" || path !== "a.md" || !isFirst) return undefined;
      isFirst = false;
      await other.update(A, () => bytes("two"));
      return undefined;
    });
    await storage.move(A, vaultPath("b.md"), { kind: "any" });
    expect(String((await other.read(vaultPath("b.md")))?.bytes)).toBe("two");
    expect(await other.read(A)).toBeUndefined();
  });

  it("that moves a note never deletes both names, though all answers to the deletion are lost", async () => {
    const { storage: other } = open();
    await other.write(A, bytes("one"), { kind: "absent" });
    let tries = 0;
    const { storage } = open(async (method, path, body) => {
      if (method !== "PUT" || path !== "a.md") return undefined;
      if (tries++ === 0) await database.ask("PUT", path, JSON.parse(body));
      return json(502, {});
    });
    await storage.move(A, vaultPath("b.md"), { kind: "any" });
    expect(tries).toBeGreaterThan(1);
    expect(String((await other.read(vaultPath("b.md")))?.bytes)).toBe("one");
    expect(await other.read(A)).toBeUndefined();
  });

  it.each([
    ["an edit", (storage: LivesyncStorage) => storage.update(A, () => bytes("two")), "a.md"],
    ["a new file", (storage: LivesyncStorage) => storage.write(vaultPath("b.md"), bytes("x"), { kind: "any" }), "b.md"],
    ["a deletion", (storage: LivesyncStorage) => storage.remove(A, { kind: "any" }), "a.md"],
    ["a move", (storage: LivesyncStorage) => storage.move(A, vaultPath("b.md"), { kind: "any" }), "b.md"],
  ])("whose answer is lost with the server says that it may have been made: %s", async (_, change, path) => {
    await open().storage.write(A, bytes("one"), { kind: "absent" });
    let isAway = false;
    const { storage } = open(async (method, id, body) => {
      if (isAway) return refusedConnection("ECONNREFUSED");
      if (method !== "PUT") return undefined;
      isAway = true;
      await database.ask("PUT", id, JSON.parse(body));
      return refusedConnection("ECONNRESET");
    });
    expect(await failure(change(storage))).toMatchObject({
      code: "UNAVAILABLE",
      message: `The CouchDB server cannot be reached: nothing listens at its address. Whether the change of '${path}' was made is unknown.`,
      hint: expect.stringMatching(/^Read it before you repeat the change\./),
    });
  });

  it("that never reached the server is not called uncertain", async () => {
    await open().storage.write(A, bytes("one"), { kind: "absent" });
    let isAway = false;
    const { storage } = open((method) => {
      isAway ||= method === "PUT";
      return isAway ? refusedConnection("ECONNREFUSED") : undefined;
    });
    expect((await failure(storage.update(A, () => bytes("two")))).message).toMatch(/nothing listens at its address\.$/);
  });

  it("that moves a note and can neither delete it nor take the copy back names both", async () => {
    await open().storage.write(A, bytes("one"), { kind: "absent" });
    let puts = 0;
    const { storage } = open((method) => {
      puts += Number(method === "PUT");
      return puts > 1 ? refusedConnection("ECONNREFUSED") : undefined;
    });
    const { message } = await failure(storage.move(A, vaultPath("b.md"), { kind: "any" }));
    expect(message).toMatch(/'a\.md' is at 'b\.md' too now\.$/);
  });

  it("by a user who may only read is refused, and reading goes on", async () => {
    await open().storage.write(A, bytes("x"), { kind: "absent" });
    const { storage } = open((method, path) =>
      method === "PUT" || path.startsWith("_bulk_docs") ? json(403, { error: "forbidden" }) : undefined,
    );
    await fails(storage.write(A, bytes("y"), { kind: "any" }), "PERMISSION_DENIED");
    expect((await storage.read(A))?.bytes.toString()).toBe("x");
  });

  it("never deletes a document, and never touches the version or the milestone", async () => {
    const { storage, asked } = open();
    await storage.write(A, bytes("x"), { kind: "absent" });
    await storage.move(A, vaultPath("b.md"), { kind: "any" });
    await storage.remove(vaultPath("b.md"), { kind: "any" });
    const writes = asked.filter((request) => !/^GET|_all_docs/.test(request));
    expect(writes.filter((request) => /^DELETE|livesync_|_local|_design|_purge/.test(request))).toEqual([]);
    expect(await database.ask("GET", "b.md")).toMatchObject({ deleted: true, path: "b.md" });
  });

  it.each(["../x.md", "/etc/x", "i:.obsidian/main.js", "ps:x", "_design/x", "redflag.md", "flag_rebuild.md", "a:b.md"])(
    "to %s reaches nothing that is not of the vault",
    async (text) => {
      const { storage } = open();
      const path = text.startsWith("_") ? vaultPath(text) : (text as typeof A);
      if (text === "_design/x") {
        await storage.write(path, bytes("x"), { kind: "absent" });
        expect(await database.ask("GET", encodeURIComponent("/_design/x"))).toMatchObject({ path: "_design/x" });
      } else if (!/^\.\.|^\/etc/.test(text)) {
        await fails(
          Promise.resolve().then(() => storage.write(path, bytes("x"), { kind: "absent" })),
          "INVALID_ARGUMENT",
          "PERMISSION_DENIED",
        );
      } else expect(() => vaultPath(text.replace("/etc", "/../etc"))).toThrow();
    },
  );
});

describe("a chunk that does not hold what it is named after", () => {
  it("is read with a warning, once and for all files that have it", async () => {
    const { storage } = open();
    await storage.write(A, bytes("what was written"), { kind: "absent" });
    const { children } = (await database.ask("GET", "a.md")) as { children: [string] };
    const leaf = (await database.ask("GET", encodeURIComponent(children[0]))) as object;
    await database.ask("PUT", encodeURIComponent(children[0]), { ...leaf, data: "what was changed" });
    const fresh = open();
    expect(String((await fresh.storage.read(A))?.bytes)).toBe("what was changed");
    expect(fresh.warnings).toEqual([expect.stringMatching(/does not match its name/)]);
    const copy = fresh.storage.write(vaultPath("copy.md"), bytes("what was written"), { kind: "absent" });
    expect(await failure(copy)).toMatchObject({ code: "UNAVAILABLE", message: expect.stringContaining(children[0]) });
    expect(await fresh.storage.read(vaultPath("copy.md"))).toBeUndefined();
    const sound = open();
    await sound.storage.write(vaultPath("b.md"), bytes("sound"), { kind: "absent" });
    expect(String((await sound.storage.read(vaultPath("b.md")))?.bytes)).toBe("sound");
    expect(sound.warnings).toEqual([]);
  });
});

describe("a note whose chunk is missing", () => {
  it("is unreadable, by name and chunk, and is not written over; others are read", async () => {
    const { storage } = open();
    await storage.write(A, bytes("lost"), { kind: "absent" });
    await storage.write(vaultPath("b.md"), bytes("kept"), { kind: "absent" });
    const { children } = (await database.ask("GET", "a.md")) as { children: [string] };
    const leaf = (await database.ask("GET", encodeURIComponent(children[0]))) as { _rev: string };
    await database.ask("DELETE", `${encodeURIComponent(children[0])}?rev=${leaf["_rev"]}`);
    const fresh = open().storage;
    const error = await failure(fresh.read(A));
    expect(error.code).toBe("UNAVAILABLE");
    expect(error.message).toContain("a.md");
    expect(error.message).toContain(children[0]);
    await fails(
      fresh.update(A, () => bytes("new")),
      "UNAVAILABLE",
    );
    const read: string[] = [];
    for await (const batch of fresh.readMany([A, vaultPath("b.md")])) {
      for (const file of batch) read.push("error" in file ? `${file.path} unreadable` : file.bytes.toString());
    }
    expect(read).toEqual(["a.md unreadable", "kept"]);
  });
});

describe("secrets", () => {
  it("in the URL are used and never shown", async () => {
    const url = database.url.replace("//", "//someone:s3cret%21@");
    const { storage, warnings } = open(() => json(401, { error: "unauthorized" }), { url });
    const error = await failure(storage.read(A));
    const shown = JSON.stringify([
      storage.name,
      storage.identity,
      error.message,
      error.hint,
      String(error.cause),
      warnings,
    ]);
    expect(shown).not.toMatch(/s3cret|someone/);
  });

  it("are not echoed from a URL that is none", () => {
    for (const url of ["://someone:s3cret@", "ftp://someone:s3cret@host", "someone:s3cret@host", ""]) {
      const error = (() => {
        try {
          return livesyncStorage({ url, database: "x" }, { clock: systemClock() }).name;
        } catch (thrown) {
          return JSON.stringify([String(thrown), thrown]);
        }
      })();
      expect(error).toContain("http");
      expect(error).not.toContain("s3cret");
    }
  });

  it("over plain http to another machine draw a warning, on loopback none", () => {
    expect(open(undefined, { url: "http://couch.example:5984" }).warnings).toHaveLength(1);
    expect(open(undefined, { url: "https://couch.example" }).warnings).toEqual([]);
    expect(open(undefined, { url: "http://localhost:5984" }).warnings).toEqual([]);
  });
});

function headersOf({ user, password }: TestDatabase): Record<string, string> {
  return user === undefined ? {} : { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` };
}

function refusedConnection(code: string): Error {
  return new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
}
