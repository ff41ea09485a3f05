/**
 * What does a vault in CouchDB cost: its first index against a plain download of the same documents, a warm start, an edit? Over
 * express-pouchdb on loopback, in a process of its own; `COUCHDB_URL` names a real server instead, with its credentials.
 */
import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import { request as requestSecurely } from "node:https";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { Session } from "./connection.js";
import { answer, isMain, spread } from "./question.js";
import { interleave, timeNode, timeSpawn } from "./timing.js";

const HERE = dirname(fileURLToPath(import.meta.url));
const PASSPHRASE = "a passphrase for measuring";
/** @type {{ kind: string, settings: object, passphrase?: string }[]} */
const KINDS = [
  { kind: "plain", settings: {} },
  { kind: "encrypted, names hidden", settings: { encrypt: true, usePathObfuscation: true }, passphrase: PASSPHRASE },
];
const EDITS = 10;

let account;

function authorized() {
  if (!account) return {};
  return { authorization: `Basic ${Buffer.from(`${account.user}:${account.password}`).toString("base64")}` };
}

/** @param {import("./question.js").Bench} bench */
export async function livesync(bench) {
  const server = await startServer();
  try {
    const findings = [];
    for (const kind of KINDS) findings.push(...(await measured(bench, server, kind)));
    return findings;
  } finally {
    await server.stop();
  }
}

/**
 * @param {import("./question.js").Bench} bench
 * @param {(typeof KINDS)[number]} vaultKind
 */
async function measured(bench, server, vaultKind) {
  const { program, vault, cache, notes, rounds } = bench;
  const { kind, settings, passphrase } = vaultKind;
  const database = `livesync-bench-${randomBytes(6).toString("hex")}`;
  const url = `${server.url}/${database}`;
  account = server.account;
  await ask("PUT", url);
  await fill(url, vault, cache, { settings, passphrase });
  const environment = {
    COUCHDB_BASE_URL: server.url,
    COUCHDB_DATABASE_NAME: database,
    ...(account && { COUCHDB_USER: account.user, COUCHDB_PASSWORD: account.password }),
    ...(passphrase === undefined ? {} : { VAULT_PASSPHRASE: passphrase }),
  };
  const call = (name, args) => {
    const input = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
    const words = [program, "--cache-folder", cache, "--state-folder", join(cache, "state")];
    return timeSpawn(process.execPath, words, { input, environment });
  };
  const scan = async () => {
    const { exit, output } = await call("scan_vault", {});
    if (JSON.parse(output).result?.isError !== undefined) throw new Error(output.slice(0, 2000));
    return exit;
  };
  const times = await interleave(Math.min(rounds, 7), {
    node: timeNode,
    download: () => download(url),
    cold: async () => {
      rmSync(cache, { recursive: true, force: true });
      return scan();
    },
    warm: scan,
  });
  const edit = await editing({ program, cache, environment }, server);
  const traffic = await downloads({ program, cache, environment }, server);
  await ask("DELETE", url);
  const cold = times.cold.median - times.node.median;
  const warm = times.warm.median - times.node.median;
  return [
    {
      target: 0,
      what: `LiveSync, ${kind}: spawn, first index, above Node, against a download of all documents`,
      notes,
      measured: cold / times.download.median,
      limit: 2,
      unit: "downloads",
      detail: `${spread(times.cold)}; download ${spread(times.download)}; Node ${spread(times.node)}`,
    },
    {
      target: 0,
      what: `LiveSync, ${kind}: spawn, scan, index there, above Node`,
      notes,
      measured: warm,
      limit: 500,
      unit: "ms",
      detail: spread(times.warm),
    },
    ...[...traffic, ...edit].map((one) =>
      Object.assign({ target: 0, notes }, one, { what: `LiveSync, ${kind}: ${one.what}` }),
    ),
  ];
}

/** What two sessions download, one after the other over the same cache folder, for calls that need texts. */
async function downloads({ program, cache, environment }, server) {
  const counter = await requestCounter(server.url);
  const findings = [];
  try {
    rmSync(cache, { recursive: true, force: true });
    for (const which of ["first session", "next session"]) {
      const session = new Session({ program, cache, environment: { ...environment, COUCHDB_BASE_URL: counter.url } });
      await session.initialize();
      for (const [name, query] of [
        ["scan_vault", undefined],
        ["find_notes", "about"],
        ["search", "zanzibar"],
        ["find_notes", "zanzibar"],
      ]) {
        const [requests, bytes] = [counter.count(), counter.bytes()];
        const { time } = await session.callTool(name, query === undefined ? {} : { query });
        findings.push({
          what: `${which}, download of ${name} ${query ?? ""}`.trim(),
          measured: (counter.bytes() - bytes) / 1e6,
          limit: undefined,
          unit: "MB",
          detail: `${counter.count() - requests} requests, ${time.toFixed(0)} ms`,
        });
      }
      await session.close();
    }
    return findings;
  } finally {
    counter.close();
  }
}

