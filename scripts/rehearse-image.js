/**
 * What an engine would do with the Dockerfile, done without one: its commands in a clean folder, then the program as the image starts
 * it, as user 1001 where this process may become that, probed, called and stopped. `npm run image:rehearse`; with `--installed` the
 * packages that are here are used, `npm ci` is left out, and the program has to be that of `dist/`.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { runStages } from "./deployment/stage-runner.js";

const ROOT = join(import.meta.dirname, "..");
const TOKEN = "rehearsal-token-0123456789";
const { values } = parseArgs({ options: { installed: { type: "boolean", default: false } } });
let failed = 0;

function check(what, holds, detail) {
  console.log(`${holds ? "ok  " : "FAIL"} ${what}`);
  if (holds) return;
  failed++;
  if (detail !== undefined) console.log(detail);
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Asks again until it holds, for half a minute or more. */
async function comesTrue(holds) {
  for (let tries = 0; tries < 300; tries++) {
    if (await holds()) return true;
    await sleep(100);
  }
  return false;
}

/** How the image's program is started here: paths of the image lie in its folder, the mounts beside it. */
function starter(image, folder, mounts, port) {
  const place = (path) => {
    const mount = Object.keys(mounts).find((one) => path === one || path.startsWith(`${one}/`));
    if (mount !== undefined) return mounts[mount] + path.slice(mount.length);
    return path.startsWith("/") ? join(image.folder, path) : path;
  };
  const environment = Object.fromEntries(
    Object.entries(image.environment).map(([name, value]) => [name, place(value)]),
  );
  // The image's own Node has SQLite. An older one here needs a package for it, copied because the clone may lie in a private folder.
  if (!process.getBuiltinModule?.("node:sqlite")) {
    environment.NODE_PATH = join(folder, "packages");
    for (const name of ["libsql", "@libsql", "@neon-rs", "detect-libc"])
      cpSync(join(ROOT, "node_modules", name), join(environment.NODE_PATH, name), { recursive: true });
  }
  const [uid, gid] = process.getuid?.() === 0 ? image.user : [process.getuid?.(), process.getgid?.()];
  return (command, extra = {}) => ({
    program: command[0] === "node" ? process.execPath : command[0],
    args: command.slice(1).map(place),
    options: { cwd: place(image.workFolder), env: { ...environment, PORT: String(port), ...extra }, uid, gid },
  });
}

/** Every file below a folder with its size and time, so that a change shows. */
const listing = (folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => !path.startsWith("data"))
    .map((path) => `${path} ${statSync(join(folder, path)).mtimeMs}`)
    .toSorted()
    .join("\n");

/** The bytes of a built program but for its code caches, which V8 fills with what it has done so far. */
const bytesOf = (dist) =>
  JSON.stringify(
    readdirSync(dist, { recursive: true, encoding: "utf8" })
      .filter((path) => !path.endsWith(".v8") && statSync(join(dist, path)).isFile())
      .toSorted()
      .map((path) => [path, readFileSync(join(dist, path), "latin1")]),
  );

async function rehearse(folder) {
  const image = runStages(ROOT, folder, values);
  const files = readdirSync(image.folder, { recursive: true, encoding: "utf8" });
  const size = files.reduce((sum, path) => sum + statSync(join(image.folder, path)).size, 0);
  check(`the last stage adds ${files.length} files, ${(size / 1e6).toFixed(1)} MB`, files.length > 0);
  const strange = files.filter(
    (path) =>
      !/^(app|data|app\/(dist\b.*|node_modules|node_modules\/unpdf\b.*|package\.json|LICENSE|THIRD_PARTY_LICENCES))$/.test(
        path,
      ),
  );
  check(
    "it holds the program, the one package that is not bundled, manifest and licences, and nothing else",
    strange.length === 0,
    strange.join("\n"),
  );
  if (values.installed) {
    const [here, there] = [join(ROOT, "dist"), join(image.folder, "app", "dist")].map(bytesOf);
    check("its program has the same bytes as the one built here", here === there);
  }
  check("/data may be written to by any user", (statSync(join(image.folder, "data")).mode & 0o7777) === 0o1777);
  const vault = join(folder, "vault");
  const token = join(folder, "token");
  cpSync(join(ROOT, "test-vault"), vault, { recursive: true });
  writeFileSync(token, `${TOKEN}\n`, { mode: 0o444 });
  if (process.getuid?.() === 0) giveTo(image.user, vault);
  const port = await freePort();
  const start = starter(image, folder, { "/vault": vault, "/run/secrets/auth_token": token }, port);
  const before = listing(image.folder);
  refusesWithoutToken(start, image);
  await serves(start, image, { vault, token, port });
  speaksStdio(start, image);
  check("nothing was written into the image but below /data", listing(image.folder) === before);
}

