/**
 * Holds the built program against the MCP Inspector's command line, over stdio and over HTTP, in both protocol eras, on a
 * copy of the sample vault.
 * By hand or in CI with a network: `npm run check:inspector`. It is no development dependency: npx fetches it, because
 * its packages ask for Node 22, although this version runs on Node 20 too.
 */
import { execFile, spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const ERAS = ["legacy", "modern"];

const CHECKS = [
  { ask: ["--method", "tools/list", "--strict"], holds: '"name":"scan_vault"' },
  { ask: ["--method", "tools/call", "--tool-name", "scan_vault"], holds: "Top 7 Outstanding Tasks" },
  {
    ask: ["--method", "tools/call", "--tool-name", "search_tasks", "--tool-arg", "query=movers"],
    holds: "Search Results",
  },
  { ask: ["--method", "tools/call", "--tool-name", "get_task", "--tool-arg", "taskId=nope"], holds: "FILE_NOT_FOUND" },
];

const PROGRAM = join(ROOT, "dist", "index.js");

async function inspect(server, era, ask) {
  const options = ["--protocol-era", era, "--format", "json", "-q"];
  const args = ["-y", INSPECTOR, "--cli", ...server, ...ask, ...options];
  // A failed tool call makes the Inspector end with an exit code of its own; its output says what we want to know.
  const { stdout } = await promisify(execFile)("npx", args, { cwd: tmpdir(), timeout: 180_000 }).catch(
    (error) => error,
  );
  return String(stdout ?? "");
}

/** @returns the process and where it listens */
async function serveHttp(vault) {
  const args = [PROGRAM, vault, "--no-cache", "--no-undo", "--http", "127.0.0.1:0", "--log-format", "json"];
  const server = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
  for await (const line of createInterface({ input: server.stderr })) {
    const { url } = JSON.parse(line);
    if (url !== undefined) return { server, url };
  }
  throw new Error("the server did not start");
}

const folder = mkdtempSync(join(tmpdir(), "inspector-"));
let asked = 0;
let failed = 0;
try {
  cpSync(join(ROOT, "test-vault"), folder, { recursive: true });
  const { server, url } = await serveHttp(folder);
  server.stderr.resume();
  const frontEnds = {
    stdio: ["node", PROGRAM, folder],
    HTTP: ["--server-url", `${url}/mcp`, "--transport", "http"],
  };
  try {
    for (const [frontEnd, where] of Object.entries(frontEnds)) {
      for (const era of ERAS) {
        for (const { ask, holds } of CHECKS) {
          const output = await inspect(where, era, ask);
          const passed = output.includes(holds);
          asked++;
          if (!passed) failed++;
          console.log(`${passed ? "ok  " : "FAIL"} ${frontEnd}, ${era}: ${ask.join(" ")}`);
          if (!passed) console.log(output.slice(0, 2000));
        }
      }
    }
  } finally {
    server.kill("SIGTERM");
  }
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`${asked - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