/** Edits of one note in sessions that have just looked at the vault: of one the time is taken, of the other the requests are counted on their way. */
async function editing({ program, cache, environment }, server) {
  const counter = await requestCounter(server.url);
  try {
    const times = await edited({ program, cache, environment }, "Bench edit.md");
    const counted = { ...environment, COUCHDB_BASE_URL: counter.url };
    let before = 0;
    await edited({ program, cache, environment: counted }, "Bench counted edit.md", () => (before = counter.count()));
    const requests = (counter.count() - before) / EDITS;
    const median = times.toSorted((one, other) => one - other)[EDITS >> 1] ?? NaN;
    const detail = `${EDITS} edits`;
    return [
      { what: "session, requests of one str_replace", measured: requests, limit: 6, unit: "requests", detail },
      { what: "session, one str_replace", measured: median, limit: undefined, unit: "ms", detail },
    ];
  } finally {
    counter.close();
  }
}

/** @param begin is called before the first edit @returns the milliseconds of each */
async function edited(target, path, begin = () => {}) {
  const session = new Session(target);
  try {
    await session.initialize();
    await session.callTool("create", { path, file_text: "count 0\n" });
    await session.callTool("view", { path });
    begin();
    const times = [];
    for (let edit = 0; edit < EDITS; edit++) {
      const change = { path, old_str: `count ${edit}\n`, new_str: `count ${edit + 1}\n` };
      times.push((await session.callTool("str_replace", change)).time);
    }
    return times;
  } finally {
    await session.close();
  }
}

/** Passes requests on to a server and counts them; not those that listen to what changes, which come whether anything is edited or not. */
async function requestCounter(target) {
  let [requests, bytes] = [0, 0];
  const server = createServer((incoming, outgoing) => {
    if (!incoming.url.includes("feed=")) requests++;
    const { method, headers } = incoming;
    const send = target.startsWith("https:") ? requestSecurely : request;
    const forwarded = send(target + incoming.url, { method, headers: { ...headers, host: new URL(target).host } });
    forwarded.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.on("data", (chunk) => (bytes += chunk.length));
      answer.pipe(outgoing);
    });
    forwarded.on("error", () => incoming.socket.destroy());
    outgoing.on("close", () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    count: () => requests,
    bytes: () => bytes,
    close: () => (server.close(), server.closeAllConnections()),
  };
}

async function download(url) {
  const start = performance.now();
  for (const [from, to] of [
    ["", "h:"],
    ["h:", "h;"],
    ["h;", "\u{10FFFF}"],
  ]) {
    const query = new URLSearchParams({
      include_docs: "true",
      startkey: JSON.stringify(from),
      endkey: JSON.stringify(to),
    });
    await (await fetch(`${url}/_all_docs?${query}`, { headers: authorized() })).arrayBuffer();
  }
  return performance.now() - start;
}

async function fill(url, vault, cache, { settings, passphrase }) {
  const salt = randomBytes(32);
  await ask("PUT", `${url}/obsydian_livesync_version`, { type: "versioninfo", version: 12 });
  await ask("PUT", `${url}/_local/obsydian_livesync_milestone`, {
    type: "milestoneinfo",
    created: 1,
    locked: false,
    tweak_values: { PREFERRED: settings },
  });
  await ask("PUT", `${url}/_local/obsidian_livesync_sync_parameters`, {
    type: "sync-parameters",
    pbkdf2salt: salt.toString("base64"),
  });
  const { Codec, settingsOf } = await codec(cache);
  const made = new Codec(settingsOf({ _id: "", tweak_values: { PREFERRED: settings } }), { passphrase, salt });
  let docs = [];
  for (const entry of readdirSync(vault, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const path = relative(vault, file).split(sep).join("/");
    if (!entry.isFile() || /(^|\/)\./.test(path)) continue;
    const { document, pieces } = await made.encode({ path, bytes: readFileSync(file), now: 1_750_000_000_000 });
    for (const [id, piece] of pieces) docs.push(await made.leaf(id, piece));
    docs.push(document);
    if (docs.length < 1000) continue;
    await ask("POST", `${url}/_bulk_docs`, { docs });
    docs = [];
  }
  await ask("POST", `${url}/_bulk_docs`, { docs });
}

async function codec(folder) {
  const outfile = join(folder, "codec.mjs");
  await build({
    stdin: {
      contents: `export { Codec } from "./codec.ts"; export { settingsOf } from "./settings.ts";`,
      resolveDir: join(HERE, "..", "src", "storage", "livesync", "codec"),
    },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    logLevel: "error",
  });
  return import(pathToFileURL(outfile).href);
}

async function ask(method, url, body) {
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json", ...authorized() },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname}: ${response.status}`);
  await response.arrayBuffer();
}

async function startServer() {
  const given = process.env["COUCHDB_URL"];
  if (given) {
    const { origin, pathname, username, password } = new URL(given);
    const who = { user: decodeURIComponent(username), password: decodeURIComponent(password) };
    const url = origin + pathname.replace(/\/$/, "");
    return { url, account: username === "" ? undefined : who, stop: async () => {} };
  }
  const child = fork(join(HERE, "livesync-server.js"));
  const [{ port }] = await once(child, "message");
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      child.disconnect();
      await once(child, "exit");
    },
  };
}

if (isMain(import.meta.url)) await answer([livesync]);
