/**
 * Holds the built program against the MCP Inspector's command line, in both protocol eras, on a copy of the sample vault.
 * By hand or in CI with a network: `npm run check:inspector`. It is no development dependency: npx fetches it, because
 * its packages ask for Node 22, although this version runs on Node 20 too.
 */
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const ERAS = ["legacy", "modern"];

/** What is asked, and what the answer must hold. */
const CHECKS = [
  { ask: ["--method", "tools/list", "--strict"], holds: '"name":"scan_vault"' },
  { ask: ["--method", "tools/call", "--tool-name", "scan_vault"], holds: "Top 7 Outstanding Tasks" },
  {
    ask: ["--method", "tools/call", "--tool-name", "search_tasks", "--tool-arg", "query=movers"],
    holds: "Search Results",
  },
  { ask: ["--method", "tools/call", "--tool-name", "get_task", "--tool-arg", "taskId=nope"], holds: "FILE_NOT_FOUND" },
];

async function inspect(vault, era, ask) {
  const server = ["node", join(ROOT, "dist", "index.js"), vault];
  const options = ["--protocol-era", era, "--format", "json", "-q"];
  const args = ["-y", INSPECTOR, "--cli", ...server, ...ask, ...options];
  // A failed tool call makes the Inspector end with an exit code of its own; its output says what we want to know.
  const { stdout } = await promisify(execFile)("npx", args, { cwd: tmpdir(), timeout: 180_000 }).catch(
    (error) => error,
  );
  return String(stdout ?? "");
}

const folder = mkdtempSync(join(tmpdir(), "inspector-"));
let failed = 0;
try {
  cpSync(join(ROOT, "test-vault"), folder, { recursive: true });
  for (const era of ERAS) {
    for (const { ask, holds } of CHECKS) {
      const output = await inspect(folder, era, ask);
      const passed = output.includes(holds);
      if (!passed) failed++;
      console.log(`${passed ? "ok  " : "FAIL"} ${era}: ${ask.join(" ")}`);
      if (!passed) console.log(output.slice(0, 2000));
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`${ERAS.length * CHECKS.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