function giveTo([uid, gid], folder) {
  chownSync(folder, uid, gid);
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    chownSync(join(folder, path), uid, gid);
}

function refusesWithoutToken(start, image) {
  const { program, args, options } = start([...image.ENTRYPOINT, ...image.CMD]);
  const { status, stderr } = spawnSync(program, args, { ...options, encoding: "utf8", timeout: 300_000 });
  check("without a token it does not listen on all addresses", status === 2 && /token/.test(stderr), stderr);
}

async function serves(start, image, { vault, token, port }) {
  const environment = { AUTH_TOKEN_FILE: token };
  const server = start([...image.ENTRYPOINT, ...image.CMD], environment);
  const child = spawn(server.program, server.args, { ...server.options, stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  let log = "";
  child.stderr.on("data", (chunk) => (log += chunk));
  try {
    const probe = start(image.HEALTHCHECK, environment);
    const healthy = () => spawnSync(probe.program, probe.args, probe.options).status === 0;
    check("its own probe finds it healthy", await comesTrue(healthy), log);
    const ask = (path, init) =>
      fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(30_000), ...init });
    // On a busy machine a look at the vault may take longer than the second after which it counts as not ready.
    check("/ready says so", await comesTrue(async () => (await ask("/ready")).status === 200), log);
    const list = { method: "POST", body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}' };
    const headers = { "content-type": "application/json" };
    check("a caller without the token is refused", (await ask("/mcp", { ...list, headers })).status === 401);
    const known = { ...headers, authorization: `Bearer ${TOKEN}` };
    const answer = await (await ask("/mcp", { ...list, headers: known })).text();
    check("a caller with it is shown the tools", answer.includes('"create_task"'), answer.slice(0, 500));
    const call = { method: "POST", headers: known, body: '{"arguments":{"title":"Rehearse the image","area":"Home"}}' };
    const made = await (await ask("/bridge/v1/tools/create_task/call", call)).text();
    const notes = readdirSync(vault, { recursive: true, encoding: "utf8" }).filter((path) =>
      /rehearse[ -]the[ -]image/i.test(path),
    );
    check("it writes into the vault", notes.length === 1, made);
    const owner = statSync(join(vault, notes[0] ?? ".")).uid;
    check(`as user ${server.options.uid}`, owner === server.options.uid);
  } finally {
    child.kill("SIGTERM");
  }
  check("it stops when told to", (await Promise.race([ended, sleep(12_000, "late", { ref: false })])) === 0, log);
}

function speaksStdio(start, image) {
  const { program, args, options } = start([...image.ENTRYPOINT, "/vault"]);
  const input = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"scan_vault","arguments":{}}}\n';
  const { stdout } = spawnSync(program, args, { ...options, input, encoding: "utf8", timeout: 300_000 });
  check("with arguments it speaks stdio", stdout.includes("Outstanding Tasks"), stdout.slice(0, 500));
}

const folder = mkdtempSync(join(tmpdir(), "image-"));
chmodSync(folder, 0o755);
try {
  console.log(
    `The Dockerfile's commands, with Node ${process.versions.node}${values.installed ? " and the packages that are here" : ""}.`,
  );
  await rehearse(folder);
  const version = /NODE_VERSION=(.+)/.exec(readFileSync(join(ROOT, "Dockerfile"), "utf8"))?.[1];
  if (process.versions.node !== version) console.log(`The image itself has Node ${version}, which was not tried here.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(failed === 0 ? "Image: all well." : `Image: ${failed} checks failed.`);
process.exitCode = failed === 0 ? 0 : 1;
