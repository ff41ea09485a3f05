/**
 * Programs that others have made sign in to the built program: the official suite's scenarios for authorization servers, mcp-remote (fresh,
 * and as it was registered before, on another port) and the Inspector. A person's part, the login and the consent, is done here.
 * By hand or in CI with a network: `npm run check:sign-in`. npm fetches the programs into the user's cache folder; they need Node 22.
 */
import { execFile, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const CACHE = join(ROOT, "node_modules/.cache/sign-in");
const MODULES = join(CACHE, "node_modules");
const NODE_22 = `node-${process.platform}-${process.arch}`;
const PACKAGES = [
  "@modelcontextprotocol/conformance@0.2.0-alpha.12",
  "@modelcontextprotocol/inspector@2.12.0",
  "mcp-remote@0.15.1",
  `${NODE_22}@22`,
];
const NODE = join(MODULES, NODE_22, "bin", "node");
const TOKEN = "a-secret-of-this-check-alone";
/** An address that a person is to open. */
const CONSENT = /https?:\/\/[^\s"']+\/authorize\?[^\s"']+/;
const TIMEOUT_MS = 120_000;

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (probe.address());
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** @returns {Promise<import("node:child_process").ChildProcess>} the server, when it listens */
async function serve(folder, port) {
  const options = ["--http", `127.0.0.1:${port}`, "--public-url", `http://127.0.0.1:${port}`, "--sign-in"];
  const places = ["--no-cache", "--state-folder", join(folder, "state"), "--log-format", "json"];
  const args = [join(ROOT, "dist/index.js"), join(folder, "vault"), ...options, ...places];
  const server = spawn(process.execPath, args, {
    env: { ...process.env, AUTH_TOKEN: TOKEN },
    stdio: ["ignore", "ignore", "pipe"],
  });
  for await (const line of createInterface({ input: server.stderr })) if (line.includes("Listening")) break;
  server.stderr.resume();
  return server;
}

/** What a person does: logs in, agrees to all that is shown, and is sent back to the program. */
async function agree(address) {
  const { origin, search } = new URL(address);
  const post = async (path, body, headers = {}) => {
    const sent = { "Content-Type": "application/json", Origin: origin, ...headers };
    const response = await fetch(origin + path, { method: "POST", headers: sent, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return {
      answer: /** @type {any} */ (await response.json()),
      cookie: response.headers.get("set-cookie")?.split(";")[0],
    };
  };
  const { answer, cookie } = await post("/web/session", { token: TOKEN });
  const session = { Cookie: cookie, "X-Session-Key": answer.key };
  const query = search.slice(1);
  const { answer: shown } = await post("/web/authorizations", { query }, session);
  const decision = { query, digest: shown.digest, allow: true, scopes: shown.choices, days: 1 };
  const { redirect } = (await post("/web/authorizations", decision, session)).answer;
  await fetch(redirect);
}

/**
 * Runs a program until its output holds a text, or it ends.
 * @param {readonly string[]} args
 * @param {{ until?: RegExp, input?: string, env?: object }} options
 * @returns {Promise<{printed: string, asked: number}>} how often it asked for consent
 */
async function run(args, { until, input = "", env = {} }) {
  const child = spawn(NODE, args, { env: { ...process.env, ...env }, cwd: tmpdir() });
  let printed = "";
  const asked = new Set();
  /** @type {Promise<void>} */
  const done = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`nothing came of it:\n${printed}`)), TIMEOUT_MS);
    const take = (part) => {
      printed += part;
      const [address] = CONSENT.exec(printed) ?? [];
      if (address !== undefined && !asked.has(address)) agree(address).catch(reject);
      if (address !== undefined) asked.add(address);
      if (until?.test(printed)) resolve();
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.once("error", reject);
    child.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
  child.stdin.on("error", () => {});
  child.stdin.write(input);
  try {
    await done;
  } finally {
    child.kill("SIGTERM");
  }
  return { printed, asked: asked.size };
}

async function register(base, redirect) {
  const body = JSON.stringify({ redirect_uris: [redirect], token_endpoint_auth_method: "none" });
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`${base}/register`, { method: "POST", headers, body });
  return /** @type {any} */ (await answer.json()).client_id;
}

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "check", version: "1" } },
};
const LIST = [
  initialize,
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", id: 2, method: "tools/list" },
]
  .map((message) => `${JSON.stringify(message)}\n`)
  .join("");
