/** Golden files: what is published, held word for word. A missing one fails, so that nothing is published unseen. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), "..", "golden");

/** Expects a text to be what `test/golden/<name>` holds; with `UPDATE_GOLDEN=1` writes it instead (not on a CI machine). */
export function expectGolden(name: string, text: string): void {
  const file = join(FOLDER, name);
  const { UPDATE_GOLDEN, CI } = process.env;
  if (UPDATE_GOLDEN === "1" && !CI) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, text);
  }
  if (!existsSync(file))
    throw new Error(`test/golden/${name} is missing: run once with UPDATE_GOLDEN=1 and look at what it holds`);
  expect(text).toBe(readFileSync(file, "utf8"));
}

export function goldenNames(ending: string): string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(ending))
    .sort();
}
