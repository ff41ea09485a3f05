/**
 * The whole check: the build, which the others read; then the tests, and next to those that wait most of their time (the first group of
 * `vitest.config.ts`) what reads the code without running it, one step at a time. What a step prints is shown when it has ended. The
 * last line is `N passed, N failed`; a step that failed counts as one.
 */
import { spawn } from "node:child_process";

/** Scripts of package.json. */
const BUILD = "build";
const STEPS = ["lint", "unused", "package:check", "docs:check", "format:check"];
const TESTS = "test";

/** Runs a script of package.json. @returns {Promise<{passed: boolean, output: string}>} */
function run(script, shows = false) {
  return new Promise((resolve, reject) => {
    const child = spawn("npm", ["run", "--silent", script], { stdio: ["ignore", "pipe", "pipe"] });
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
