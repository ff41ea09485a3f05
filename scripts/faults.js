/** Runs the long forms of the fault rigs: `node scripts/faults.js [calls|undo [kills]|journal [flips]|relocations [tries]|index [step]|kills [count]|processes|hidden|ext4 [cuts]|xfs [cuts]|mutations|outside [saves]]`. Takes minutes to an hour; ext4 and xfs mount disks of their own. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";

const root = resolve(import.meta.dirname, "..");
const faults = join(root, "test/faults");
// Inside the repository, so that the packages left out of the bundles are found from there.
const cache = join(root, "node_modules/.cache");
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "faults-"));
try {
  await build({
    entryPoints: ["worker.ts", "journal-worker.ts", "index-worker.ts", "move-worker.ts", "long.ts"].map((name) =>
      join(faults, name),
    ),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "warning",
  });
  const args = [
    join(folder, "long.mjs"),
    join(folder, "worker.mjs"),
    join(folder, "journal-worker.mjs"),
    join(faults, "fault.c"),
    folder,
    ...process.argv.slice(2),
  ];
  process.exitCode = spawnSync(process.execPath, ["--expose-gc", ...args], { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
