/** The program as it is published, `dist/index.js`, and the library, `lib/`: each built when it is missing or older than a source. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const ROOT = resolve(import.meta.dirname, "../..");
export const TSC = join(ROOT, "node_modules", "typescript", "bin", "tsc");
const PROGRAM = join(ROOT, "dist", "index.js");
/** What the build says of the program's parts. */
export const PARTS = join(ROOT, "node_modules", ".cache", "program-parts.json");

/** Taken while a build runs: test files run in processes of their own, and two builds at once would mix. */
const TAKEN = join(ROOT, "node_modules", ".cache", "build-taken");
const LONGEST_BUILD_MS = 600_000;

export async function builtProgram(): Promise<string> {
  while (!upToDate(PROGRAM) || !existsSync(PARTS)) {
    if (take()) {
      try {
        execFileSync(process.execPath, [join(ROOT, "scripts", "build.js"), "--bundle-only"], { cwd: ROOT });
        return PROGRAM;
      } finally {
        rmSync(TAKEN, { recursive: true });
      }
    }
    await sleep(100);
  }
  return PROGRAM;
}

function take(): boolean {
  try {
    mkdirSync(join(TAKEN, ".."), { recursive: true });
    mkdirSync(TAKEN);
    return true;
  } catch {
    const age = performance.timeOrigin + performance.now() - modified(TAKEN);
    if (age > LONGEST_BUILD_MS) rmSync(TAKEN, { recursive: true, force: true });
    return false;
  }
}

export function buildLibrary(): void {
  if (upToDate(join(ROOT, "lib", "library.js"))) return;
  execFileSync(process.execPath, [TSC, "-p", "tsconfig.lib.json"], { cwd: ROOT });
}

function upToDate(result: string): boolean {
  const built = modified(result);
  const entries = readdirSync(join(ROOT, "src"), { withFileTypes: true, recursive: true });
  const sources = entries.filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"));
  return built > Math.max(...sources.map((entry) => modified(join(entry.parentPath, entry.name))));
}

/** When a file was changed last, in milliseconds since the epoch; 0 when there is none. */
function modified(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
