/**
 * The official conformance suite, 0.1.13, against our own HTTP front end over fixtures: every scenario for servers passes or stands in
 * expected-failures.yaml with its reason. Later versions of the suite need Node 22: scripts/check-conformance.js.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleProgram } from "../kit/bundle.js";
import { Child } from "../kit/child.js";

const BASELINE = join(import.meta.dirname, "expected-failures.yaml");
const require = createRequire(import.meta.url);
const SUITE = join(dirname(require.resolve("@modelcontextprotocol/conformance/package.json")), "dist/index.js");
const run = promisify(execFile);

let server: Child;
let url = "";
let results: string;
beforeAll(async () => {
  results = mkdtempSync(join(tmpdir(), "conformance-"));
  server = new Child([await bundleProgram(join(import.meta.dirname, "../kit/conformance-program.ts"))]);
  await server.until("\n");
  url = server.stdout.trim();
});
afterAll(async () => {
  rmSync(results, { recursive: true });
  expect(await server.end()).toMatchObject({ code: 0, stderr: "" });
});

it("passes every scenario for servers but those that ask for what we do not offer", async () => {
  const args = ["server", "--url", url, "--suite", "all", "--expected-failures", BASELINE, "--output-dir", results];
  const { code, stdout } = await run(process.execPath, [SUITE, ...args]).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  );
  expect({ code, summary: code === 0 ? "" : stdout.slice(stdout.indexOf("=== SUMMARY")) }).toEqual({
    code: 0,
    summary: "",
  });
  expect(stdout).toContain("Baseline check passed");
  // A suite that ran nothing would pass too.
  expect(readdirSync(results).length).toBeGreaterThanOrEqual(32);
});
