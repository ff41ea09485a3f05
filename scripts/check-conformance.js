/**
 * Holds the HTTP front end, over the conformance fixtures, against the official suite: 0.1.13, and 0.2.0-alpha.12 with the requirement
 * sets of 2025-11-25 and 2026-07-28. By hand or in CI with a network: `node scripts/check-conformance.js [--table]`.
 * The newer suite needs Node 22; npm fetches both into the user's cache folder, since neither can be a development dependency on Node 20.
 * `--table` prints the rows of docs/conformance.md.
 */
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";

const run = promisify(execFile);
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const BASELINE = join(ROOT, "test/conformance/expected-failures.yaml");
const MODULES = join(ROOT, "node_modules");
const NEWER = join(MODULES, ".cache/conformance");
const SUITE = "@modelcontextprotocol/conformance";
const PACKAGES = [`${SUITE}@0.2.0-alpha.12`, `node-${process.platform}-${process.arch}@22`];

const RUNS = [
  { name: "0.1.13", newer: false, args: ["--suite", "all"] },
  { name: "2025-11-25", newer: true, args: ["--requirements", "2025-11-25"] },
  { name: "2026-07-28", newer: true, args: ["--requirements", "2026-07-28"] },
];

async function install() {
  const node = join(NEWER, "node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");
  if (!existsSync(node)) {
    mkdirSync(NEWER, { recursive: true });
    await run("npm", ["install", "--prefix", NEWER, "--no-save", "--no-audit", "--no-fund", ...PACKAGES]);
  }
  return node;
}

async function startServer() {
  const outfile = join(NEWER, "server.mjs");
  const entryPoints = [join(ROOT, "test/kit/conformance-program.ts")];
  await build({ entryPoints, outfile, bundle: true, format: "esm", platform: "node", packages: "external" });
  const server = spawn(process.execPath, [outfile], { stdio: ["pipe", "pipe", "inherit"] });
  for await (const url of createInterface({ input: server.stdout })) return { server, url };
  throw new Error("the server did not start");
}

/** @returns the exit code, what was printed, and by scenario how many checks ended how */
async function runSuite({ newer, args }, url, node) {
  const results = mkdtempSync(join(tmpdir(), "conformance-"));
  try {
    const program = join(newer ? join(NEWER, "node_modules") : MODULES, SUITE, "dist/index.js");
    const all = [program, "server", "--url", url, ...args, "--expected-failures", BASELINE, "--output-dir", results];
    const ended = await run(newer ? node : process.execPath, all, { maxBuffer: 64 * 1024 * 1024 }).catch(
      (error) => error,
    );
    return { code: ended.code ?? 0, printed: String(ended.stdout ?? ""), scenarios: readResults(results) };
  } finally {
    rmSync(results, { recursive: true });
  }
}

function readResults(folder) {
  const scenarios = new Map();
  for (const entry of readdirSync(folder)) {
    const name = /^server-(.*)-\d{4}-\d{2}-\d{2}T/.exec(entry)?.[1] ?? entry;
    const checks = JSON.parse(readFileSync(join(folder, entry, "checks.json"), "utf8"));
    const count = (...statuses) => checks.filter(({ status }) => statuses.includes(status)).length;
    scenarios.set(name, { passed: count("SUCCESS"), failed: count("FAILURE", "WARNING") });
  }
  return scenarios;
}

const cell = (result) => {
  if (!result) return "";
  const { passed, failed } = result;
  if (failed > 0) return `${passed} of ${passed + failed}`;
  return passed === 0 ? "nothing to check" : `${passed}`;
};

function table(all) {
  const found = new Set(all.flatMap(({ scenarios }) => [...scenarios.keys()]));
  const names = [...found].toSorted((a, b) => a.localeCompare(b));
  const rows = names.map((name) => [`\`${name}\``].concat(all.map(({ scenarios }) => cell(scenarios.get(name)))));
  const head = ["scenario", ...RUNS.map(({ name }) => name)];
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

const node = await install();
const { server, url } = await startServer();
const ended = new Promise((resolve) => server.once("exit", resolve));
const all = [];
try {
  for (const what of RUNS) {
    const result = await runSuite(what, url, node);
    all.push(result);
    const { code, printed } = result;
    console.log(`${code === 0 ? "ok  " : "FAIL"} ${what.name}: ${/^Total: .*$/m.exec(printed)?.[0] ?? ""}`);
    if (code !== 0) console.log(printed.slice(printed.search(/^Total: /m)) || printed);
  }
} finally {
  server.stdin.end();
  await ended;
}
if (process.argv.includes("--table")) console.log(table(all));
const failed = all.filter(({ code }) => code !== 0).length;
console.log(`${all.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