const TOOLS = /"name":\s*"scan_vault"/;

const folder = mkdtempSync(join(tmpdir(), "check-sign-in-"));
const port = await freePort();
const base = `http://127.0.0.1:${port}`;

const remoteSettings = join(folder, "mcp-remote");
const remote = () =>
  run([join(MODULES, "mcp-remote/dist/proxy.js"), `${base}/mcp`], {
    until: TOOLS,
    input: LIST,
    env: { MCP_REMOTE_CONFIG_DIR: remoteSettings },
  });

/** Each returns whether it went as it should, and what to show if not. */
const CHECKS = {
  "conformance: authorization servers": async () => {
    const callback = await freePort();
    const client = await register(base, `http://127.0.0.1:${callback}/callback`);
    const suite = join(MODULES, "@modelcontextprotocol/conformance/dist/index.js");
    const about = ["--url", base, "--client-id", client, "--port", String(callback), "--resource", `${base}/mcp`];
    const { printed } = await run([suite, "authorization", ...about], {});
    return { ok: / 0 failed/.test(printed) && !/ 0 passed/.test(printed), printed };
  },
  "mcp-remote signs in": async () => {
    const { printed, asked } = await remote();
    return { ok: TOOLS.test(printed) && asked === 1, printed };
  },
  "mcp-remote, registered before, signs in on another port": async () => {
    const stored = (ending) =>
      readdirSync(remoteSettings, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(ending));
    for (const file of stored("_tokens.json")) rmSync(join(remoteSettings, file));
    const registration = () =>
      stored("_client_info.json").map((file) => readFileSync(join(remoteSettings, file), "utf8"));
    const before = registration();
    const [, taken] = /localhost:(\d+)/.exec(before.join()) ?? [];
    const holder = createServer().listen(Number(taken), "127.0.0.1");
    const { printed, asked } = await remote().finally(() => holder.close());
    const isSame = before.length === 1 && before.join() === registration().join();
    return { ok: TOOLS.test(printed) && asked === 1 && isSame, printed };
  },
  "the Inspector signs in": async () => {
    const inspector = join(MODULES, ".bin/mcp-inspector");
    const about = ["--server-url", `${base}/mcp`, "--transport", "http", "--method", "tools/list", "--format", "json"];
    const callback = ["--callback-url", `http://127.0.0.1:${await freePort()}/oauth/callback`];
    const { printed, asked } = await run([inspector, "--cli", ...about, ...callback], {
      until: TOOLS,
      // Without a terminal it asks for a browser, which is not there; the address is printed then.
      env: { HOME: folder, MCP_AUTO_OPEN_ENABLED: "true" },
    });
    return { ok: TOOLS.test(printed) && asked === 1, printed };
  },
};

if (!existsSync(NODE) || !existsSync(join(MODULES, "mcp-remote"))) {
  mkdirSync(CACHE, { recursive: true });
  const options = ["--no-save", "--no-audit", "--no-fund"];
  await promisify(execFile)("npm", ["install", "--prefix", CACHE, ...options, ...PACKAGES]);
}
cpSync(join(ROOT, "test-vault"), join(folder, "vault"), { recursive: true });
const server = await serve(folder, port);
let failed = 0;
try {
  for (const [name, check] of Object.entries(CHECKS)) {
    const { ok, printed } = await check().catch((error) => ({ ok: false, printed: String(error) }));
    console.log(`${ok ? "ok  " : "FAIL"} ${name}`);
    if (!ok) console.log(printed.slice(-4000));
    if (!ok) failed++;
  }
} finally {
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGTERM");
  await ended;
  rmSync(folder, { recursive: true });
}
console.log(`${Object.keys(CHECKS).length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
