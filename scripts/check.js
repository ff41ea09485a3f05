/**
 * The whole check: the build, which the others read; then what looks at the code without running it, side by side, as many steps at a time
 * as there are cores; then the tests by themselves. What a step prints is shown when it has ended. The tests run only if all else passed.
 */
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";

/** Scripts of package.json; of those that run side by side the longest comes first. */
const BUILD = "build";
const SIDE_BY_SIDE = ["lint", "unused", "package:check", "docs:check", "format:check"];
const TESTS = "test";

/** Runs a script of package.json. @returns {Promise<boolean>} whether it succeeded */
function run(script, stdio) {
  return new Promise((resolve, reject) => {
    const child = spawn("npm", ["run", "--silent", script], { stdio });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (part) => (output += part));
    const start = performance.now();
    child.on("error", reject);
    child.on("close", (code) => {
      if (stdio !== "inherit") {
        const seconds = Math.round((performance.now() - start) / 1000);
        console.log(`${output}${script}: ${code === 0 ? "passed" : "FAILED"} in ${seconds} s`);
      }
      resolve(code === 0);
    });
  });
}

const failed = [];
const waiting = [...SIDE_BY_SIDE];

async function work() {
  for (let script = waiting.shift(); script !== undefined; script = waiting.shift())
    if (!(await run(script, ["ignore", "pipe", "pipe"]))) failed.push(script);
}

if (!(await run(BUILD, ["ignore", "pipe", "pipe"]))) failed.push(BUILD);
else await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));
if (failed.length > 0) console.error(`\nFAILED: ${failed.join(", ")}. The tests were not run.`);
else if (!(await run(TESTS, "inherit"))) failed.push(TESTS);
if (failed.length > 0) process.exitCode = 1;
