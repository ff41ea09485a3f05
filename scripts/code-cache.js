/**
 * V8's code cache of the built program, for Node 20, which keeps none itself: one file beside the program, for the very Node and build
 * that made it, and ignored by any other.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import nodeModule from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The file's name in `dist/`, as JavaScript that a template holds. */
const NAME = (build) => `code-\${process.version}-\${process.platform}-\${process.arch}-${build}.v8`;

/** The file begins with so many bytes of JSON, blanks behind it: each part's name and the length of its cache, in their order. */
export const TABLE_BYTES = 16_384;

/**
 * Source of `dist/index.js`. From Node 22 on Node keeps compiled code itself; for Node 20 the parts are loaded with their caches where there
 * are any. V8 refuses a cache made by another version, under other flags or of a source of another length, and compiles as ever.
 * The variable that turns Node's own caches off turns these off as well.
 * @param build what tells this build from any other
 */
export const entryWithCodeCache = (build) => `#!/usr/bin/env node
"use strict";
const { openSync, readFileSync, readSync } = require("node:fs");

const keepsCode = Number.parseInt(process.versions.node) >= 22;
const caches = new Map();
let file;
if (!keepsCode && !process.env.NODE_DISABLE_COMPILE_CACHE) findCaches();

function findCaches() {
  try {
    file = openSync(\`\${__dirname}/${NAME(build)}\`);
    let start = ${TABLE_BYTES};
    for (const [name, length] of JSON.parse(bytesAt(0, start).toString())) {
      caches.set(name, { start, length });
      start += length;
    }
  } catch {}
}

function bytesAt(start, length) {
  const bytes = Buffer.allocUnsafeSlow(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, start));
}

function cacheOf(name) {
  const place = caches.get(name);
  return place && bytesAt(place.start, place.length);
}

const modules = new Map();

function requirePart(name) {
  if (!name.startsWith("./")) return require(name);
  let module = modules.get(name);
  if (module === undefined) {
    const filename = __dirname + name.slice(1);
    const { Script } = require("node:vm");
    const source = "(function (exports, require, module, __dirname, __filename) {" + readFileSync(filename, "utf8") + "\\n})";
    const script = new Script(source, { filename, cachedData: cacheOf(name) });
    // Not before it could be read: a part that failed because too many files were open is tried again.
    module = { exports: {} };
    modules.set(name, module);
    script.runInThisContext()(module.exports, requirePart, module, __dirname, filename);
  }
  return module.exports;
}
requirePart.resolve = require.resolve;

if (keepsCode) require("node:module").enableCompileCache?.();
(caches.size > 0 ? requirePart : require)("./program.js");
`;

const request = (id, method, params = {}) => `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
const call = (id, name, args = {}) => request(id, "tools/call", { name, arguments: args });

/** What the program is run with, so that the functions these need are in the cache: without a snapshot, then with one. */
const RUNS = [
  [
    request(1, "tools/list"),
    call(2, "scan_vault"),
    call(3, "search_tasks", { query: "review" }),
    call(4, "create_task", { title: "Warm up", area: "Home" }),
  ],
  [
    call(1, "scan_vault"),
    call(2, "search_tasks", { query: "review" }),
    call(3, "get_task", { taskId: "Warm up" }),
    call(4, "update_task", { taskId: "Warm up", updates: { status: "Done" } }),
  ],
  [
    request(1, "initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "build", version: "1" },
    }),
    `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`,
    request(2, "tools/list"),
    call(3, "scan_vault"),
  ],
];

/** @param dist the folder that holds the built `index.js`. @param build as for `entryWithCodeCache`. @param vault a small one; it is copied */
export function makeCodeCache(dist, build, vault) {
  if ("enableCompileCache" in nodeModule) return;
  const scratch = mkdtempSync(join(tmpdir(), "code-cache-"));
  try {
    // Caches hold paths: not those of the checkout.
    const program = join(scratch, "program");
    const copy = join(scratch, "vault");
    cpSync(dist, program, { recursive: true });
    cpSync(vault, copy, { recursive: true });
    const name = NAME(build)
      .replace("${process.version}", process.version)
      .replace("${process.platform}", process.platform)
      .replace("${process.arch}", process.arch);
    const recorder = pathToFileURL(join(import.meta.dirname, "code-cache-recorder.js")).href;
    const { NODE_OPTIONS: _, NODE_DISABLE_COMPILE_CACHE: __, ...inherited } = process.env;
    const env = {
      ...inherited,
      CODE_CACHE_FILE: join(program, name),
      // Where the optional packages are.
      NODE_PATH: join(import.meta.dirname, "..", "node_modules"),
      XDG_CACHE_HOME: join(scratch, "cache"),
      XDG_STATE_HOME: join(scratch, "state"),
    };
    // Each run begins with the caches of those before it, and adds to them.
    for (const lines of RUNS) {
      execFileSync(process.execPath, ["--import", recorder, join(program, "index.js"), copy], {
        env,
        input: lines.join(""),
        stdio: ["pipe", "ignore", "inherit"],
      });
    }
    if (!existsSync(join(program, name))) throw new Error("no code cache was made");
    cpSync(join(program, name), join(dist, name));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
