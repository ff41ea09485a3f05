/** The Chromium of a test process, and what becomes of a suite where the machine has none. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { chromium, type Browser, type LaunchOptions } from "playwright-core";
import { describe, inject, it } from "vitest";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    chromium: LaunchOptions | undefined;
  }
}

/** Where an installed browser usually is. */
const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];

const require = createRequire(import.meta.url);

/** The names of a foreign site, and of one whose name is made to lead here; the browser resolves both to this machine. */
export const FOREIGN = "foreign.test";
export const REBOUND = "rebound.test";
/** Where the rebound name leads; the servers listen on 127.0.0.1 only. */
export const REBOUND_ADDRESS = "127.0.0.2";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Nobody looks at the pixels, and no code runs for long: a fifth less processor time.
  "--force-gpu-mem-available-mb=1",
  "--js-flags=--no-maglev",
  `--host-resolver-rules=MAP ${FOREIGN} 127.0.0.1, MAP ${REBOUND} ${REBOUND_ADDRESS}`,
];

/**
 * The Chromium of the package `@sparticuz/chromium`, with the libraries and the font that a bare machine lacks, unpacked once for each
 * installation. It has no windows, so pages cost half the processor time, and look the same on every machine.
 * @returns how to launch it; undefined where it does not run: it is for Linux on x64 with glibc
 */
function packaged(): LaunchOptions | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const archives = resolve(require.resolve("@sparticuz/chromium"), "../../../bin");
  const folder = resolve("node_modules/.cache/chromium");
  if (!existsSync(folder)) {
    const unpacked = (archive: string) => brotliDecompressSync(readFileSync(join(archives, archive)));
    mkdirSync(resolve(folder, ".."), { recursive: true });
    const begun = mkdtempSync(`${folder}-`);
    writeFileSync(join(begun, "chromium"), unpacked("chromium.br"), { mode: 0o755 });
    for (const archive of ["al2023.tar.br", "fonts.tar.br"])
      execFileSync("tar", ["x", "--no-same-owner", "-C", begun], { input: unpacked(archive) });
    const dirs = `<dir>${folder}/fonts</dir><cachedir>${folder}/font-cache</cachedir>`;
    writeFileSync(join(begun, "fonts.conf"), `<?xml version="1.0"?><fontconfig>${dirs}</fontconfig>`);
    try {
      renameSync(begun, folder);
    } catch {
      rmSync(begun, { recursive: true }); // Another run was first.
    }
  }
  const env = { ...process.env, LD_LIBRARY_PATH: join(folder, "lib"), FONTCONFIG_FILE: join(folder, "fonts.conf") };
  const executablePath = join(folder, "chromium");
  return spawnSync(executablePath, ["--version"], { env }).status === 0 ? { executablePath, env } : undefined;
}

/** The browser that `CHROMIUM` names, else the packaged one, else an installed one. */
function browserOfThisMachine(): LaunchOptions | undefined {
  const named = process.env["CHROMIUM"];
  if (named) return { executablePath: named };
  const installed = PLACES.find((place) => existsSync(place));
  return packaged() ?? (installed ? { executablePath: installed } : undefined);
}

/** Finds the browser before the tests that need it: a global setup of `vitest.config.ts`. */
export function setup(project: TestProject): void {
  project.provide("chromium", browserOfThisMachine());
}

let browser: Promise<Browser> | undefined;

/** One for all files of a process: to drive one across processes costs more than to start some. */
export function sharedBrowser(found: LaunchOptions): Promise<Browser> {
  return (browser ??= chromium.launch({ ...found, args: FLAGS }));
}

/** Runs a suite with what starts the browser; where there is none the suite counts as skipped. */
export function inChromium(file: string, suite: (browser: LaunchOptions) => void): void {
  const found = inject("chromium");
  if (found !== undefined) return void describe("in Chromium", () => suite(found));
  it.skip(`${file} needs a Chromium (CONTRIBUTING.md says how to install one; CHROMIUM names it)`);
}
