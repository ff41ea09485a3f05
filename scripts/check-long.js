/**
 * What is too long for each check: `npm run check:long [tests|faults|load|package]`. All tests in their full size (`LONG=1`; properties 20 times
 * as often), the long fault rigs, the load scenarios with a soak of two hours, the package through npx. Takes a night.
 */
import { spawnSync } from "node:child_process";

/** @type {Readonly<Record<string, readonly string[]>>} */
const PARTS = {
  tests: ["node_modules/vitest/vitest.mjs", "run", "--testTimeout=3600000", "--hookTimeout=600000"],
  faults: ["scripts/faults.js"],
  load: ["scripts/load.js"],
  package: ["scripts/check-package.js"],
};

const [, , only] = process.argv;
const parts = Object.entries(PARTS).filter(([name]) => only === undefined || only === name);
if (parts.length === 0) throw new Error(`There is no part '${only}': ${Object.keys(PARTS).join(", ")}.`);

const failed = [];
for (const args of [["scripts/build.js"], ...parts.map(([, command]) => command)]) {
  console.log(`\n> node ${args.join(" ")}`);
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit", env: { ...process.env, LONG: "1" } });
  if (status !== 0) failed.push(args.join(" "));
}
if (failed.length > 0) {
  process.exitCode = 1;
  console.error(`\nFAILED: ${failed.join("; ")}`);
}
