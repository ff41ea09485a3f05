/** Turns a TypeScript entry into a program that plain Node can be started with. */
import { mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { build } from "esbuild";

/** Inside the repository, so that the packages left out of the bundle are found from there. */
const BUNDLES = resolve(import.meta.dirname, "../../node_modules/.cache/test-programs");

/**
 * Bundles an entry (absolute path) as ESM; what is loaded by `import()` stays lazy.
 * @param packages whether packages stay outside, or come along for a program that will be moved
 * @returns the path of the program; its folder is removed when this process ends
 */
export async function bundleProgram(entry: string, packages: "external" | "bundle" = "external"): Promise<string> {
  mkdirSync(BUNDLES, { recursive: true });
  const folder = mkdtempSync(join(BUNDLES, "program-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await build({
    entryPoints: [entry],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages,
    logLevel: "warning",
  });
  return join(folder, basename(entry).replace(/\.ts$/, ".mjs"));
}
