/** A copy of a program that every user may read, for processes that give up their rights: a clone may lie in a private folder. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

const PACKAGES = join(import.meta.dirname, "..", "..", "node_modules");

/** @returns the path of the copied program; what lies in its folder has come along, and is removed when this process ends */
export function openCopy(program: string): string {
  const folder = mkdtempSync(join(tmpdir(), "open-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  cpSync(dirname(program), folder, { recursive: true });
  // On Node 20 the program needs this one package that is not in its own folder.
  for (const name of ["libsql", "@libsql", "@neon-rs", "detect-libc"])
    cpSync(join(PACKAGES, name), join(folder, "node_modules", name), { recursive: true });
  execFileSync("chmod", ["-R", "a+rX", folder]);
  return join(folder, basename(program));
}
