/**
 * Makes V8's code caches of the built program, in `dist/cache/<node version>-<platform>-<arch>-<build>/`, for the Node that builds and only
 * where it lacks `module.enableCompileCache` (Node 20). They spare 13 ms of a spawned `initialize`, most of them compiling the SDK.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import nodeModule from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Source of `requireBuilt`, for `dist/index.js`: `require` for the built program's own files, with their code caches where there are
 * any for this very Node (`caches`). V8 refuses a cache made under other flags or of a source of another length, and the file is
 * compiled as ever; it compares nothing more, hence the folder's name. Nearly all files are ASCII, which is read
 * fastest as Latin-1.
 * @param build what tells this build from any other
 */
export const requireBuilt = (build) => `const { isAscii } = require("node:buffer");
const { readFileSync, existsSync } = require("node:fs");
const folder = \`\${__dirname}/cache/\${process.version}-\${process.platform}-\${process.arch}-${build}\`;
const caches = existsSync(folder) ? folder : undefined;
const modules = new Map();
function requireBuilt(name) {
  if (!name.startsWith("./")) return require(name);
  let module = modules.get(name);
  if (module === undefined) {
    module = { exports: {} };
    modules.set(name, module);
    const filename = __dirname + name.slice(1);
    const bytes = readFileSync(filename);
    const text = isAscii(bytes) ? bytes.latin1Slice() : bytes.toString();
    let cachedData;
    try {
      cachedData = readFileSync(caches + name.slice(1) + ".v8");
    } catch {}
    const { Script } = require("node:vm");
    const script = new Script("(function (exports, require, module) {" + text + "\\n})", { filename, cachedData });
    script.runInThisContext()(module.exports, requireBuilt, module);
  }
  return module.exports;
}
requireBuilt.resolve = require.resolve;
`;

const request = (id, method, params = {}) => `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
const call = (id, name, args = {}) => request(id, "tools/call", { name, arguments: args });

/** What the program is run with, so that the functions these need are in the caches: without a snapshot, then with one. */
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

/** The like for other tools; of these only the files are recorded that are read for them alone. */
const OTHER_RUNS = [
  [
    call(1, "find_notes", { query: "review" }),
    call(2, "obsidian_create_note", { name: "Warm up note", content: "One\n\nTwo\n" }),
    call(3, "obsidian_list_tags"),
    call(4, "search", { query: "review" }),
  ],
  [
    call(1, "read_note", { path: "Warm up note.md" }),
    call(2, "view", { path: "Warm up note.md" }),
    call(3, "obsidian_get_backlinks", { note: "Warm up note" }),
    call(4, "str_replace", { path: "Warm up note.md", old_str: "Two", new_str: "2" }),
    call(5, "obsidian_append_note", { note: "Warm up note", content: "Three" }),
  ],
];

/** @param dist the folder that holds the built `index.js`. @param build as for `requireBuilt`. @param vault a small one; it is copied */
export function makeCodeCaches(dist, build, vault) {
  if (nodeModule.enableCompileCache !== undefined) return;
  const scratch = mkdtempSync(join(tmpdir(), "code-cache-"));
  try {
    // Caches hold paths: not those of the checkout.
    const program = join(scratch, "program");
    const folder = join(program, "cache", `${process.version}-${process.platform}-${process.arch}-${build}`);
    const copy = join(scratch, "vault");
    cpSync(dist, program, { recursive: true });
    mkdirSync(folder, { recursive: true });
    cpSync(vault, copy, { recursive: true });
    const recorder = pathToFileURL(join(import.meta.dirname, "code-cache-recorder.js")).href;
    const { NODE_OPTIONS: _, NODE_DISABLE_COMPILE_CACHE: __, ...inherited } = process.env;
    const env = {
      ...inherited,
      CODE_CACHE_FOLDER: folder,
      XDG_CACHE_HOME: join(scratch, "cache"),
      XDG_STATE_HOME: join(scratch, "state"),
    };
    // Each run begins with the caches of those before it, and adds to them.
    for (const lines of [...RUNS, ...OTHER_RUNS]) {
      const onlyNew = OTHER_RUNS.includes(lines) ? "1" : "";
      execFileSync(process.execPath, ["--import", recorder, join(program, "index.js"), copy], {
        env: { ...env, CODE_CACHE_ONLY_NEW: onlyNew },
        input: lines.join(""),
        stdio: ["pipe", "ignore", "inherit"],
      });
    }
    cpSync(join(program, "cache"), join(dist, "cache"), { recursive: true });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
