/**
 * The whole check: the build, which the others read; then the tests, and next to them what reads the code without running it, one step at
 * a time. Where it may, it gives the tests a temporary folder in memory: most of them wait for the disk more than for the processor. What a step prints is shown when it has ended. The
 * last line is `N passed, N failed`; a step that failed counts as one.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

const BUILD = "build";
const STEPS = ["lint", "unused", "package:check", "docs:check", "format:check"];
const TESTS = "test";

const MIN_FREE_BYTES = 4 * 1024 ** 3;
const folder = mkdtempSync(join(tmpdir(), "check-"));
/** Runs a command with a temporary folder in memory that no other process sees. */
const MOUNTED = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o mode=1777 tmpfs "$TMPDIR" && exec "$@"', "sh"];

/** @returns the beginning of the tests' command, and their environment */
function inMemory() {
  const env = { ...process.env, TMPDIR: folder };
  const [command, ...args] = MOUNTED;
  const isPossible = freemem() > MIN_FREE_BYTES && spawnSync(command, [...args, "true"], { env }).status === 0;
  return isPossible ? { before: MOUNTED, env } : { before: [], env: process.env };
}

/** Runs a script of package.json. @returns {Promise<{passed: boolean, output: string}>} */
function run(script, shows = false) {
  return new Promise((resolve, reject) => {
    const { before, env } = script === TESTS ? inMemory() : { before: [], env: process.env };
    const args = [...before, "npm", "run", "--silent", script];
    const child = spawn(args.shift(), args, { stdio: ["ignore", "pipe", "pipe"], env });
    const start = performance.now();
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (part) => {
        output += part;
        if (shows) process.stdout.write(part);
      });
    child.on("error", reject);
    child.on("close", (code) => {
      const seconds = Math.round((performance.now() - start) / 1000);
      if (!shows) console.log(`${output}${script}: ${code === 0 ? "passed" : "FAILED"} in ${seconds} s`);
      resolve({ passed: code === 0, output });
    });
  });
}

process.on("exit", () => rmdirSync(folder));

const failed = [];

async function readCode() {
  for (const script of STEPS) if (!(await run(script)).passed) failed.push(script);
}

let counts = "0 passed, 0 failed";
if ((await run(BUILD)).passed) {
  const [tests] = await Promise.all([run(TESTS, true), readCode()]);
  if (!tests.passed) failed.push(TESTS);
  counts = /^\d+ passed, \d+ failed.*$/m.exec(tests.output)?.[0] ?? counts;
} else failed.push(BUILD);

if (failed.length > 0) {
  process.exitCode = 1;
  console.error(`\nFAILED: ${failed.join(", ")}.`);
  // Failed tests are counted already, unless there was not even one.
  const more = failed.filter((script) => script !== TESTS || / 0 failed/.test(counts)).length;
  counts = counts.replace(/(\d+) failed/, (_, count) => `${Number(count) + more} failed`);
}
console.log(counts);
