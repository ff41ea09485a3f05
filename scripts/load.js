/** Runs the load scenarios against the built program at full size: `node scripts/load.js [calls|readers|writers|broken|sessions|soak [minutes]]`. All but the soak take minutes; it takes two hours. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";

const root = resolve(import.meta.dirname, "..");
// Inside the repository, so that the packages left out of the bundle are found from there.
const cache = join(root, "node_modules/.cache");
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "load-"));
try {
  const outfile = join(folder, "long.mjs");
  const entryPoints = [join(root, "test/load/long.ts")];
  await build({ entryPoints, outfile, bundle: true, format: "esm", platform: "node", packages: "external" });
  const args = [outfile, join(root, "dist/index.js"), join(root, "bench/generate-vault.js"), ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
